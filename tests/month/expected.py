"""What taxd calls each fault: the codes of which one must be there, and those that may follow from it.

A finding is `layer/code`. This is the one table that knows taxd's words."""

# A fault within a document: its arithmetic, its codes, the law.
DOCUMENTS = {
    "icms_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "icms_rate": ({"lei/valor"}, set()),
    "total_icms": ({"aritmetica/total"}, set()),
    "total_note": ({"aritmetica/total"}, set()),
    "total_value": ({"aritmetica/total"}, set()),
    "contribution_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "st_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "ipi_rate": ({"lei/valor"}, set()),
    "ipi_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "cbs_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor", "aritmetica/total"}),
    "difal_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "total_ibs": ({"aritmetica/total"}, set()),
    "freight_cbs": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "freight_scope": ({"coerencia/cfop_e_destino"}, set()),
    "total_pis": ({"aritmetica/total"}, set()),
    "quantity": ({"aritmetica/quantidade_vezes_unidade"}, set()),
    "classification": ({"coerencia/cst_e_cclasstrib"}, set()),
    "margin": ({"aritmetica/base_pela_margem"}, set()),
    "service_pis": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "code_of_regime": ({"coerencia/crt_e_cst"}, set()),
    "scope_of_cfop": ({"coerencia/cfop_e_destino"}, set()),
    "no_such_ncm": ({"coerencia/ncm_inexistente"}, set()),
    "freight_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "freight_received": ({"aritmetica/total"}, set()),
    "service_product": ({"aritmetica/base_vezes_aliquota"}, {"lei/valor"}),
    "service_rate": ({"lei/valor"}, set()),
}

# A fault of an EFD, by the number of the crossing.
CROSSINGS = {
    "1": ({"cruzamento/nota_fora_da_efd"}, set()),
    "4": ({"cruzamento/cancelada_escriturada"}, set()),
    "6": ({"cruzamento/campos_de_cancelado"}, set()),
    "7": ({"cruzamento/chave_e_registro"}, set()),
    "8": ({"cruzamento/digito_da_chave"}, set()),
    "9": ({"cruzamento/documento_em_duas_linhas"}, set()),
    "13": ({"cruzamento/valor_do_documento"}, set()),
    "17": ({"cruzamento/grupos_e_itens"}, set()),
    "19": ({"cruzamento/cfop_e_sentido"}, set()),
    "21": ({"cruzamento/cfop_e_ambito"}, set()),
    "23": ({"cruzamento/credito_maior"}, set()),
    "29": (
        {f"cruzamento/{code}" for code in ("debitos_da_apuracao", "creditos_da_apuracao", "ajustes_da_apuracao")},
        set(),
    ),
    "30": ({"cruzamento/obrigacoes_a_recolher"}, set()),
}

# Crossings that not every binary has: planted only if it has all of these codes.
NEWER = {
    "11": ({"cruzamento/data_de_emissao"}, set()),
    "15": ({"cruzamento/imposto_na_efd", "cruzamento/base_na_efd"}, set()),
    "16": (
        {f"cruzamento/{code}" for code in ("grupo_na_efd", "cfop_na_efd", "aliquota_na_efd", "valor_do_grupo")},
        {"cruzamento/cst_na_efd"},
    ),
    "25": ({"cruzamento/imposto_na_efd", "cruzamento/base_na_efd"}, set()),
    "26": ({"cruzamento/st_da_apuracao"}, set()),
    "27": ({"cruzamento/difal_na_efd", "cruzamento/difal_da_apuracao"}, set()),
    "28": ({"cruzamento/imposto_na_efd", "cruzamento/apuracao_do_ipi"}, set()),
    "32": ({"cruzamento/valor_do_documento", "cruzamento/base_do_frete", "cruzamento/icms_do_frete"}, set()),
    "34": ({"cruzamento/valor_do_documento", "cruzamento/icms_do_cupom"}, set()),
    "34_icms": ({"cruzamento/icms_do_cupom"}, set()),
    "38": ({"cruzamento/servico_fora_da_efd", "cruzamento/valor_do_servico"}, set()),
    "40": ({"cruzamento/base_do_credito_com_icms"}, set()),
    "41": ({"cruzamento/cst_do_produto"}, set()),
    "42": ({"cruzamento/receita_sem_apuracao"}, set()),
    "46": ({"cruzamento/aliquota_do_regime"}, set()),
    "47": ({"cruzamento/base_da_apuracao"}, set()),
}


def of(kind):
    """The codes of which one must be there, and those that may."""
    return DOCUMENTS.get(kind) or CROSSINGS.get(kind) or NEWER.get(kind) or (set(), set())


def is_known(kind, binary):
    """Whether a binary, by its bytes, has the codes of a kind."""
    must, _ = of(kind)
    return bool(must) and (kind not in NEWER or all(name.split("/")[1].encode() in binary for name in must))

"""CBS and IBS in the test year 2026: the national rates, and the list of goods and services they refuse.

A code on a list of differentiated regimes is refused with every hypothesis that may reach it, since the lists
mostly ask for more than the code (a description, a buyer, a destination). What is decided here, and why:

* A chapter or heading that only the tax authority's data base cites is not refused as a whole because one of its
  products has a reduction: `BROAD` says which are kept, narrowed or left out, and why.
* Services come with NBS codes in the law, while an operation states its LC 116 item. `SERVICES` follows the official
  correlation of the national NFS-e layout.
* An item that mixes classes is refused, with the reduction as a hypothesis that asks for the description, where the
  service itself decides; where only the buyer, the provider or a project does (arts. 140, 142, 156, 158 and the like),
  the item is left at the full rate and the national rule tells so.
* Specific regimes keep a base of their own (art. 348, III, b): their hypotheses have no cut (`None`) unless the law
  fixes one, and immune goods have none either.
* Fuels are refused: the test rates do not apply to them (LC 214/2025, art. 348, III, b).
"""

import re

from bundle import Bundle, BundleError, day_after, money, percent_of, rate, read_table, refusal, result, rule

TAXES = ("cbs", "ibs")
START, END = "2026-01-01", "2027-01-01"
#: The text of the law, as amended, and the tax authority's own table, against which the codes were held.
LAW_TEXT = ("LC nº 214/2025 no texto atualizado da Câmara dos Deputados, com a LC nº 227/2026 (repositório "
            "diekson-bernardes/NCM-CCLASSTRIB-NBS); a LC nº 235/2026 não foi conferida.")
SOURCE_GOODS = (f"{LAW_TEXT} Códigos comparados com a base do Serpro (repositório pedro554/calculadoraimpostogov), de "
                "onde vêm capítulos e posições que a lei dá só por descrição.")
SOURCE_RATES = (f"{LAW_TEXT} Alíquotas iguais às da tabela do Portal da NF-e (CBS) e da base do Serpro (repositório "
                "pedro554/calculadoraimpostogov).")
CORRELATION = ("Anexo VIII do leiaute nacional da NFS-e (correlação entre item da LC nº 116/2003, NBS e cClassTrib), "
               "versão 1.01.00")

#: Codes cited only in the authority's data base: None keeps the code, a list narrows it, [] leaves it out.
BROAD = {
    ("07", "Anexo VII"): None,  # the item names the chapter
    ("08", "Anexo VII"): None,
    ("10", "Anexo VII"): None,
    ("07095", "Anexo VII"): None,
    ("07108000", "Anexo VII"): None,
    ("12", "Anexo VII"): ["1201", "1202", "1203", "1204", "1205", "1206", "1207"],  # oil seeds and oleaginous fruits
    ("31", "Anexo IX"): None,  # the chapter is fertilisers
    ("25", "Anexo IX"): ["2520", "2521"],  # gypsum and limestone, the headings of soil correctives
    ("07", "Anexo IX"): [],  # seeds for sowing: the heading for them is 12.09
    ("10", "Anexo IX"): [],
    ("12", "Anexo IX"): ["1209"],
    ("11", "Anexo IX"): [],  # only what goes straight into animal feed
    ("230500", "Anexo IX"): [],  # the same as 23050000, which the annex cites
    ("0210", "Anexo IX"): [],  # meat meal among salted and dried meat
    ("0309", "Anexo IX"): [],  # fish meal fit for people
    ("07129010", "Anexo IX"): [],  # code no longer in force
    ("15", "Anexo IX"): [],  # fats for feed among all fats and oils
    ("250100", "Anexo IX"): [],  # mineral salt for animals among all salt
    ("25210000", "Anexo IX"): None,
    ("8709", "Anexo XI"): [],  # military use only
    ("8701", "Anexo XI"): [],
    ("8802", "Anexo XI"): [],
    ("8806", "Anexo XI"): [],
    ("8805", "Anexo XI"): [],
    ("06", "Anexo XV"): None,  # the chapter is live plants and flowers
}

#: Medicines: the annex was repealed (LC 227/2026), so the headings are ours; the reduction depends on registration.
MEDICINES = {
    "codes": ["3002", "3003", "3004", "3006"],
    "hypotheses": [("60", "art. 133", "Medicamentos registrados na Anvisa ou produzidos por farmácias de manipulação"),
                   ("100", "art. 146", "Medicamentos registrados na Anvisa para as finalidades do art. 146, soros e "
                                       "vacinas")],
}

#: Codes that are a fuel of art. 172, and headings that also hold other goods.
FUELS = ["27101259", "27101911", "27101921", "27101922", "27111100", "27111910", "27112100", "38260000"]
FUEL_HEADINGS = ["2207", "2710", "2711"]
FUEL_LAW = "LC nº 214/2025, arts. 172 a 180 e art. 348, III, b"
FUEL_REASON = "O imposto sobre combustíveis é por unidade de medida, e as alíquotas de 2026 não se aplicam a ele."

#: Immune goods: codes that are one, and codes that also hold other goods: (codes, item of art. 9, text, ask).
IMMUNE = [
    (["4901", "4902"], "livros-e-jornais", "art. 9º, IV", "Livros, jornais e periódicos (imunidade)", False),
    (["4801", "4903", "490520"], "papel-e-albuns", "art. 9º, IV",
     "Papel destinado à impressão de livros, jornais e periódicos; álbuns e atlas que sejam livros (imunidade)", True),
    (["85234"], "fonogramas", "art. 9º, V", "Fonogramas e videofonogramas musicais brasileiros (imunidade)", True),
    (["7108"], "ouro", "art. 9º, VII", "Ouro definido como ativo financeiro ou instrumento cambial (imunidade)", True),
]
IMMUNE_REASON = "Bem imune, no todo ou conforme a natureza e a destinação: não há alíquota a aplicar ao que é imune."
SPECIFIC_REASON = ("Regime específico, com base de cálculo própria, ou isenção: a alíquota sobre o valor da operação "
                   "não é o imposto devido.")

#: Who meets the accessory duties pays nothing in the test year.
WAIVER = "LC nº 214/2025, art. 348, § 1º; Decreto nº 12.955/2026, art. 583, § 1º"

PUBLIC_BUYER = "Na aquisição por órgãos públicos e entidades que a lei indica"

FINANCE = "Serviços financeiros, com base de cálculo própria"
CULTURE = "Produções nacionais artísticas, culturais, de eventos, jornalísticas e audiovisuais"
FARMING = "Serviços listados entre os insumos agropecuários e aquícolas"
PROFESSION = "Serviços de profissões intelectuais fiscalizadas por conselho, nas condições do art. 127"
REAL_ESTATE = "Operações com bens imóveis, inclusive construção"

#: (items of the LC 116 list, cut, place in the law, description, whether the description must be checked)
SERVICES = [
    ([f"4.{number:02}" for number in range(1, 22)], "60", "art. 130 e Anexo III", "Serviços de saúde", False),
    (["4.22", "4.23"], "60", "art. 237", "Planos de assistência à saúde (regime específico)", False),
    (["5.01"], "30", "art. 127", PROFESSION, True),
    (["5.01"], "60", "art. 138 e Anexo IX", "Inseminação e fertilização de animais de criação", True),
    (["5.09"], "30", "art. 243", "Planos de assistência à saúde de animais domésticos (regime específico)", False),
    (["25.01", "25.02"], "60", "art. 130 e Anexo III, item 30",
     "Serviços funerários, de cremação e de embalsamamento; não alcança funeral de animais", True),
    (["25.03"], "60", "art. 236", "Planos de assistência funerária (regime específico)", False),
    (["8.01"], "60", "art. 129 e Anexo II", "Serviços de educação", False),
    (["8.01"], "100", "art. 308", "Ensino superior vinculado ao Prouni, só CBS", True),
    (["9.01", "12.05"], "40", "art. 281", "Hotelaria, parques de diversão e parques temáticos", False),
    (["9.02", "9.03"], "40", "art. 289, II", "Agências de turismo", False),
    (["3.03", "3.04"], "70", "art. 261, parágrafo único", "Locação, cessão onerosa e arrendamento de bens "
                                                          "imóveis", True),
    (["7.02", "7.04", "7.05", "7.06", "7.07", "7.08", "7.17"], "50", "art. 261", REAL_ESTATE, False),
    (["7.02", "7.04", "7.05", "7.06", "7.07", "7.08", "7.17", "7.19"], "60", "art. 158",
     "Projetos de reabilitação urbana de zonas históricas e de áreas críticas", True),
    (["7.01", "7.19", "17.14", "17.16", "17.19", "17.20", "17.21", "27.01", "30.01", "31.01"], "30",
     "art. 127", PROFESSION, True),
    (["7.01"], "60", "art. 138 e Anexo IX", "Serviços agronômicos, de engenharia florestal e de irrigação", True),
    (["3.05", "12.01", "12.02", "12.03", "12.04", "12.07", "12.08", "12.12", "12.13", "12.14", "12.15", "12.16",
      "13.02", "13.03", "37.01", "38.01"], "60", "art. 139 e Anexo X", CULTURE, True),
    (["5.02", "5.03", "5.04", "5.07", "7.16"], "60", "art. 138 e Anexo IX", FARMING, True),
    (["6.04"], "60", "art. 141, I", "Educação desportiva", True),
    (["12.11"], "60", "art. 141, II", "Gestão e exploração do desporto por associações e clubes filiados", True),
    (["7.03", "29.01", "35.01", "38.01"], "30", "art. 127", PROFESSION, True),
    (["8.02"], "60", "art. 129 e Anexo II", "Serviços de educação listados no Anexo II", True),
    (["10.01"], None, "arts. 181, 182, XV, e 240",
     "Intermediação de seguros, consórcios, previdência e planos de saúde", True),
    (["10.02"], None, "arts. 181 e 182, III", "Intermediação de títulos e valores mobiliários", True),
    (["10.05", "17.12"], "50", "arts. 252, IV, e 261", "Intermediação e administração de bens imóveis", True),
    ([f"15.{number:02}" for number in range(1, 19)], None, "arts. 181 a 233", FINANCE, False),
    (["16.01"], None, "art. 157", "Transporte público coletivo urbano, semiurbano e metropolitano, rodoviário e "
                                  "metroviário (isenção)", True),
    (["16.01"], "100", "art. 285, I", "Transporte público coletivo urbano, semiurbano e metropolitano, ferroviário e "
                                      "hidroviário", True),
    (["12.10", "19.01"], None, "arts. 244 e 245", "Concursos de prognósticos, loterias e apostas", True),
]


def payload(tributo, **extra):
    """An operation of 1000.00 with 180.00 of ICMS, 13.53 of PIS and 62.32 of COFINS: base 744.15."""
    return {
        "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "180.00", "valor_iss": "0.00",
        "valor_pis": "13.53", "valor_cofins": "62.32", "valor_ipi": "0.00",
        "cumpre_obrigacoes_acessorias": True, "optante_simples": False, "data_operacao": "2026-03-10", **extra,
    }


def national(tributo, rows):
    row = next(row for row in rows if row["tributo"] == tributo.upper() and row["vigente_de"] == START
               and row["tipo"] == "aliquota")
    percent = rate(row["valor"])
    due = money(percent_of("744.15", percent))
    shown = {"base_calculo": "744.15", "aliquota_aplicada": percent, "valor_destaque": due}
    return rule(
        f"{tributo}-2026", tributo, {}, START, day_after(row["vigente_ate"]),
        f"{row['fonte_legal']}; base: LC nº 214/2025, art. 12",
        {"aliquota": percent, "dispensa_base_legal": WAIVER}, fonte=SOURCE_RATES,
        avisos=["Os regimes diferenciados e específicos da LC nº 214/2025 só são verificados quando a operação "
                "informa ncm ou item_lista_servico.",
                "Não verificados: reduções e regimes que dependem do adquirente, do fornecedor ou de projeto (LC nº "
                "214/2025, arts. 140, 142, 149 a 156, 158, 271 e 292), bares e restaurantes (arts. 273 a 276), "
                "transporte coletivo intermunicipal e interestadual (art. 284), e imunidades por pessoa (art. 9º, I a "
                "III)."],
        exemplos=[
            result(payload(tributo), "0.00", valor_devido="0.00", dispensado=True, motivo_dispensa=WAIVER, **shown),
            result(payload(tributo, cumpre_obrigacoes_acessorias=False), due, valor_devido=due, dispensado=False,
                   **shown),
            result(payload(tributo, cumpre_obrigacoes_acessorias=False, valor_icms="0.00", valor_pis="0.00",
                           valor_cofins="0.00", data_operacao="2026-12-31"),
                   money(percent_of("1000.00", percent)), base_calculo="1000.00"),
        ])


# --- goods ---------------------------------------------------------------------------------------------


def medicine(code):
    """Whether a code may hold medicines; of 30.06, only the heading, since what it lists otherwise is not one."""
    return code == "3006" or code[:4] in ("3002", "3003", "3004")


def codes_of(row):
    """The codes to refuse for a row: its own, narrower ones, or none."""
    if not row["codigo"]:
        return []
    key = (row["codigo"], row["anexo"])
    if row["confere_serpro"] == "so_serpro":
        if key not in BROAD:
            raise BundleError(f"cbs_ibs: {key} without a decision")
        if BROAD[key] is not None:
            return BROAD[key]
    return [row["codigo"]]


#: Where a description of the law turns into a list of codes, which the rule's own scope already gives.
CODES_BEGIN = re.compile(
    r",? (dos seguintes|classificad[oa]s?|d[oa]s? (códigos?|posiç(ão|ões)|subposiç(ão|ões)))( .*)?$"
    r"|( [0-9]{2}[0-9.]*[0-9])+$"
    r"| Capítulo.*$")

#: The source cuts its descriptions at this length, mostly inside a word.
CUT_AT = 110


def short_text(text, annex):
    """What the law calls the goods, without the codes that it lists after the name."""
    if re.fullmatch(r"[0-9. ]*", text):
        return f"Código citado no {annex}"
    name = text
    for _ in range(2):
        name = CODES_BEGIN.sub("", name.strip(" ;,.")).strip(" ;,.")
    name = re.sub(r",? exceto os dentários e os produtos$|,? exceto os produtos$", "", name)
    if name == text.strip(" ;,.") and len(text) >= CUT_AT - 1:
        name = name.rsplit(" ", 1)[0].rstrip(" ,;(") + "…"
    return name[0].upper() + name[1:]


def place(row):
    if not row["anexo"]:
        return "art. 147"
    return f"{row['anexo']}, item {row['item']}" if row["item"] else row["anexo"]


def hypothesis(cut, where, text, ask):
    figure = {"reducao": None, "regime_especifico": True} if cut is None else {"reducao": rate(cut)}
    entry = {**figure, "anexo": where, "descricao": text}
    return entry | {"exige_descricao": True} if ask else entry


def goods(rows):
    """Code -> (rows that reach it, exceptions), with what shorter prefixes say of it too.

    Annexes I and XV prevail over VII, so nothing is inherited from Annex VII.
    """
    own = {}
    for row in rows:
        if row["tipo_codigo"] == "NCM":
            for code in codes_of(row):
                own.setdefault(code, []).append(row)
    for code in MEDICINES["codes"]:
        own.setdefault(code, [])
    for code in sorted(own):
        inherited = [row for prefix in own for row in own[prefix]
                     if code != prefix and code.startswith(prefix) and row["anexo"] != "Anexo VII"
                     and not any(code.startswith(out) for out in row["excecoes"].split(";") if out)]
        exceptions = [set(filter(None, row["excecoes"].split(";"))) for row in own[code]]
        yield code, own[code] + inherited, sorted(set.intersection(*exceptions)) if exceptions else []


def hypotheses(code, rows):
    listed = []
    for row in rows:
        listed.append(hypothesis(row["reducao"], place(row), short_text(row["descricao"], row["anexo"]),
                                 row["exige_descricao"] == "sim"
                                 or row["condicao_adquirente_ou_obs"].startswith("só")))
        if row["condicao_adquirente_ou_obs"].startswith("100% se adquirido"):
            listed.append(hypothesis("100", row["anexo"], PUBLIC_BUYER, True))
    if medicine(code):
        listed += [hypothesis(cut, where, text, True) for cut, where, text in MEDICINES["hypotheses"]]
    return [entry for index, entry in enumerate(listed) if entry not in listed[:index]]


def citation(rows, extra):
    """"LC nº 214/2025, art. 125 e Anexo I, itens 1 e 2; ..." from the rows of a code."""
    items = {}
    for row in rows:
        article = re.search(r"art\. [0-9]+", row["fonte_legal"]).group()
        items.setdefault((article, row["anexo"]), []).append(row["item"])
    parts = []
    for (article, annex), numbers in items.items():
        numbers = list(dict.fromkeys(filter(None, numbers)))
        word = " item " if len(numbers) == 1 else " itens "
        parts.append(article + (f" e {annex}" if annex else "") + ("," + word + ", ".join(numbers) if numbers else ""))
    return "LC nº 214/2025, " + "; ".join([*parts, *extra, "art. 348, III, a"])


def refused_goods(bundle, tributo, rows):
    plain, excepted = [], []
    for code, members, exceptions in goods(rows):
        line = [f"{tributo}-diferenciado-{code}", code]
        tail = [citation(members, ["arts. 133 e 146"] if medicine(code) else []), hypotheses(code, members)]
        if exceptions:
            excepted.append([*line, exceptions, *tail])
        else:
            plain.append([*line, *tail])
    columns = ["rule_code", "escopo.ncm", "citacao_legal", "conteudo.recusa.hipoteses"]
    common = {"versao": "1.0", "tributo": tributo, "vigente_de": START, "vigente_ate": END,
              "fonte": SOURCE_GOODS}
    bundle.table(common, columns, plain,
                 shown_goods(tributo, ("10062000", "19059090", "30049099", "22029900", "96190000"),
                             ("100620", "19059090", "30049099", "22029900", "96190000")))
    bundle.table(common, [*columns[:2], "escopo.ncm_exceto", *columns[2:]], excepted,
                 shown_goods(tributo, ("02071100", "07129090"), ("0207", "07")))


def shown_goods(tributo, products, codes):
    return [{"rule_id": f"{tributo}-diferenciado-{code}-v1.0",
             **refusal(payload(tributo, ncm=product), "regime_diferenciado")}
            for product, code in zip(products, codes, strict=True)]


def refused_wholly(tributo):
    """Fuels and immune goods: no rate of the test year is the tax due."""
    text = "Combustíveis e biocombustíveis, com imposto por unidade de medida"
    for code, ncm, ask, sample in (("combustiveis", FUELS, False, "27101259"),
                                   ("combustiveis-a-conferir", FUEL_HEADINGS, True, "22071090")):
        yield rule(f"{tributo}-{code}", tributo, {"ncm": ncm}, START, END, FUEL_LAW,
                   {"recusa": {"hipoteses": [hypothesis(None, "arts. 172 a 180", text, ask)]}}, fonte=LAW_TEXT,
                   motivo=FUEL_REASON,
                   exemplos=[refusal(payload(tributo, ncm=sample), "regime_diferenciado")])
    for ncm, code, where, text, ask in IMMUNE:
        yield rule(f"{tributo}-imune-{code}", tributo, {"ncm": ncm}, START, END, f"LC nº 214/2025, {where}",
                   {"recusa": {"hipoteses": [hypothesis(None, where, text, ask)]}}, fonte=LAW_TEXT,
                   motivo=IMMUNE_REASON,
                   exemplos=[refusal(payload(tributo, ncm=ncm[0].ljust(8, "0")), "regime_diferenciado")])


# --- services ------------------------------------------------------------------------------------------


def refused_services(tributo, known):
    by_item = {}
    for items, cut, where, text, ask in SERVICES:
        for item in items:
            if item not in known:
                raise BundleError(f"cbs_ibs: unknown service item {item}")
            if not (tributo == "ibs" and "só CBS" in text):
                by_item.setdefault(item, []).append((cut, where, text, ask))
    for item in sorted(by_item, key=lambda item: [int(part) for part in item.split(".")]):
        entries = by_item[item]
        places = "; ".join(dict.fromkeys(where for _, where, _, _ in entries))
        yield rule(
            f"{tributo}-diferenciado-servico-{item}", tributo, {"item_lista_servico": [item]}, START, END,
            f"LC nº 214/2025, {places}; art. 348, III",
            {"recusa": {"hipoteses": [hypothesis(*entry) for entry in entries]}},
            fonte=f"{CORRELATION}.",
            motivo=SPECIFIC_REASON if any(cut is None for cut, _, _, _ in entries) else None,
            exemplos=[refusal(payload(tributo, item_lista_servico=item), "regime_diferenciado")])


def build(source):
    bundle = Bundle("federal-cbs-ibs",
                    "CBS e IBS do ano-teste de 2026: alíquotas nacionais e lista de recusa dos regimes diferenciados "
                    "da LC nº 214/2025.")
    rates = read_table(source, "federal/cbs_ibs_2026.csv")
    reductions = read_table(source, "federal/cbs_ibs_reducoes.csv")
    known = {row["item"] for row in read_table(source, "federal/lc116_itens.csv") if row["vetado"] == "nao"}
    for tributo in TAXES:
        bundle.add(national(tributo, rates))
        bundle.add(*refused_wholly(tributo))
        bundle.add(*refused_services(tributo, known))
    for tributo in TAXES:
        refused_goods(bundle, tributo, reductions)
    return {"federal/cbs_ibs.json": bundle}

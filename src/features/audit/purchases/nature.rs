//! What the CFOP of a purchase says of its credits. The CFOP of a supplier says what it does, and not what the buyer does
//! with the goods; that of the buyer's own entry says both.

use super::CreditSituation::{Conferir, Sem};
use super::{Judgement, Purchase, RETURNED};
use crate::law::codes::NaturezaCfop;

/// What a nature says of ICMS (and IPI), and of PIS and COFINS: `None` if it is a purchase like others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nature {
    pub(super) icms: Option<Judgement>,
    pub(super) contribuicoes: Option<Judgement>,
}

const PURCHASE: Nature = Nature { icms: None, contribuicoes: None };
const UNKNOWN: Nature = both("o CFOP não diz qual é a operação");
const RETURN: Nature = both(RETURNED);

const NO_PURCHASE: Judgement = (Sem, "o CFOP não é de compra: não há aquisição que dê crédito");
const LENT: Judgement = (Conferir, "o CFOP não é de compra, e a nota destaca o imposto: confira se a remessa o deve");
const FIXED_ASSET: Nature = Nature {
    icms: Some((Conferir, "bem do ativo: 1/48 por mês, pelo CIAP (LC nº 87/1996, art. 20, § 5º)")),
    contribuicoes: Some((
        Conferir,
        "bem do ativo: crédito pela depreciação, ou no prazo que a lei dá (Leis nº 10.637/2002 e 10.833/2003, art. 3º, VI)",
    )),
};
const CONSUMED: Nature = Nature {
    icms: Some((Sem, "uso e consumo: sem crédito até 2032 (LC nº 87/1996, art. 33, I)")),
    contribuicoes: Some((
        Conferir,
        "uso e consumo: só dá crédito o que é insumo (Leis nº 10.637/2002 e 10.833/2003, art. 3º, II)",
    )),
};
const FROM_A_PERSON: &str = "compra de quem não emite nota: da pessoa física não há crédito (Leis nº 10.637/2002 e 10.833/2003, art. 3º, § 3º, I), salvo o presumido";
const IMPORT: Nature = Nature {
    icms: None,
    contribuicoes: Some((Conferir, "importação: o crédito é do que foi pago na entrada (Lei nº 10.865/2004, art. 15)")),
};

const fn both(reason: &'static str) -> Nature {
    Nature { icms: Some((Conferir, reason)), contribuicoes: Some((Conferir, reason)) }
}

const fn of_lending() -> Nature {
    Nature { icms: Some(LENT), contribuicoes: Some(NO_PURCHASE) }
}

/// Natures of the notes of a supplier, by the begin of their name; the first that fits. Sales that are not here are
/// purchases like others.
const OF_SUPPLIERS: [(&[&str], Nature); 13] = [
    (
        &["transferencia"],
        Nature {
            icms: Some((
                Conferir,
                "transferência entre estabelecimentos: o imposto destacado é o crédito que ela leva, ou a opção por tributá-la (LC nº 87/1996, art. 12, §§ 4º e 5º)",
            )),
            contribuicoes: Some(NO_PURCHASE),
        },
    ),
    (&["devolucao_ativo_de_terceiro", "devolucao_vasilhame", "devolucao_consignacao"], of_lending()),
    (&["devolucao", "anulacao"], RETURN),
    (
        &["venda_energia"],
        Nature {
            icms: Some((
                Conferir,
                "energia elétrica: crédito só do que a indústria consome, ou o que se exporta (LC nº 87/1996, art. 33, II)",
            )),
            contribuicoes: Some((
                Conferir,
                "energia elétrica consumida no estabelecimento (Lei nº 10.637/2002, art. 3º, IX; Lei nº 10.833/2003, art. 3º, III)",
            )),
        },
    ),
    (&["servico"], both("serviço: o crédito depende do uso que a empresa faz dele")),
    (
        &["industrializacao_para_terceiro"],
        both("industrialização por encomenda: o crédito é do valor que o industrializador cobra, e depende do uso"),
    ),
    (
        &["fixacao_de_preco", "fornecimento_ato_cooperativo", "remessa_preco_a_fixar", "remuneracao_produtor"],
        both("ato cooperativo ou preço a fixar: confira o que a lei do Estado e a da cooperativa dão"),
    ),
    (
        &["venda_ativo"],
        both(
            "bem usado, do ativo do fornecedor: o crédito depende do uso (LC nº 87/1996, art. 20; Leis nº 10.637/2002 e 10.833/2003, art. 3º, VI)",
        ),
    ),
    (
        &["remessa_fim_exportacao", "remessa_formacao_lote"],
        Nature {
            icms: Some((Sem, "compra com o fim de exportar, sem ICMS (LC nº 87/1996, art. 3º, parágrafo único)")),
            contribuicoes: Some((Sem, "compra com o fim de exportar: sem crédito (Lei nº 10.833/2003, art. 6º, § 4º)")),
        },
    ),
    (
        &["bonificacao_doacao_brinde", "amostra_gratis"],
        Nature {
            icms: Some((
                Conferir,
                "bonificação, doação ou brinde: o imposto destacado dá crédito se a saída seguinte é tributada (LC nº 87/1996, art. 20, § 3º)",
            )),
            contribuicoes: Some((
                Conferir,
                "bonificação, doação ou brinde: não há preço pago, e a Receita Federal não dá crédito",
            )),
        },
    ),
    (
        &["simples_faturamento_entrega_futura"],
        Nature {
            icms: Some((
                Sem,
                "faturamento para entrega futura: o ICMS é da nota que entrega (Convênio s/nº de 1970, art. 40)",
            )),
            contribuicoes: Some((
                Conferir,
                "venda para entrega futura: crédito uma só vez, na entrega ou no faturamento",
            )),
        },
    ),
    (&["nota_de_cupom"], both("nota de uma compra que tem cupom: crédito uma só vez")),
    (
        &["remessa", "retorno", "reclassificacao", "baixa", "credito_ou_saldo", "ressarcimento", "st_frete"],
        of_lending(),
    ),
];

/// Natures of the entries that the buyer issues. Others do not purchase, and have no line.
const OF_ENTRIES: [(&[&str], Nature); 5] = [
    (&["compra_ativo"], FIXED_ASSET),
    (&["compra_consumo", "compra_combustivel_consumo"], CONSUMED),
    (
        &["compra_energia", "compra_regime_aduaneiro", "compra_para_servico"],
        both("o crédito depende do uso que a empresa faz do que comprou"),
    ),
    (
        &["compra", "industrializacao_por_terceiro", "entrada_integracao_rural"],
        Nature { icms: None, contribuicoes: Some((Conferir, FROM_A_PERSON)) },
    ),
    (&["devolucao_de_venda", "devolucao_venda_combustivel"], RETURN),
];

fn find(table: &[(&[&str], Nature)], natureza: &NaturezaCfop) -> Option<Nature> {
    let fits = |names: &[&str]| names.iter().any(|name| natureza.nome.starts_with(name));
    table.iter().find(|(names, _)| fits(names)).map(|(_, nature)| *nature)
}

/// The nature of a purchase; `None` of an entry that has nothing to credit.
pub(super) fn of(purchase: &Purchase<'_>) -> Option<Nature> {
    let natureza = purchase.item.natureza();
    if purchase.nota.entrada {
        let nature = find(&OF_ENTRIES, natureza?)?;
        return Some(if purchase.item.cfop.starts_with('3') && nature.icms.is_none() { IMPORT } else { nature });
    }
    let Some(natureza) = natureza else { return Some(UNKNOWN) };
    // A supplier that writes that it returns goods says so in its purpose too.
    if purchase.nota.finalidade == 4 {
        return Some(RETURN);
    }
    if matches!(purchase.nota.finalidade, 2 | 3) {
        return Some(both("nota complementar ou de ajuste: o crédito é só da diferença, e depende da nota de origem"));
    }
    let is_sale = natureza.grupo == crate::law::codes::GrupoCfop::Venda;
    // The goods of a future delivery were paid before.
    let ordinary = if matches!(purchase.item.operacao(), "116" | "117") { DELIVERED } else { PURCHASE };
    Some(find(&OF_SUPPLIERS, natureza).unwrap_or(if is_sale { ordinary } else { UNKNOWN }))
}

const DELIVERED: Nature = Nature {
    icms: None,
    contribuicoes: Some((Conferir, "venda para entrega futura: crédito uma só vez, na entrega ou no faturamento")),
};

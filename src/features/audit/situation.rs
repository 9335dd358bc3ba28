//! Whether a line charges a tax at all: CST, CSOSN, CFOP and purpose decide. A line that rightly charges nothing does not
//! differ.

use rust_decimal::Decimal;

use crate::base::value::Date;
use crate::law::codes::{GrupoCfop, NaturezaCfop};
use crate::law::nfe::{ItemDaNota, NotaFiscal, Tag};
use crate::law::tax::TaxAnswer;

/// Why no tax of a company in the Simples Nacional is compared.
pub(super) const SIMPLES: &str = "optante do Simples Nacional: recolhe pelo regime unificado";

/// Whether the document is one of those whose taxes are compared: an outgoing one of its own, within the country.
pub(super) fn is_compared(nota: &NotaFiscal) -> bool {
    of_document(nota).is_none()
}

/// Why no tax of the item is compared; `None` if it may charge some.
pub(super) fn of_operation(nota: &NotaFiscal, item: &ItemDaNota) -> Option<&'static str> {
    of_document(nota)
        .or_else(|| item.cfop.starts_with('7').then_some("exportação"))
        .or_else(|| of_nature(item.natureza()?))
}

/// Why no tax of the document is compared.
fn of_document(nota: &NotaFiscal) -> Option<&'static str> {
    if nota.entrada {
        return Some("documento de entrada");
    }
    match nota.finalidade {
        2 => Some("nota complementar: traz só a diferença de outra"),
        3 => Some("nota de ajuste"),
        4 => Some("devolução: vale a alíquota do documento original"),
        5 | 6 => Some("nota de crédito ou de débito de CBS e IBS"),
        _ => (nota.destino == 3).then_some("exportação"),
    }
}

/// Natures, by the begin of their name, that charge no tax of their own, and why. Only outgoing documents are asked.
const WITHOUT_TAX: [(&[&str], &str); 11] = [
    // The credits and balances of the group 600 move no goods.
    (&["credito_ou_saldo_icms", "ressarcimento_st"], "transferência ou ressarcimento de ICMS, sem mercadoria"),
    (
        &["remessa_fim_exportacao"],
        "remessa com o fim específico de exportação (LC 87/1996, art. 3º, parágrafo único, I)",
    ),
    (
        &["remessa_formacao_lote_exportacao"],
        "remessa para formação de lote de exportação, com retorno ou exportação (Convênio ICMS 83/2006)",
    ),
    // The work itself is `industrializacao_para_terceiro`.
    (
        &["remessa_industrializacao", "retorno_insumo", "retorno_industrializacao"],
        "remessa para industrialização, ou seu retorno (Convênio AE 15/1974)",
    ),
    (&["remessa_conserto", "retorno_conserto"], "remessa para conserto, ou seu retorno (Convênio AE 15/1974)"),
    (
        &[
            "remessa_integracao_rural",
            "remessa_ativo_uso_fora",
            "remessa_armazenagem_combustivel",
            "remessa_deposito",
            "remessa_simbolica_deposito",
            "remessa_comodato_locacao",
            "remessa_demonstracao",
            "remessa_exposicao",
            "remessa_vasilhame",
            "retorno_",
        ],
        "remessa com retorno, sem venda",
    ),
    (
        &["simples_faturamento_entrega_futura", "remessa_conta_e_ordem"],
        "venda à ordem ou para entrega futura: o imposto é do outro documento (Convênio s/nº de 1970, art. 40)",
    ),
    (&["reclassificacao_kit"], "reclassificação de mercadoria em kit, sem saída"),
    (
        &["baixa_perda_roubo"],
        "baixa de estoque por perda, roubo ou deterioração, sem saída: o crédito é estornado (LC 87/1996, art. 21, IV)",
    ),
    (&["nota_de_cupom"], "o imposto está no cupom a que a nota se refere"),
    (&["st_frete_pelo_substituto"], "lançamento do imposto retido sobre o frete"),
];

/// Why a transfer charges no ICMS.
pub(super) const FREE_TRANSFER: &str =
    "transferência entre estabelecimentos da mesma empresa (LC 87/1996, art. 12, § 4º, na redação da LC 204/2023)";
/// Why ICMS on a transfer is to be checked. The option is of the whole year, and no field of the document shows it.
pub(super) const TAXED_TRANSFER: &str = "transferência entre estabelecimentos da mesma empresa com ICMS: é o crédito que \
ela transfere, ou a opção por tributá-la (LC 87/1996, art. 12, §§ 4º e 5º; Convênio ICMS 109/2024)";
/// The ICMS of the item of a transfer.
pub(super) fn charged_on_transfer(item: &ItemDaNota) -> Decimal {
    item.figures.sum(&[Tag::IcmsValor, Tag::FcpValor, Tag::MonoValor])
}

/// The items of transfers with ICMS, if their taxes are compared.
pub(super) fn taxed_transfers(nota: &NotaFiscal, day: Date) -> Vec<&ItemDaNota> {
    let is_taxed = |item: &&ItemDaNota| {
        is_transfer(item)
            && charged_on_transfer(item) > Decimal::ZERO
            && item.unreadable.is_empty()
            && unknown_base(item, day).is_none()
            && of_operation(nota, item).is_none()
            && of_icms(nota, item).is_none()
    };
    nota.items.iter().filter(is_taxed).collect()
}

/// Why a document of before 2026 is not compared with the law of CBS and IBS.
pub(super) const BEFORE_REFORM: &str =
    "a CBS e o IBS começam em 2026 (LC 214/2025, arts. 343 e 346): o grupo de antes é de teste";
/// Why a transfer charges neither CBS nor IBS.
pub(super) const TRANSFER_OUTSIDE_REFORM: &str =
    "transferência entre estabelecimentos do mesmo contribuinte, sem CBS e IBS (LC 214/2025, art. 6º, II)";

/// Whether the item is a transfer between establishments of one company: IPI is due on it, and the other taxes are not.
pub(super) fn is_transfer(item: &ItemDaNota) -> bool {
    item.natureza().is_some_and(NaturezaCfop::is_transfer)
}

/// Since this day ICMS is not due on a transfer (STF, ADC 49, effects from 2024 on; LC 204/2023, art. 2º).
const TRANSFERS_FREE_SINCE: u32 = 20_240_101;

/// Why an operation of that nature charges no tax of its own.
pub(super) fn of_nature(natureza: &NaturezaCfop) -> Option<&'static str> {
    if natureza.is_return() {
        return Some("devolução ou anulação: vale a alíquota do documento original");
    }
    let is_of = |names: &[&str]| names.iter().any(|name| natureza.nome.starts_with(name));
    WITHOUT_TAX.iter().find(|(names, _)| is_of(names)).map(|(_, reason)| *reason)
}

/// Why the taxes of an item cannot be known from its document, though they may be due.
pub(super) fn unknown_base(item: &ItemDaNota, day: Date) -> Option<&'static str> {
    (is_transfer(item) && day.ordinal() < TRANSFERS_FREE_SINCE).then_some(
        "até 2023 a transferência era tributada, sobre o custo ou a entrada mais recente (LC 87/1996, art. 13, § 4º), que o documento não mostra",
    )
}

/// Why a difference of an item may be right: its CFOP is one that States treat differently, or says little.
pub(super) fn doubt(item: &ItemDaNota) -> Option<&'static str> {
    match item.natureza()?.nome {
        "industrializacao_para_terceiro" => Some("industrialização por encomenda: cada Estado diz o que ela destaca"),
        _ if is_transfer(item) => Some(
            "transferência entre estabelecimentos da mesma empresa: a base depende de preços que o documento não mostra, e o IPI pode ser suspenso (RIPI, arts. 43, X, e 195)",
        ),
        "remessa_preco_a_fixar" | "fixacao_de_preco" | "fornecimento_ato_cooperativo" => {
            Some("ato cooperativo: cada Estado diz se o imposto é diferido")
        }
        "remessa_venda_fora_st" | "remessa_venda_fora" | "remessa_combustivel_venda_fora" => {
            Some("remessa para venda fora do estabelecimento: cada Estado diz o que ela destaca")
        }
        "remuneracao_produtor_integrado" => {
            Some("remuneração do produtor integrado: cada Estado diz se o imposto é diferido")
        }
        "amostra_gratis" => Some("amostra grátis, que é isenta se cumpre as condições (Convênio ICMS 29/1990)"),
        "baixa_encerramento" => {
            Some("baixa de estoque no encerramento da empresa: cada Estado diz se o imposto é devido")
        }
        "outra_saida" => Some("o CFOP 949 não diz qual é a operação"),
        _ => None,
    }
}

/// Why a difference of ICMS may be right: the item names a benefit of the State, which need not be among the rules.
pub(super) fn benefit(item: &ItemDaNota) -> Option<String> {
    let code = &item.beneficio;
    (!code.is_empty()).then(|| format!("o item cita o benefício {code} (cBenef), que pode mudar a base ou a alíquota"))
}

/// Imported by the issuer of the document itself (Convênio s/nº de 1970, Anexo I, table A).
pub(super) const IMPORTED_BY_SELLER: [u8; 2] = [1, 6];

/// Why a difference of PIS or COFINS may be right: the CFOP is of a resale, and the importer of single-phase goods is charged as
/// their maker.
pub(super) fn importer(item: &ItemDaNota, tributo: &str) -> Option<&'static str> {
    let imported = item.origem.is_some_and(|origem| IMPORTED_BY_SELLER.contains(&origem));
    (matches!(tributo, "pis" | "cofins") && imported && item.revenda()).then_some(
        "o emitente importou a mercadoria (orig), e o importador de produto monofásico é tributado como o fabricante (Leis 10.147/2000, 10.485/2002 e 13.097/2015)",
    )
}

/// Why the item has no revenue to charge PIS or COFINS on.
pub(super) fn without_revenue(item: &ItemDaNota) -> Option<&'static str> {
    let natureza = item.natureza()?;
    match (natureza.nome, natureza.grupo) {
        ("venda_ativo", _) => {
            Some("venda de bem do ativo: sem PIS e COFINS (Leis 10.637/2002 e 10.833/2003, art. 1º, § 3º)")
        }
        ("remuneracao_produtor_integrado", _) => None,
        _ if natureza.is_transfer() => Some("transferência entre estabelecimentos: não há receita"),
        (_, GrupoCfop::Remessa) if natureza.producao.is_some() => Some("remessa: a receita é da venda"),
        (_, GrupoCfop::Remessa | GrupoCfop::Retorno | GrupoCfop::Devolucao | GrupoCfop::Outra) => {
            Some("o CFOP não é de receita")
        }
        _ => None,
    }
}

/// Why a sale that charges no PIS or COFINS rightly charges none, whatever the rules say of the product. What the buyer does
/// with the goods is not on the document.
pub(super) fn to_free_trade_zone(item: &ItemDaNota, charged: bool) -> Option<&'static str> {
    let is_zero = item.natureza()?.receita == "sim_zero_zfm";
    (is_zero && !charged).then_some(
        "venda à Zona Franca de Manaus ou a área de livre comércio: alíquota zero de PIS e COFINS (Leis 10.996/2004, art. 2º, e 11.196/2005, art. 65)",
    )
}

/// Whether PIS or COFINS answers that the goods are resold under the single-phase regime.
pub(super) fn is_single_phase_resale(answer: &TaxAnswer) -> bool {
    answer.get("situacao").is_some_and(|situacao| situacao.text() == Some("monofasico_revenda"))
}

/// Why the own ICMS of the item is not compared (Convênio s/nº de 1970, Anexo I, table B; Ajuste SINIEF 1/2023 on the
/// single-phase codes).
pub(super) fn of_icms(nota: &NotaFiscal, item: &ItemDaNota) -> Option<&'static str> {
    if item.servico {
        return Some("serviço, sujeito ao ISS");
    }
    if !item.csosn.is_empty() || nota.icms_in_simples() {
        return Some(SIMPLES);
    }
    match item.cst_icms.as_str() {
        "30" => Some("isenta ou não tributada, com substituição tributária, pelo CST"),
        "40" => Some("isenta, pelo CST"),
        "41" => Some("não tributada, pelo CST"),
        "50" => Some("suspensão, pelo CST"),
        "51" => Some("diferimento, pelo CST"),
        "53" => Some("monofásico diferido, pelo CST"),
        "60" => Some("o ICMS já foi retido por substituição, pelo CST"),
        "61" => Some("o ICMS monofásico já foi cobrado, pelo CST"),
        "90" if item.figures.or_zero(Tag::IcmsValor).is_zero() => Some("CST 90 sem imposto"),
        "" => Some("o item não tem o grupo do ICMS"),
        _ => None,
    }
}

/// Why the IPI of the item is not compared, by its CST (IN RFB 1.009/2010, table I). 51 (zero) and 53 (not taxed) are
/// what the TIPI says, so they are compared if the issuer owes IPI on the item.
pub(super) fn of_ipi(cst: &str) -> Option<&'static str> {
    match cst {
        "52" => Some("isenta, pelo CST"),
        "54" => Some("imune, pelo CST"),
        "55" => Some("suspensão, pelo CST"),
        "00" | "01" | "02" | "03" | "04" | "05" | "49" => Some("CST de entrada"),
        _ => None,
    }
}

/// Why PIS or COFINS of the item is not compared, by its CST (IN RFB 1.009/2010, tables II and III). 04 and 06 are zero by
/// a rule, so they are compared.
pub(super) fn of_contribution(cst: &str, charged: bool) -> Option<&'static str> {
    match cst {
        "05" => Some("substituição tributária, pelo CST"),
        "07" => Some("isenta, pelo CST"),
        "08" => Some("sem incidência, pelo CST"),
        "09" => Some("suspensão, pelo CST"),
        "01" | "02" | "03" | "04" | "06" => None,
        "" => Some("o item não tem o grupo da contribuição"),
        _ if charged => None,
        _ => Some("outras operações, sem contribuição, pelo CST"),
    }
}

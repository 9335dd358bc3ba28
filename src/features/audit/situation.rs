//! Whether a line charges a tax at all: CST, CSOSN, CFOP and purpose decide. A line that rightly charges nothing does not
//! differ.

use crate::base::value::Date;
use crate::law::nfe::{ItemDaNota, NotaFiscal};

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
        .or_else(|| of_cfop(item.operacao()))
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

/// CFOPs, without their first digit, that charge no tax of their own, and why (Convênio s/nº de 1970, Anexo II, table of
/// CFOP, as Ajuste SINIEF 3/2024 consolidates it). Only outgoing documents are asked, so codes of entries alone are not
/// here.
const WITHOUT_TAX: [(&[&str], &str); 12] = [
    // 201, 202, 208 to 210: returns of purchases and of transfers; 205 to 207: annulments; 213 to 216: of cooperatives;
    // 410 to 413: under substitution; 503: of goods for export; 553, 555, 556: of assets and consumption; 660 to 662: of
    // fuels; 918, 919: of consignment; 921: of containers.
    (
        &[
            "201", "202", "205", "206", "207", "208", "209", "210", "213", "214", "215", "216", "410", "411", "412",
            "413", "503", "553", "555", "556", "660", "661", "662", "918", "919", "921",
        ],
        "devolução ou anulação: vale a alíquota do documento original",
    ),
    // The group 600 moves credits, and no goods.
    (&["601", "602", "603", "605", "606"], "transferência ou ressarcimento de ICMS, sem mercadoria"),
    (&["501", "502"], "remessa com o fim específico de exportação (LC 87/1996, art. 3º, parágrafo único, I)"),
    (&["504", "505"], "remessa para formação de lote de exportação, com retorno ou exportação (Convênio ICMS 83/2006)"),
    // 901 and 924 go out; 902, 903 and 925 come back. The work itself is 124 and 125.
    (&["901", "902", "903", "924", "925"], "remessa para industrialização, ou seu retorno (Convênio AE 15/1974)"),
    (&["915", "916"], "remessa para conserto, ou seu retorno (Convênio AE 15/1974)"),
    // 451 to 455: rural integration; 554: assets used elsewhere; 663 to 666: storage of fuels; 905 to 907 and 934: general
    // warehouses; 908, 909: lending; 912, 913: demonstration; 914: fairs; 920: containers.
    (
        &[
            "451", "452", "453", "454", "455", "554", "663", "664", "665", "666", "905", "906", "907", "908", "909",
            "912", "913", "914", "920", "934",
        ],
        "remessa com retorno, sem venda",
    ),
    (
        &["922", "923"],
        "venda à ordem ou para entrega futura: o imposto é do outro documento (Convênio s/nº de 1970, art. 40)",
    ),
    (&["926"], "reclassificação de mercadoria em kit, sem saída"),
    (
        &["927"],
        "baixa de estoque por perda, roubo ou deterioração, sem saída: o crédito é estornado (LC 87/1996, art. 21, IV)",
    ),
    (&["929"], "o imposto está no cupom a que a nota se refere"),
    (&["931"], "lançamento do imposto retido sobre o frete"),
];

/// Transfers between establishments of one company: of goods, of goods under substitution, of assets and consumption, of
/// fuels.
const TRANSFERS: &[&str] = &["151", "152", "153", "155", "156", "408", "409", "552", "557", "658", "659"];

/// Why a transfer charges no ICMS.
pub(super) const FREE_TRANSFER: &str =
    "transferência entre estabelecimentos da mesma empresa (LC 87/1996, art. 12, § 4º, na redação da LC 204/2023)";
/// Why ICMS on a transfer is to be checked. The option is of the whole year, and no field of the document shows it.
pub(super) const TAXED_TRANSFER: &str = "transferência entre estabelecimentos da mesma empresa com ICMS: é o crédito que \
ela transfere, ou a opção por tributá-la (LC 87/1996, art. 12, §§ 4º e 5º; Convênio ICMS 109/2024)";
/// Why a transfer charges neither CBS nor IBS.
pub(super) const TRANSFER_OUTSIDE_REFORM: &str =
    "transferência entre estabelecimentos do mesmo contribuinte, sem CBS e IBS (LC 214/2025, art. 6º, II)";

/// Whether the item is a transfer between establishments of one company: IPI is due on it, and the other taxes are not.
pub(super) fn is_transfer(item: &ItemDaNota) -> bool {
    TRANSFERS.contains(&item.operacao())
}

/// Since this day ICMS is not due on a transfer (STF, ADC 49, effects from 2024 on; LC 204/2023, art. 2º).
const TRANSFERS_FREE_SINCE: u32 = 20_240_101;

/// Why a CFOP, without its first digit, charges no tax of its own.
pub(super) fn of_cfop(operation: &str) -> Option<&'static str> {
    WITHOUT_TAX.iter().find(|(codes, _)| codes.contains(&operation)).map(|(_, reason)| *reason)
}

/// Why the taxes of an item cannot be known from its document, though they may be due.
pub(super) fn unknown_base(item: &ItemDaNota, day: Date) -> Option<&'static str> {
    (is_transfer(item) && day.ordinal() < TRANSFERS_FREE_SINCE).then_some(
        "até 2023 a transferência era tributada, sobre o custo ou a entrada mais recente (LC 87/1996, art. 13, § 4º), que o documento não mostra",
    )
}

/// Why a difference of an item may be right: its CFOP is one that States treat differently, or says little.
pub(super) fn doubt(item: &ItemDaNota) -> Option<&'static str> {
    match item.operacao() {
        "124" | "125" => Some("industrialização por encomenda: cada Estado diz o que ela destaca"),
        operation if TRANSFERS.contains(&operation) => Some(
            "transferência entre estabelecimentos da mesma empresa: a base depende de preços que o documento não mostra, e o IPI pode ser suspenso (RIPI, arts. 43, X, e 195)",
        ),
        "131" | "132" | "159" | "160" => Some("ato cooperativo: cada Estado diz se o imposto é diferido"),
        "414" | "415" | "657" | "904" => {
            Some("remessa para venda fora do estabelecimento: cada Estado diz o que ela destaca")
        }
        "456" => Some("remuneração do produtor integrado: cada Estado diz se o imposto é diferido"),
        "911" => Some("amostra grátis, que é isenta se cumpre as condições (Convênio ICMS 29/1990)"),
        "928" => Some("baixa de estoque no encerramento da empresa: cada Estado diz se o imposto é devido"),
        "949" => Some("o CFOP 949 não diz qual é a operação"),
        _ => None,
    }
}

/// Why the item has no revenue to charge PIS or COFINS on.
pub(super) fn without_revenue(item: &ItemDaNota) -> Option<&'static str> {
    match item.operacao() {
        "551" => Some("venda de bem do ativo: sem PIS e COFINS (Leis 10.637/2002 e 10.833/2003, art. 1º, § 3º)"),
        operation if TRANSFERS.contains(&operation) => Some("transferência entre estabelecimentos: não há receita"),
        "131" | "414" | "415" | "657" => Some("remessa: a receita é da venda"),
        // 932 and 933 are services, which are revenue.
        operation if operation.starts_with('9') && !matches!(operation, "932" | "933") => {
            Some("o CFOP não é de receita")
        }
        _ => None,
    }
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
        "90" if item.figures.or_zero(crate::law::nfe::Tag::IcmsValor).is_zero() => Some("CST 90 sem imposto"),
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

//! Whether a line charges a tax at all: CST, CSOSN, CFOP and purpose decide. A line that rightly charges nothing does not
//! differ.

use crate::nfe::{ItemDaNota, NotaFiscal};

/// Why no tax of the item is compared; `None` if it may charge some.
pub(super) fn of_operation(nota: &NotaFiscal, item: &ItemDaNota) -> Option<&'static str> {
    if nota.entrada {
        return Some("documento de entrada");
    }
    match nota.finalidade {
        2 => return Some("nota complementar: traz só a diferença de outra"),
        3 => return Some("nota de ajuste"),
        4 => return Some("devolução: vale a alíquota do documento original"),
        5 | 6 => return Some("nota de crédito ou de débito de CBS e IBS"),
        _ => {}
    }
    if nota.destino == 3 || item.cfop.starts_with('7') {
        return Some("exportação");
    }
    of_cfop(item.operacao())
}

/// Why a CFOP, without its first digit, charges no tax of its own (Convênio s/nº de 1970, Anexo II; Ajuste SINIEF
/// 07/2001 and its changes).
fn of_cfop(operation: &str) -> Option<&'static str> {
    match operation {
        "201" | "202" | "203" | "204" | "205" | "206" | "207" | "208" | "209" | "210" | "213" | "214" | "215"
        | "216" | "410" | "411" | "412" | "413" | "503" | "553" | "555" | "556" | "660" | "661" | "662" | "918"
        | "919" | "921" => Some("devolução ou anulação: vale a alíquota do documento original"),
        "601" | "602" | "603" | "604" | "605" | "606" => Some("transferência ou ressarcimento de ICMS, sem mercadoria"),
        "151" | "152" | "153" | "155" | "156" | "408" | "409" | "552" | "557" | "658" | "659" => {
            Some("transferência entre estabelecimentos da mesma empresa (LC 204/2023)")
        }
        "901" | "902" | "903" | "924" | "925" => Some("remessa para industrialização, ou seu retorno"),
        "915" | "916" => Some("remessa para conserto, ou seu retorno"),
        "663" | "664" | "665" | "666" | "905" | "906" | "907" | "908" | "909" | "912" | "913" | "914" | "920"
        | "934" => Some("remessa com retorno, sem venda"),
        "922" | "923" => Some("venda à ordem ou para entrega futura: o imposto é do outro documento"),
        "926" => Some("reclassificação de mercadoria em kit, sem saída"),
        "927" => Some("baixa de estoque por perda, roubo ou deterioração, sem saída: o crédito é estornado"),
        "929" => Some("o imposto está no cupom a que a nota se refere"),
        "931" => Some("lançamento do imposto retido sobre o frete"),
        _ => None,
    }
}

/// Why a difference of an item may be right: its CFOP is one that States treat differently.
pub(super) fn doubt(item: &ItemDaNota) -> Option<&'static str> {
    match item.operacao() {
        "414" | "415" | "657" | "904" => {
            Some("remessa para venda fora do estabelecimento: cada Estado diz o que ela destaca")
        }
        "131" | "132" | "159" | "160" => Some("ato cooperativo: cada Estado diz se o imposto é diferido"),
        "928" => Some("baixa de estoque no encerramento da empresa: cada Estado diz se o imposto é devido"),
        _ => None,
    }
}

/// Why the item has no revenue to charge PIS or COFINS on.
pub(super) fn without_revenue(item: &ItemDaNota) -> Option<&'static str> {
    match item.operacao() {
        "551" => Some("venda de bem do ativo: sem PIS e COFINS (Leis 10.637/2002 e 10.833/2003, art. 1º, § 3º)"),
        "131" | "414" | "415" | "657" => Some("remessa: a receita é da venda"),
        // 932 and 933 are services, which are revenue.
        operation if operation.starts_with('9') && !matches!(operation, "932" | "933") => {
            Some("o CFOP não é de receita")
        }
        _ => None,
    }
}

/// Why the own ICMS of the item is not compared.
pub(super) fn of_icms(nota: &NotaFiscal, item: &ItemDaNota) -> Option<&'static str> {
    if item.servico {
        return Some("serviço, sujeito ao ISS");
    }
    if !item.csosn.is_empty() || matches!(nota.crt, 1 | 4) {
        return Some("optante do Simples Nacional: recolhe pelo regime unificado");
    }
    match item.cst_icms.as_str() {
        "30" | "40" => Some("isenta, pelo CST"),
        "41" => Some("não tributada, pelo CST"),
        "50" => Some("suspensão, pelo CST"),
        "51" => Some("diferimento, pelo CST"),
        "53" => Some("monofásico diferido, pelo CST"),
        "60" => Some("o ICMS já foi retido por substituição, pelo CST"),
        "61" => Some("o ICMS monofásico já foi cobrado, pelo CST"),
        "90" if item.figures.or_zero(crate::nfe::Tag::IcmsValor).is_zero() => Some("CST 90 sem imposto"),
        "" => Some("o item não tem o grupo do ICMS"),
        _ => None,
    }
}

/// Why the IPI of the item is not compared, by its CST.
pub(super) fn of_ipi(cst: &str) -> Option<&'static str> {
    match cst {
        "52" => Some("isenta, pelo CST"),
        "54" => Some("imune, pelo CST"),
        "55" => Some("suspensão, pelo CST"),
        "00" | "01" | "02" | "03" | "04" | "05" | "49" => Some("CST de entrada"),
        _ => None,
    }
}

/// Why PIS or COFINS of the item is not compared, by its CST.
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

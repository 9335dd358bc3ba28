//! The groups of taxes of an item.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::Value;

use super::goods::MadeItem;
use super::{ipi_amount, is_zero, text};

/// The FCP of an internal sale. The group of CST 00 has no base for it.
pub fn own_fcp(made: &mut MadeItem, icms: &Value, base: &str, without_base: bool) -> String {
    let amount = text(icms, "valor_fcp");
    let rate = amount.parse::<Decimal>().unwrap() / base.parse::<Decimal>().unwrap() * Decimal::ONE_HUNDRED;
    let rate = format!("{:.2}", rate.round_dp(1));
    let figures = made.group(&[("pFCP", None, rate.as_str()), ("vFCP", Some("vFCP"), amount)]);
    if without_base { figures } else { format!("<vBCFCP>{base}</vBCFCP>{figures}") }
}

pub fn substitution(made: &mut MadeItem, st: &Value) -> String {
    let base = text(st, "base_calculo_st");
    let margin = text(st, "mva_aplicada").parse::<Decimal>().unwrap().round_dp(4).to_string();
    let mut out = format!("<modBCST>4</modBCST><pMVAST>{margin}</pMVAST>");
    out.push_str(&made.group(&[
        ("vBCST", Some("vBCST"), base),
        ("pICMSST", None, text(st, "aliquota_interna")),
        ("vICMSST", Some("vST"), text(st, "icms_st")),
    ]));
    if !is_zero(st, "fcp_st") {
        let amount = text(st, "fcp_st");
        out.push_str(&made.group(&[
            ("vBCFCPST", None, base),
            ("pFCPST", None, text(st, "aliquota_fcp")),
            ("vFCPST", Some("vFCPST"), amount),
        ]));
    }
    out
}

pub fn ipi_of(made: &mut MadeItem, ipi: &Value) -> String {
    let code = match text(ipi, "situacao") {
        "tributado" if is_zero(ipi, "aliquota_aplicada") => "51",
        "tributado" => {
            let (base, rate) = (text(ipi, "base_calculo"), text(ipi, "aliquota_aplicada"));
            let amount = ipi_amount(ipi).to_string();
            let figures =
                made.group(&[("vBC", None, base), ("pIPI", None, rate), ("vIPI", Some("vIPI"), amount.as_str())]);
            return format!("<IPI><IPITrib><CST>50</CST>{figures}</IPITrib></IPI>");
        }
        "aliquota_zero" => "51",
        _ => "53",
    };
    format!("<IPI><IPINT><CST>{code}</CST></IPINT></IPI>")
}

/// The difference that the seller pays to another State.
pub fn destination(made: &mut MadeItem, icms: Option<&Value>) -> String {
    let Some(icms) =
        icms.filter(|icms| icms["tipo_operacao"] == "interestadual" && icms["responsavel_difal"] == "remetente")
    else {
        return String::new();
    };
    let base = text(icms, "base_calculo_difal");
    let mut inside = made.group(&[("vBCUFDest", None, base)]);
    if !is_zero(icms, "valor_fcp") {
        inside.push_str(&made.group(&[
            ("vBCFCPUFDest", None, base),
            ("pFCPUFDest", None, text(icms, "aliquota_fcp")),
            ("vFCPUFDest", Some("vFCPUFDest"), text(icms, "valor_fcp")),
        ]));
    }
    inside.push_str(&made.group(&[
        ("pICMSUFDest", None, text(icms, "aliquota_interna")),
        ("pICMSInter", None, text(icms, "aliquota_interestadual")),
        ("pICMSInterPart", None, "100.00"),
        ("vICMSUFDest", Some("vICMSUFDest"), text(icms, "valor_difal")),
        ("vICMSUFRemet", Some("vICMSUFRemet"), "0.00"),
    ]));
    format!("<ICMSUFDest>{inside}</ICMSUFDest>")
}

pub fn reform(made: &mut MadeItem, details: &BTreeMap<String, Value>) -> String {
    let (Some(cbs), Some(ibs)) = (details.get("cbs"), details.get("ibs")) else { return String::new() };
    let base = made.group(&[("vBC", Some("vBCIBSCBS"), text(cbs, "base_calculo"))]);
    let reduction = |tax: &Value| {
        if is_zero(tax, "percentual_reducao") {
            return String::new();
        }
        let (points, effective) = (text(tax, "percentual_reducao"), text(tax, "aliquota_efetiva"));
        format!("<gRed><pRedAliq>{points}</pRedAliq><pAliqEfet>{effective}</pAliqEfet></gRed>")
    };
    let ibs_amount = text(ibs, "valor_destaque");
    let uf = made.group(&[("vIBSUF", Some("vIBSUF"), ibs_amount)]);
    // The municipality has the same reduction, of a rate of zero in the test year.
    let points = text(ibs, "percentual_reducao");
    let red = format!("<gRed><pRedAliq>{points}</pRedAliq><pAliqEfet>0.00</pAliqEfet></gRed>");
    let red = if is_zero(ibs, "percentual_reducao") { String::new() } else { red };
    let mun = format!("<pIBSMun>0.00</pIBSMun>{red}{}", made.group(&[("vIBSMun", Some("vIBSMun"), "0.00")]));
    let whole = made.group(&[("vIBS", Some("vIBS"), ibs_amount)]);
    let amount = made.group(&[("vCBS", Some("vCBS"), text(cbs, "valor_destaque"))]);
    let (ibs_rate, cbs_rate) = (text(ibs, "aliquota_aplicada"), text(cbs, "aliquota_aplicada"));
    format!(
        "<IBSCBS><CST>{}</CST><cClassTrib>{}</cClassTrib><gIBSCBS>{base}<gIBSUF><pIBSUF>{ibs_rate}</pIBSUF>{}{uf}</gIBSUF>\
         <gIBSMun>{mun}</gIBSMun>{whole}<gCBS><pCBS>{cbs_rate}</pCBS>{}{amount}</gCBS></gIBSCBS></IBSCBS>",
        text(cbs, "cst"),
        text(cbs, "classificacao_tributaria"),
        reduction(ibs),
        reduction(cbs)
    )
}

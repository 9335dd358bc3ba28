//! The groups of taxes of an item.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::Value;

use super::goods::MadeItem;
use super::{ipi_amount, is_zero, share, text};

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

/// The rates of the test year (LC 214/2025, arts. 343 and 346).
const TEST_RATES: [&str; 2] = ["0.10", "0.90"];

/// The group of CBS and IBS, as its CST has it: without amounts, deferred, suspended, reduced or in full.
pub fn reform(made: &mut MadeItem, details: &BTreeMap<String, Value>) -> String {
    let (Some(cbs), Some(ibs)) = (details.get("cbs"), details.get("ibs")) else { return String::new() };
    let cst = text(cbs, "cst");
    let amounts = match cst {
        "400" | "410" => String::new(),
        "510" => deferred(made, cbs),
        "550" => suspended(made, cbs),
        _ => charged(made, cbs, ibs),
    };
    format!(
        "<IBSCBS><CST>{cst}</CST><cClassTrib>{}</cClassTrib>{amounts}</IBSCBS>",
        text(cbs, "classificacao_tributaria")
    )
}

/// Nothing is due now: the whole is deferred.
fn deferred(made: &mut MadeItem, cbs: &Value) -> String {
    let base = text(cbs, "base_calculo");
    let [ibs_later, cbs_later] = TEST_RATES.map(|rate| share(base, rate));
    let base = made.group(&[("vBC", Some("vBCIBSCBS"), base)]);
    let mut part = |names: [&'static str; 3], rate: &str, later: &str| {
        made.group(&[(names[2], Some(names[2]), later)]);
        let amount = made.group(&[(names[1], Some(names[1]), "0.00")]);
        format!("<{0}>{rate}</{0}><gDif><pDif>100.00</pDif><vDif>{later}</vDif></gDif>{amount}", names[0])
    };
    let uf = part(["pIBSUF", "vIBSUF", "vDifUF"], TEST_RATES[0], &ibs_later);
    let mun = part(["pIBSMun", "vIBSMun", "vDifMun"], "0.00", "0.00");
    let federal = part(["pCBS", "vCBS", "vDifCBS"], TEST_RATES[1], &cbs_later);
    let whole = made.group(&[("vIBS", Some("vIBS"), "0.00")]);
    format!("<gIBSCBS>{base}<gIBSUF>{uf}</gIBSUF><gIBSMun>{mun}</gIBSMun>{whole}<gCBS>{federal}</gCBS></gIBSCBS>")
}

/// Nothing is due, and the document says what would be without the suspension.
fn suspended(made: &mut MadeItem, cbs: &Value) -> String {
    let base = text(cbs, "base_calculo");
    let [ibs, federal] = TEST_RATES.map(|rate| share(base, rate));
    let base = made.group(&[("vBC", Some("vBCIBSCBS"), base)]);
    let mut none = |rate: &str, amount: &'static str| {
        format!("<{rate}>0.00</{rate}>{}", made.group(&[(amount, Some(amount), "0.00")]))
    };
    let (uf, mun, cbs) = (none("pIBSUF", "vIBSUF"), none("pIBSMun", "vIBSMun"), none("pCBS", "vCBS"));
    let whole = made.group(&[("vIBS", Some("vIBS"), "0.00")]);
    format!(
        "<gIBSCBS>{base}<gIBSUF>{uf}</gIBSUF><gIBSMun>{mun}</gIBSMun>{whole}<gCBS>{cbs}</gCBS><gTribRegular><CSTReg>000</CSTReg>\
         <cClassTribReg>000001</cClassTribReg><pAliqEfetRegIBSUF>{}</pAliqEfetRegIBSUF><vTribRegIBSUF>{ibs}</vTribRegIBSUF>\
         <pAliqEfetRegIBSMun>0.00</pAliqEfetRegIBSMun><vTribRegIBSMun>0.00</vTribRegIBSMun>\
         <pAliqEfetRegCBS>{}</pAliqEfetRegCBS><vTribRegCBS>{federal}</vTribRegCBS></gTribRegular></gIBSCBS>",
        TEST_RATES[0], TEST_RATES[1]
    )
}

fn charged(made: &mut MadeItem, cbs: &Value, ibs: &Value) -> String {
    let base = made.group(&[("vBC", Some("vBCIBSCBS"), text(cbs, "base_calculo"))]);
    let reduction = |tax: &Value, effective: &str| {
        if is_zero(tax, "percentual_reducao") {
            return String::new();
        }
        let points = text(tax, "percentual_reducao");
        format!("<gRed><pRedAliq>{points}</pRedAliq><pAliqEfet>{effective}</pAliqEfet></gRed>")
    };
    let ibs_rate = text(ibs, "aliquota_aplicada");
    // Two parts since 2027, of which the rule states the rates (LC 214/2025, art. 344).
    let [uf_rate, mun_rate] = match ibs["parcela_estadual"]["aliquota"].as_str() {
        Some(rate) if rate != ibs_rate => [rate, text(&ibs["parcela_municipal"], "aliquota")],
        _ => [ibs_rate, "0.00"],
    };
    let of_parts = |name: &str, otherwise: &str| {
        ibs[name]["valor"].as_str().filter(|_| mun_rate != "0.00").unwrap_or(otherwise).to_owned()
    };
    let (uf_amount, mun_amount) =
        (of_parts("parcela_estadual", text(ibs, "valor_destaque")), of_parts("parcela_municipal", "0.00"));
    let ibs_amount = (uf_amount.parse::<Decimal>().unwrap() + mun_amount.parse::<Decimal>().unwrap()).to_string();
    let uf = made.group(&[("vIBSUF", Some("vIBSUF"), uf_amount.as_str())]);
    let mun = made.group(&[("vIBSMun", Some("vIBSMun"), mun_amount.as_str())]);
    let whole = made.group(&[("vIBS", Some("vIBS"), ibs_amount.as_str())]);
    let amount = made.group(&[("vCBS", Some("vCBS"), text(cbs, "valor_destaque"))]);
    let cbs_rate = text(cbs, "aliquota_aplicada");
    let [of_uf, of_mun, of_cbs] =
        [(ibs, text(ibs, "aliquota_efetiva")), (ibs, "0.00"), (cbs, text(cbs, "aliquota_efetiva"))]
            .map(|(tax, effective)| reduction(tax, effective));
    format!(
        "<gIBSCBS>{base}<gIBSUF><pIBSUF>{uf_rate}</pIBSUF>{of_uf}{uf}</gIBSUF><gIBSMun><pIBSMun>{mun_rate}</pIBSMun>{of_mun}{mun}</gIBSMun>\
         {whole}<gCBS><pCBS>{cbs_rate}</pCBS>{of_cbs}{amount}</gCBS></gIBSCBS>"
    )
}

//! No figure of a document can change without a finding on its line and tax.

use rust_decimal::Decimal;
use taxd::features::audit::AuditLine;

use super::audited;
use super::documents::{Note, sale};

/// The elements whose text is an amount or a rate.
pub fn figures(xml: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in xml.match_indices('>') {
        let rest = &xml[at + 1..];
        let end = rest.find('<').unwrap_or_default();
        let name = xml[..at].rsplit('<').next().unwrap_or_default();
        if rest[..end].contains('.') && name.starts_with(['v', 'p', 'q']) {
            found.push((at + 1, at + 1 + end));
        }
    }
    found
}

/// The tax whose group the element is in, by the last group that opens before it; `documento` for the rest.
pub fn tax(before: &str, name: &str) -> &'static str {
    if ["vBCST", "pMVAST", "pICMSST", "vICMSST", "vST", "vBCFCPST", "pFCPST", "vFCPST"].contains(&name) {
        return "icms_st";
    }
    if ["pAliqEfetRegIBSUF", "vTribRegIBSUF", "pAliqEfetRegIBSMun", "vTribRegIBSMun"].contains(&name) {
        return "ibs";
    }
    let groups = [
        ("<ICMSTot>", ""),
        ("<IBSCBSTot>", ""),
        ("<prod>", "documento"),
        ("<ICMS>", "icms"),
        ("<ICMSUFDest>", "icms_consumidor_final"),
        ("<IPI>", "ipi"),
        ("<PIS>", "pis"),
        ("<COFINS>", "cofins"),
        ("<gIBSUF>", "ibs"),
        ("<gCBS>", "cbs"),
        ("<gIBSCBS>", "cbs"),
    ];
    let (_, tax) = groups.into_iter().filter_map(|(group, tax)| Some((before.rfind(group)?, tax))).max().unwrap();
    if !tax.is_empty() {
        return tax;
    }
    match name {
        "vBC" | "vICMS" | "vFCP" => "icms",
        "vFCPUFDest" | "vICMSUFDest" | "vICMSUFRemet" => "icms_consumidor_final",
        "vIPI" => "ipi",
        "vPIS" => "pis",
        "vCOFINS" => "cofins",
        "vBCIBSCBS" | "vCBS" => "cbs",
        "vIBSUF" | "vIBSMun" | "vIBS" => "ibs",
        _ => "documento",
    }
}

/// Two items, so that a finding on the line of the other one is seen to be wrong.
fn note() -> String {
    let doubled = |total: &str| {
        figures(total).into_iter().rev().fold(total.to_owned(), |text, (from, to)| {
            let twice = text[from..to].parse::<Decimal>().unwrap() * Decimal::TWO;
            [&text[..from], &twice.to_string(), &text[to..]].concat()
        })
    };
    let one = Note::default();
    Note { items: vec![sale(), sale().with("cProd", "P2")], total: doubled(&one.total), ..one }.xml()
}

#[test]
fn each_single_change_of_a_figure_is_found_on_its_line_and_tax() {
    let xml = note();
    let differing =
        |text: &str| -> Vec<AuditLine> { audited(text).into_iter().filter(|line| line.veredito.differs()).collect() };
    assert!(differing(&xml).is_empty(), "{:?}", differing(&xml));
    let figures = figures(&xml);
    assert!(figures.len() >= 50, "{figures:?}");
    for (from, to) in figures {
        let figure = &xml[from..to];
        let changed = (figure.parse::<Decimal>().unwrap() + Decimal::ONE).to_string();
        let name = xml[..from - 1].rsplit('<').next().unwrap_or_default();
        let tax = tax(&xml[..from], name);
        let in_total = xml[..from].contains("<total>");
        let item = xml[..from].matches("<det ").count();
        let item = if in_total { None } else { u32::try_from(item).ok() };
        let found = differing(&[&xml[..from], &changed, &xml[to..]].concat());
        let shown: Vec<_> = found.iter().map(|line| (line.item, line.tributo, line.codigo)).collect();
        assert!(
            found.iter().any(|line| line.item == item && line.tributo == tax),
            "{name} of item {item:?}, {tax}: {figure} -> {changed} gives {shown:?}"
        );
        // A total of the document may differ too, but no other item.
        assert!(found.iter().all(|line| line.item.is_none() || line.item == item), "{name} {item:?}: {shown:?}");
    }
}

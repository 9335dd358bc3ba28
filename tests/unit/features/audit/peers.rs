//! The cases of other engines' suites (`MotorTributarioNet` and its ports) as notes: the arithmetic of each passes, and an
//! error planted in any of its figures is certain.

use rust_decimal::Decimal;
use taxd::features::audit::{AuditLine, Certainty};

use super::audited;
use super::documents::{COFINS, IBSCBS, ICMS, Item, Note, PIS, sale};

/// Tax, base, rate and amount. Of ST the base is the price, and the rate the margin.
const CASES: [(&str, [&str; 3]); 44] = [
    ("icms", ["1000.00", "17.00", "170.00"]),
    ("icms", ["4000.00", "17.00", "680.00"]),
    ("icms", ["5000.00", "12.00", "600.00"]),
    ("icms", ["3750.00", "7.00", "262.50"]),
    ("icms", ["4030.12", "15.00", "604.52"]),
    ("icms", ["4209.25", "12.00", "505.11"]),
    ("icms", ["1100.00", "18.00", "198.00"]),
    ("icms", ["1120.00", "18.00", "201.60"]),
    ("fcp", ["1000.00", "10.00", "100.00"]),
    ("fcp", ["900.00", "10.00", "90.00"]),
    ("fcp_st", ["2800.00", "2.00", "56.00"]),
    ("fcp_st", ["130.00", "2.00", "2.60"]),
    ("fcp_st", ["2520.00", "2.00", "50.40"]),
    ("icms_st", ["2300.00", "40.00", "165.60"]),
    ("icms_st", ["10100.00", "40.00", "727.20"]),
    ("icms_st", ["100.00", "50.00", "9.00"]),
    ("ipi", ["1000.00", "17.00", "170.00"]),
    ("ipi", ["4000.00", "17.00", "680.00"]),
    ("ipi", ["5000.00", "12.00", "600.00"]),
    ("ipi", ["3000.00", "12.00", "360.00"]),
    ("ipi", ["5373.50", "15.00", "806.02"]),
    ("ipi", ["3373.50", "15.00", "506.02"]),
    ("ipi", ["5612.33", "12.00", "673.48"]),
    ("ipi", ["3612.33", "12.00", "433.48"]),
    ("pis", ["1000.00", "1.65", "16.50"]),
    ("pis", ["900.00", "1.65", "14.85"]),
    ("pis", ["13.20", "1.65", "0.22"]),
    ("pis", ["14.81", "1.65", "0.24"]),
    ("cofins", ["1000.00", "0.65", "6.50"]),
    ("cofins", ["900.00", "0.65", "5.85"]),
    ("cofins", ["13.20", "7.60", "1.00"]),
    ("cofins", ["14.81", "7.60", "1.13"]),
    ("cbs", ["727.50", "8.00", "58.20"]),
    ("cbs", ["654.75", "8.00", "52.38"]),
    ("cbs", ["800.25", "8.00", "64.02"]),
    ("cbs", ["727.50", "12.00", "87.30"]),
    ("cbs", ["114.86", "8.50", "9.76"]),
    ("ibs", ["727.50", "10.00", "72.75"]),
    ("ibs", ["654.75", "10.00", "65.48"]),
    ("ibs", ["800.25", "8.00", "64.02"]),
    ("credito", ["1000.00", "17.00", "170.00"]),
    ("credito", ["4000.00", "17.00", "680.00"]),
    ("credito", ["900.00", "17.00", "153.00"]),
    ("credito", ["1100.00", "17.00", "187.00"]),
];

fn percent(base: &str, points: i64) -> Decimal {
    (base.parse::<Decimal>().unwrap() * Decimal::new(points, 2)).round_dp(2)
}

/// The sale with the figures of a case; the price of a case is its base.
fn item(tax: &str, price: &str, [base, rate, amount]: [&str; 3]) -> Item {
    let own = |base: &str| format!("<vBC>{base}</vBC><pICMS>18.00</pICMS><vICMS>{}</vICMS>", percent(base, 18));
    let state = |cst: &str, inside: String| {
        let group = format!("<ICMS><ICMS{cst}><orig>0</orig><CST>{cst}</CST>{inside}</ICMS{cst}></ICMS>");
        sale().with("vProd", price).taxed(ICMS, &group)
    };
    let of = |group: &str, old: [&str; 3]| {
        old.into_iter().zip([base, rate, amount]).fold(group.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    match tax {
        "icms" => sale().taxed(ICMS, &of(ICMS, ["1000.00", "18.00", "180.00"])),
        "fcp" => state("00", format!("{}<pFCP>{rate}</pFCP><vFCP>{amount}</vFCP>", own(base))),
        "fcp_st" => {
            let st = "<modBCST>6</modBCST><vBCST>1000.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>0.00</vICMSST>";
            let fcp = format!("<vBCFCPST>{base}</vBCFCPST><pFCPST>{rate}</pFCPST><vFCPST>{amount}</vFCPST>");
            state("10", [own("1000.00").as_str(), st, &fcp].concat())
        }
        "icms_st" => {
            let with_margin = percent(price, if price == "100.00" { 150 } else { 140 });
            let st = format!(
                "<modBCST>4</modBCST><pMVAST>{rate}</pMVAST><vBCST>{with_margin}</vBCST><pICMSST>18.00</pICMSST><vICMSST>{amount}</vICMSST>"
            );
            state("10", own(base) + &st)
        }
        "ipi" => {
            let group = format!(
                "<IPI><IPITrib><CST>50</CST><vBC>{base}</vBC><pIPI>{rate}</pIPI><vIPI>{amount}</vIPI></IPITrib></IPI>"
            );
            sale().taxed(PIS, &(group + PIS))
        }
        "pis" => sale().taxed(PIS, &of(PIS, ["820.00", "1.65", "13.53"])),
        "cofins" => sale().taxed(COFINS, &of(COFINS, ["820.00", "7.60", "62.32"])),
        "cbs" => sale().taxed(IBSCBS, &of(IBSCBS, ["744.15", "0.9000", "6.70"])),
        "ibs" => sale().taxed(IBSCBS, &of(IBSCBS, ["744.15", "0.1000", "0.74"])),
        _ => {
            let group = format!(
                "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>{rate}</pCredSN><vCredICMSSN>{amount}</vCredICMSSN></ICMSSN101></ICMS>"
            );
            sale().with("vProd", base).taxed(ICMS, &group)
        }
    }
}

/// The certain findings of the arithmetic about the tax.
fn certain(tax: &str, item: Item) -> Vec<AuditLine> {
    let crt = if tax == "credito" { 1 } else { 3 };
    let lines = audited(&Note { crt, items: vec![item], total: String::new(), ..Note::default() }.xml());
    let names = match tax {
        "fcp" | "credito" => ["icms", ""],
        "fcp_st" | "icms_st" => ["icms", "icms_st"],
        other => [other, ""],
    };
    let of_tax = |line: &AuditLine| line.camada.as_str() == "aritmetica" && names.contains(&line.tributo);
    lines.into_iter().filter(|line| of_tax(line) && line.certeza == Some(Certainty::ErroDoDocumento)).collect()
}

#[test]
fn the_figures_of_peers_pass_and_an_error_planted_in_one_is_certain() {
    let mut planted = 0;
    for (tax, figures) in CASES {
        let found = certain(tax, item(tax, figures[0], figures));
        assert!(found.is_empty(), "{tax} {figures:?}: {found:?}");
        for place in 0..figures.len() {
            // The price of a credit is not stated apart from its base.
            if tax == "credito" && place == 0 {
                continue;
            }
            let by = if place == 0 { Decimal::ONE_HUNDRED } else { Decimal::ONE };
            let wrong = (figures[place].parse::<Decimal>().unwrap() + by).to_string();
            let mut changed = figures;
            changed[place] = &wrong;
            let found = certain(tax, item(tax, figures[0], changed));
            assert!(!found.is_empty(), "{tax} {figures:?} -> {changed:?}");
            planted += 1;
        }
    }
    assert!(planted >= 56, "{planted}");
}

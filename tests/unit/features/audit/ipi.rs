//! Who owes IPI: a reseller that charges none does nothing wrong.

use taxd::features::audit::{AuditLine, Certainty, Verdict};

use super::audited_of;
use super::documents::{Note, PIS, sale};

/// The line of IPI of an item of mirrors (TIPI: 9.75 %) with that CST, CFOP and origin, issued by a company that says or
/// does not say whether it owes IPI.
fn ipi(cst: &str, cfop: &str, origin: u8, taxpayer: Option<bool>) -> AuditLine {
    let group = format!("<IPI><cEnq>999</cEnq><IPINT><CST>{cst}</CST></IPINT></IPI>");
    let item = sale().with("NCM", "70099200").with("CFOP", cfop);
    let item = item.taxed("<orig>0", &format!("<orig>{origin}")).taxed(PIS, &[&group, PIS].concat());
    let known = taxpayer.map(|is| format!("contribuinte_ipi = {is}\n")).unwrap_or_default();
    let company = format!("[[empresa]]\nregime_pis_cofins = \"nao_cumulativo\"\n{known}");
    let id_dest = if cfop.starts_with('6') { 2 } else { 1 };
    let uf_destino = if id_dest == 2 { "RJ" } else { "SP" };
    let lines =
        audited_of(Note { id_dest, uf_destino, items: vec![item], ..Note::default() }.xml().as_bytes(), &company);
    // Of a return or a remittance all taxes have one line, that of the item.
    lines.into_iter().find(|line| matches!(line.tributo, "ipi" | "item") && line.camada.as_str() == "lei").unwrap()
}

/// Programs of retailers fill the group with CST 51 or 53. Of 66 differences "by a full rule" on real documents 64 were
/// these.
#[test]
fn a_group_that_charges_no_ipi_on_a_resale_is_not_a_difference() {
    let resales =
        ["5102", "5104", "5106", "5115", "5117", "5119", "5120", "5123", "5403", "5405", "6102", "6108", "6403"];
    for cst in ["51", "53"] {
        for taxpayer in [None, Some(false), Some(true)] {
            for cfop in resales {
                let line = ipi(cst, cfop, 0, taxpayer);
                assert_eq!(line.veredito, Verdict::NaoSeAplica, "CST {cst}, {cfop}, {taxpayer:?}: {}", line.detalhe);
            }
        }
    }
}

/// A company that does not pay IPI owes none, whatever the CFOP and the CST of the group.
#[test]
fn a_company_that_owes_no_ipi_has_no_difference() {
    for cst in ["51", "52", "53", "54", "55", "02", "03", "04", "05"] {
        for cfop in ["5101", "5102", "5151", "5152", "5401", "5910", "5949", "5202", "5915", "6101"] {
            for origin in [0, 1] {
                let line = ipi(cst, cfop, origin, Some(false));
                assert_eq!(line.veredito, Verdict::NaoSeAplica, "CST {cst}, CFOP {cfop}: {}", line.detalhe);
            }
        }
    }
}

/// Own make of a taxpayer, and what it imported, owe what the TIPI says.
#[test]
fn a_maker_and_an_importer_that_charge_no_ipi_are_found_for_sure() {
    for cst in ["51", "53"] {
        for (cfop, origin) in [("5101", 0), ("5401", 0), ("6101", 0), ("5102", 1), ("5102", 6)] {
            let line = ipi(cst, cfop, origin, Some(true));
            let found = (line.veredito, line.certeza, line.calculado.map(|amount| amount.to_string()));
            let wanted = (Verdict::Diverge, Some(Certainty::RegraPlena), Some("97.50".to_owned()));
            assert_eq!(found, wanted, "CST {cst}, CFOP {cfop}: {}", line.detalhe);
        }
    }
}

/// Whether a maker is a taxpayer is not on the document.
#[test]
fn own_make_of_a_company_that_is_not_known_is_to_be_checked() {
    for cst in ["51", "53"] {
        for cfop in ["5101", "5401", "5910", "5949"] {
            let line = ipi(cst, cfop, 0, None);
            assert_eq!((line.veredito, line.certeza), (Verdict::Diverge, Some(Certainty::Conferir)), "CFOP {cfop}");
        }
        assert!(ipi(cst, "5101", 0, None).detalhe.contains("`contribuinte_ipi`"));
    }
}

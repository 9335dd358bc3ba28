//! Each tax of an item against its rule.

use taxd::features::audit::{AuditLine, Certainty, Verdict};

use super::documents::{IBSCBS, ICMS, Note, PIS, sale};
use super::{COMPANY, audited, audited_of, findings};
use crate::support::day;

#[track_caller]
fn of<'l>(lines: &'l [AuditLine], tributo: &str) -> &'l AuditLine {
    lines.iter().find(|line| line.tributo == tributo && line.item == Some(1)).unwrap_or_else(|| panic!("no {tributo}"))
}

fn with(item: super::documents::Item) -> String {
    Note { items: vec![item], ..Note::default() }.xml()
}

#[test]
fn a_right_document_has_no_difference_and_every_tax_its_line() {
    let lines = audited(&Note::default().xml());
    assert_eq!(findings(&lines), Vec::<String>::new());
    let verdicts: Vec<(&str, Verdict)> = lines.iter().map(|line| (line.tributo, line.veredito)).collect();
    let agrees = Verdict::Confere;
    let wanted = [
        ("icms", agrees),
        ("ipi", Verdict::NaoSeAplica),
        ("pis", agrees),
        ("cofins", agrees),
        ("cbs", agrees),
        ("ibs", agrees),
    ];
    assert_eq!(verdicts, wanted);
    let icms = of(&lines, "icms");
    let rule = icms.regra.as_ref().unwrap();
    assert_eq!((rule.rule_id.to_string(), icms.data), ("icms-sp-geral-v1.0".to_owned(), Some(day("2026-03-10"))));
}

#[test]
fn a_wrong_rate_is_a_difference_with_its_amount() {
    let icms = ICMS.replace("18.00", "12.00").replace("180.00", "120.00");
    let lines = audited(&with(sale().taxed(ICMS, &icms)));
    let icms = of(&lines, "icms");
    assert_eq!((icms.veredito, icms.diferenca.unwrap().to_string()), (Verdict::Diverge, "-60.00".to_owned()));
    assert_eq!(icms.certeza, Some(Certainty::Conferir), "the rule of SP warns of rates of products");
    assert!(icms.detalhe.contains("12,00% no documento, 18,00% pela regra"), "{}", icms.detalhe);
}

/// The most frequent error of real documents: the ICMS stays in the base of PIS and COFINS.
#[test]
fn a_wrong_base_under_the_right_rate_is_distinguished() {
    let pis = PIS.replace("820.00", "1000.00").replace("13.53", "16.50");
    let lines = audited(&with(sale().taxed(PIS, &pis)));
    let pis = of(&lines, "pis");
    assert_eq!((pis.veredito, pis.diferenca.unwrap().to_string()), (Verdict::ConfereAliquota, "2.97".to_owned()));
    assert_eq!(pis.base_calculada.unwrap().to_string(), "820.00");
}

#[test]
fn a_line_that_charges_nothing_rightly_is_not_a_difference() {
    for (cst, reason) in
        [("40", "isenta"), ("41", "não tributada"), ("50", "suspensão"), ("51", "diferimento"), ("60", "retido")]
    {
        let icms = format!("<ICMS><ICMS40><orig>0</orig><CST>{cst}</CST></ICMS40></ICMS>");
        let lines = audited(&with(sale().with("CEST", "1600100").taxed(ICMS, &icms)));
        let icms = of(&lines, "icms");
        assert_eq!(icms.veredito, Verdict::NaoSeAplica, "CST {cst}");
        assert!(icms.detalhe.contains(reason), "{}", icms.detalhe);
    }
    for (cfop, reason) in [("5202", "devolução"), ("5915", "conserto"), ("5901", "industrialização")] {
        let lines = audited(&with(sale().with("CFOP", cfop)));
        let line = of(&lines, "item");
        assert_eq!(line.veredito, Verdict::NaoSeAplica, "CFOP {cfop}");
        assert!(line.detalhe.contains(reason), "{}", line.detalhe);
    }
    let lines = audited(&Note { fin: 4, ..Note::default() }.xml());
    assert_eq!(of(&lines, "item").veredito, Verdict::NaoSeAplica);
}

#[test]
fn what_no_document_says_is_refused_and_not_guessed() {
    let lines = audited_of(Note::default().xml().as_bytes(), "");
    for tributo in ["pis", "cofins"] {
        let line = of(&lines, tributo);
        assert_eq!((line.veredito, line.codigo), (Verdict::Recusado, Some("regime_apuracao_ausente")));
    }
}

#[test]
fn a_sale_to_a_final_consumer_of_another_state_has_both_parts() {
    let destination = "<ICMSUFDest><vBCUFDest>1000.00</vBCUFDest><pFCPUFDest>2.00</pFCPUFDest><vBCFCPUFDest>1000.00</vBCFCPUFDest>\
        <pICMSUFDest>20.00</pICMSUFDest><pICMSInter>12.00</pICMSInter><vFCPUFDest>20.00</vFCPUFDest><vICMSUFDest>80.00</vICMSUFDest></ICMSUFDest>";
    let icms = ICMS.replace("18.00", "12.00").replace("180.00", "120.00");
    let item = sale().with("CFOP", "6108").taxed(ICMS, &format!("{icms}{destination}"));
    let note =
        Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, items: vec![item], ..Note::default() };
    let lines = audited(&note.xml());
    assert_eq!(of(&lines, "icms").veredito, Verdict::Confere, "{:?}", of(&lines, "icms"));
    let destination = of(&lines, "icms_consumidor_final");
    assert_eq!(
        (destination.veredito, destination.calculado.unwrap().to_string()),
        (Verdict::Confere, "100.00".to_owned())
    );
}

#[test]
fn a_special_regime_of_the_company_makes_a_difference_one_to_be_checked() {
    let company = format!(
        "{COMPANY}[[empresa.regime_especial]]\ntributo = \"cbs\"\ndesde = 2026-01-01\ndescricao = \"acordo\"\n"
    );
    let item = sale().taxed("<vCBS>6.70</vCBS>", "<vCBS>9.00</vCBS>");
    let cbs = |company: &str| {
        let lines = audited_of(with(item.clone()).as_bytes(), company);
        lines.into_iter().find(|line| line.tributo == "cbs" && line.camada.as_str() == "lei").unwrap()
    };
    let (before, after) = (cbs(COMPANY), cbs(&company));
    assert_eq!((before.certeza, after.certeza), (Some(Certainty::RegraPlena), Some(Certainty::Conferir)));
    assert!(after.detalhe.contains("acordo"), "{}", after.detalhe);
}

#[test]
fn a_wrong_amount_under_the_right_rate_and_base_is_a_difference() {
    let lines = audited(&with(sale().taxed("<vICMS>180.00", "<vICMS>190.00")));
    let icms = lines.iter().find(|line| line.tributo == "icms" && line.camada.as_str() == "lei").unwrap();
    assert_eq!((icms.veredito, icms.codigo), (Verdict::Diverge, Some("valor")), "{}", icms.detalhe);
    assert_eq!(icms.diferenca.unwrap().to_string(), "10.00");
}

/// An unconditional discount is not in the base of IPI (STF, RE 567.935).
#[test]
fn ipi_is_compared_on_the_price_less_the_discount() {
    let ipi = "<IPI><IPITrib><CST>50</CST><vBC>900.00</vBC><pIPI>3.90</pIPI><vIPI>35.10</vIPI></IPITrib></IPI>";
    let item = sale().with("NCM", "22030000").with("vDesc", "100.00").taxed(PIS, &[ipi, PIS].concat());
    let lines = audited(&with(item));
    let ipi = lines.iter().find(|line| line.tributo == "ipi" && line.camada.as_str() == "lei").unwrap();
    assert_eq!(ipi.veredito, Verdict::Confere, "{ipi:?}");
}

/// A sale of SP to a taxpayer of RJ for its own use: the base of the difference is not established, and the refusal once
/// took the own ICMS with it. The IPI is in the base.
#[test]
fn the_own_icms_of_a_sale_for_the_use_of_a_taxpayer_is_compared_without_its_difference() {
    let note = |amount: &str, group: &str| {
        let icms = ICMS.replace("18.00", "12.00").replace("180.00", amount).replace("1000.00", "1100.00");
        let ipi = "<IPI><IPITrib><CST>50</CST><vBC>1000.00</vBC><pIPI>10.00</pIPI><vIPI>100.00</vIPI></IPITrib></IPI>";
        let item = sale().with("CFOP", "6101").taxed(ICMS, &format!("{icms}{group}{ipi}"));
        Note { id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 1, items: vec![item], ..Note::default() }
    };
    let law = |lines: Vec<AuditLine>, tributo: &str| {
        lines.into_iter().find(|line| line.tributo == tributo && line.camada.as_str() == "lei")
    };
    let right = law(audited(&note("132.00", "").xml()), "icms").unwrap();
    assert_eq!((right.veredito, right.base_calculada.unwrap().to_string()), (Verdict::Confere, "1100.00".to_owned()));
    let wrong = law(audited(&note("198.00", "").xml()), "icms").unwrap();
    assert_eq!((wrong.veredito, wrong.diferenca.unwrap().to_string()), (Verdict::Diverge, "66.00".to_owned()));
    assert!(law(audited(&note("132.00", "").xml()), "icms_consumidor_final").is_none(), "the buyer pays it");
    let group = "<ICMSUFDest><vBCUFDest>1100.00</vBCUFDest><pICMSUFDest>20.00</pICMSUFDest>\
        <pICMSInter>12.00</pICMSInter><vICMSUFDest>88.00</vICMSUFDest></ICMSUFDest>";
    let difference = law(audited(&note("132.00", group).xml()), "icms_consumidor_final").unwrap();
    assert_eq!((difference.veredito, difference.codigo), (Verdict::Recusado, Some("regra_sem_conteudo")));
}

/// A code of more than 255 bytes was once taken for one that is not there.
#[test]
fn a_code_too_long_to_be_one_is_not_readable() {
    let long = "3".repeat(300);
    let of_item = audited(&with(sale().with("CFOP", &long)));
    let of_document = audited(&Note::default().xml().replace("<CRT>3", &format!("<CRT>{long}")));
    for (lines, name) in [(of_item, "`CFOP`"), (of_document, "`CRT`")] {
        let unreadable = |line: &AuditLine| line.codigo == Some("campo_ilegivel");
        assert!(lines.iter().any(|line| unreadable(line) && line.detalhe.contains(name)), "{name}: {lines:?}");
    }
}

/// The reduction that a document states was once compared with nothing.
#[test]
fn the_stated_reduction_of_cbs_is_that_of_the_rule() {
    let group = |points: &str| {
        let reduced = |points: &str| format!("<gRed><pRedAliq>{points}</pRedAliq><pAliqEfet>0.0000</pAliqEfet></gRed>");
        format!(
            "<IBSCBS><CST>200</CST><cClassTrib>200003</cClassTrib><gIBSCBS><vBC>744.15</vBC>\
             <gIBSUF><pIBSUF>0.1000</pIBSUF>{}<vIBSUF>0.00</vIBSUF></gIBSUF><vIBS>0.00</vIBS>\
             <gCBS><pCBS>0.9000</pCBS>{}<vCBS>0.00</vCBS></gCBS></gIBSCBS></IBSCBS>",
            reduced("100.0000"),
            reduced(points)
        )
    };
    let cbs = |points: &str| {
        let item = sale().with("NCM", "10063021").taxed(IBSCBS, &group(points));
        let lines = audited(&with(item));
        let line = lines.iter().find(|line| line.tributo == "cbs" && line.camada.as_str() == "lei").unwrap();
        (line.veredito, line.codigo, line.detalhe.clone())
    };
    assert_eq!(cbs("100.00").0, Verdict::Confere, "{:?}", cbs("100.00"));
    let (verdict, code, detail) = cbs("60.00");
    assert_eq!((verdict, code), (Verdict::Diverge, Some("reducao")), "{detail}");
    assert!(detail.contains("60,00% no documento, 100,00% pela regra"), "{detail}");
}

/// The Imposto Seletivo of a document was not read: the base of IBS was too small by it (LC 214/2025, art. 12, § 1º, V).
#[test]
fn the_imposto_seletivo_of_an_item_enters_the_base_since_2027() {
    let base_of = |data: &'static str| {
        let item = sale().taxed(IBSCBS, &format!("<IS><vIS>100.00</vIS></IS>{IBSCBS}"));
        let lines = audited(&Note { data, items: vec![item], ..Note::default() }.xml());
        of(&lines, "ibs").base_calculada.unwrap_or_else(|| panic!("{lines:?}")).to_string()
    };
    // PIS and COFINS leave the base until 2026, and the ICMS of 180.00 until 2032.
    assert_eq!(base_of("2026-03-10T23:30:00-03:00"), "744.15");
    assert_eq!(base_of("2027-03-10T23:30:00-03:00"), "920.00");
}

/// Bleach once had the rate of zero of pesticides of its position: the NCM itself says that it is for use in homes.
#[test]
fn disinfectants_for_homes_have_the_ordinary_rate() {
    let pis = |ncm: &str| {
        let lines = audited(&with(sale().with("NCM", ncm)));
        let pis = of(&lines, "pis");
        (pis.veredito, pis.calculado.map(|amount| amount.to_string()))
    };
    assert_eq!(pis("38089419"), (Verdict::Confere, Some("13.53".to_owned())));
    assert_eq!(pis("38089191"), (Verdict::Confere, None), "zero for farms, which no note says");
}

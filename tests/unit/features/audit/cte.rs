//! The audit of a CT-e: what is sure, what is to be checked, and what is not alleged.

use taxd::features::audit::{AuditLine, Certainty, Verdict};

use super::{audited, findings};

/// R$ 2.000,00 from São Paulo to Minas Gerais: every figure is right.
const CTE: &str = include_str!("../../../golden/layouts/cte.xml");
/// A charter within São Paulo, with 18 % on a reduced base.
const CTE_OS: &str = include_str!("../../../golden/layouts/cte_os.xml");
const MISSING_REFORM: &str = "cbs diverge sem_ibscbs";

fn of<'l>(lines: &'l [AuditLine], tributo: &str) -> &'l AuditLine {
    lines.iter().find(|line| line.tributo == tributo && line.camada.as_str() == "lei").unwrap()
}

/// The findings of a CT-e with some texts in place of others, each with whether it is sure.
#[track_caller]
fn changed(changes: &[(&str, &str)]) -> Vec<(String, bool)> {
    let xml = changes.iter().fold(CTE.to_owned(), |xml, (from, to)| {
        assert!(xml.contains(from), "{from}");
        xml.replace(from, to)
    });
    let lines = audited(&xml);
    let sure = lines.iter().filter(|line| line.veredito.differs() || line.veredito == Verdict::Recusado);
    findings(&lines).into_iter().zip(sure.map(AuditLine::is_sure_finding)).collect()
}

#[test]
fn a_right_ct_e_is_right() {
    let lines = audited(CTE);
    assert_eq!(findings(&lines), Vec::<String>::new());
    for tributo in ["icms", "cbs", "ibs"] {
        assert_eq!(of(&lines, tributo).veredito, Verdict::Confere, "{tributo}");
    }
    assert!(of(&lines, "icms").regra.is_some() && of(&lines, "icms").payload.is_some());
    // The rules have no rate of transport within a State: 18 % is the general one of São Paulo.
    let os = audited(CTE_OS);
    assert_eq!(findings(&os), [MISSING_REFORM]);
    assert_eq!(of(&os, "icms").veredito, Verdict::Confere);
    assert!(os.iter().all(|line| !line.is_sure_finding()));
}

#[test]
fn what_a_ct_e_says_against_itself_is_sure() {
    let cases: [(&[(&str, &str)], &str); 15] = [
        (&[("<vICMS>240.00", "<vICMS>204.00")], "icms diverge base_vezes_aliquota"),
        (&[("<vRec>2000.00", "<vRec>2100.00")], "documento diverge total"),
        (&[("<vTotDFe>2000.00", "<vTotDFe>2015.97")], "documento diverge total"),
        (&[("<vTotDFe>2000.00</vTotDFe>", "")], "documento diverge grupo_do_ibscbs"),
        (&[("<vCBS>14.37", "<vCBS>15.37")], "cbs diverge base_vezes_aliquota"),
        (&[("<vIBSUF>1.60", "<vIBSUF>2.60"), ("<vIBS>1.60", "<vIBS>2.60")], "ibs diverge base_vezes_aliquota"),
        (&[("<vIBS>1.60", "<vIBS>2.60")], "ibs diverge soma"),
        (&[("<CFOP>6353", "<CFOP>5353")], "icms diverge cfop_e_destino"),
        (&[("<CFOP>6353", "<CFOP>6102")], "icms diverge cfop_e_destino"),
        (&[("<CFOP>6353", "<CFOP>6932")], "icms diverge cfop_e_destino"),
        (&[("<UFIni>SP", "<UFIni>PR")], "icms diverge cfop_e_destino"),
        (&[("<UFFim>MG", "<UFFim>EX")], "icms diverge cfop_e_destino"),
        (&[("<CRT>3", "<CRT>1")], "icms diverge crt_e_cst"),
        (&[("ICMS00>", "ICMSSN>")], "icms diverge crt_e_cst"),
        (&[("<cClassTrib>000001", "<cClassTrib>200052")], "cbs diverge cst_e_cclasstrib"),
    ];
    for (changes, wanted) in cases {
        let found = changed(changes);
        assert!(found.contains(&(wanted.to_owned(), true)), "{changes:?}: {found:?}");
    }
}

/// A rate of CBS is that of the law, whatever the figures of the document add up to.
#[test]
fn the_rates_of_cbs_and_ibs_are_those_of_the_law() {
    let found = changed(&[("<pCBS>0.9000", "<pCBS>0.8000"), ("<vCBS>14.37", "<vCBS>12.78")]);
    assert_eq!(found, [("cbs diverge valor".to_owned(), true)]);
    let simples = changed(&[("<CRT>3", "<CRT>2"), ("<pCBS>0.9000", "<pCBS>0.8000"), ("<vCBS>14.37", "<vCBS>12.78")]);
    assert!(simples.is_empty(), "{simples:?}");
}

/// States give benefits to carriers, tolls leave the base, and PIS and COFINS are not on the document.
#[test]
fn what_a_benefit_or_another_document_explains_is_to_be_checked() {
    let toll = [("<vBC>2000.00</vBC><pICMS>", "<vBC>1900.00</vBC><pICMS>"), ("<vICMS>240.00", "<vICMS>228.00")];
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[("<pICMS>12.00", "<pICMS>7.00"), ("<vICMS>240.00", "<vICMS>140.00")], "icms diverge aliquota"),
        (&toll, "icms diverge base"),
        (&[("<vComp>100.00", "<vComp>50.00")], "documento diverge soma"),
        (&[("<indIEToma>1", "<indIEToma>9")], "icms_consumidor_final diverge sem_icmsufdest"),
        (
            &[("<vBC>1597.20", "<vBC>2000.00"), ("UF>1.60", "UF>2.00"), ("IBS>1.60", "IBS>2.00"), ("14.37", "18.00")],
            "cbs diverge base",
        ),
        (&[("ICMS00>", "ICMSOutraUF>")], "icms diverge cst_e_cfop"),
    ];
    for (changes, wanted) in cases {
        let found = changed(changes);
        assert!(found.contains(&(wanted.to_owned(), false)), "{changes:?}: {found:?}");
        assert!(found.iter().all(|(_, is_sure)| !is_sure), "{changes:?}: {found:?}");
    }
}

#[test]
fn what_no_rule_knows_is_not_compared() {
    let of_place = |changes: &[(&str, &str)]| {
        let found = changed(changes).into_iter().map(|(line, _)| line);
        found.filter(|line| line.starts_with("icms")).collect::<Vec<_>>()
    };
    let twelve = of_place(&[("<UFFim>MG", "<UFFim>SP"), ("<CFOP>6353", "<CFOP>5353")]);
    assert_eq!(twelve, ["icms recusado regra_inexistente"], "São Paulo charges 12 % on transport");
    let by_air = of_place(&[("<modal>01", "<modal>02"), ("<pICMS>12.00", "<pICMS>4.00"), ("240.00", "80.00")]);
    assert_eq!(by_air, ["icms recusado regra_inexistente"]);
    let nothing = |group: &str| {
        let group = format!("<ICMS>{group}</ICMS><IBSCBS>");
        let xml = CTE.replace(&CTE[CTE.find("<ICMS>").unwrap()..CTE.find("<IBSCBS>").unwrap() + 8], &group);
        let lines = audited(&xml);
        // Without ICMS the base of CBS and IBS would be another.
        assert!(findings(&lines).iter().all(|line| line == "cbs diverge base"), "{group}: {:?}", findings(&lines));
        of(&lines, "icms").detalhe.clone()
    };
    assert!(nothing("<ICMS45><CST>40</CST></ICMS45>").contains("isento"));
    let withheld = "<ICMS60><CST>60</CST><vBCSTRet>2000.00</vBCSTRet><vICMSSTRet>240.00</vICMSSTRet><pICMSSTRet>12.00</pICMSSTRet></ICMS60>";
    assert!(nothing(withheld).contains("substituto"));
    let simples = CTE.replace("<CRT>3", "<CRT>1");
    let begin = simples.find("<ICMS>").unwrap();
    let end = simples.find("<vTotDFe>").unwrap();
    let simples = simples.replace(&simples[begin..end], "<ICMS><ICMSSN><CST>90</CST><indSN>1</indSN></ICMSSN></ICMS>");
    let lines = audited(&simples);
    assert_eq!((findings(&lines), of(&lines, "icms").veredito), (Vec::new(), Verdict::NaoSeAplica));
}

/// A carriage from another State than the carrier's has a group and CFOP of its own.
#[test]
fn a_carriage_that_begins_elsewhere_is_compared_there() {
    let group = "<ICMSOutraUF><CST>90</CST><vBCOutraUF>2000.00</vBCOutraUF><pICMSOutraUF>12.00</pICMSOutraUF>\
                 <vICMSOutraUF>240.00</vICMSOutraUF></ICMSOutraUF>";
    let begin = CTE.find("<ICMS00>").unwrap();
    let end = CTE.find("</ICMS>").unwrap();
    let xml =
        CTE.replace(&CTE[begin..end], group).replace("<UFIni>SP", "<UFIni>PR").replace("<CFOP>6353", "<CFOP>6932");
    let lines = audited(&xml);
    assert_eq!(findings(&lines), Vec::<String>::new());
    assert_eq!(of(&lines, "icms").veredito, Verdict::Confere);
    let wrong = audited(&xml.replace("240.00", "204.00"));
    assert_eq!(findings(&wrong)[0], "icms diverge base_vezes_aliquota");
    assert_eq!(wrong.iter().find(|line| line.veredito.differs()).unwrap().certeza, Some(Certainty::ErroDoDocumento));
}

/// Transport of values: its GTV-e give the price, within ten cents (rejection 899).
#[test]
fn the_guides_of_a_transport_of_values_give_its_price() {
    let with = |amount: &str| {
        let guide = format!("<infGTVe><chCTe>1</chCTe><Comp><vComp>{amount}</vComp></Comp></infGTVe></infCTeNorm>");
        findings(&audited(&CTE_OS.replace("</infCTeNorm>", &guide)))
    };
    assert_eq!(with("999.90"), [MISSING_REFORM]);
    assert_eq!(with("999.80"), ["documento diverge soma", MISSING_REFORM]);
}

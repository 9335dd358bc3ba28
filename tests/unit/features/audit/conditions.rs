//! What real notes of shops and wholesalers showed: a rule that depends on what no note says, and a trial before the law.

use taxd::features::audit::{AuditLine, Verdict};

use super::documents::{Note, sale};
use super::{audited, findings};

fn of(lines: &[AuditLine], tributo: &str) -> Vec<AuditLine> {
    lines.iter().filter(|line| line.tributo == tributo && line.regra.is_some()).cloned().collect()
}

/// Lei nº 10.925/2004, art. 1º, II: zero for the pesticides of farms, whose codes have those of gardens too. Each sale of a shop was said to charge what is not due.
#[test]
fn a_note_that_charges_the_ordinary_rate_has_answered_a_condition_of_use() {
    let pesticide = sale().with("NCM", "38089191");
    let lines = audited(&Note { items: vec![pesticide.clone()], ..Note::default() }.xml());
    for tributo in ["pis", "cofins"] {
        let [line] = of(&lines, tributo).try_into().unwrap();
        assert_eq!((line.veredito, line.calculado, line.diferenca), (Verdict::Confere, None, None), "{line:?}");
        assert!(!line.avisos.is_empty() && line.detalhe.contains("alíquota comum"), "{line:?}");
    }
    let other = pesticide.taxed("<pPIS>1.65</pPIS><vPIS>13.53", "<pPIS>2.10</pPIS><vPIS>17.22");
    let found = findings(&audited(&Note { items: vec![other], ..Note::default() }.xml()));
    assert!(
        found.iter().any(|line| line == "pis diverge nada_devido"),
        "a rate of nobody is still to be checked: {found:?}"
    );
}

/// Programs wrote the groups before the taxes began: each was refused for want of a rule.
#[test]
fn cbs_and_ibs_of_before_2026_are_a_trial() {
    let note = Note { data: "2025-12-24T10:00:00-03:00", ..Note::default() };
    let lines = audited(&note.xml());
    for tributo in ["cbs", "ibs"] {
        let trial = |line: &&AuditLine| line.tributo == tributo && line.detalhe.contains("começam em 2026");
        let found = lines.iter().find(trial).unwrap_or_else(|| panic!("{tributo}: {lines:?}"));
        assert_eq!(found.veredito, Verdict::NaoSeAplica);
    }
    assert!(!findings(&lines).iter().any(|line| line.contains("regra_inexistente")), "{:?}", findings(&lines));
}

/// A coupon of the SAT may have no CEST, and a note of São Paulo has a code of the city: neither is an error.
#[test]
fn what_a_layout_has_no_field_for_is_not_missing() {
    let cfe = "<CFe><infCFe><ide><cUF>35</cUF><mod>59</mod><dEmi>20250610</dEmi></ide><emit><CNPJ>11222333000181</CNPJ>\
        <cRegTrib>3</cRegTrib></emit><det nItem=\"1\"><prod><NCM>22021000</NCM><CFOP>5405</CFOP><vProd>10.00</vProd>\
        <vItem>10.00</vItem></prod><imposto><ICMS><ICMS40><Orig>0</Orig><CST>60</CST></ICMS40></ICMS><PIS><PISNT><CST>04</CST>\
        </PISNT></PIS></imposto></det><total><ICMSTot><vProd>10.00</vProd></ICMSTot><vCFe>10.00</vCFe></total></infCFe></CFe>";
    assert!(!findings(&audited(cfe)).iter().any(|line| line.contains("cest")), "{:?}", findings(&audited(cfe)));
    let paulistana = "<RetornoConsulta><NFe><ChaveNFe/><DataEmissaoNFe>2026-06-15T14:00:00</DataEmissaoNFe>\
        <TributacaoNFe>T</TributacaoNFe><OpcaoSimples>0</OpcaoSimples><ValorServicos>1000.00</ValorServicos>\
        <AliquotaServicos>0.05</AliquotaServicos><ValorISS>60.00</ValorISS></NFe></RetornoConsulta>";
    let found = findings(&audited(paulistana));
    assert_eq!(found, ["iss diverge base_vezes_aliquota", "iss recusado item_lista_ausente"]);
}

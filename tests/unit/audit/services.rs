//! NFS-e of the national layout: ISS, CBS and IBS.

use taxd::audit::{AuditLine, Verdict};

use super::{audited, findings};

/// R$ 1.000,00 of item 1.07 in São Paulo: ISS 2.90 % = 29.00; base of CBS and IBS 1000 − 29 = 971.00, of which 0.9 % are
/// 8.74 and 0.1 % are 0.97.
const SERVICE: &str = "<NFSe><infNFSe Id=\"NFS3550308\"><cLocIncid>3550308</cLocIncid><emit><CNPJ>11222333000181</CNPJ></emit>\
<valores><vBC>1000.00</vBC><pAliqAplic>2.90</pAliqAplic><vISSQN>29.00</vISSQN></valores>\
<IBSCBS><valores><vBC>971.00</vBC><uf><pIBSUF>0.10</pIBSUF><pAliqEfetUF>0.10</pAliqEfetUF></uf><mun><pIBSMun>0.00</pIBSMun>\
<pAliqEfetMun>0.00</pAliqEfetMun></mun><fed><pCBS>0.90</pCBS><pAliqEfetCBS>0.90</pAliqEfetCBS></fed></valores>\
<totCIBS><gIBS><vIBSTot>0.97</vIBSTot><gIBSUFTot><vIBSUF>0.97</vIBSUF></gIBSUFTot><gIBSMunTot><vIBSMun>0.00</vIBSMun></gIBSMunTot></gIBS>\
<gCBS><vCBS>8.74</vCBS></gCBS></totCIBS></IBSCBS>\
<DPS><infDPS><dhEmi>2026-03-10T10:00:00-03:00</dhEmi><dCompet>2026-03-10</dCompet><prest><regTrib><opSimpNac>1</opSimpNac></regTrib></prest>\
<serv><cServ><cTribNac>010701</cTribNac></cServ></serv><valores><vServPrest><vServ>1000.00</vServ></vServPrest>\
<trib><tribMun><tribISSQN>1</tribISSQN><tpRetISSQN>1</tpRetISSQN></tribMun></trib></valores>\
<IBSCBS><valores><trib><gIBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS></infDPS></DPS></infNFSe></NFSe>";

fn of<'l>(lines: &'l [AuditLine], tributo: &str) -> &'l AuditLine {
    lines.iter().find(|line| line.tributo == tributo && line.camada.as_str() == "lei").unwrap()
}

#[test]
fn cbs_and_ibs_of_a_service_are_compared() {
    let lines = audited(SERVICE);
    assert_eq!(findings(&lines), Vec::<String>::new());
    for tributo in ["iss", "cbs", "ibs"] {
        assert_eq!(of(&lines, tributo).veredito, Verdict::Confere, "{tributo}");
    }
    let base = audited(&SERVICE.replace("971.00", "1000.00").replace("8.74", "9.00").replace("0.97", "1.00"));
    assert_eq!(findings(&base), ["cbs confere_aliquota base", "ibs confere_aliquota base"]);
    let sum = audited(&SERVICE.replace("<vIBSTot>0.97", "<vIBSTot>1.97"));
    assert_eq!(findings(&sum), ["ibs diverge soma"]);
    let amount = audited(&SERVICE.replace("8.74", "9.74"));
    assert_eq!(findings(&amount), ["cbs diverge base_vezes_aliquota", "cbs diverge valor"]);
}

#[test]
fn a_service_of_the_simples_or_to_the_state_has_no_false_alarm() {
    let simples = audited(&SERVICE.replace("<opSimpNac>1", "<opSimpNac>3"));
    assert_eq!(
        (of(&simples, "cbs").veredito, of(&simples, "iss").veredito),
        (Verdict::NaoSeAplica, Verdict::NaoSeAplica)
    );
    let government =
        audited(&SERVICE.replace("<IBSCBS><valores><trib>", "<IBSCBS><tpEnteGov>1</tpEnteGov><valores><trib>"));
    assert_eq!(findings(&government), ["cbs recusado compra_governamental", "ibs recusado compra_governamental"]);
}

/// The buyer who withholds the ISS pays the same ISS.
#[test]
fn a_withheld_iss_is_compared() {
    let withheld = SERVICE.replace("<tpRetISSQN>1", "<tpRetISSQN>2");
    assert_eq!(of(&audited(&withheld), "iss").veredito, Verdict::Confere);
    let wrong = withheld.replace("<pAliqAplic>2.90", "<pAliqAplic>5.00").replace("29.00</vISSQN>", "50.00</vISSQN>");
    assert_eq!(of(&audited(&wrong), "iss").veredito, Verdict::Diverge);
}

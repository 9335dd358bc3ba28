//! NFS-e of the national layout: ISS, CBS and IBS.

use taxd::features::audit::{AuditLine, Certainty, Verdict};
use taxd_base::problem::ErrorCode;

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

/// Services of a regulated profession (LC 214/2025, art. 127): 30 % less, so 0.63 % and 0.07 % of 971.00. The stated
/// reduction was once not read, and a wrong one beside a right amount was no finding.
#[test]
fn the_reduction_that_a_service_states_is_compared() {
    let reduced = |tag: &str, points: &str| format!("<pRedAliq{tag}>{points}</pRedAliq{tag}><pAliqEfet{tag}>");
    let tags = [("UF", "ibs"), ("Mun", "ibs"), ("CBS", "cbs")];
    let xml = tags
        .iter()
        .fold(SERVICE.to_owned(), |xml, (tag, _)| xml.replace(&format!("<pAliqEfet{tag}>"), &reduced(tag, "30.00")));
    let xml = xml.replace("<pAliqEfetUF>0.10", "<pAliqEfetUF>0.07").replace("<pAliqEfetCBS>0.90", "<pAliqEfetCBS>0.63");
    let xml = xml.replace("8.74", "6.12").replace("0.97", "0.68").replace("<CST>000", "<CST>200");
    let xml = xml.replace("<cClassTrib>000001", "<cClassTrib>200052");
    // That no list of the law confirms the reduction of the service is a line of its own.
    let unconfirmed = "cbs diverge cclasstrib_sem_lista".to_owned();
    assert_eq!(findings(&audited(&xml)), std::slice::from_ref(&unconfirmed));
    for (tag, tributo) in tags {
        let wrong = audited(&xml.replace(&reduced(tag, "30.00"), &reduced(tag, "60.00")));
        assert_eq!(findings(&wrong), [unconfirmed.clone(), format!("{tributo} diverge reducao")]);
    }
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

/// The layout makes the reduction of government purchases mandatory, so ordinary notes have it with 0.00: every one of
/// them was once refused.
#[test]
fn a_reduction_of_zero_is_not_a_government_purchase() {
    let with = |reduction: &str| {
        let redutor = format!("<IBSCBS><pRedutor>{reduction}</pRedutor><valores><vBC>");
        assert!(SERVICE.contains("<IBSCBS><valores><vBC>"));
        audited(&SERVICE.replace("<IBSCBS><valores><vBC>", &redutor))
    };
    for zero in ["0.00", "0", "0.0000"] {
        let lines = with(zero);
        assert_eq!(findings(&lines), Vec::<String>::new(), "{zero}");
        assert_eq!((of(&lines, "cbs").veredito, of(&lines, "ibs").veredito), (Verdict::Confere, Verdict::Confere));
    }
    let refused = ["cbs recusado compra_governamental", "ibs recusado compra_governamental"];
    assert_eq!(findings(&with("50.00")), refused);
    let unreadable = findings(&with("x"));
    assert!(unreadable.contains(&"documento recusado campo_ilegivel".to_owned()), "{unreadable:?}");
    assert!(unreadable.contains(&"cbs recusado campo_ilegivel".to_owned()), "{unreadable:?}");
}

/// The buyer who withholds the ISS pays the same ISS.
#[test]
fn a_withheld_iss_is_compared() {
    let withheld = SERVICE.replace("<tpRetISSQN>1", "<tpRetISSQN>2");
    assert_eq!(of(&audited(&withheld), "iss").veredito, Verdict::Confere);
    let wrong = withheld.replace("<pAliqAplic>2.90", "<pAliqAplic>5.00").replace("29.00</vISSQN>", "50.00</vISSQN>");
    assert_eq!(of(&audited(&wrong), "iss").veredito, Verdict::Diverge);
}

/// PIS and COFINS of the same service, non-cumulative: 1.65 % and 7.60 % of R$ 1.000,00.
fn contributions(group: &str) -> Vec<AuditLine> {
    audited(&with_contributions(group))
}

fn with_contributions(group: &str) -> String {
    let group = format!("<tribFed><piscofins>{group}</piscofins></tribFed></trib></valores>");
    // CBS and IBS would also change with them.
    let without = SERVICE.split_once("<IBSCBS><valores><vBC>").unwrap().0.to_owned();
    let rest = &SERVICE[SERVICE.find("<DPS>").unwrap()..];
    [without, rest.replacen("</trib></valores>", &group, 1)].concat()
}

const CHARGED: &str = "<CST>01</CST><vBCPisCofins>1000.00</vBCPisCofins><pAliqPis>1.65</pAliqPis>\
<pAliqCofins>7.60</pAliqCofins><vPis>16.50</vPis><vCofins>76.00</vCofins><tpRetPisCofins>2</tpRetPisCofins>";

/// The document's own group was once not read at all.
#[test]
fn pis_and_cofins_of_a_service_are_compared_by_the_regime_of_the_company() {
    let right = contributions(CHARGED);
    assert_eq!(findings(&right), Vec::<String>::new());
    for tributo in ["pis", "cofins"] {
        assert_eq!(of(&right, tributo).veredito, Verdict::Confere, "{tributo}");
    }
    let cumulative =
        CHARGED.replace("1.65", "0.65").replace("16.50", "6.50").replace("7.60", "3.00").replace("76.00", "30.00");
    let lines = contributions(&cumulative);
    assert_eq!(of(&lines, "cofins").diferenca.unwrap().to_string(), "-46.00");
    assert!(!of(&lines, "pis").detalhe.contains("retenção"), "{}", of(&lines, "pis").detalhe);
    let withheld = contributions(&cumulative.replace("Cofins>2<", "Cofins>1<"));
    assert!(!of(&withheld, "pis").detalhe.contains("retenção"), "since NT 007 the fields have what is owed");
    assert_eq!(
        findings(&contributions(&CHARGED.replace(">76.00", ">77.00"))),
        ["cofins diverge base_vezes_aliquota", "cofins diverge valor"]
    );
    let exempt = contributions("<CST>08</CST>");
    assert_eq!(of(&exempt, "pis").veredito, Verdict::NaoSeAplica);
}

/// Until February 9, 2026 many wrote in these fields what the buyer withholds. Codes 3 to 9 were once read as one.
#[test]
fn the_code_of_withholding_says_which_contribution_is_withheld() {
    let cumulative =
        CHARGED.replace("1.65", "0.65").replace("16.50", "6.50").replace("7.60", "3.00").replace("76.00", "30.00");
    let group = |code: &str| cumulative.replace("Cofins>2<", &format!("Cofins>{code}<"));
    let excused = |code: &str| {
        let xml = with_contributions(&group(code)).replace("2026-03-10", "2026-02-06");
        let lines = audited(&xml);
        ["pis", "cofins"].map(|tributo| {
            let line = of(&lines, tributo);
            assert_eq!(line.certeza, Some(Certainty::Conferir));
            line.detalhe.contains("retenção")
        })
    };
    let table = [
        (["0", "2", "8"].as_slice(), [false, false]),
        (&["1", "3", "4"], [true, true]),
        (&["5", "9"], [true, false]),
        (&["6", "7"], [false, true]),
    ];
    for (codes, withheld) in table {
        for code in codes {
            assert_eq!(excused(code), withheld, "code {code}");
        }
    }
}

/// Amounts under a CST that charges nothing once agreed with the rule, if the amounts did.
#[test]
fn a_service_with_a_cst_that_charges_nothing_has_no_rate_and_no_amount() {
    for cst in ["04", "06", "07", "08", "09"] {
        let found = findings(&contributions(&CHARGED.replace("<CST>01", &format!("<CST>{cst}"))));
        for tributo in ["pis", "cofins"] {
            assert!(found.contains(&format!("{tributo} diverge cst_e_valor")), "CST {cst}: {found:?}");
        }
    }
    let input = findings(&contributions(&CHARGED.replace("<CST>01", "<CST>50")));
    assert!(input.contains(&"pis diverge cst_de_entrada".to_owned()), "{input:?}");
}

/// A company that pays the ISS outside of the Simples still pays PIS and COFINS in it.
#[test]
fn the_simples_of_the_federal_taxes_is_not_that_of_the_iss() {
    let of_regime = |regime: &str| {
        let group = format!("<tribFed><piscofins>{CHARGED}</piscofins></tribFed></trib></valores>");
        let fields = format!("<opSimpNac>3</opSimpNac><regApTribSN>{regime}</regApTribSN>");
        let xml = SERVICE.replacen("</trib></valores>", &group, 1).replace("<opSimpNac>1</opSimpNac>", &fields);
        of(&audited(&xml), "pis").veredito
    };
    assert_eq!((of_regime("2"), of_regime("3")), (Verdict::NaoSeAplica, Verdict::Confere));
}

#[test]
fn without_the_regime_of_the_company_pis_and_cofins_are_refused() {
    let group = format!("<tribFed><piscofins>{CHARGED}</piscofins></tribFed></trib></valores>");
    let xml = SERVICE.replacen("</trib></valores>", &group, 1);
    let lines = super::audited_of(xml.as_bytes(), "");
    assert_eq!(of(&lines, "pis").codigo, Some("regime_apuracao_ausente"));
}

/// A document of 2027 is compared with the law of 2027, which its payload has to ask for: 0.05 % of 971.00 is 0.4855 for
/// the State and as much for the municipality, each rounded by itself. The rate of CBS is not established.
#[test]
fn a_service_of_2027_is_compared_with_the_law_of_its_day() {
    let later = SERVICE.replace("2026-03-10", "2027-03-10").replace("<pIBSUF>0.10", "<pIBSUF>0.05");
    let later = later.replace("<pAliqEfetUF>0.10", "<pAliqEfetUF>0.05").replace("<pIBSMun>0.00", "<pIBSMun>0.05");
    let later = later.replace("<pAliqEfetMun>0.00", "<pAliqEfetMun>0.05").replace("<vIBSUF>0.97", "<vIBSUF>0.49");
    let later = later.replace("<vIBSMun>0.00", "<vIBSMun>0.49").replace("<vIBSTot>0.97", "<vIBSTot>0.98");
    let lines = audited(&later);
    assert_eq!(of(&lines, "ibs").veredito, Verdict::Confere, "{:?}", of(&lines, "ibs"));
    assert_eq!(of(&lines, "cbs").veredito, Verdict::Recusado);
    let refusal = of(&lines, "cbs").resposta.as_ref().unwrap().as_ref().as_ref().unwrap_err();
    assert_eq!(refusal.codigo, ErrorCode::RegraSemConteudo);
    let asks = |lines: &[AuditLine]| of(lines, "ibs").payload.as_ref().unwrap().get("transicao").is_some();
    assert!(asks(&lines) && !asks(&audited(SERVICE)), "the day decides");
}

/// Some towns write an effective rate of zero where nothing reduces the rate.
#[test]
fn an_effective_rate_of_zero_without_a_reduction_changes_no_amount() {
    let zero =
        SERVICE.replace("<pAliqEfetCBS>0.90", "<pAliqEfetCBS>0.00").replace("<pAliqEfetUF>0.10", "<pAliqEfetUF>0.00");
    let sums =
        |xml: &str| findings(&audited(xml)).into_iter().filter(|one| one.contains("base_vezes")).collect::<Vec<_>>();
    assert_eq!(sums(&zero), Vec::<String>::new());
    assert_eq!(sums(&zero.replace("8.74", "9.74")), ["cbs diverge base_vezes_aliquota"]);
}

/// The town exempts, or charges by a figure of its own (`BM`, `regEspTrib`, `exigSusp`).
#[test]
fn iss_of_zero_of_the_national_layout_is_right_where_the_document_says_why() {
    let zero = SERVICE.replace("<vISSQN>29.00", "<vISSQN>0.00");
    let is_fault = |xml: &str| findings(&audited(xml)).iter().any(|one| one == "iss diverge base_vezes_aliquota");
    assert!(is_fault(&zero));
    for (from, to) in [
        ("<tribISSQN>1</tribISSQN>", "<tribISSQN>1</tribISSQN><exigSusp><tpSusp>1</tpSusp></exigSusp>"),
        ("<tribISSQN>1</tribISSQN>", "<tribISSQN>1</tribISSQN><BM><nBM>1</nBM></BM>"),
        ("<opSimpNac>1</opSimpNac>", "<opSimpNac>1</opSimpNac><regEspTrib>2</regEspTrib>"),
        ("<opSimpNac>1</opSimpNac>", "<opSimpNac>1</opSimpNac><regEspTrib>5</regEspTrib>"),
        ("<opSimpNac>1</opSimpNac>", "<opSimpNac>3</opSimpNac>"),
    ] {
        assert!(zero.contains(from), "{from}");
        assert!(!is_fault(&zero.replace(from, to)), "{to}");
    }
}

/// `ISSNet` has the layout of ABRASF 1.00, and a name of its own for the municipality. Salvador writes commas.
#[test]
fn the_municipality_of_issnet_and_decimal_commas_are_read() {
    let invoice = |place: &str, rate: &str| {
        format!(
            "<CompNfse><Nfse><InfNfse><Numero>1</Numero><DataEmissao>2026-03-31T10:00:00</DataEmissao>\
             <OptanteSimplesNacional>2</OptanteSimplesNacional><Servico><Valores><ValorServicos>1000,00</ValorServicos>\
             <BaseCalculo>1000,00</BaseCalculo><Aliquota>{rate}</Aliquota><ValorIss>29,00</ValorIss></Valores>\
             <ItemListaServico>1.07</ItemListaServico>{place}</Servico></InfNfse></Nfse></CompNfse>"
        )
    };
    let abrasf = invoice("<CodigoMunicipio>3550308</CodigoMunicipio>", "2.90");
    let issnet = invoice("<MunicipioPrestacaoServico>3550308</MunicipioPrestacaoServico>", "0,0290");
    let lines = |xml: &str| {
        let shown =
            |line: &taxd::features::audit::AuditLine| format!("{} {} {:?}", line.tributo, line.veredito, line.codigo);
        super::audited(xml).iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(lines(&abrasf), ["iss confere None"]);
    assert_eq!(lines(&issnet), lines(&abrasf));
}

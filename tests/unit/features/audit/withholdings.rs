//! Withholdings that a document declares, and the credit that a seller of the Simples grants.

use taxd::features::audit::{AuditLine, Certainty, Verdict};

use super::documents::{Note, sale};
use super::{audited, audited_of};

/// R$ 1.000,00 of accounting (17.19), of which the taker withholds 1.5 % of income tax and 4.65 % of contributions.
const SERVICE: &str = "<NFSe><infNFSe Id=\"NFS3550308\"><cLocIncid>3550308</cLocIncid>\
<emit><CNPJ>11222333000181</CNPJ><enderNac><cMun>3550308</cMun></enderNac></emit>\
<DPS><infDPS><dCompet>2026-03-10</dCompet><prest><regTrib><opSimpNac>1</opSimpNac></regTrib></prest>\
<toma><CNPJ>55666777000199</CNPJ></toma><serv><cServ><cTribNac>171901</cTribNac></cServ></serv>\
<valores><vServPrest><vServ>1000.00</vServ></vServPrest><trib><tribMun><tribISSQN>1</tribISSQN><tpRetISSQN>1</tpRetISSQN></tribMun>\
<tribFed><piscofins><CST>00</CST><tpRetPisCofins>3</tpRetPisCofins></piscofins><vRetCP>0.00</vRetCP><vRetIRRF>15.00</vRetIRRF>\
<vRetCSLL>46.50</vRetCSLL></tribFed></trib></valores></infDPS></DPS></infNFSe></NFSe>";

const KINDS: [&str; 6] = ["irrf_servicos", "csll_retida", "pis_retido", "cofins_retida", "inss_retido", "iss_retido"];

/// Tax, verdict, certainty and code of the lines about withholdings.
fn withheld(xml: &str) -> Vec<String> {
    let of = |line: &AuditLine| {
        let certainty = line.certeza.map(|certainty| format!(" {certainty}")).unwrap_or_default();
        let code = line.codigo.map(|code| format!(" {code}")).unwrap_or_default();
        format!("{} {}{certainty}{code}", line.tributo, line.veredito)
    };
    audited(xml).iter().filter(|line| KINDS.contains(&line.tributo)).map(of).collect()
}

#[test]
fn what_the_taker_withholds_is_compared() {
    assert_eq!(withheld(SERVICE), ["irrf_servicos confere", "csll_retida confere"]);
    let wrong = withheld(&SERVICE.replace("46.50", "36.50"));
    assert_eq!(wrong, ["irrf_servicos confere", "csll_retida diverge conferir valor"]);
    let line =
        audited(&SERVICE.replace("15.00", "48.00")).into_iter().find(|line| line.tributo == "irrf_servicos").unwrap();
    assert_eq!(line.diferenca.unwrap().to_string(), "33.00");
    assert!(line.detalhe.contains("a nota não diz a natureza"), "{}", line.detalhe);
    assert!(line.regra.is_some_and(|rule| rule.citacao_legal.as_str().contains("714")));
    // One contribution alone, by its code.
    let one = |code: &str, amount: &str| {
        let xml = SERVICE.replace("Cofins>3<", &format!("Cofins>{code}<")).replace("46.50", amount);
        withheld(&xml).remove(1)
    };
    assert_eq!(one("5", "6.50"), "pis_retido confere");
    assert_eq!(one("6", "30.00"), "cofins_retida confere");
    assert_eq!(one("8", "10.00"), "csll_retida confere");
    assert_eq!(one("4", "36.50"), "csll_retida recusado retencoes_somadas");
}

/// Before the technical note the fields of PIS and COFINS had what is withheld.
#[test]
fn the_fields_before_the_technical_note_are_read_as_they_were() {
    let group = "<CST>00</CST><vPis>6.50</vPis><vCofins>30.00</vCofins><tpRetPisCofins>1</tpRetPisCofins>";
    let xml = SERVICE.replace("<CST>00</CST><tpRetPisCofins>3</tpRetPisCofins>", group);
    let xml = xml.replace("2026-03-10", "2026-02-06").replace("46.50", "10.00");
    let wanted = ["irrf_servicos confere", "csll_retida confere", "pis_retido confere", "cofins_retida confere"];
    assert_eq!(withheld(&xml), wanted);
    let wrong = withheld(&xml.replace("30.00", "3.00"));
    assert_eq!(wrong[3], "cofins_retida diverge conferir valor");
    // Some wrote the sum before the note, whatever they wrote of PIS and COFINS.
    for code in ["1", "2"] {
        let sum = xml.replace(">10.00<", ">46.50<").replace("Cofins>1<", &format!("Cofins>{code}<"));
        assert_eq!(withheld(&sum), wanted[..2]);
    }
    assert_eq!(withheld(&xml.replace(">10.00<", ">46.60<"))[1], "csll_retida diverge conferir valor");
}

/// What the taker does not withhold, or withholds of a service that the subitem does not name, accuses nobody.
#[test]
fn only_a_withholding_of_a_known_service_is_compared() {
    let none = SERVICE.replace("15.00", "0.00").replace("46.50", "0.00").replace("Cofins>3<", "Cofins>0<");
    assert_eq!(withheld(&none), Vec::<String>::new());
    let unknown = withheld(&SERVICE.replace("171901", "250101"));
    assert_eq!(
        unknown,
        ["irrf_servicos recusado natureza_servico_ausente", "csll_retida recusado natureza_servico_ausente"]
    );
    let simples = withheld(&SERVICE.replace("<opSimpNac>1", "<opSimpNac>3"));
    let excused = ["irrf_servicos diverge conferir nada_devido", "csll_retida diverge conferir nada_devido"];
    assert_eq!(simples, excused);
}

/// Income tax up to R$ 10,00 is dispensed, and so are the three contributions together (Lei 10.833/2003, art. 31, § 3º):
/// 4.65 % of R$ 215,05 are below, and of R$ 215,06 above by a fraction of a cent.
#[test]
fn the_amounts_that_the_law_dispenses_are_those_of_the_document() {
    let of = |price: &str, income: &str, sum: &str| {
        let xml = SERVICE.replace("<vServ>1000.00", &format!("<vServ>{price}"));
        withheld(&xml.replace("15.00", income).replace("46.50", sum))
    };
    assert_eq!(of("215.06", "0.00", "10.00"), ["csll_retida confere"]);
    assert_eq!(of("215.05", "0.00", "10.00"), ["csll_retida diverge conferir nada_devido"]);
    assert_eq!(of("666.66", "10.00", "31.00")[0], "irrf_servicos diverge conferir nada_devido");
    assert_eq!(of("667.00", "10.01", "31.02"), ["irrf_servicos confere", "csll_retida confere"]);
}

#[test]
fn what_a_document_says_against_itself_is_an_error() {
    let xml = SERVICE.replace("Cofins>3<", "Cofins>0<");
    assert_eq!(withheld(&xml)[0], "csll_retida diverge erro_do_documento retencao_contraditoria");
    let both = abrasf("<ValorIssRetido>50.00</ValorIssRetido>", 2);
    assert_eq!(withheld(&both), ["iss_retido diverge erro_do_documento retencao_contraditoria"]);
}

fn abrasf(values: &str, withheld: u8) -> String {
    format!(
        "<CompNfse><Nfse><InfNfse><Numero>1</Numero><ValoresNfse><BaseCalculo>1000.00</BaseCalculo><Aliquota>5.00</Aliquota>\
         <ValorIss>50.00</ValorIss></ValoresNfse><PrestadorServico><Endereco><CodigoMunicipio>3550308</CodigoMunicipio></Endereco>\
         </PrestadorServico><DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico><Competencia>2026-03-10</Competencia>\
         <Servico><Valores><ValorServicos>1000.00</ValorServicos>{values}</Valores><IssRetido>{withheld}</IssRetido>\
         <ItemListaServico>7.10</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio><ExigibilidadeISS>1</ExigibilidadeISS>\
         <MunicipioIncidencia>3550308</MunicipioIncidencia></Servico><Prestador><CpfCnpj><Cnpj>11222333000181</Cnpj></CpfCnpj></Prestador>\
         <TomadorServico><IdentificacaoTomador><CpfCnpj><Cnpj>55666777000199</Cnpj></CpfCnpj></IdentificacaoTomador></TomadorServico>\
         <OptanteSimplesNacional>2</OptanteSimplesNacional></InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse></CompNfse>"
    )
}

/// Cleaning in ABRASF, where each tax has its field: 1 % of income tax, 0.65 %, 3 % and 1 % of contributions, 11 % of INSS.
#[test]
fn the_fields_of_abrasf_are_compared_one_by_one() {
    let values = "<ValorPis>6.50</ValorPis><ValorCofins>30.00</ValorCofins><ValorInss>110.00</ValorInss><ValorIr>10.00</ValorIr><ValorCsll>10.00</ValorCsll>";
    let found = withheld(&abrasf(values, 1));
    // One per cent of R$ 1.000,00 is R$ 10,00, which is dispensed.
    let wanted = [
        "irrf_servicos diverge conferir nada_devido",
        "csll_retida confere",
        "pis_retido confere",
        "cofins_retida confere",
        "inss_retido confere",
        "iss_retido confere",
    ];
    assert_eq!(found, wanted);
    // A contribution of zero beside the others is compared, too.
    let without = withheld(&abrasf(&values.replace("<ValorCsll>10.00", "<ValorCsll>0.00"), 1));
    assert_eq!(without[1], "csll_retida diverge conferir valor");
    let inss = |amount: &str| withheld(&abrasf(&format!("<ValorInss>{amount}</ValorInss>"), 2)).remove(0);
    assert_eq!(inss("150.00"), "inss_retido diverge conferir valor");
    assert_eq!(inss("88.00"), "inss_retido nao_se_aplica", "deductions are not on the document");
}

/// Building in another municipality: the national law makes the taker withhold the ISS (LC 116/2003, art. 6º, § 2º, II).
#[test]
fn iss_that_the_national_law_has_the_taker_withhold_is_to_be_checked() {
    let xml = abrasf("", 2).replace("7.10", "7.02");
    assert_eq!(withheld(&xml), Vec::<String>::new(), "the provider is of the same municipality");
    let elsewhere = xml.replace("<MunicipioIncidencia>3550308", "<MunicipioIncidencia>3304557");
    assert_eq!(withheld(&elsewhere), ["iss_retido diverge conferir iss_nao_retido"]);
    let person = elsewhere.replace(
        "<CpfCnpj><Cnpj>55666777000199</Cnpj></CpfCnpj></IdentificacaoTomador>",
        "<CpfCnpj><Cpf>11144477735</Cpf></CpfCnpj></IdentificacaoTomador>",
    );
    assert_eq!(withheld(&person), Vec::<String>::new());
}

/// The group `retTrib` of an NF-e of services.
#[test]
fn the_withholdings_of_an_nfe_are_those_of_its_service() {
    let iss = "<ISSQN><vBC>1000.00</vBC><vAliq>5.00</vAliq><vISSQN>50.00</vISSQN><cMunFG>3550308</cMunFG><cListServ>17.19</cListServ><indISS>1</indISS></ISSQN>";
    let mut service = sale().with("NCM", "00").with("CFOP", "5933");
    service.imposto = iss.to_owned();
    let retained = "<retTrib><vRetPIS>6.50</vRetPIS><vRetCOFINS>30.00</vRetCOFINS><vRetCSLL>10.00</vRetCSLL>\
                    <vBCIRRF>1000.00</vBCIRRF><vIRRF>15.00</vIRRF></retTrib>";
    let note = |items: Vec<_>, retained: &str| Note { items, total: retained.to_owned(), ..Note::default() }.xml();
    let wanted = ["irrf_servicos confere", "csll_retida confere", "pis_retido confere", "cofins_retida confere"];
    assert_eq!(withheld(&note(vec![service.clone()], retained)), wanted);
    let wrong = withheld(&note(vec![service.clone()], &retained.replace("<vIRRF>15.00", "<vIRRF>10.01")));
    assert_eq!(wrong[0], "irrf_servicos diverge conferir valor");
    // Goods have withholdings of their own, and the group is of the whole document.
    let mixed = withheld(&note(vec![service, sale()], retained));
    assert!(mixed.iter().all(|line| line.ends_with("nao_se_aplica")), "{mixed:?}");
    assert_eq!(mixed.len(), 4);
}

/// A sale with a credit of ICMS by the Simples.
fn credit(rate: &str, amount: &str, companies: &str) -> AuditLine {
    let mut item = sale();
    item.imposto = format!(
        "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>{rate}</pCredSN><vCredICMSSN>{amount}</vCredICMSSN></ICMSSN101></ICMS>\
         <PIS><PISOutr><CST>49</CST></PISOutr></PIS>"
    );
    let note = Note { crt: 1, items: vec![item], ..Note::default() }.xml();
    audited_of(note.as_bytes(), companies)
        .into_iter()
        .find(|line| line.tributo == "simples_nacional" && line.camada.as_str() == "lei")
        .unwrap()
}

/// The highest part of the ICMS is that of R$ 4.800.000,00 in Anexo I: (4.800.000 × 14.3 % − 87.300) ÷ 4.800.000 × 33.5 % =
/// 4.18 %; the lowest, 4 % × 34 % = 1.36 %.
#[test]
fn the_rate_of_a_credit_is_one_that_the_simples_can_have() {
    let of = |rate: &str, amount: &str| {
        let line = credit(rate, amount, "");
        (line.veredito, line.certeza)
    };
    assert_eq!(of("4.18", "41.80"), (Verdict::NaoSeAplica, None));
    assert_eq!(of("2.00", "20.00"), (Verdict::NaoSeAplica, None));
    assert_eq!(of("4.20", "42.00"), (Verdict::Diverge, Some(Certainty::RegraPlena)));
    assert_eq!(of("18.00", "180.00"), (Verdict::Diverge, Some(Certainty::RegraPlena)));
}

/// R$ 300.000,00 in twelve months: 5.32 % × 34 % = 1.8088 %, in the notes of the next month.
#[test]
fn the_rate_of_a_credit_is_that_of_the_company_if_its_revenue_is_known() {
    let facts =
        "[[empresa]]\n[[empresa.simples_nacional]]\nmes = \"2026-02\"\nreceita_bruta_12_meses = \"300000.00\"\n";
    let of = |rate: &str, amount: &str| {
        let line = credit(rate, amount, facts);
        (line.veredito, line.certeza)
    };
    assert_eq!(of("1.81", "18.10"), (Verdict::Confere, None));
    assert_eq!(of("1.80", "18.00"), (Verdict::Confere, None), "cut off instead of rounded");
    assert_eq!(of("2.56", "25.60"), (Verdict::Diverge, Some(Certainty::RegraPlena)));
    assert_eq!(of("1.36", "13.60"), (Verdict::Diverge, Some(Certainty::Conferir)), "a State may reduce it");
    let other_month = facts.replace("2026-02", "2026-03");
    assert_eq!(credit("2.56", "25.60", &other_month).veredito, Verdict::NaoSeAplica);
}

/// A rate below that of the first band.
#[test]
fn a_rate_below_the_first_band_is_to_be_checked() {
    let mut item = sale();
    item.imposto =
        "<ICMS><ICMSSN101><orig>0</orig><CSOSN>101</CSOSN><pCredSN>1.00</pCredSN><vCredICMSSN>10.00</vCredICMSSN>\
                    </ICMSSN101></ICMS><PIS><PISOutr><CST>49</CST></PISOutr></PIS>"
            .to_owned();
    let lines = audited_of(Note { crt: 1, items: vec![item], ..Note::default() }.xml().as_bytes(), "");
    let found: Vec<_> = lines.iter().filter(|line| line.codigo == Some("aliquota_do_credito")).collect();
    let [line] = &found[..] else { panic!("{found:?}") };
    assert_eq!(line.certeza, Some(Certainty::Conferir));
}

/// A natural person withholds none of these (Decreto 9.580/2018, art. 714; Lei 10.833/2003, art. 30).
#[test]
fn a_natural_person_does_not_withhold() {
    let person = withheld(&SERVICE.replace("<CNPJ>55666777000199</CNPJ>", "<CPF>11144477735</CPF>"));
    let excused = ["irrf_servicos diverge conferir nada_devido", "csll_retida diverge conferir nada_devido"];
    assert_eq!(person, excused);
}

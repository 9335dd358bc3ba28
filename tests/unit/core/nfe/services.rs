//! NFS-e of the national layout and of ABRASF.

use taxd_law::nfe::{self, FiscalDocument, NotaDeServico};

const NATIONAL: &str = "<NFSe><infNFSe><cLocIncid>3550308</cLocIncid><emit><CNPJ>11222333000181</CNPJ></emit>\
<valores><vBC>900.00</vBC><pAliqAplic>2.90</pAliqAplic><vISSQN>26.10</vISSQN></valores><DPS><infDPS>\
<dhEmi>2026-04-02T10:00:00-03:00</dhEmi><dCompet>2026-03-31</dCompet><prest><regTrib><opSimpNac>1</opSimpNac></regTrib></prest>\
<serv><cServ><cTribNac>010701</cTribNac></cServ></serv><valores><vServPrest><vServ>1000.00</vServ></vServPrest>\
<vDescCondIncond><vDescIncond>100.00</vDescIncond></vDescCondIncond><trib><tribMun><tribISSQN>1</tribISSQN></tribMun></trib>\
</valores></infDPS></DPS></infNFSe></NFSe>";

const ABRASF_2: &str = "<CompNfse><Nfse><InfNfse><DataEmissao>2026-04-02T10:00:00</DataEmissao><ValoresNfse><BaseCalculo>900.00</BaseCalculo>\
<Aliquota>0.0290</Aliquota><ValorIss>26.10</ValorIss></ValoresNfse><DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico>\
<Competencia>2026-03-31</Competencia><Servico><Valores><ValorServicos>1000.00</ValorServicos><DescontoIncondicionado>100.00</DescontoIncondicionado></Valores>\
<ItemListaServico>01.07</ItemListaServico><ExigibilidadeISS>1</ExigibilidadeISS><MunicipioIncidencia>3550308</MunicipioIncidencia></Servico>\
<Prestador><CpfCnpj><Cnpj>11222333000181</Cnpj></CpfCnpj></Prestador><OptanteSimplesNacional>2</OptanteSimplesNacional>\
</InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse></CompNfse>";

const ABRASF_1: &str = "<CompNfse><Nfse><InfNfse><DataEmissao>2026-03-31T10:00:00</DataEmissao><NaturezaOperacao>1</NaturezaOperacao>\
<OptanteSimplesNacional>2</OptanteSimplesNacional><Competencia>2026-03-31T00:00:00</Competencia><Servico><Valores><ValorServicos>1000.00</ValorServicos>\
<DescontoIncondicionado>100.00</DescontoIncondicionado><ValorIss>26.10</ValorIss><BaseCalculo>900.00</BaseCalculo><Aliquota>2.90</Aliquota></Valores>\
<ItemListaServico>107</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico><PrestadorServico><IdentificacaoPrestador>\
<Cnpj>11222333000181</Cnpj></IdentificacaoPrestador></PrestadorServico></InfNfse></Nfse></CompNfse>";

#[track_caller]
fn service(xml: &str) -> NotaDeServico {
    match nfe::read(xml.as_bytes()).unwrap().remove(0) {
        FiscalDocument::Servico(service) => *service,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_three_layouts_of_a_service_read_the_same() {
    let national = service(NATIONAL);
    assert_eq!((national.day.unwrap().to_string().as_str(), national.item_lista.as_str()), ("2026-03-31", "1.07"));
    assert_eq!(national.preco.unwrap().to_string(), "900.00");
    assert_eq!((national.exigivel, national.simples, national.municipio.as_str()), (Some(true), false, "3550308"));
    let without_code = NotaDeServico { codigo_nacional: String::new(), ..national };
    assert_eq!((service(ABRASF_1), service(ABRASF_2)), (without_code.clone(), without_code));
}

#[test]
fn a_service_that_pays_by_another_rule_is_recognised() {
    assert!(service(&NATIONAL.replace("<opSimpNac>1", "<opSimpNac>3")).simples);
    assert!(service(&ABRASF_1.replace("Nacional>2", "Nacional>1")).simples);
    assert_eq!(service(&NATIONAL.replace("<tribISSQN>1", "<tribISSQN>3")).exigivel, Some(false));
    assert_eq!(service(&ABRASF_2.replace("ISS>1", "ISS>4")).exigivel, Some(false));
    assert_eq!(service(&ABRASF_1.replace("Operacao>1", "Operacao>3")).exigivel, Some(false));
    assert!(
        service(&ABRASF_2.replace("<Servico>", "<RegimeEspecialTributacao>3</RegimeEspecialTributacao><Servico>"))
            .por_profissional
    );
}

#[test]
fn a_company_of_the_simples_may_pay_the_iss_outside_of_it() {
    let outside = NATIONAL.replace("<opSimpNac>1</opSimpNac>", "<opSimpNac>3</opSimpNac><regApTribSN>2</regApTribSN>");
    assert!(!service(&outside).simples);
}

#[test]
fn a_suspended_tax_is_not_due_and_a_benefit_is_seen() {
    let suspended = "<tribISSQN>1</tribISSQN><exigSusp><tpSusp>1</tpSusp></exigSusp>";
    assert_eq!(service(&NATIONAL.replace("<tribISSQN>1</tribISSQN>", suspended)).exigivel, Some(false));
    let benefit = "<tribISSQN>1</tribISSQN><BM><nBM>1</nBM></BM>";
    assert!(service(&NATIONAL.replace("<tribISSQN>1</tribISSQN>", benefit)).beneficio);
}

/// The first version of ABRASF has a tax that is withheld in a field of its own.
#[test]
fn a_withheld_tax_is_the_declared_one() {
    let withheld = "<ValorIss>0.00</ValorIss><ValorIssRetido>26.10</ValorIssRetido>";
    let read = service(&ABRASF_1.replace("<ValorIss>26.10</ValorIss>", withheld));
    assert_eq!(read.valor.unwrap().to_string(), "26.10");
}

/// Such a document once had no line at all, as if it were right.
#[test]
fn a_day_that_cannot_be_read_is_taken_from_the_next_field_or_reported() {
    let written = ABRASF_1.replace("2026-03-31T00:00:00", "202603");
    assert_eq!(service(&written).day.unwrap().to_string(), "2026-03-31");
    let unreadable = service(&written.replace("2026-03-31T10:00:00", "31/03/2026"));
    assert_eq!((unreadable.day, unreadable.unreadable[0].name.as_str()), (None, "Competencia"));
}

/// Base and tax show whether a rate is a fraction; the cities of one layout write both.
#[test]
fn a_rate_below_one_is_a_fraction_if_its_tax_does_not_say_otherwise() {
    let rate = |rate: &str, tax: &str| {
        let xml = ABRASF_1.replace("<Aliquota>2.90", &format!("<Aliquota>{rate}"));
        service(&xml.replace("<ValorIss>26.10", &format!("<ValorIss>{tax}"))).aliquota.unwrap().normalize().to_string()
    };
    assert_eq!([rate("2.90", "26.10"), rate("0.0290", "26.10"), rate("0.0290", "0.00")], ["2.9", "2.9", "2.9"]);
    assert_eq!(rate("0.50", "4.50"), "0.5", "half a percent of 900.00");
    assert_eq!(rate("0.05", "99.00"), "5", "neither");
}

#[test]
fn what_some_systems_write_in_their_own_way_is_read() {
    let issnet = ABRASF_1.replace("CodigoMunicipio", "MunicipioPrestacaoServico");
    assert_eq!(service(&issnet).municipio, "3550308");
    let address = "<PrestadorServico><Endereco><Cidade>5002704</Cidade></Endereco>";
    assert_eq!(service(&ABRASF_1.replace("<PrestadorServico>", address)).municipio_prestador, "5002704");
    let own = service(&ABRASF_1.replace("Operacao>1", "Operacao>101"));
    assert_eq!((own.exigivel, own.por_outra_conta), (None, true), "a code of the town");
    assert!(
        service(&ABRASF_1.replace("<Servico>", "<IncentivadorCultural>1</IncentivadorCultural><Servico>")).beneficio
    );
    let void =
        "<NfseCancelamento><Confirmacao><DataHora>2026-04-01</DataHora></Confirmacao></NfseCancelamento></ComplNfse>";
    let betha = ABRASF_1.replace("<CompNfse>", "<ComplNfse>").replace("</CompNfse>", void);
    assert_eq!(service(&betha).status, nfe::DocumentStatus::Cancelled);
}

//! Findings that were certain on public documents, and false.

use super::documents::{ICMS, Item, Note, PIS, sale};
use super::{COMPANY, audited, audited_of};

/// The certainty of each finding of a code; empty if there is none.
fn certainties(code: &str, xml: &str) -> Vec<&'static str> {
    let lines = audited(xml);
    let found = lines.iter().filter(|line| line.codigo == Some(code));
    found.filter_map(|line| Some(line.certeza?.as_str())).collect()
}

fn with(item: Item) -> Note {
    Note { items: vec![item], total: String::new(), ..Note::default() }
}

/// The CEST was made for 2016, and the last sellers write it since April 2018 (Convênio ICMS 60/2017).
#[test]
fn a_cest_is_missing_only_since_the_document_has_one() {
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST></ICMS60></ICMS>";
    let item = sale().with("CFOP", "5405").taxed(ICMS, withheld);
    let on = |data| certainties("cest", &Note { data, ..with(item.clone()) }.xml());
    assert_eq!(on("2013-06-11T10:00:00-03:00"), Vec::<&str>::new());
    assert_eq!(on("2017-06-30T10:00:00-03:00"), Vec::<&str>::new());
    assert_eq!(on("2017-07-01T10:00:00-03:00"), ["conferir"]);
    assert_eq!(on("2018-04-01T10:00:00-03:00"), ["erro_do_documento"]);
}

/// ABRASF writes the rate as a fraction of four digits, and that of a company of the Simples has more.
#[test]
fn a_rate_of_iss_that_the_layout_cuts_is_accepted() {
    let invoice = |amount: &str, rate: &str| {
        format!(
            "<CompNfse><Nfse><InfNfse><Numero>1</Numero><DataEmissao>2019-03-31T10:00:00</DataEmissao>\
             <OptanteSimplesNacional>2</OptanteSimplesNacional><Servico><Valores><ValorServicos>1012.30</ValorServicos>\
             <BaseCalculo>1012.30</BaseCalculo><Aliquota>{rate}</Aliquota><ValorIss>{amount}</ValorIss></Valores>\
             <ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico></InfNfse></Nfse></CompNfse>"
        )
    };
    let found = |amount: &str, rate: &str| certainties("base_vezes_aliquota", &invoice(amount, rate));
    assert_eq!(found("24.76", "0.0244"), Vec::<&str>::new());
    assert_eq!(found("24.90", "0.0244"), ["erro_do_documento"]);
    assert_eq!(found("25.36", "0.0250"), ["erro_do_documento"]);
}

/// 7/17 of 239,90 are left: `pRedBC` has two digits of 41,176.
#[test]
fn a_reduction_that_the_document_rounds_is_accepted_and_what_is_left_is_explained() {
    let item = |points: &str, base: &str, amount: &str| {
        let group = format!(
            "<ICMS><ICMS20><orig>0</orig><CST>20</CST><pRedBC>{points}</pRedBC><vBC>{base}</vBC><pICMS>18.0000</pICMS>\
             <vICMS>{amount}</vICMS></ICMS20></ICMS>"
        );
        with(sale().with("vProd", "239.90").taxed(ICMS, &group)).xml()
    };
    assert_eq!(certainties("reducao_da_base", &item("41.17", "141.11", "25.40")), Vec::<&str>::new());
    assert_eq!(certainties("reducao_da_base", &item("41.17", "141.31", "25.44")), ["erro_do_documento"]);
    let left = audited(&item("58.82", "141.11", "25.40"));
    let line = left.iter().find(|line| line.codigo == Some("reducao_da_base")).unwrap();
    assert_eq!(line.explicacao.as_ref().unwrap().codigo, "reducao_pelo_que_resta");
}

/// MG reduces the deduction as it reduces the base; a buyer who consumes owes the difference of the rates.
#[test]
fn substitution_that_lawfully_deducts_less_is_not_certain() {
    let group = |parts: &str| format!("<ICMS><ICMS10><orig>2</orig><CST>10</CST>{parts}</ICMS10></ICMS>");
    let sums = |ind_final: u8, parts: &str| {
        let price = if parts.contains("28.78") { "28.78" } else { "16.00" };
        let item = sale().with("vProd", price).with("CEST", "1600400").with("CFOP", "6404").taxed(ICMS, &group(parts));
        let note = Note { id_dest: 2, uf_destino: "MG", ind_final, ..with(item) };
        let lines = audited(&note.xml());
        let of_sum = lines.iter().filter(|line| line.tributo == "icms_st" && line.camada.as_str() == "aritmetica");
        of_sum.filter_map(|line| Some(line.certeza?.as_str())).collect::<Vec<_>>()
    };
    let own = "<vBC>28.78</vBC><pICMS>12.00</pICMS><vICMS>3.45</vICMS>";
    let limited =
        format!("{own}<pRedBCST>61.11</pRedBCST><vBCST>12.87</vBCST><pICMSST>18.00</pICMSST><vICMSST>0.31</vICMSST>");
    assert_eq!(sums(0, &limited), Vec::<&str>::new());
    assert_eq!(sums(0, &limited.replace("0.31", "0.51")), ["conferir"]);
    assert_eq!(sums(0, &limited.replace("<pRedBCST>61.11</pRedBCST>", "")), ["erro_do_documento"]);
    let difference = "<vBC>16.00</vBC><pICMS>4.00</pICMS><vICMS>0.64</vICMS><vBCST>16.00</vBCST><pICMSST>14.00</pICMSST><vICMSST>2.24</vICMSST>";
    assert_eq!(sums(1, difference), Vec::<&str>::new());
    assert_eq!(sums(0, difference), ["erro_do_documento"]);
}

/// 4 % is of 2013, and of sales to who is not a taxpayer of 2016.
#[test]
fn imported_goods_have_the_rate_of_their_day() {
    let item = sale().with("CFOP", "6102").taxed("<orig>0", "<orig>1").taxed("18.00</pICMS>", "12.00</pICMS>");
    let on = |data, ind_ie_dest| {
        let note = Note { data, id_dest: 2, uf_destino: "RJ", ind_ie_dest, ..with(item.clone()) };
        certainties("origem_e_aliquota", &note.xml())
    };
    assert_eq!(on("2012-12-31T10:00:00-03:00", 1), Vec::<&str>::new());
    assert_eq!(on("2013-01-01T10:00:00-03:00", 1), ["erro_do_documento"]);
    assert_eq!(on("2015-01-31T10:00:00-03:00", 9), Vec::<&str>::new());
    assert_eq!(on("2016-01-31T10:00:00-03:00", 9), ["erro_do_documento"]);
}

/// A base of zero under a rate of zero costs nobody anything.
#[test]
fn a_base_of_which_nothing_is_due_agrees() {
    let group =
        "<IPI><cEnq>999</cEnq><IPITrib><CST>50</CST><vBC>0.00</vBC><pIPI>0.00</pIPI><vIPI>0.00</vIPI></IPITrib></IPI>";
    let item = sale().with("NCM", "19042000").with("CFOP", "5101").taxed(PIS, &[group, PIS].concat());
    let company = COMPANY.replace("contribuinte_ipi = false", "contribuinte_ipi = true");
    let lines = audited_of(with(item).xml().as_bytes(), &company);
    let ipi = lines.iter().find(|line| line.tributo == "ipi").unwrap();
    assert_eq!(ipi.veredito.as_str(), "confere", "{}", ipi.detalhe);
}

/// The SEFAZ takes zeros of an item without a product, such as the charge for work.
#[test]
fn an_ncm_of_zeros_is_to_be_checked_and_another_that_does_not_exist_is_an_error() {
    let found = |ncm: &str| certainties("ncm_inexistente", &with(sale().with("NCM", ncm)).xml());
    assert_eq!(found("00000000"), ["conferir"]);
    assert_eq!(found("99999999"), ["erro_do_documento"]);
    let lines = audited(&with(sale().with("NCM", "99999999")).xml());
    let line = lines.iter().find(|line| line.tributo == "ncm").unwrap();
    assert!(line.detalhe.starts_with("o NCM 99999999 não existe na TIPI de 10/03/2026"), "{}", line.detalhe);
}

/// CST 51 whose group has no `vICMSOp`: 180,00 less 33,33 % are 120,01.
#[test]
fn a_deferral_without_the_amount_of_the_operation_adds_up() {
    let sums = |points: &str, amount: &str| {
        let group = format!(
            "<ICMS><ICMS51><orig>0</orig><CST>51</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS>{points}<vICMS>{amount}</vICMS></ICMS51></ICMS>"
        );
        let lines = audited(&with(sale().taxed(ICMS, &group)).xml());
        let of_sum = lines.iter().filter(|line| line.tributo == "icms" && line.camada.as_str() == "aritmetica");
        of_sum.filter_map(|line| Some(line.certeza?.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(sums("<pDif>33.33</pDif>", "120.01"), Vec::<&str>::new());
    assert_eq!(sums("<pDif>33.33</pDif>", "180.00"), ["erro_do_documento"]);
    assert_eq!(sums("", "120.01"), ["conferir"]);
}

/// The law's line says that no ISS by the price is due, or that the invoice does not state it.
#[test]
fn an_invoice_that_owes_no_iss_by_its_price_has_no_error() {
    let invoice = |amounts: &str, regime: &str| {
        format!(
            "<CompNfse><Nfse><InfNfse><Numero>1</Numero><DataEmissao>2026-03-31T10:00:00</DataEmissao>{regime}\
             <OptanteSimplesNacional>2</OptanteSimplesNacional><Servico><Valores><ValorServicos>1000,00</ValorServicos>{amounts}\
             </Valores><ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico></InfNfse></Nfse></CompNfse>"
        )
    };
    let certain = |amounts: &str, regime: &str| {
        let lines = audited(&invoice(amounts, regime));
        assert!(lines.iter().all(|line| line.codigo != Some("campo_ilegivel")), "{lines:#?}");
        lines.iter().any(|line| line.tributo == "iss" && line.is_sure_finding())
    };
    let zero = "<BaseCalculo>1000.00</BaseCalculo><Aliquota>0.05</Aliquota><ValorIss>0.00</ValorIss>";
    for regime in ["<NaturezaOperacao>3</NaturezaOperacao>", "<RegimeEspecialTributacao>2</RegimeEspecialTributacao>"] {
        assert!(!certain(zero, regime), "{regime}");
    }
    assert!(certain(zero, ""));
    assert!(!certain("", ""), "what is not stated is not a declared zero");
}

/// Some programs write the event that cancels a note into the file of the note.
#[test]
fn a_note_whose_file_has_its_cancellation_is_not_compared() {
    let key = "35260311222333000181550010000000041000000045";
    let note = with(sale()).xml().replace("<infNFe ", &format!("<infNFe Id=\"NFe{key}\" "));
    let event = |of: &str| {
        format!(
            "<retEvento><infEvento><cStat>135</cStat><chNFe>{of}</chNFe><tpEvento>110111</tpEvento></infEvento></retEvento>"
        )
    };
    let cancelled = |of: &str| {
        let lines = audited(&format!("<nfeProc>{note}{}</nfeProc>", event(of)));
        lines.iter().any(|line| line.codigo == Some("documento_cancelado"))
    };
    assert!(cancelled(key));
    assert!(!cancelled(&key.replace("0045", "0046")));
}

/// In 2022 who had gone to court did not owe the difference (STF, Tema 1266).
#[test]
fn a_missing_difference_is_certain_since_2023() {
    let item = sale().with("CFOP", "6108").taxed("18.00</pICMS>", "12.00</pICMS>");
    let on = |data| {
        let note = Note { data, id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..with(item.clone()) };
        certainties("sem_icmsufdest", &note.xml())
    };
    assert_eq!(on("2022-06-10T10:00:00-03:00"), ["conferir"]);
    assert_eq!(on("2023-01-10T10:00:00-03:00"), ["erro_do_documento"]);
}

/// A complement of price has no quantity, and an adjustment no base.
#[test]
fn a_note_of_complement_or_adjustment_brings_an_amount_alone() {
    let item = sale().with("qCom", "0.0000").with("vUnCom", "0.00").with("vProd", "100.00");
    let alone = |fin| certainties("quantidade_vezes_unidade", &Note { fin, ..with(item.clone()) }.xml());
    assert_eq!((alone(2), alone(3)), (Vec::new(), Vec::new()));
    assert_eq!(alone(1), ["erro_do_documento"]);
}

/// Freight for the account of the buyer is in the reduced base or not; ICMSST has a CST under the Simples too.
#[test]
fn groups_that_the_layout_leaves_open_are_accepted() {
    let group = "<ICMS><ICMS20><orig>0</orig><CST>20</CST><pRedBC>33.33</pRedBC><vBC>666.70</vBC><pICMS>18.00</pICMS>\
        <vICMS>120.01</vICMS></ICMS20></ICMS>";
    let xml = with(sale().with("vFrete", "100.00").taxed(ICMS, group)).xml();
    let carried = |mode: &str| {
        let xml = xml.replace("<total>", &format!("<transp><modFrete>{mode}</modFrete></transp><total>"));
        certainties("reducao_da_base", &xml)
    };
    assert_eq!((carried("1"), carried("0")), (Vec::new(), vec!["erro_do_documento"]));
    let simples = |group: &str| {
        let group = format!("<ICMS><{group}><orig>0</orig><CST>60</CST></{group}></ICMS>");
        certainties("crt_e_cst", &Note { crt: 1, ..with(sale().with("CFOP", "5656").taxed(ICMS, &group)) }.xml())
    };
    assert_eq!((simples("ICMSST"), simples("ICMS60")), (Vec::new(), vec!["erro_do_documento"]));
}

/// The State's own code of a benefit, of which the rules need not know.
#[test]
fn a_benefit_that_the_item_names_makes_a_difference_of_icms_one_to_be_checked() {
    let of = |code: &str| {
        let group = ICMS.replace("18.00</pICMS>", "9.00</pICMS>").replace("180.00", "90.00");
        let item = sale().with("NCM", "39241000").with("CFOP", "6102").with("cBenef", code).taxed(ICMS, &group);
        let note = Note { id_dest: 2, uf_destino: "BA", items: vec![item], total: String::new(), ..Note::default() };
        let lines = audited(&note.xml());
        let line = lines.iter().find(|line| line.tributo == "icms" && line.camada.as_str() == "lei").unwrap();
        line.certeza.unwrap().as_str()
    };
    assert_eq!(of("SC820001"), "conferir");
    assert_eq!(of("SEM CBENEF"), "regra_plena");
}

/// Perfume that the seller imported is not resold for PIS and COFINS: the importer pays the rate of the maker.
#[test]
fn single_phase_goods_of_an_importer_are_not_surely_at_zero() {
    let of = |orig: &str| {
        let item = sale().with("NCM", "33030010").taxed("<orig>0", &format!("<orig>{orig}"));
        let lines = audited(&Note { items: vec![item], total: String::new(), ..Note::default() }.xml());
        let law =
            lines.iter().filter(|line| ["pis", "cofins"].contains(&line.tributo) && line.camada.as_str() == "lei");
        law.map(|line| line.certeza.unwrap().as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of("0"), ["regra_plena", "regra_plena"]);
    assert_eq!(of("1"), ["conferir", "conferir"]);
    assert_eq!(of("6"), ["conferir", "conferir"]);
}

/// Wholesalers of RJ have a base of their own (Decreto RJ 44.498/2013).
#[test]
fn a_base_of_substitution_in_rj_is_not_surely_that_of_the_margin() {
    let group = "<ICMS><ICMS10><orig>0</orig><CST>10</CST><vBC>1000.00</vBC><pICMS>20.00</pICMS><vICMS>200.00</vICMS>\
        <modBCST>4</modBCST><pMVAST>40.00</pMVAST><vBCST>1500.00</vBCST><pICMSST>20.00</pICMSST><vICMSST>100.00</vICMSST></ICMS10></ICMS>";
    let of = |uf: &'static str| {
        let item = sale().with("CEST", "1600100").with("NCM", "40111000").taxed(ICMS, group);
        let note = Note { uf_origem: uf, uf_destino: uf, items: vec![item], total: String::new(), ..Note::default() };
        let lines = audited(&note.xml());
        let line = lines.iter().find(|line| line.codigo == Some("base_pela_margem")).unwrap();
        line.certeza.unwrap().as_str()
    };
    assert_eq!((of("RJ"), of("SP")), ("conferir", "erro_do_documento"));
}

/// 41,67 % and 41,6667 % are one reduction; so are 33,3 % and 33,33 %, perhaps.
#[test]
fn a_reduction_written_with_other_digits_is_not_a_fault() {
    let of = |points: &str, base: &str, amount: &str| {
        let group = format!(
            "<ICMS><ICMS20><orig>0</orig><CST>20</CST><pRedBC>{points}</pRedBC><vBC>{base}</vBC><pICMS>18.00</pICMS>\
             <vICMS>{amount}</vICMS></ICMS20></ICMS>"
        );
        let lines = audited(&Note { items: vec![sale().taxed(ICMS, &group)], ..Note::default() }.xml());
        let found = lines.iter().find(|line| line.codigo == Some("reducao_da_base"));
        found.map(|line| line.certeza.unwrap().as_str())
    };
    assert_eq!(of("41.6667", "583.30", "104.99"), None);
    assert_eq!(of("33.3", "666.70", "120.01"), Some("conferir"));
    assert_eq!(of("33.33", "669.00", "120.42"), Some("erro_do_documento"));
}

/// A discount that depends on a condition stays in the base: R$ 1.050,00 less a third are R$ 700,04.
#[test]
fn a_reduced_base_with_the_discount_is_to_be_checked() {
    let group = "<ICMS><ICMS20><orig>0</orig><CST>20</CST><pRedBC>33.33</pRedBC><vBC>700.04</vBC><pICMS>18.00</pICMS>\
        <vICMS>126.01</vICMS></ICMS20></ICMS>";
    let item = sale().with("vProd", "1050.00").with("vDesc", "50.00").taxed(ICMS, group);
    let lines = audited(&Note { items: vec![item], ..Note::default() }.xml());
    let line = lines.iter().find(|line| line.codigo == Some("reducao_da_base")).unwrap();
    let explained = line.explicacao.as_ref().map(|found| found.detalhe.as_str());
    assert_eq!((line.certeza.unwrap().as_str(), explained), ("conferir", Some("a base contém o desconto (50,00)")));
}

/// Until 2014 an item might have the chapter of its NCM alone; a complement has no product.
#[test]
fn an_ncm_of_two_digits_is_a_fault_only_since_whole_ones_are_asked_for() {
    let of = |data: &'static str, fin: u8| {
        let note = Note { data, fin, items: vec![sale().with("NCM", "39")], total: String::new(), ..Note::default() };
        certainties("ncm_malformado", &note.xml())
    };
    assert!(of("2011-11-08T10:00:00-03:00", 1).is_empty());
    assert_eq!(of("2023-04-13T10:00:00-03:00", 2), ["conferir"]);
    assert_eq!(of("2023-04-13T10:00:00-03:00", 1), ["erro_do_documento"]);
}

/// Two reductions: what is deducted is not on the document, and the report says that the sum is not checked.
#[test]
fn a_substitution_with_two_reductions_says_that_its_sum_is_not_checked() {
    let group = "<ICMS><ICMS70><orig>0</orig><CST>70</CST><pRedBC>10.00</pRedBC><vBC>900.00</vBC><pICMS>18.00</pICMS><vICMS>162.00</vICMS>\
        <modBCST>4</modBCST><pMVAST>40.00</pMVAST><pRedBCST>20.00</pRedBCST><vBCST>1120.00</vBCST><pICMSST>18.00</pICMSST><vICMSST>99.00</vICMSST></ICMS70></ICMS>";
    let item = sale().with("CEST", "1600100").with("NCM", "40111000").taxed(ICMS, group);
    let lines = audited(&Note { items: vec![item], total: String::new(), ..Note::default() }.xml());
    let skipped = lines.iter().filter(|line| line.codigo == Some("reducoes_diferentes"));
    assert_eq!(skipped.map(|line| line.veredito.as_str()).collect::<Vec<_>>(), ["nao_se_aplica"]);
}

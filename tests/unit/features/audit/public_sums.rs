//! Sums of public documents that were called wrong, and are right.

use super::documents::{IBSCBS, ICMS, Item, Note, sale};
use super::{audited, findings};

fn with(item: Item) -> Note {
    Note { items: vec![item], total: "<IBSCBSTot></IBSCBSTot>".to_owned(), ..Note::default() }
}

/// The findings of a code.
fn found(code: &str, xml: &str) -> Vec<String> {
    let lines = audited(xml);
    let of_code = lines.iter().filter(|line| line.codigo == Some(code));
    of_code.map(|line| format!("{} {}", line.tributo, line.certeza.unwrap().as_str())).collect()
}

/// `vICMSOp` and `vICMSDif` are optional: 180,00 less a third that is deferred are 120,01.
#[test]
fn what_is_left_of_a_deferred_icms_needs_no_other_figure() {
    let group = |share: &str, amount: &str| {
        let group = format!(
            "<ICMS><ICMS51><orig>0</orig><CST>51</CST><vBC>1000.00</vBC><pICMS>18.00</pICMS>{share}<vICMS>{amount}</vICMS></ICMS51></ICMS>"
        );
        with(sale().taxed(ICMS, &group)).xml()
    };
    let third = "<pDif>33.33</pDif>";
    assert_eq!(found("diferimento", &group(third, "120.01")), Vec::<String>::new());
    assert_eq!(found("base_vezes_aliquota", &group(third, "120.01")), Vec::<String>::new());
    assert_eq!(found("diferimento", &group(third, "180.00")), ["icms erro_do_documento"]);
    assert_eq!(found("base_vezes_aliquota", &group("", "120.01")), ["icms conferir"]);
}

/// A complement of price has no quantity, an adjustment no base (`finNFe` 2 and 3).
#[test]
fn a_complement_or_an_adjustment_brings_an_amount_alone() {
    let complement = sale().with("qCom", "0.0000").with("vUnCom", "0.00");
    let adjustment = sale().taxed("<vBC>1000.00</vBC><pICMS>18.00", "<vBC>0.00</vBC><pICMS>0.00");
    let of = |fin: u8, item: &Item, code: &str| found(code, &Note { fin, ..with(item.clone()) }.xml());
    assert_eq!(of(2, &complement, "quantidade_vezes_unidade"), Vec::<String>::new());
    assert_eq!(of(3, &adjustment, "base_vezes_aliquota"), Vec::<String>::new());
    assert_eq!(of(1, &complement, "quantidade_vezes_unidade"), ["documento erro_do_documento"]);
    assert_eq!(of(1, &adjustment, "base_vezes_aliquota"), ["icms erro_do_documento"]);
    let wrong = sale().taxed("<vICMS>180.00", "<vICMS>190.00");
    assert_eq!(of(2, &wrong, "base_vezes_aliquota"), ["icms erro_do_documento"], "with its factors the sum is to fit");
}

/// A town that exempts a service, or charges by a figure of its own, prints the rate and no tax.
#[test]
fn iss_of_zero_is_right_where_the_document_says_why() {
    let invoice = |simples: &str, says: &str| {
        format!(
            "<CompNfse><Nfse><InfNfse><Numero>1</Numero><DataEmissao>2026-03-31T10:00:00</DataEmissao>{simples}{says}<Servico><Valores>\
             <ValorServicos>1000.00</ValorServicos><BaseCalculo>1000.00</BaseCalculo><Aliquota>0.05</Aliquota><ValorIss>0.00</ValorIss>\
             </Valores><ItemListaServico>1.07</ItemListaServico><CodigoMunicipio>3550308</CodigoMunicipio></Servico></InfNfse></Nfse></CompNfse>"
        )
    };
    let is_fault = |simples: &str, says: &str| !found("base_vezes_aliquota", &invoice(simples, says)).is_empty();
    let no = "<OptanteSimplesNacional>2</OptanteSimplesNacional>";
    for kind in ["3", "4", "5", "6"] {
        assert!(!is_fault(no, &format!("<NaturezaOperacao>{kind}</NaturezaOperacao>")), "kind {kind}");
    }
    for regime in ["1", "2", "3", "4", "5"] {
        let says = format!("<RegimeEspecialTributacao>{regime}</RegimeEspecialTributacao>");
        assert!(!is_fault(no, &says), "regime {regime}");
    }
    assert!(is_fault(no, "<NaturezaOperacao>1</NaturezaOperacao>"));
    assert!(!is_fault("", "<NaturezaOperacao>1</NaturezaOperacao>"), "it does not say whether it is of the Simples");
}

/// STF, ADI 7066 and Tema 1.266: of 2022 not everybody owes the difference.
#[test]
fn the_missing_difference_of_2022_is_to_be_checked() {
    let on = |data: &'static str| {
        let item = sale().with("CFOP", "6108").taxed("18.00</pICMS><vICMS>180.00", "12.00</pICMS><vICMS>120.00");
        let note = Note { data, id_dest: 2, uf_destino: "RJ", ind_final: 1, ind_ie_dest: 9, ..with(item) };
        found("sem_icmsufdest", &note.xml())
    };
    assert_eq!(on("2022-12-31T10:00:00-03:00"), ["icms_consumidor_final conferir"]);
    assert_eq!(on("2023-01-01T10:00:00-03:00"), ["icms_consumidor_final erro_do_documento"]);
}

/// The group of ST passed on has a CST under any regime.
#[test]
fn a_cst_of_a_group_without_csosn_contradicts_nothing() {
    let group = |name: &str| format!("<ICMS><{name}><orig>0</orig><CST>60</CST></{name}></ICMS>");
    let of = |name: &str| found("crt_e_cst", &Note { crt: 1, ..with(sale().taxed(ICMS, &group(name))) }.xml());
    assert_eq!(of("ICMSST"), Vec::<String>::new());
    assert_eq!(of("ICMS60"), ["icms erro_do_documento"]);
}

/// R$ 120,00 that were withheld in the purchase leave the base of CBS and IBS as they leave that of PIS (STJ, Tema 1.125); who
/// left them in it is asked as it did.
#[test]
fn icms_withheld_before_is_in_the_base_of_cbs_or_not_as_the_document_has_it() {
    let withheld = "<ICMS><ICMS60><orig>0</orig><CST>60</CST><vICMSSTRet>120.00</vICMSSTRet></ICMS60></ICMS>";
    let none = "<PIS><PISNT><CST>04</CST></PISNT></PIS><COFINS><COFINSNT><CST>04</CST></COFINSNT></COFINS>";
    let asked = |base: &str, ibs: &str, cbs: &str| {
        let group = IBSCBS.replace("744.15", base).replace("0.74", ibs).replace("6.70", cbs);
        let item = Item { imposto: [withheld, none, &group].concat(), ..sale() };
        let item = item.with("CFOP", "5405").with("NCM", "40111000").with("CEST", "1600100");
        let lines = audited(&with(item).xml());
        let law = lines.iter().filter(|line| ["cbs", "ibs"].contains(&line.tributo) && line.camada.as_str() == "lei");
        law.map(|line| line.veredito.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(asked("880.00", "0.88", "7.92"), ["confere", "confere"]);
    assert_eq!(asked("1000.00", "1.00", "9.00"), ["confere", "confere"]);
    assert!(asked("500.00", "0.50", "4.50").iter().all(|verdict| *verdict != "confere"));
}

#[test]
fn a_total_without_the_sum_of_its_products_is_not_added_up() {
    let of = |total: &str| {
        let xml = Note {
            total: format!("<IBSCBSTot></IBSCBSTot><ICMSTot>{total}<vNF>1000.00</vNF></ICMSTot>"),
            ..with(sale())
        }
        .xml();
        findings(&audited(&xml)).into_iter().filter(|one| one == "documento diverge total").count()
    };
    assert_eq!((of(""), of("<vProd>1000.00</vProd>"), of("<vProd>1000.00</vProd><vFrete>10.00</vFrete>")), (0, 0, 2));
}

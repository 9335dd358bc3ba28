//! Credit notes and debit notes of CBS and IBS (`finNFe` 5 and 6), by the rules of NT 2025.002.

use super::audited;
use super::documents::{IBSCBS, ICMS, Item, Note, TOTAL, sale};
use super::technical_note::{note, numbered};

/// A credit note of kind 04 and a debit note of kind 07, as they are issued.
fn credit() -> String {
    let item = Item { imposto: IBSCBS.to_owned(), ..sale() };
    let note = Note { fin: 5, ide: "<tpNFCredito>04</tpNFCredito>", ..note(item) };
    note.xml()
        .replace("<tpNF>1", "<tpNF>0")
        .replace("5102", "1949")
        .replace(TOTAL, &TOTAL[TOTAL.find("<IBSCBSTot>").unwrap()..])
}

fn debit() -> String {
    let inside = "<CST>410</CST><cClassTrib>410030</cClassTrib><gEstornoCred><vIBSEstCred>0.74</vIBSEstCred><vCBSEstCred>6.70</vCBSEstCred></gEstornoCred>";
    let item = Item { imposto: format!("<IBSCBS>{inside}</IBSCBS>"), ..sale() };
    let total = "<IBSCBSTot><gEstornoCred><vIBSEstCred>0.74</vIBSEstCred><vCBSEstCred>6.70</vCBSEstCred></gEstornoCred></IBSCBSTot>";
    Note { fin: 6, ide: "<tpNFDebito>07</tpNFDebito>", total: total.to_owned(), ..note(item) }
        .xml()
        .replace("5102", "5927")
}

#[test]
fn right_credit_and_debit_notes_have_no_finding() {
    for xml in [credit(), debit()] {
        let found = audited(&xml);
        let differing =
            found.iter().filter(|line| line.veredito.differs()).map(|line| &line.detalhe).collect::<Vec<_>>();
        assert_eq!(differing, Vec::<&String>::new(), "{xml}");
    }
}

/// What is wrong of each note, and the rules that say it.
#[test]
fn credit_and_debit_notes_are_checked_by_their_own_rules() {
    let sure =
        |numbers: &[&str]| numbers.iter().map(|number| format!("{number} erro_do_documento")).collect::<Vec<_>>();
    let credit = |from: &str, to: &str| {
        assert!(credit().contains(from), "{from}");
        numbered(&credit().replacen(from, to, 1))
    };
    let debit = |from: &str, to: &str| {
        assert!(debit().contains(from), "{from}");
        numbered(&debit().replacen(from, to, 1))
    };
    assert_eq!(credit("<tpNF>0", "<tpNF>1"), sure(&["B25-110"]));
    assert_eq!(credit("<tpNFCredito>04</tpNFCredito>", ""), sure(&["B25.2-20"]));
    assert_eq!(credit("<finNFe>5", "<finNFe>1"), [vec!["B25-90 conferir".to_owned()], sure(&["B25.2-10"])].concat());
    assert_eq!(
        credit("<cClassTrib>000001", "<cClassTrib>800001"),
        [vec!["UB14-60 conferir".to_owned()], sure(&["UB14-20"])].concat()
    );
    assert_eq!(credit("<tpNFCredito>04", "<tpNFCredito>05"), ["UB14-80 conferir"]);
    let other = "<NFref><refNFe>35260311222333000181650010000000011000000019</refNFe></NFref><tpNFCredito>01";
    assert_eq!(credit("<tpNFCredito>04", other), ["B25-100 conferir"]);
    assert_eq!(credit("<tpNFCredito>04", &other.replace("8165", "8155")), Vec::<String>::new());
    let of_zfm = |kinds: [u8; 2]| {
        let group =
            |kind| format!("</gIBSCBS><gCredPresIBSZFM><tpCredPresIBSZFM>{kind}</tpCredPresIBSZFM></gCredPresIBSZFM>");
        let items = kinds.map(|kind| sale().taxed("</gIBSCBS>", &group(kind)));
        let found = numbered(&Note { items: items.to_vec(), ..note(sale()) }.xml());
        found.iter().any(|one| one == "UB133-10 conferir")
    };
    assert!(of_zfm([1, 1]) && !of_zfm([1, 2]));
    let taxed = |note: &str| note.replace("<imposto>", &format!("<imposto>{ICMS}"));
    let of_01 = super::credit_notes::credit().replace("<tpNFCredito>04", "<tpNFCredito>01");
    assert_eq!(numbered(&taxed(&of_01)), sure(&["B25-80"]));
    assert_eq!(
        numbered(&taxed(&super::credit_notes::credit())),
        Vec::<String>::new(),
        "kind 04 may repeat the taxes of its origin"
    );
    assert_eq!(debit("<tpNF>1", "<tpNF>0"), sure(&["B25-120"]));
    assert_eq!(
        debit("<tpNFDebito>07</tpNFDebito>", ""),
        [sure(&["B25.1-20"]), vec!["UB14-60 conferir".to_owned()]].concat().into_iter().rev().collect::<Vec<_>>()
    );
    assert_eq!(debit("<tpNFDebito>07", "<tpNFDebito>08"), ["UB14-70 conferir"]);
    assert_eq!(debit("<vIBSEstCred>0.74", "<vIBSEstCred>0.94"), sure(&["W59f-10"]));
}

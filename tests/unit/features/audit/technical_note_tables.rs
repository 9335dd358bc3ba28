//! The rules of NT 2025.002 that depend on official tables, and those of returns.

use super::documents::{IBSCBS, Note, sale};
use super::technical_note::{DAY, note, numbered, with_group};

/// Codes of the official tables: a classification of another document, the codes of the regular taxation, and the presumed
/// credits. The table may have a later edition, so each is to be checked.
#[test]
fn codes_of_no_table_and_of_other_documents_are_to_be_checked() {
    let of = |xml: &str| {
        let tables = ["UB14-25", "UB69-10", "UB70-10", "UB122-10", "UB123-10", "UB127-10"];
        let found = numbered(xml).into_iter().filter(|one| tables.iter().any(|table| one.starts_with(table)));
        found.collect::<Vec<_>>()
    };
    let coded = |code: &str| IBSCBS.replace("<CST>000</CST><cClassTrib>000001", code);
    let none = Vec::<String>::new();
    // Lotteries are not on an NF-e, and the suspension of a drawback is not on an NFC-e.
    assert_eq!(of(&with_group(&coded("<CST>820</CST><cClassTrib>820001"))), ["UB14-25 conferir"]);
    let suspended = with_group(&coded("<CST>550</CST><cClassTrib>550001"));
    assert_eq!(of(&suspended), none);
    assert_eq!(of(&suspended.replace("<mod>55", "<mod>65")), ["UB14-25 conferir"]);
    let regular = |codes: &str| {
        let group = format!("<gTribRegular>{codes}</gTribRegular></gIBSCBS>");
        of(&with_group(&IBSCBS.replace("</gIBSCBS>", &group)))
    };
    assert_eq!(regular("<CSTReg>200</CSTReg><cClassTribReg>200003</cClassTribReg>"), none);
    let wrong = regular("<CSTReg>299</CSTReg><cClassTribReg>200999</cClassTribReg>");
    assert_eq!(wrong, ["UB69-10 conferir", "UB70-10 conferir"]);
    let credit = |code: &str, groups: &str| {
        let credit = format!("</gIBSCBS><gCredPresOper><cCredPres>{code}</cCredPres>{groups}</gCredPresOper>");
        with_group(&IBSCBS.replace("</gIBSCBS>", &credit))
    };
    let (ibs, cbs) = ("<gIBSCredPres></gIBSCredPres>", "<gCBSCredPres></gCBSCredPres>");
    assert_eq!(of(&credit("01", &format!("{ibs}{cbs}"))), none);
    assert_eq!(of(&credit("10", cbs)), none);
    assert_eq!(of(&credit("10", ibs)), ["UB123-10 e UB123-20 conferir", "UB127-10 e UB127-20 conferir"]);
    let used = credit("7", &format!("{ibs}{cbs}")).replace("</prod>", "<indBemMovelUsado>1</indBemMovelUsado></prod>");
    assert_eq!(of(&used), none);
    assert_eq!(of(&credit("14", cbs)), ["UB122-10 conferir"]);
}

/// Returns refer to a document in each item since 16 November 2026, with exceptions of which not every text was read.
#[test]
fn what_a_return_and_a_past_rule_demand() {
    let of = |xml: &str| {
        let found = numbered(xml).into_iter().filter(|one| one.starts_with("VC02-14") || one.starts_with("UB14-40"));
        found.collect::<Vec<_>>()
    };
    let none = Vec::<String>::new();
    let back = Note { fin: 4, ..note(sale().with("CFOP", "5202")) };
    assert_eq!(of(&back.xml()), ["VC02-14 conferir"]);
    assert_eq!(of(&Note { data: "2026-11-15T10:00:00-03:00", ..back.clone() }.xml()), none);
    assert_eq!(of(&back.xml().replace("</imposto>", "</imposto><DFeReferenciado></DFeReferenciado>")), none);
    assert_eq!(of(&back.xml().replace("<CFOP>5202", "<CFOP>5921")), none);
    let fuel = IBSCBS.replace("<CST>000</CST><cClassTrib>000001", "<CST>620</CST><cClassTrib>620005");
    let on = |data: &'static str| of(&Note { data, ..note(sale().taxed(IBSCBS, &fuel)) }.xml());
    assert_eq!(on("2026-11-15T10:00:00-03:00"), ["UB14-40 erro_do_documento"]);
    assert_eq!(on(DAY), none, "version 1.52 removed it");
}

//! Codes of goods, services and rules.

use proptest::prelude::*;
use taxd_base::value::{Cest, Ex, ExDeclarado, ItemServico, Ncm, NcmPrefix, RuleCode, RuleId, Uf, Versao};

use crate::property::cases;

const NOT_DIGITS: [&str; 8] =
    ["", "abcdefgh", "2203.00.00", "2203 000", "-2203000", "٢٢٠٣٠٠٠٠", "２２０３", "2203000\n"];

#[test]
fn an_ncm_has_eight_digits() {
    assert_eq!(Ncm::parse("22030000").map(|n| n.to_string()), Ok("22030000".to_owned()));
    assert!(Ncm::parse("00000000").is_ok());
    for text in NOT_DIGITS.iter().chain(&["2203000", "220300000", "2203"]) {
        assert!(Ncm::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_prefix_has_two_four_five_six_seven_or_eight_digits() {
    for length in 1..=9 {
        let taken = NcmPrefix::parse(&"220300001"[..length]).is_ok();
        assert_eq!(taken, matches!(length, 2 | 4..=8), "{length} digits");
    }
    assert!(NOT_DIGITS.iter().all(|text| NcmPrefix::parse(text).is_err()));
}

#[test]
fn the_prefixes_of_an_ncm_come_longest_first() {
    let prefixes: Vec<String> = Ncm::parse("12345678").unwrap().prefixes().map(|p| p.to_string()).collect();
    assert_eq!(prefixes, ["12345678", "1234567", "123456", "12345", "1234", "12"]);
    let ncm = Ncm::parse("22030000").unwrap();
    for (prefix, under) in [("22", true), ("2203", true), ("22030000", true), ("22030001", false), ("2204", false)] {
        assert_eq!(ncm.is_under(&NcmPrefix::parse(prefix).unwrap()), under, "{prefix}");
    }
}

#[test]
fn a_cest_has_seven_digits() {
    assert_eq!(Cest::parse("0302100").map(|c| c.to_string()), Ok("0302100".to_owned()));
    for text in NOT_DIGITS.iter().chain(&["302100", "03021000", "03.021.00"]) {
        assert!(Cest::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn an_ex_is_written_with_two_digits_at_least() {
    for (text, wanted) in [("1", "01"), ("01", "01"), ("001", "01"), ("12", "12"), ("012", "12"), ("123", "123")] {
        assert_eq!(Ex::parse(text).map(|e| e.to_string()), Ok(wanted.to_owned()), "{text}");
        assert_eq!(Ex::parse(text), Ex::parse(wanted));
    }
    for text in ["", "0", "00", "000", "1000", "0001", "-1", "1.0", "Ex 01", " 1", "١"] {
        assert!(Ex::parse(text).is_err(), "{text:?}");
    }
    // A request declares none with zeros; a rule leaves the exception out.
    for text in ["0", "00", "000"] {
        assert_eq!(ExDeclarado::parse(text), Ok(ExDeclarado(None)));
    }
    assert_eq!(ExDeclarado::parse("001"), Ok(ExDeclarado(Ex::parse("01").ok())));
    assert!(ExDeclarado::parse("0000").is_err() && ExDeclarado::parse("").is_err());
}

#[test]
fn an_item_of_the_service_list_has_two_digits_after_the_point() {
    for (text, wanted) in
        [("1.05", "1.05"), ("01.05", "1.05"), ("17.01", "17.01"), ("40.01", "40.01"), ("7.10", "7.10")]
    {
        assert_eq!(ItemServico::parse(text).map(|i| i.to_string()), Ok(wanted.to_owned()), "{text}");
    }
    for text in
        ["", "1", "1.5", "1.005", "100.05", ".05", "1.", "0.05", "1.00", "1,05", "1.05.01", " 1.05", "-1.05", "１.05"]
    {
        assert!(ItemServico::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_subitem_that_is_not_among_the_200_in_force_is_taken_with_a_suggestion() {
    let all: Vec<String> = ItemServico::all().map(|item| item.to_string()).collect();
    assert_eq!(all.len(), 200);
    for text in &all {
        let item = ItemServico::parse(text).unwrap();
        assert_eq!((item.to_string(), item.suggestion()), (text.clone(), None));
    }
    assert!(ItemServico::all().zip(ItemServico::all().skip(1)).all(|(a, b)| a < b), "in order, each once");
    // Vetoed, beyond the end of a group, and beyond the list.
    for (text, near) in [
        ("3.01", "3.02"),
        ("7.14", "7.13"),
        ("7.15", "7.16"),
        ("13.01", "13.02"),
        ("17.07", "17.06"),
        ("1.10", "1.09"),
        ("2.02", "2.01"),
        ("41.01", "40.01"),
        ("99.99", "40.01"),
    ] {
        let item = ItemServico::parse(text).unwrap();
        assert_eq!(item.nearest_in_force().map(|near| near.to_string()).as_deref(), Some(near), "{text}");
        let suggestion = item.suggestion().unwrap();
        assert!([text, near, "LC 116/2003"].iter().all(|told| suggestion.contains(told)), "{suggestion}");
    }
}

#[test]
fn there_are_27_units_and_none_in_lower_case() {
    assert_eq!(Uf::ALL.len(), 27);
    for uf in Uf::ALL {
        assert_eq!(Uf::from_abbreviation(uf.as_str()), Some(*uf));
        assert_eq!(Uf::from_abbreviation(&uf.as_str().to_lowercase()), None);
    }
    assert!(["", "BR", "EX", "S", "SPX", "São Paulo"].iter().all(|t| Uf::from_abbreviation(t).is_none()));
}

#[test]
fn a_rule_code_begins_and_ends_with_a_letter_or_digit() {
    for text in [
        "abc",
        "a-b",
        "a_b",
        "a.b",
        "123",
        "icms-sp-geral",
        "iss-sp-sao-paulo-12.11",
        "a-v1",
        "a-v1.0-b",
        &"a".repeat(96),
    ] {
        assert_eq!(RuleCode::parse(text).map(|c| c.to_string()), Ok(text.to_owned()));
    }
    let long = "a".repeat(97);
    for text in ["", "ab", "-ab", "ab-", ".ab", "ab_", "Abc", "açb", "a b", "a/b", "a\0b", long.as_str()] {
        assert!(RuleCode::parse(text).is_err(), "{text:?}");
    }
    assert!(RuleCode::parse("icms-sp-v1.0").is_err(), "a code that reads as an id would make two rules look alike");
}

#[test]
fn versions_order_by_number_and_have_one_way_of_being_written() {
    let version = |text: &str| Versao::parse(text).unwrap();
    assert!(version("1.9") < version("1.10") && version("1.10") < version("2.0") && version("9.0") < version("10.0"));
    for text in ["0.0", "1.0", "1.10", "999999999.999999999"] {
        assert_eq!(version(text).to_string(), text);
    }
    for text in
        ["", "1", "1.", ".1", "1.0.0", "01.0", "1.00", "v1.0", "1.-1", "+1.0", "1000000000.0", "1,0", "１.0", " 1.0"]
    {
        assert!(Versao::parse(text).is_err(), "{text:?}");
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_rule_id_comes_back_from_what_it_writes(code in "[a-z0-9][a-z0-9._-]{1,40}[a-z0-9]", major in 0_u32..1_000_000_000, minor in 0_u32..1_000_000_000) {
        let parsed = RuleCode::parse(&code);
        prop_assume!(parsed.is_ok());
        let id = RuleId { code: parsed.unwrap(), versao: Versao { major, minor } };
        prop_assert_eq!(RuleId::parse(&id.to_string()), Some(id));
    }

    #[test]
    fn what_reads_as_a_rule_id_is_written_the_same(text in "[a-z]{1,5}(-v?)?[a-z0-9.-]{0,6}(-v)?[0-9]{0,2}[.]?[0-9]{0,2}") {
        if let Some(id) = RuleId::parse(&text) {
            prop_assert_eq!(id.to_string(), text);
        }
    }
}

/// The keys of the data file have items as they are displayed.
#[test]
fn an_item_is_written_into_a_key_as_it_is_displayed() {
    for (group, subitem) in [(1, 1), (1, 10), (9, 9), (10, 1), (17, 25), (99, 99)] {
        for desdobro in [1, 9, 10, 99] {
            let item = ItemServico::with_desdobro(group, subitem, desdobro).unwrap();
            for item in [item, item.subitem()] {
                let mut bytes = Vec::new();
                item.write_to(&mut bytes);
                assert_eq!(String::from_utf8(bytes).unwrap(), item.to_string());
            }
        }
    }
}

//! Keys: their checksum distinguishes a typo from an unknown key.

use std::collections::HashSet;

use taxd_base::value::{ApiKey, KeyKind};

#[test]
fn a_generated_key_is_read_back_and_has_its_prefix() {
    for (kind, prefix) in [(KeyKind::Live, "svc_live_"), (KeyKind::Test, "svc_test_")] {
        for _ in 0..200 {
            let key = ApiKey::generate(kind).unwrap();
            let text = key.reveal();
            assert!(text.starts_with(prefix) && text.len() == prefix.len() + 56, "{text}");
            let read = ApiKey::parse(text).unwrap();
            assert_eq!((read.reveal(), read.digest()), (text, ApiKey::digest_of(text)));
        }
    }
}

#[test]
fn one_changed_character_makes_it_no_key() {
    let key = ApiKey::generate(KeyKind::Test).unwrap();
    for (at, old) in key.reveal().char_indices() {
        for new in "0123456789abcdefABCDEFxyz_- ".chars().filter(|c| *c != old) {
            let mut text = key.reveal().to_owned();
            text.replace_range(at..=at, &new.to_string());
            assert!(ApiKey::parse(&text).is_none(), "{old} at {at} became {new}");
        }
    }
}

#[test]
fn a_key_with_more_or_less_around_it_is_none() {
    let key = ApiKey::generate(KeyKind::Live).unwrap();
    let text = key.reveal();
    let other_kind = text.replace("live", "test");
    let upper = text.to_uppercase();
    for wrong in [
        "",
        "svc_live_",
        &text[1..],
        &text[..text.len() - 1],
        &format!("{text}0"),
        &format!(" {text}"),
        &format!("{text}\n"),
        &other_kind,
        &upper,
    ] {
        assert!(ApiKey::parse(wrong).is_none(), "{wrong:?}");
    }
}

#[test]
fn ten_thousand_keys_are_ten_thousand_keys() {
    let keys: HashSet<[u8; 32]> = (0..10_000).map(|_| ApiKey::generate(KeyKind::Live).unwrap().digest()).collect();
    assert_eq!(keys.len(), 10_000);
}

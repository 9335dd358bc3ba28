//! What answers write without `serde_json` has the same bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use taxd_base::document::{Shown, Sometimes};
use taxd_base::value::{Conferencia, Date};

use crate::property::cases;

taxd_base::components! {
    /// Members of every kind.
    pub struct Toy {
        texto: String, "Texto";
        talvez: Option<String>, "Talvez";
        as_vezes: Sometimes<i64>, "Às vezes";
        lista: Vec<String>, "Lista";
        dia: Date, "Dia";
        conferencia: Conferencia, "Conferência";
        sim: bool, "Sim";
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn written_bytes_are_those_of_serde_json(
        texts in vec(vec(any::<char>(), 0..40), 0..4),
        few in "[ -~\u{0}-\u{1f}\u{7f}]{0,40}",
        as_vezes in any::<Option<i64>>(),
        day in (1..=9_999_u32, 1..=12_u32, 1..=28_u32),
        sim in any::<bool>(),
    ) {
        let lista: Vec<String> = texts.into_iter().map(String::from_iter).collect();
        let toy = Toy {
            texto: few,
            talvez: lista.first().cloned(),
            as_vezes: Sometimes(as_vezes),
            lista,
            dia: Date::from_ordinal(day.0 * 10_000 + day.1 * 100 + day.2).unwrap(),
            conferencia: Conferencia::FonteUnica,
            sim,
        };
        let mut written = Vec::new();
        toy.write(&mut written).unwrap();
        prop_assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&toy).unwrap());
    }
}

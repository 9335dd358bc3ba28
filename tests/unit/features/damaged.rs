//! Everything that taxd reads, with a few bytes changed: each is read, or refused with a sentence, and never a panic.
//!
//! `TAXD_FUZZ_ROUNDS` sets how many inputs each reader gets, and a tenth of them a run of the audit: 20,000 take seconds. `tests/fuzz/run` looks for others.

use crate::fuzz::damage_of;
use crate::readers::READERS;

/// Readers of which each is a whole run of the audit, and gets fewer inputs.
const RUNS: [&str; 4] = ["audited", "packed", "books", "archive"];

/// Gives the reader every damaged seed. Neither all nor none may be refused.
fn each(name: &str) {
    let rounds: usize = std::env::var("TAXD_FUZZ_ROUNDS").map_or(20_000, |rounds| rounds.parse().unwrap());
    let rounds = if RUNS.contains(&name) { rounds / 10 } else { rounds };
    let reader = READERS.iter().find(|reader| reader.name == name).unwrap();
    let seeds = (reader.seeds)();
    for seed in &seeds {
        (reader.read)(seed).unwrap_or_else(|refusal| panic!("{name}: a seed is refused: {refusal}"));
    }
    let mut refused = 0;
    for input in damage_of(&seeds, rounds) {
        if let Err(sentence) = (reader.read)(&input) {
            assert!(!sentence.trim().is_empty(), "{name}: {}", String::from_utf8_lossy(&input));
            refused += 1;
        }
    }
    assert!((1..rounds).contains(&refused), "{name}: {refused} of {rounds} refused");
}

/// A test for each reader, so that they run beside one another.
macro_rules! readers {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            each(stringify!($name));
        })*

        #[test]
        fn every_reader_is_tried() {
            let tried = [$(stringify!($name)),*];
            assert_eq!(READERS.iter().map(|reader| reader.name).collect::<Vec<_>>(), tried);
        }
    };
}

readers! { bundle payload kept_list table document audited packed books archive companies signature public_key key instant rule_id number date control_message log_block }

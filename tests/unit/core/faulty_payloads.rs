//! A payload is read one way whichever parser takes its bytes, and every member lands at its field.
//!
//! `TAXD_FUZZ_ROUNDS` sets how many payloads are tried; 40,000 take a minute in a debug build.

use std::collections::BTreeMap;

use serde_json::Value;
use taxd_base::document::{Document, Faults, JsonFault, Node, Path, Placed, parse_payload};
use taxd_core::engine::Engine;
use taxd_law::tax;

use crate::faulty::{escaped, faulty};
use crate::support::built_in_engine;
use crate::worked_examples::worked_examples;

/// A few worked examples of each tax.
const SEEDS_OF_A_TAX: usize = 40;

fn rounds() -> usize {
    std::env::var("TAXD_FUZZ_ROUNDS").map_or(4_000, |rounds| rounds.parse().unwrap())
}

/// Worked examples of all taxes, those of one tax spread over all that it has, in turn.
fn seeds() -> Vec<Value> {
    let mut of_tax: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for payload in worked_examples() {
        of_tax.entry(payload["tributo"].to_string()).or_default().push(payload);
    }
    assert_eq!(of_tax.len(), tax::NAMES.len());
    let spread = |all: &Vec<Value>, i: usize| all[i * all.len() / SEEDS_OF_A_TAX].clone();
    (0..SEEDS_OF_A_TAX).flat_map(|i| of_tax.values().map(move |all| spread(all, i))).collect()
}

/// The answer, or what a refusal says.
fn answer(engine: &Engine, payload: &[u8]) -> String {
    match engine.calculate(payload, true) {
        Ok(answer) => String::from_utf8(answer.to_json().into()).unwrap(),
        Err(problem) => format!("{problem:?}"),
    }
}

/// The same payload in a form that only the general parser takes: a name has an escape. `None` if it has no name.
fn for_the_general_parser(payload: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(payload).ok()?;
    let (before, rest) = text.split_once('"')?;
    let (name, after) = rest.split_once('"')?;
    let is_plain = !name.is_empty() && !name.contains('\\') && name.is_ascii();
    is_plain.then(|| format!("{before}\"{}\"{after}", escaped(name)).into_bytes())
}

#[test]
fn the_general_parser_alone_gives_the_same_answers() {
    let engine = built_in_engine();
    let (mut compared, mut answered, mut codes) = (0, 0, BTreeMap::new());
    for payload in faulty(&seeds(), rounds()) {
        let shown = || String::from_utf8_lossy(&payload).into_owned();
        let read: Result<Node<'_>, JsonFault> = parse_payload(&payload);
        assert_eq!(read, Node::parse(&payload), "{}", shown());
        let got = answer(engine, &payload);
        match engine.calculate(&payload, false) {
            Ok(_) => answered += 1,
            Err(problem) => *codes.entry(format!("{:?}", problem.codigo)).or_insert(0) += 1,
        }
        // A fault of JSON has a column, which the escape moves.
        if let (Ok(_), Some(general)) = (&read, for_the_general_parser(&payload)) {
            assert_eq!(got, answer(engine, &general), "{}", shown());
            compared += 1;
        }
    }
    let rounds = rounds();
    assert!(compared > rounds / 2 && answered > rounds / 20 && codes.len() > 20, "{compared} {answered} {codes:?}");
}

/// A record of a rule, with what nests in one: damaged at any place, or as deep as neither parser reads.
#[test]
fn a_record_is_read_one_way_whatever_is_wrong_with_it() {
    let record = r#"{"rule_code":"icms-st-sp-1","escopo":{"uf_destino":"SP","ncm":["1704","18"]},"vigente_ate":null,
        "avisos":["Só até o fim de 2026.","Confira."],"conteudo":{"faixas":[{"ate":12,"taxa":"1.5"},{"ate":null}],"a":true},
        "exemplos":[{"payload":{"itens":[[{"n":7}]]},"detalhes":{"x":[false]}}]}"#;
    let one_way = |bytes: &[u8]| {
        let read = parse_payload(bytes);
        assert_eq!(read, Node::parse(bytes), "{}", String::from_utf8_lossy(bytes));
        read.is_ok()
    };
    assert!(one_way(record.as_bytes()));
    let mut read = 0;
    for place in 0..record.len() {
        assert!(!one_way(&record.as_bytes()[..place]));
        for byte in *b"\"\\{}[]:, \n\x0c\x1f0x\x7f\xc3" {
            let mut damaged = record.as_bytes().to_vec();
            damaged[place] = byte;
            read += usize::from(one_way(&damaged));
        }
    }
    assert!(read > record.len(), "{read}");
    for depth in 0..140 {
        for [begin, end] in [["[", "]"], [r#"{"a":"#, "}"]] {
            let nested = format!(r#"{{"a":{}1{}}}"#, begin.repeat(depth), end.repeat(depth));
            assert_eq!(one_way(nested.as_bytes()), depth < 127);
        }
    }
}

taxd_base::document! {
    /// A document of optional fields.
    struct Toy {
        um: Option<bool>, "Um";
        dois: Option<bool>, "Dois";
        tres: Option<bool>, "Três";
        quatro: bool = true, "Quatro";
    }
}

#[test]
fn every_member_lands_at_its_field_in_every_order() {
    const NAMES: [&str; 6] = ["um", "dois", "tres", "quatro", "tributo", "outro"];
    // Every list of up to five names, each once or several times, with values that differ.
    for number in 0..7_usize.pow(5) {
        let digits = (0..5).map(|place| number / 7_usize.pow(place) % 7);
        let chosen: Vec<&str> = digits.filter_map(|digit| NAMES.get(digit).copied()).collect();
        let members: Vec<String> =
            chosen.iter().enumerate().map(|(i, name)| format!("\"{name}\":{}", i % 2 == 1)).collect();
        let text = format!("{{{}}}", members.join(","));
        let Ok(Node::Object(object)) = Node::parse(text.as_bytes()) else { panic!("{text}") };
        let placed = Placed::of(&object, Toy::FIELDS, &["tributo"]);
        let repeated = chosen.iter().enumerate().any(|(i, name)| chosen[..i].contains(name));
        let unknown: Vec<&str> = chosen.iter().copied().filter(|name| *name == "outro").collect();
        assert_eq!(placed.unknown, unknown, "{text}");
        assert!(placed.may_repeat || !repeated, "{text}");
        assert_eq!(placed.may_repeat, repeated || !unknown.is_empty(), "{text}");
        let mut faults = Faults::default();
        let toy = Toy::read_placed(&placed, &Path::ROOT, &mut faults).unwrap();
        // Of several members of one name, the first counts.
        let first = |name: &str| chosen.iter().position(|chosen| *chosen == name).map(|i| i % 2 == 1);
        assert_eq!((toy.um, toy.dois, toy.tres), (first("um"), first("dois"), first("tres")), "{text}");
        assert_eq!(toy.quatro, first("quatro").unwrap_or(true), "{text}");
        assert!(faults.is_empty(), "{text}");
    }
}

//! An answer is one thing: typed, and as bytes.

use serde_json::{Value, json};
use taxd_base::document::{Node, Object, Role};
use taxd_core::engine::Extras;
use taxd_law::tax::{REGISTRY, TaxAnswer};

use crate::support::built_in_engine;

fn object(text: &[u8]) -> Object<'_> {
    match Node::parse(text) {
        Ok(Node::Object(object)) => object,
        other => panic!("{other:?}"),
    }
}

fn written(answer: &TaxAnswer) -> Vec<u8> {
    let mut bytes = Vec::new();
    answer.write_body(&mut bytes).unwrap();
    bytes
}

/// What HTTP sends, the typed answer writes.
#[test]
fn an_answer_is_written_as_it_is_sent() {
    for entry in REGISTRY {
        for [memoria, prova] in [[false, false], [true, false], [true, true]] {
            let extras = Extras { memoria, prova, ..Extras::default() };
            let sent = built_in_engine().calculate(entry.exemplo.as_bytes(), extras).unwrap();
            let typed = built_in_engine().answer(&object(entry.exemplo.as_bytes()), extras, None).unwrap();
            let bytes = written(&typed);
            assert_eq!(
                [&bytes[..bytes.len() - 1], b",\"cached\":false}"].concat(),
                sent.to_json(),
                "{}",
                entry.tributo
            );
        }
    }
}

/// A sum may have a digit more than what a caller may give.
#[test]
fn an_answer_may_have_the_greatest_amounts() {
    let greatest = "999999999999999.00";
    let payload = json!({
        "tributo": "ipi", "ncm": "84151011", "data_operacao": "2026-03-10",
        "valor_produto": greatest, "frete": greatest, "despesas": greatest,
    });
    let typed = built_in_engine().answer(&object(payload.to_string().as_bytes()), false, None).unwrap();
    let json: Value = serde_json::from_slice(&written(&typed)).unwrap();
    assert_eq!(json["detalhes"]["base_calculo"], "2999999999999997.00");
    assert_eq!(json!(typed.get("base_calculo")), json["detalhes"]["base_calculo"]);
    assert_eq!(typed.figures(Role::Base).count(), 1);
}

/// A component has the same value within the program as in JSON.
#[test]
fn components_are_those_of_the_json() {
    for entry in REGISTRY {
        let typed = built_in_engine().answer(&object(entry.exemplo.as_bytes()), false, None).unwrap();
        let json: Value = serde_json::from_slice(&written(&typed)).unwrap();
        for (name, value) in json["detalhes"].as_object().unwrap() {
            assert_eq!(&json!(typed.get(name)), value, "{} {name}", entry.tributo);
        }
        assert!(typed.get("valor").is_none() && typed.get("memoria").is_none());
        assert_eq!(typed.in_role(Role::Base).count(), 1, "{}", entry.tributo);
        assert_eq!(typed.figures(Role::Base).count(), 1, "{}", entry.tributo);
    }
}

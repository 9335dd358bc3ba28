//! What is kept of a payload: the fields of its tax as sent, and nothing that looks like a key.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use taxd_base::document::{Document, Node};
use taxd_base::value::{REMOVED, looks_secret};
use taxd_core::calls::{OPERACAO, clean_path, sanitised, sanitised_at, sanitised_node};
use taxd_core::engine::Extras;
use taxd_law::operation::OperationFacts;
use taxd_law::tax::REGISTRY;

use crate::support::built_in_engine;

/// The part of a key that is secret.
const SECRET: &str = "3f9a0c7be25d41868e07f1b92c64da5390ee17ab48cd2f6c5b81d0e4";

/// Longest part of the secret that may be left over: less than any half of it.
const HARMLESS: usize = 19;

fn kept(payload: &Value) -> Value {
    serde_json::from_str(&sanitised(payload.to_string().as_bytes())).unwrap()
}

/// Keys, whole and half, as they may find their way into a text.
fn shapes() -> Vec<String> {
    let (first, second) = SECRET.split_at(SECRET.len() / 2);
    let mut shapes: Vec<String> = [
        format!("svc_live_{SECRET}"),
        format!("svc_test_{SECRET}"),
        format!("whsec_{SECRET}"),
        SECRET.to_owned(),
        first.to_owned(),
        second.to_owned(),
        format!("svc_live_{first}"),
        format!("Bearer {SECRET}"),
        format!("minha chave: {SECRET}."),
        format!("{}{SECRET}", "a".repeat(60)),
        format!("{} {SECRET}", "palavra ".repeat(40)),
        format!("{SECRET}@SP\n22030000"),
    ]
    .into();
    let upper: Vec<String> = shapes.iter().map(|text| text.to_uppercase()).collect();
    shapes.extend(upper);
    shapes
}

#[track_caller]
fn assert_no_trace(kept: &str, place: &str) {
    let lower = kept.to_lowercase();
    for part in SECRET.as_bytes().windows(HARMLESS + 1) {
        let part = std::str::from_utf8(part).unwrap();
        assert!(!lower.contains(part), "{place}: {kept}");
    }
}

/// The example of a tax, as the sandbox shows it.
fn example(at: usize) -> Map<String, Value> {
    serde_json::from_str(REGISTRY[at].exemplo).unwrap()
}

#[test]
fn of_every_tax_exactly_its_fields_are_kept_with_their_values_as_sent() {
    for (at, entry) in REGISTRY.iter().enumerate() {
        // Every field of every tax, so that those of the others are there to be left out.
        let mut payload = example(at);
        let other_fields = REGISTRY.iter().flat_map(|other| other.payload).map(|field| field.name);
        for (i, name) in other_fields.chain(["observacao", "cliente", "X-API-Key"]).enumerate() {
            payload.entry(name).or_insert_with(|| json!(format!("0{i}.50")));
        }
        let kept = kept(&Value::Object(payload.clone()));
        let kept = kept.as_object().unwrap();
        let mut wanted = vec!["tributo"];
        wanted.extend(entry.payload.iter().map(|field| field.name));
        assert_eq!(kept.keys().map(String::as_str).collect::<Vec<_>>(), wanted);
        for (name, value) in kept {
            assert_eq!(value, &payload[name], "{}: {name}", entry.tributo.as_str());
        }
    }
}

#[test]
fn what_is_absent_stays_absent_and_every_plain_value_is_kept() {
    let payload = json!({"tributo": "icms", "valor_produto": 12, "frete": -3, "despesas": null,
        "destinatario_contribuinte": false, "ncm": "", "uf_origem": " sp "});
    assert_eq!(
        kept(&payload),
        json!({"tributo": "icms", "uf_origem": " sp ", "ncm": "", "valor_produto": 12,
        "frete": -3, "despesas": null, "destinatario_contribuinte": false})
    );
    assert_eq!(kept(&json!({"tributo": "ipi", "frete": 10.5}))["frete"], json!(10.5));
}

#[test]
fn no_key_is_kept_in_any_field_of_any_tax() {
    for (at, entry) in REGISTRY.iter().enumerate() {
        for shape in shapes() {
            for field in ["tributo"].into_iter().chain(entry.payload.iter().map(|field| field.name)) {
                let place = format!("{} {field} {shape}", entry.tributo.as_str());
                let mut payload = example(at);
                for value in [json!(shape), json!([shape]), json!({"chave": shape}), json!({ shape.as_str(): 1 })] {
                    payload.insert(field.to_owned(), value);
                    assert_no_trace(&sanitised(Value::Object(payload.clone()).to_string().as_bytes()), &place);
                }
            }
        }
    }
}

#[test]
fn no_key_is_kept_beside_the_fields_of_the_tax() {
    for shape in shapes() {
        for (name, value) in [
            (shape.as_str(), json!("1")),
            ("X-API-Key", json!(shape)),
            ("observacao", json!({"cabecalhos": [{"x-api-key": shape}]})),
        ] {
            let mut payload = example(1);
            payload.insert(name.to_owned(), value);
            let kept = sanitised(Value::Object(payload).to_string().as_bytes());
            assert_no_trace(&kept, name);
            assert!(kept.contains("\"tributo\":\"icms\""), "the rest is kept: {kept}");
        }
    }
}

#[test]
fn no_escape_hides_a_key() {
    let escaped = |text: &str| {
        let each: Vec<String> = text.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        each.concat()
    };
    for shape in shapes() {
        let first = format!("\\u{:04X}{}", u32::from(shape.chars().next().unwrap()), &shape[1..].replace('\n', "\\n"));
        for written in [escaped(&shape), first] {
            for document in [
                format!(r#"{{"tributo":"ipi","ncm":"{written}"}}"#),
                format!(r#"{{"tributo":"{written}","ncm":"22030000"}}"#),
                format!(r#"{{"tributo":"ipi","\u006ecm":"{written}"}}"#),
                format!(r#"{{"tributo":"ipi","{written}":"22030000"}}"#),
            ] {
                let kept = sanitised(document.as_bytes());
                assert_no_trace(&kept, &document);
                assert!(kept.contains("tributo") && !kept.contains("svc_"), "{document}: {kept}");
            }
        }
    }
}

#[test]
fn a_long_text_is_cut_and_a_place_of_many_values_is_only_named() {
    let long = "São José do Rio Preto, ".repeat(3_000);
    let kept = kept(&json!({"tributo": "iss", "municipio": long, "uf": [1, 2], "item_lista_servico": {"a": 1}}));
    assert_eq!(kept["municipio"], json!(format!("{}…", long.chars().take(64).collect::<String>())));
    assert_eq!((&kept["uf"], &kept["item_lista_servico"]), (&json!("[lista]"), &json!("[objeto]")));
    let longest = "Vila Bela da Santíssima Trindade";
    assert_eq!(self::kept(&json!({"tributo": "iss", "municipio": longest}))["municipio"], json!(longest));
}

#[test]
fn a_text_that_is_not_a_payload_leaves_nothing() {
    let deep = |levels: usize| format!(r#"{{"tributo":"ipi","ncm":{}1{}}}"#, "[".repeat(levels), "]".repeat(levels));
    let mut documents: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "null",
        "[]",
        "\"svc_live_x\"",
        "{}",
        r#"{"ncm":"22030000"}"#,
        r#"{"tributo":1}"#,
        r#"{"tributo":null,"ncm":"1"}"#,
        r#"{"tributo":"ipi"}x"#,
        r#"{"tributo":"ipi","frete":1e999}"#,
        r#"{"tributo":"ipi",}"#,
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    documents.push(deep(200).into_bytes());
    documents.push(deep(30_000).into_bytes());
    documents.push(b"{\"tributo\":\"ipi\",\"ncm\":\"\xff\"}".to_vec());
    documents.push(format!(r#"{{"tributo":"{SECRET}"#).into_bytes());
    for document in documents {
        assert_eq!(sanitised(&document), "{}", "{:?}", String::from_utf8_lossy(&document[..document.len().min(60)]));
    }
    assert_eq!(sanitised(deep(100).as_bytes()), r#"{"tributo":"ipi","ncm":"[lista]"}"#);
}

#[test]
fn of_a_repeated_field_only_the_first_is_kept() {
    let document = format!(r#"{{"tributo":"ipi","ncm":"1","ncm":"{SECRET}","tributo":"icms","ncm":"2"}}"#);
    assert_eq!(sanitised(document.as_bytes()), r#"{"tributo":"ipi","ncm":"1"}"#);
}

#[test]
fn a_tax_that_does_not_exist_is_kept_by_its_name_alone() {
    assert_eq!(kept(&json!({"tributo": "irpf", "ncm": "22030000"})), json!({"tributo": "irpf"}));
}

#[test]
fn a_path_is_kept_short_and_without_a_key() {
    for path in ["/v1/calculate", "/v1/usage", "/v1/nada/1", "/v1"] {
        assert_eq!(clean_path(path), path);
    }
    for shape in shapes() {
        assert_no_trace(&clean_path(&format!("/v1/{shape}/x")), &shape);
    }
    assert_eq!(clean_path("/v1/%73vc_live_0"), "[removido]");
    assert_eq!(clean_path(&format!("/v1/{}", "x".repeat(9_000))).chars().count(), 65);
}

/// JSON values of any kind, with texts that are long, escaped, or nearly a key.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|f| json!(f)),
        "\\PC{0,90}".prop_map(Value::from),
        ".{0,10}".prop_map(Value::from),
        prop::sample::select(shapes()).prop_map(Value::from),
        "[0-9a-f]{15,25}".prop_map(Value::from),
        ("[a-z ]{30,70}", "[0-9a-f]{0,30}").prop_map(|(text, run)| Value::from(text + &run)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..3).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// What is kept, by the general parser and a search for each field, as JSON values.
fn naive(payload: &[u8], is_operation: bool) -> String {
    let Ok(Node::Object(payload)) = Node::parse(payload) else { return "{}".to_owned() };
    let tributo = match payload.get("tributo") {
        Some(Node::Text(tributo)) => Some(tributo),
        _ => None,
    };
    let entry = REGISTRY.iter().find(|entry| tributo.is_some_and(|name| name == entry.tributo.as_str()));
    let fields = if is_operation { OperationFacts::FIELDS } else { entry.map_or(&[][..], |entry| entry.payload) };
    let named = tributo.filter(|_| !is_operation).map(|_| "tributo");
    let mut kept = Map::new();
    for name in named.into_iter().chain(fields.iter().map(|field| field.name)) {
        let value = match payload.get(name) {
            None => continue,
            Some(Node::Text(text)) if looks_secret(text) => json!(REMOVED),
            Some(Node::Text(text)) if text.len() <= 64 || text.chars().count() <= 64 => json!(text),
            Some(Node::Text(text)) => json!(format!("{}…", text.chars().take(64).collect::<String>())),
            Some(Node::List(_)) => json!("[lista]"),
            Some(Node::Object(_)) => json!("[objeto]"),
            Some(plain) => serde_json::to_value(plain).unwrap(),
        };
        kept.insert(name.to_owned(), value);
    }
    Value::Object(kept).to_string()
}

/// Names of members: fields of any tax, and others.
fn name() -> impl Strategy<Value = String> {
    let fields: Vec<&str> = REGISTRY.iter().flat_map(|entry| entry.payload).map(|field| field.name).collect();
    prop_oneof![4 => prop::sample::select(fields).prop_map(str::to_owned), 1 => Just("tributo".to_owned()), 1 => ".{0,9}"]
}

/// Payloads as callers write them: members in any order, repeated and unknown ones, with blanks, and damaged ones.
fn written() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof!["-?[0-9]{1,20}", "-?[0-9]{1,3}\\.[0-9]{1,4}", "[0-9]{1,2}[eE][+-]?[0-9]{1,3}"];
    let member = (name(), prop_oneof![3 => value().prop_map(|value| value.to_string()), 1 => number]);
    let members = (0..REGISTRY.len(), prop::collection::vec(member, 0..14), 0..14_usize, "[ \\n\\t]{0,2}");
    let whole = members.prop_map(|(at, members, place, blank)| {
        let mut members: Vec<String> = members
            .into_iter()
            .map(|(name, value)| format!("{blank}{}{blank}:{blank}{value}{blank}", json!(name)))
            .collect();
        let tributo = format!("\"tributo\":{blank}\"{}\"", REGISTRY[at].tributo.as_str());
        members.insert(place.min(members.len()), tributo);
        format!("{blank}{{{}}}{blank}", members.join(",")).into_bytes()
    });
    (whole, prop::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>()))).prop_map(|(mut bytes, damage)| {
        if let Some((at, byte)) = damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn of_any_payload_it_is_what_a_search_for_each_field_finds(payload in written()) {
        let text = String::from_utf8_lossy(&payload);
        prop_assert_eq!(sanitised(&payload), naive(&payload, false), "{}", text);
        prop_assert_eq!(sanitised_at(OPERACAO, &payload), naive(&payload, true), "{}", text);
    }

    /// The log of a call has what was made of the payload when it was parsed, also of one that was refused.
    #[test]
    fn it_is_made_once_of_a_payload_that_is_calculated(payload in written()) {
        let mut seen = None;
        let see = |parsed: &Node<'_>| seen = Some(sanitised_node(parsed, payload.len()));
        let answer = built_in_engine().calculate_seen(&payload, Extras::default(), see);
        let is_parsed = Node::check(&payload).is_ok() && !answer.is_ok_and(|answer| answer.cached);
        prop_assert_eq!(seen, is_parsed.then(|| naive(&payload, false)), "{}", String::from_utf8_lossy(&payload));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn applied_to_its_own_result_it_changes_nothing(
        at in 0..REGISTRY.len(), values in prop::collection::vec(value(), 1..16),
    ) {
        let fields = REGISTRY[at].payload;
        let mut payload = json!({"tributo": REGISTRY[at].tributo.as_str()});
        for (field, value) in fields.iter().zip(values) {
            payload[field.name] = value;
        }
        let once = sanitised(payload.to_string().as_bytes());
        prop_assert_eq!(sanitised(once.as_bytes()), once.clone());
        let lower = once.to_lowercase();
        for part in [&SECRET[..28], &SECRET[28..]] {
            prop_assert!(!lower.contains(part), "{}", once);
        }
    }
}

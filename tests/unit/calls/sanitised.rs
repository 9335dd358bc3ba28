//! What is kept of a payload: the fields of its tax as sent, and nothing that looks like a key.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use taxd::core::calls::{clean_path, sanitised};
use taxd::law::tax::REGISTRY;

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

//! Bodies of the largest size that is read, each to make one part of the reading do much work.

use serde_json::{Value, json};

use super::Input;

/// Largest body that is read.
const MAX_BYTES: usize = 64 * 1024;

/// A document of as many repetitions of `part` as fit between the two ends.
fn filled(begin: &str, part: impl Fn(usize) -> String, end: &str) -> Vec<u8> {
    let mut text = begin.to_owned();
    for i in 0.. {
        let next = part(i);
        if text.len() + next.len() + end.len() > MAX_BYTES {
            break;
        }
        text.push_str(&next);
    }
    (text + end).into_bytes()
}

/// The payload with something in the place of a field.
fn with(payload: &Value, field: &str, value: &Value) -> Vec<u8> {
    let mut changed = payload.clone();
    changed[field] = value.clone();
    changed.to_string().into_bytes()
}

/// The payload, its last brace left out, so that members can be added.
fn open(payload: &Value) -> String {
    payload.to_string().trim_end_matches('}').to_owned()
}

/// Large bodies made of payloads that are answered.
pub fn large(payloads: &[Value]) -> Vec<Input> {
    let mut inputs = of_any_document();
    for payload in payloads {
        let tributo = payload["tributo"].as_str().unwrap_or_default();
        let fields: Vec<&str> = payload.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let mut add = |what: String, body| inputs.push(Input::posted(format!("{tributo}: {what}"), body));
        add("unknown fields".to_owned(), filled(&open(payload), |i| format!(",\"{i:x}\":0"), "}"));
        add(
            "unknown long fields".to_owned(),
            filled(&open(payload), |i| format!(",\"{}{i:04}\":0", "campo_desconhecido".repeat(3)), "}"),
        );
        let fifty = |name: &dyn Fn(usize) -> String| {
            let members: Vec<String> = (0..50).map(|i| format!(",\"{}\":0", name(i))).collect();
            (open(payload) + &members.concat() + "}").into_bytes()
        };
        let near = |i: usize| fields[i % fields.len()].to_owned() + &"x".repeat(i / fields.len() % 3 + 1);
        add("fifty fields that are nearly its own".to_owned(), fifty(&near));
        let of_its_letters = |i: usize| "rolav_".repeat(3) + &i.to_string();
        add("fifty fields of its letters".to_owned(), fifty(&of_its_letters));
        for field in &fields {
            add(format!("{field} repeated"), filled(&open(payload), |_| format!(",\"{field}\":0"), "}"));
            for (what, value) in values() {
                add(format!("{field}, {what}"), with(payload, field, &value));
            }
        }
    }
    for uf in ["MG", "SP", "RS"] {
        for name in municipalities() {
            let payload = json!({"tributo": "iss", "uf": uf, "municipio": name, "item_lista_servico": "1.05",
                                 "preco_servico": "1.00", "data": "2026-03-10"});
            inputs.push(Input::posted(format!("a municipality of {uf}: {name}"), payload.to_string().into_bytes()));
        }
    }
    inputs
}

/// Values that no field takes, and that fill the body.
fn values() -> Vec<(&'static str, Value)> {
    const ROOM: usize = MAX_BYTES - 1_024;
    let text = |part: &str| json!(part.repeat(ROOM / part.len()));
    vec![
        ("a long text", text("a")),
        ("a long text that is not ASCII", text("á")),
        ("a long text of underscores and blanks", text("_ ")),
        ("many digits", text("9")),
        ("many zeros", json!(format!("0.{}1", "0".repeat(ROOM - 3)))),
        ("many signs", text("-")),
        ("many dots", text("1.")),
        ("halves of keys", text("svc_live")),
        ("a long list", json!(vec![0; ROOM / 2])),
        ("a list of texts", json!(vec!["a"; ROOM / 4])),
    ]
}

/// Unknown names that begin, or go on, like many of the list.
fn municipalities() -> Vec<String> {
    let mut names: Vec<String> = ["são joão do ", "santa ", "a", "x", "ção "].map(|part| part.repeat(60)).into();
    names.extend(
        ["São José do Rio da Serra Negra", "Santa Rita de Minas do Norte", "Nova Ponte Alta do Sul"].map(String::from),
    );
    names.into_iter().map(|name| name.chars().take(60).collect()).collect()
}

/// Documents that need no tax.
fn of_any_document() -> Vec<Input> {
    let icms = "{\"tributo\":\"icms\",\"x\":";
    let key = "k".repeat(60);
    let deep = format!("{{\"{key}\":").repeat(100);
    let digits = "123456789".repeat(80);
    let cases = [
        ("opening brackets", filled("", |_| "[".to_owned(), "")),
        ("nested lists", filled(icms, |i| "[[]],".repeat(usize::from(i > 0)) + if i == 0 { "[" } else { "" }, "0]}")),
        (
            "lists as deep as they may be",
            filled(&format!("{icms}["), |_| "[".repeat(100) + &"]".repeat(100) + ",", "0]}"),
        ),
        ("repeated keys", filled("{\"tributo\":\"icms\"", |_| ",\"a\":0".to_owned(), "}")),
        ("repeated empty keys", filled("{\"tributo\":\"icms\"", |_| ",\"\":0".to_owned(), "}")),
        ("repeated keys, deep", filled(&format!("{icms}{deep}{{\"a\":0"), |_| ",\"a\":0".to_owned(), &"}".repeat(102))),
        ("objects with repeated keys", filled(&format!("{icms}["), |_| "{\"a\":0,\"a\":0},".to_owned(), "0]}")),
        ("different keys", filled(&format!("{icms}{{\"a\":0"), |i| format!(",\"{i:x}\":0"), "}}")),
        ("keys with escapes", filled(&format!("{icms}{{\"a\":0"), |i| format!(",\"\\u{i:04x}\":0"), "}}")),
        ("zeros", filled(&format!("{icms}["), |_| "0,".to_owned(), "0]}")),
        ("numbers with a fraction", filled(&format!("{icms}["), |i| format!("{i}.1e-7,"), "0]}")),
        ("numbers of many digits", filled(&format!("{icms}["), |i| format!("0.{i}{digits},"), "0]}")),
        (
            "numbers of many digits and an exponent",
            filled(&format!("{icms}["), |i| format!("{i}{digits}e-330,"), "0]}"),
        ),
        ("one number", filled(icms, |_| "7".to_owned(), "}")),
        ("one number with a fraction", filled(&format!("{icms}0."), |_| "7".to_owned(), "}")),
        ("escapes", filled(&format!("{icms}\""), |_| "\\u00e9".to_owned(), "\"}")),
        ("halves of characters", filled(&format!("{icms}\""), |_| "\\ud83d".to_owned(), "\"}")),
        ("blanks", filled(icms, |_| " ".to_owned(), "0}")),
        ("lines", filled(icms, |_| "\n".to_owned(), "!}")),
        ("lines, and no UTF-8", not_utf8(icms)),
        ("a tax of that name", filled("{\"tributo\":\"", |_| "i".to_owned(), "\"}")),
        ("taxes", filled("{\"tributo\":\"icms\"", |_| ",\"tributo\":\"iss\"".to_owned(), "}")),
    ];
    cases.into_iter().map(|(name, body)| Input::posted(name, body)).collect()
}

/// Lines, and a last byte that is of no character.
fn not_utf8(begin: &str) -> Vec<u8> {
    let mut bytes = filled(begin, |_| "\n".to_owned(), " ");
    bytes.pop();
    bytes.push(0xff);
    bytes
}

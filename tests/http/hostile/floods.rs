//! Small requests that ask for much work or a large answer.

use std::time::{Duration, Instant};

use serde_json::json;

use super::still_well;
use crate::support::{DataDir, Server};

/// Largest answer to a body of at most 64 KiB: its faults told, and not a page for each byte.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// For a body that is refused; a good one takes a millisecond.
const MAX_TIME: Duration = Duration::from_secs(4);

#[track_caller]
fn refused_in_short(server: &Server, body: &str) {
    assert!(body.len() <= 64 * 1024, "{}", body.len());
    let start = Instant::now();
    let answer = server.post("/v1/calculate", body);
    let took = start.elapsed();
    assert!(matches!(answer.status, 400 | 422), "{}", answer.status);
    assert!(answer.body.len() <= MAX_ANSWER_BYTES, "{} bytes answer {}", answer.body.len(), body.len());
    assert!(took < MAX_TIME, "{took:?}");
    still_well(server);
}

#[test]
fn thousands_of_unknown_fields() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let fields: Vec<String> = (0..7_000).map(|i| format!("\"{i:x}\":0")).collect();
    refused_in_short(&server, &format!("{{\"tributo\":\"cbs\",{}}}", fields.join(",")));
}

#[test]
fn thousands_of_repeated_keys() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    refused_in_short(&server, &format!("{{\"tributo\":\"icms\"{}}}", ",\"a\":0".repeat(10_000)));
}

#[test]
fn thousands_of_repeated_keys_at_the_end_of_a_long_path() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let repeated = format!("{{\"a\":0{}}}", ",\"a\":0".repeat(4_000));
    let key = "k".repeat(60);
    let nested = format!("{}{repeated}{}", format!("{{\"{key}\":").repeat(100), "}".repeat(100));
    refused_in_short(&server, &format!("{{\"tributo\":\"icms\",\"x\":{nested}}}"));
}

#[test]
fn one_very_long_key() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let key = "a".repeat(60_000);
    refused_in_short(&server, &json!({"tributo": "cbs", key.as_str(): 1}).to_string());
    refused_in_short(&server, &format!("{{\"tributo\":\"icms\",\"{0}\":1,\"{0}\":2}}", "a".repeat(30_000)));
}

#[test]
fn one_very_long_text_in_every_kind_of_field() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let long = "a".repeat(60_000);
    for example in super::examples(&server) {
        let names: Vec<&String> = example.as_object().unwrap().keys().collect();
        for name in names {
            let mut payload = example.clone();
            payload[name] = json!(long);
            refused_in_short(&server, &payload.to_string());
        }
    }
}

#[test]
fn a_very_long_municipality_where_there_are_many() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let start = Instant::now();
    // Minas Gerais has 853; nobody's name has 60,000 letters.
    for i in 0..3 {
        let name = format!("{}{i}", "a".repeat(60_000));
        let payload = json!({"tributo": "iptu", "uf": "MG", "municipio": name, "uso_imovel": "residencial",
                             "valor_venal": "1.00", "exercicio": 2026});
        server.calculate(&payload).refuses_field("municipio_desconhecido", "municipio");
    }
    assert!(start.elapsed() < MAX_TIME, "{:?}", start.elapsed());
}

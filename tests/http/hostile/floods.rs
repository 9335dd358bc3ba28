//! Small requests that ask for much work or a large answer.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{good, still_well};
use crate::support::{DataDir, Reply, Server};

/// Largest answer to a body of at most 64 KiB: its faults, but not a page for each byte.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// For a body that is refused; a good one takes a millisecond.
const MAX_TIME: Duration = Duration::from_secs(4);

#[track_caller]
fn refused_in_short(server: &Server, body: &str) -> Reply {
    assert!(body.len() <= 64 * 1024, "{}", body.len());
    let start = Instant::now();
    let answer = server.post("/v1/calculate", body);
    let took = start.elapsed();
    assert!(matches!(answer.status, 400 | 422), "{}", answer.status);
    assert!(answer.body.len() <= MAX_ANSWER_BYTES, "{} bytes answer {}", answer.body.len(), body.len());
    assert!(took < MAX_TIME, "{took:?}");
    still_well(server);
    answer
}

/// The fields that a refusal names.
#[track_caller]
fn faulty(answer: &Reply) -> Vec<String> {
    let problem = answer.json();
    let erros = problem["erros"].as_array().unwrap_or_else(|| panic!("{problem}"));
    erros.iter().map(|e| e["campo"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn thousands_of_unknown_fields() {
    // What the caller may have meant was sought for each: 4,500 of them cost 75 ms of a thread that serves.
    let server = DataDir::served();
    let cbs = |unknown: usize| {
        let fields: Vec<String> = (0..unknown).map(|i| format!("\"{i:x}\":0")).collect();
        format!("{{\"tributo\":\"cbs\",{}}}", fields.join(","))
    };
    let answer = refused_in_short(&server, &cbs(50));
    assert_eq!(faulty(&answer), (0..50).map(|i| format!("{i:x}")).collect::<Vec<_>>());
    let answer = refused_in_short(&server, &cbs(4_900));
    let first = &answer.json()["erros"][0];
    assert_eq!((&first["campo"], &first["codigo"]), (&json!("0"), &json!("campo_desconhecido")));
    let detail = first["detail"].as_str().unwrap();
    assert!(detail.contains("outros 4899") && detail.contains("valor_operacao"), "{detail}");
}

#[test]
fn thousands_of_unknown_fields_that_are_ignored() {
    let server = DataDir::served();
    let fields: Vec<String> = (0..4_900).map(|i| format!("\"{i:x}\":0")).collect();
    let body = good().to_string().replacen('{', &format!("{{{},", fields.join(",")), 1);
    let answer = server.post("/v1/calculate", body).envelope();
    let avisos = answer["avisos"].as_array().unwrap();
    assert!(avisos.len() < 30, "{}", avisos.len());
    assert!(avisos.iter().any(|a| a.as_str().unwrap().contains("Outros 4880 campos")), "{answer}");
}

#[test]
fn thousands_of_repeated_keys() {
    let server = DataDir::served();
    let body = format!("{{\"tributo\":\"icms\"{}}}", ",\"a\":0".repeat(4_900));
    let answer = refused_in_short(&server, &body);
    assert_eq!(faulty(&answer).iter().filter(|campo| *campo == "a").count(), 50);
}

#[test]
fn more_than_five_thousand_values_are_refused_before_they_are_read() {
    // A value of two bytes takes forty times as many in memory, and hundreds of instructions.
    let server = DataDir::served();
    let with = |values: usize| format!("{{\"tributo\":\"icms\",\"x\":[0{}]}}", ",0".repeat(values));
    let answer = refused_in_short(&server, &with(4_990));
    assert!(faulty(&answer).contains(&"valor_produto".to_owned()));
    let problem = refused_in_short(&server, &with(5_000)).problem(422, "payload_invalido");
    assert!(problem["detail"].as_str().unwrap().contains("mais de 5000 valores"), "{problem}");
}

#[test]
fn thousands_of_repeated_keys_at_the_end_of_a_long_path() {
    let server = DataDir::served();
    let repeated = format!("{{\"a\":0{}}}", ",\"a\":0".repeat(4_000));
    let key = "k".repeat(60);
    let nested = format!("{}{repeated}{}", format!("{{\"{key}\":").repeat(100), "}".repeat(100));
    refused_in_short(&server, &format!("{{\"tributo\":\"icms\",\"x\":{nested}}}"));
}

#[test]
fn one_very_long_key() {
    let server = DataDir::served();
    let key = "a".repeat(60_000);
    refused_in_short(&server, &json!({"tributo": "cbs", key.as_str(): 1}).to_string());
    refused_in_short(&server, &format!("{{\"tributo\":\"icms\",\"{0}\":1,\"{0}\":2}}", "a".repeat(30_000)));
}

#[test]
fn a_very_long_municipality_among_many() {
    let server = DataDir::served();
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

//! `POST /sandbox/v1/operacao`: every tax of one operation, for the page.

use serde_json::{Value, json};

use crate::support::{DataDir, Server, taxd_with_input, with};

const PATH: &str = "/sandbox/v1/operacao";

/// The example of the form, which the built-in rules answer in full.
fn example(server: &Server) -> Value {
    server.get("/sandbox/operacao.json", &[]).json()["exemplo"].clone()
}

fn used(server: &Server) -> u64 {
    server.get_own("/sandbox/v1/usage").json()["chave"]["cota"]["usada"].as_u64().unwrap()
}

#[test]
fn the_answer_is_that_of_the_command_line_and_each_tax_uses_up_one_call() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let facts = example(&server);
    let before = used(&server);
    let answer = server.post(&format!("{PATH}?memoria=true"), facts.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let apuracao = answer.json();
    assert_eq!(apuracao["completo"], true, "{apuracao:#}");
    let taxes = apuracao["tributos"].as_array().unwrap();
    assert_eq!(taxes.len(), 7);
    assert!(taxes.iter().all(|tax| tax["resposta"]["detalhes"]["memoria"].is_array()), "{apuracao:#}");
    assert_eq!(used(&server) - before, 7);

    let lines =
        taxd_with_input(&dir, ["calc", "--operacao", "--memoria", "--format", "json"], facts.to_string().as_bytes());
    let mut told = lines.ok().json();
    let mut shown = apuracao;
    for side in [&mut told, &mut shown] {
        for tax in side["tributos"].as_array_mut().unwrap() {
            tax["resposta"].as_object_mut().unwrap().remove("cached");
        }
    }
    assert_eq!(shown, told);
}

#[test]
fn a_fault_of_the_operation_is_refused_and_uses_nothing_up() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let facts = example(&server);
    let before = used(&server);
    server.post(PATH, with(&facts, &json!({"ncm": "12"})).to_string()).refuses_field("ncm_invalido", "ncm");
    assert_eq!(server.post(PATH, "{").status, 400);
    let later = server.post(&format!("{PATH}?conhecido_em=2999-01-01T00:00:00Z"), facts.to_string());
    later.refuses_field("parametro_invalido", "conhecido_em");
    assert_eq!(used(&server), before);
    assert_eq!(server.post(&format!("{PATH}?outro=1"), facts.to_string()).status, 422);
    assert_eq!(server.get_own(PATH).status, 405);
    server.post_as("svc_live_0000", PATH, facts.to_string()).problem(401, "chave_invalida");
    assert_eq!(server.post(PATH, "x".repeat(1 << 20)).status, 413);
}

/// Before its first publication a server knew no rule.
#[test]
fn as_known_before_anything_was_published_no_tax_has_a_rule() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let facts = example(&server).to_string();
    let apuracao = server.post(&format!("{PATH}?conhecido_em=2001-01-01T00:00:00-03:00"), facts).json();
    assert_eq!(apuracao["completo"], false);
    let states: Vec<&str> =
        apuracao["tributos"].as_array().unwrap().iter().map(|tax| tax["situacao"].as_str().unwrap()).collect();
    assert!(states.contains(&"sem_regra") && !states.contains(&"calculado"), "{states:?}");
}

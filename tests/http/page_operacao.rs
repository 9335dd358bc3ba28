//! `POST /sandbox/v1/operacao`: every tax of one operation, for the page.

use serde_json::{Value, json};

use crate::support::{DataDir, Server, taxd_with_input, with, without_sentences};

const PATH: &str = "/sandbox/v1/operacao";

/// The example of the form, which the built-in rules answer in full.
fn example(server: &Server) -> Value {
    server.get("/sandbox/operacao.json", &[]).json()["exemplo"].clone()
}

fn used(server: &Server) -> u64 {
    server.get_own("/sandbox/v1/usage").json()["chave"]["cota"]["usada"].as_u64().unwrap()
}

#[test]
fn the_answer_is_that_of_the_command_line_and_uses_up_one_call() {
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
    assert_eq!(used(&server) - before, 1, "one call, of however many taxes");

    let lines =
        taxd_with_input(&dir, ["calc", "--operacao", "--memoria", "--format", "json"], facts.to_string().as_bytes());
    assert_eq!(without_sentences(&apuracao), without_sentences(&lines.ok().json()));
}

#[test]
fn a_fault_of_the_operation_is_refused_and_uses_nothing_up() {
    let server = DataDir::served();
    let facts = example(&server);
    let before = used(&server);
    server.post(PATH, with(&facts, &json!({"ncm": "12"})).to_string()).refuses_field("ncm_invalido", "ncm");
    assert_eq!(server.post(PATH, "{").status, 400);
    let later = server.post(&format!("{PATH}?conhecido_em=2999-01-01T00:00:00Z"), facts.to_string());
    later.refuses_field("parametro_invalido", "conhecido_em");
    assert_eq!(used(&server), before);
    // One whose taxes lack a datum is calculated, and the answer names all that is missing.
    let lacking = with(&facts, &json!({"regime_apuracao": null, "cumpre_obrigacoes_acessorias": null}));
    let apuracao = server.post(PATH, lacking.to_string()).json();
    let missing: Vec<&str> =
        apuracao["tributos"].as_array().unwrap().iter().filter_map(|tax| tax["problema"]["campo"].as_str()).collect();
    let [regime, duties] = ["regime_apuracao", "cumpre_obrigacoes_acessorias"];
    assert_eq!(missing, [regime, regime, duties, duties], "{apuracao:#}");
    assert_eq!(used(&server), before + 1);
    assert_eq!(server.post(&format!("{PATH}?outro=1"), facts.to_string()).status, 422);
    assert_eq!(server.get_own(PATH).status, 405);
    server.post_as("svc_live_0000", PATH, facts.to_string()).problem(401, "chave_invalida");
    assert_eq!(server.post(PATH, "x".repeat(1 << 20)).status, 413);
}

/// Without a call left nothing is calculated.
#[test]
fn an_operation_beyond_the_quota_is_refused() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Pequena", &["--quota", "1"]);
    let key = account.live.key;
    let facts = example(&server).to_string();
    assert_eq!(server.post_as(&key, PATH, facts.clone()).status, 200);
    server.post_as(&key, PATH, facts).problem(429, "cota_esgotada");
}

/// The part Operação once used up a call for each tax, and a row of the part Lista one for all of them.
#[test]
fn a_row_of_a_list_of_operations_uses_up_what_the_operation_does() {
    let server = DataDir::served();
    let before = used(&server);
    let list = "data_operacao;valor_produto;uf_origem;uf_destino;ncm\n20/11/2026;1.000,00;SP;MG;82032010\n20/11/2026;1.000,00;SP;MG;12\n";
    let answer = server.post("/sandbox/v1/lista?tributo=operacao", list);
    let end: Value = serde_json::from_str(answer.text().lines().last().unwrap()).unwrap();
    assert_eq!((&end["total"]["linhas"], &end["total"]["cobradas"]), (&json!(2), &json!(1)), "{}", answer.text());
    assert_eq!(used(&server), before + 1, "the second row has no NCM of eight digits");
}

/// Before its first publication a server knew no rule.
#[test]
fn as_known_before_anything_was_published_no_tax_has_a_rule() {
    let server = DataDir::served();
    let facts = example(&server).to_string();
    let apuracao = server.post(&format!("{PATH}?conhecido_em=2001-01-01T00:00:00-03:00"), facts).json();
    assert_eq!(apuracao["completo"], false);
    let states: Vec<&str> =
        apuracao["tributos"].as_array().unwrap().iter().map(|tax| tax["situacao"].as_str().unwrap()).collect();
    assert!(states.contains(&"sem_regra") && !states.contains(&"calculado"), "{states:?}");
}

/// The consumption had shown an operation without its facts, so that the page could not open it again.
#[test]
fn the_log_has_the_facts_of_an_operation_and_nothing_else_of_what_was_sent() {
    let server = DataDir::served();
    let facts = example(&server);
    let key = &server.key;
    let sent = with(&facts, &json!({"cest": key, "observacao": "do cliente", "tributo": "icms", "uf": ["SP"]}));
    let logged = |path: &str| {
        let usage = server.get_own("/sandbox/v1/usage?recentes=10").json();
        let calls = usage["recentes"].as_array().unwrap().clone();
        calls.into_iter().find(|call| call["resumo"].as_str().unwrap().starts_with(path)).unwrap()
    };
    server.post(PATH, sent.to_string());
    let wanted = with(&facts, &json!({"cest": "[removido]", "uf": "[lista]"}));
    assert_eq!(logged("POST /sandbox/v1/operacao")["request"], wanted);
    // What is sent to another path has its tax alone.
    server.post("/v1/calculate", facts.to_string());
    assert_eq!(logged("POST /v1/calculate")["request"], json!({}));
    // One that is too long to wait for the log as it was sent.
    let long = with(&facts, &json!({"observacao": "x".repeat(4_000)}));
    server.post(PATH, long.to_string());
    assert_eq!(logged("POST /sandbox/v1/operacao")["request"], facts);
}

/// A service with the UF of its municipality, and not yet the municipality, was once refused: a municipality of another
/// UF took the place of the missing one. A null beside what took its place was a repeated field.
#[test]
fn what_an_operation_lacks_is_said_whatever_part_of_its_place_is_known() {
    let server = DataDir::served();
    let service = json!({"data_operacao": "2026-03-10", "preco_servico": "1.00"});
    let sale = json!({"data_operacao": "2026-03-10", "valor_produto": "1.00", "papel_na_cadeia": "revenda"});
    let lacks = |facts: &Value| -> Vec<String> {
        let answer = server.post("/sandbox/v1/operacao/falta", facts.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let needs = answer.json();
        needs.as_array().unwrap().iter().map(|need| need["campo"].as_str().unwrap().to_owned()).collect()
    };
    let general = ["regime_apuracao", "cumpre_obrigacoes_acessorias"];
    for (facts, place) in [
        (with(&service, &json!({"uf": "RJ"})), vec!["municipio", "item_lista_servico"]),
        (with(&service, &json!({"uf": null, "item_lista_servico": "1.07"})), vec!["uf", "municipio"]),
        (with(&sale, &json!({"uf_origem": "MG", "valor_icms_st_retido": "1.00"})), vec!["uf_destino"]),
        (with(&sale, &json!({"uf_origem": null, "uf_destino": "MG"})), vec!["uf_origem"]),
    ] {
        let found = lacks(&facts);
        assert_eq!(found[..place.len()], place, "{facts}");
        assert!(found[place.len()..].iter().all(|name| general.contains(&name.as_str())), "{found:?}");
        assert!(found.iter().any(|name| name == "regime_apuracao"), "{found:?}");
    }
}

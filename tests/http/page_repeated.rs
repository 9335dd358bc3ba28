//! A report of documents or a list that is asked for again: saved as a table, or sent once more by mistake. Each cost as
//! many calls of the quota as the first time.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, DataDir, InProcess, OwnRules, RIGHT, Reply, rule, taxd, zip_of};

const DOCUMENTOS: &str = "/sandbox/v1/documentos";
const LISTA: &str = "/sandbox/v1/lista?tributo=icms";

fn used(client: &Client, key: &str) -> u64 {
    client.get_as(key, "/sandbox/v1/usage?recentes=1").json()["chave"]["cota"]["usada"].as_u64().unwrap()
}

/// How much of the quota of the key a request uses up.
#[track_caller]
fn cost(client: &Client, key: &str, ask: impl FnOnce() -> Reply) -> u64 {
    let before = used(client, key);
    let reply = ask();
    assert_eq!(reply.status, 200, "{}", reply.text());
    used(client, key) - before
}

fn icms_in_sp() -> OwnRules {
    OwnRules::of(&[rule("t-icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))])
}

/// A list of that many rows, the first of that amount.
fn list(rows: usize, first: &str) -> String {
    let header = "UF de origem;UF de destino;valor_produto;Data da operação\n".to_owned();
    let amount = |row: usize| if row == 0 { first } else { "10,00" };
    (0..rows).fold(header, |list, row| list + &format!("SP;SP;{};10/03/2026\n", amount(row)))
}

/// The last line of an answer.
fn last(reply: &Reply) -> Value {
    serde_json::from_str(reply.text().lines().last().unwrap()).unwrap()
}

#[test]
fn documents_that_are_sent_again_use_up_nothing() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let other = RIGHT.replace("1000.00", "2000.00");
    let notes = zip_of([("a.xml".to_owned(), RIGHT.as_bytes()), ("b.xml".to_owned(), other.as_bytes())]);
    let ask = |key: &str, query: &str, files: &[(&str, &[u8])], company: &str| {
        server.post_form(key, &format!("{DOCUMENTOS}{query}"), files, &[("empresa", company)])
    };
    let files: [(&str, &[u8]); 1] = [("notas.zip", &notes)];
    let own = |query: &str| cost(&server, &server.key, || ask(&server.key, query, &files, ""));
    let first = own("");
    assert!(first > 0, "{first}");
    for query in ["", "?so_divergencias=true"] {
        assert_eq!(own(query), 0, "{query}");
    }
    let again = last(&ask(&server.key, "", &files, ""));
    assert_eq!([&again["fim"]["documentos"], &again["fim"]["cobrados"]], [&json!(first), &json!(0)]);
    // Other files, other facts of the company, and another day or instant are another question.
    let changed: [(&str, &[u8]); 1] = [("notas.zip", &zip_of([("a.xml".to_owned(), other.as_bytes())]))];
    assert!(cost(&server, &server.key, || ask(&server.key, "", &changed, "")) > 0);
    let company = "[[empresa]]\ncnpj = \"11222333000181\"\nregime_pis_cofins = \"nao_cumulativo\"\n";
    assert_eq!(cost(&server, &server.key, || ask(&server.key, "", &files, company)), first);
    assert_eq!(own("?desde=2000-01-01"), first);
    // Another account, and the quota of a sandbox key.
    let account = dir.account("Outra", &[]);
    assert_eq!(cost(&server, &account.live.key, || ask(&account.live.key, "", &files, "")), first);
    let [test, same_account] =
        [dir.new_key(&account.client_id, "test").key, dir.new_key(&account.client_id, "live").key];
    assert_eq!(cost(&server, &test, || ask(&test, "", &files, "")), first);
    assert_eq!(cost(&server, &same_account, || ask(&same_account, "", &files, "")), 0);
}

#[test]
fn a_list_that_is_sent_again_uses_up_nothing_until_a_rule_changes() {
    let own = icms_in_sp();
    let server = own.serve();
    let key = server.key.clone();
    let ask = |path: &str, body: &str| cost(&server, &key, || server.post(path, body));
    let body = list(5, "1000,00");
    assert_eq!(ask(LISTA, &body), 5);
    assert_eq!(ask(LISTA, &body), 0);
    let total = last(&server.post(LISTA, &body))["total"].take();
    assert_eq!([&total["calculadas"], &total["cobradas"]], [&json!(5), &json!(0)]);
    assert_eq!(ask(LISTA, &list(5, "1000,01")), 5, "another list");
    assert_eq!(ask(&format!("{LISTA}&decimal=virgula"), &body), 5, "another question");
    own.publish(&[rule("t-icms-mg", "icms", &json!({"uf": "MG"}), &json!({"aliquota": "18.00"}))]);
    assert_eq!(ask(LISTA, &body), 5, "other rules");
    assert_eq!(ask(LISTA, &body), 0);
}

#[test]
fn what_a_run_did_not_reach_is_charged_when_it_is_repeated() {
    let own = icms_in_sp();
    let server = own.serve();
    let account = own.dir.account("Pequena", &["--quota", "3"]);
    let key = account.live.key.as_str();
    let body = list(5, "1000,00");
    let (first, again) = (last(&server.post_as(key, LISTA, &body)), last(&server.post_as(key, LISTA, &body)));
    for end in [&first, &again] {
        assert_eq!(end["total"]["calculadas"], 3, "the rows beyond the quota stay beyond it");
    }
    assert_eq!([&first["total"]["cobradas"], &again["total"]["cobradas"]], [&json!(3), &json!(0)]);
    taxd(&own.dir, ["account", "set", &account.client_id, "--quota", "100"]).ok();
    let whole = last(&server.post_as(key, LISTA, &body));
    assert_eq!([&whole["total"]["calculadas"], &whole["total"]["cobradas"]], [&json!(5), &json!(2)]);
}

#[test]
fn a_repetition_is_free_for_half_an_hour_and_of_the_last_sixteen_files() {
    let server = InProcess::start("2026-11-25T12:00:00Z");
    let ask = |first: &str| last(&server.post(LISTA, list(2, first)))["total"]["cobradas"].as_u64().unwrap();
    assert_eq!([ask("1,00"), ask("1,00")], [2, 0]);
    server.pass(Duration::from_mins(29));
    assert_eq!(ask("1,00"), 0);
    // A free repetition does not prolong the half hour.
    server.pass(Duration::from_mins(1));
    assert_eq!([ask("1,00"), ask("1,00")], [2, 0]);
    for amount in 2..18 {
        assert_eq!(ask(&format!("{amount},00")), 2);
    }
    assert_eq!([ask("17,00"), ask("1,00")], [0, 2], "the oldest was forgotten");
}

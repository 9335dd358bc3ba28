//! Kept lists (`/v1/listas`): what is kept and refused, what rings, and that nothing is lost or written twice when the
//! server is killed.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::receiver::Receiver;
use crate::support::webhooks::Webhooks;
use crate::support::{OwnRules, Server, bundle, program, rule, taxd, taxd_with_input, with};

/// Time after which a waiting test fails.
const PATIENCE: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(50);

/// A version of the IPI of a product, whose rate is its number.
fn ipi(product: usize, version: usize, de: &str) -> Value {
    let conteudo =
        json!({"situacao": "tributado", "aliquota": format!("{version}.00"), "tabela_versao": "TIPI de teste"});
    let rule = rule(&format!("l-ipi-{product:02}"), "ipi", &json!({"ncm": format!("10{product:06}")}), &conteudo);
    with(&rule, &json!({"versao": format!("1.{version}"), "vigente_de": de}))
}

/// A line of a product, that follows today.
fn line(product: usize) -> String {
    json!({"id": format!("p{product}"), "tributo": "ipi",
           "payload": {"ncm": format!("10{product:06}"), "valor_produto": "100.00"}})
    .to_string()
}

fn put(server: &Server, name: &str, lines: &str) -> Value {
    let reply = server.put_as(&server.key, &format!("/v1/listas/{name}"), lines);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn changes(server: &Server, name: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut path = format!("/v1/listas/{name}/mudancas?limit=500");
    loop {
        let reply = server.get_own(&path);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let page = reply.json();
        all.extend(page["mudancas"].as_array().unwrap().iter().cloned());
        let Some(next) = page["proximo"].as_str() else { return all };
        path = format!("/v1/listas/{name}/mudancas?limit=500&cursor={next}");
    }
}

#[track_caller]
fn wait_for_changes(server: &Server, name: &str, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let found = changes(server, name);
        if found.len() >= count {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{} of {count}: {found:?}", found.len());
        thread::sleep(POLL);
    }
}

#[test]
fn a_publication_rings_once_with_the_rule_the_law_and_the_first_day() {
    let own = OwnRules::of(&[ipi(0, 1, "2020-01-01"), ipi(1, 1, "2020-01-01")]);
    let server = own.serve();
    let kept = put(&server, "tabela", &format!("{}\n\n{}\n", line(0), line(1)));
    assert_eq!((&kept["linhas"], &kept["calculadas"], &kept["mudancas"]), (&json!(2), &json!(2), &json!(0)));
    assert_eq!(put(&server, "tabela", &format!("{}\n{}", line(0), line(1)))["calculadas"], 0, "the lines are the same");
    let report = own.publish(&[ipi(0, 2, "2021-01-01")]);
    assert_eq!(report["publicadas"].as_array().unwrap().len(), 1);
    let found = wait_for_changes(&server, "tabela", 1);
    assert_eq!(found.len(), 1, "{found:?}");
    let change = &found[0];
    assert_eq!((&change["linha"], &change["id"], &change["situacao"]), (&json!(1), &json!("p0"), &json!("valor_muda")));
    assert_eq!((&change["antes"]["valor"], &change["depois"]["valor"]), (&json!("1.00"), &json!("2.00")));
    assert_eq!(change["depois"]["rule_id"], "l-ipi-00-v1.2");
    assert_eq!(change["depois"]["citacao_legal"], "Lei de teste de l-ipi-00");
    let event = &server.changelog("limit=1")[0];
    assert_eq!(change["publicado_em"], event["publicado_em"]);
    let shown = server.get_own("/v1/listas/tabela").json();
    assert_eq!(shown["itens"][0]["respostas"][0]["resposta"]["valor"], "2.00");
    assert_eq!(shown["itens"][0]["acompanha_hoje"], true);
    assert_eq!(server.get_own("/v1/listas").json()["listas"][0]["mudancas"], 1);
    let page = server.get_own("/v1/listas/tabela?limit=1").json();
    let next = page["proximo"].as_str().unwrap();
    let rest = server.get_own(&format!("/v1/listas/tabela?limit=1&cursor={next}")).json();
    assert_eq!((&rest["itens"][0]["linha"], &rest["proximo"]), (&json!(2), &Value::Null));
    assert_eq!(server.get_own("/v1/listas/tabela/mudancas?desde=2100-01-01").json()["mudancas"], json!([]));
    assert_eq!(taxd(&own.dir, ["check", "--json"]).ok().json()["findings"], json!([]));
    let status = taxd(&own.dir, ["status"]).ok().stdout;
    assert!(status.contains("\nkept lists 1 list with 2 lines; up to date\n"), "{status}");
    let metrics = taxd(&own.dir, ["metrics"]).ok().stdout;
    for figure in ["taxd_kept_lists 1", "taxd_kept_list_lines 2", "taxd_kept_lists_overdue_seconds 0"] {
        assert!(metrics.contains(&format!("\n{figure}\n")), "{metrics}");
    }
    assert_eq!(server.delete_as(&server.key, "/v1/listas/tabela").json()["removida"], true);
    assert_eq!(server.get_own("/v1/listas/tabela").status, 404);
    assert_eq!(server.delete_as(&server.key, "/v1/listas/tabela").status, 404);
}

#[test]
fn a_list_with_a_faulty_line_is_refused_whole_and_another_account_sees_none() {
    let own = OwnRules::of(&[ipi(0, 1, "2020-01-01")]);
    let server = own.serve();
    put(&server, "tabela", &line(0));
    let refused = |name: &str, lines: &str| {
        let reply = server.put_as(&server.key, &format!("/v1/listas/{name}"), lines);
        assert!((400..500).contains(&reply.status), "{name} {}: {}", reply.status, reply.text());
        reply.json()["detail"].as_str().unwrap().to_owned()
    };
    let faulty = [
        ("{", "Linha 2"),
        ("[]", "Linha 2"),
        ("{\"tributo\":\"nada\"}", "Linha 2"),
        ("{\"tributo\":\"ipi\",\"ncm\":\"1\",\"valor_produto\":\"1.00\"}", "Linha 2"),
        ("{\"tributo\":\"ipi\",\"ncm\":\"10000000\",\"valor_produto\":\"x\"}", "Linha 2"),
        (
            "{\"tributo\":\"ipi\",\"ncm\":\"10000000\",\"valor_produto\":\"1.00\",\"data_operacao\":\"ontem\"}",
            "Linha 2",
        ),
        ("{\"payload\":{\"tributo\":\"ipi\"},\"tributo\":\"iss\"}", "Linha 2"),
        ("{\"payload\":{\"tributo\":\"ipi\"},\"outro\":1}", "Linha 2"),
        ("{\"payload\":{\"tributo\":\"ipi\",\"ncm\":\"10000000\",\"valor_produto\":\"1.00\"},\"id\":[]}", "Linha 2"),
    ];
    for (text, says) in faulty {
        let detail = refused("tabela", &format!("{}\n{text}\n{}", line(0), line(0)));
        assert!(detail.contains(says) && detail.contains("Nada foi guardado"), "{text}: {detail}");
    }
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = format!("{{\"tributo\":\"ipi\",\"ncm\":\"{}\"}}", "1".repeat(100_000));
    for text in [deep.as_str(), long.as_str(), "\u{0}", "\"", &"{}\n".repeat(50)] {
        refused("tabela", text);
    }
    assert!(refused("tabela", "").contains("não tem linhas"));
    assert!(refused("outra", &format!("{}\n", line(0)).repeat(10_001)).contains("10000"));
    assert!(refused("outra", &format!("{}\n", line(0)).repeat(10_000)).contains("as outras listas têm 1"));
    for name in [&"x".repeat(65), ".oculta", "a%20b", "a%2Fb", "ção", "a+b", "-a"] {
        let name = name.replace('ç', "%C3%A7").replace('ã', "%C3%A3");
        refused(&name, &line(0));
    }
    assert_eq!(server.get_own("/v1/listas/a/b").status, 404);
    let shown = server.get_own("/v1/listas/tabela").json();
    assert_eq!((&shown["linhas"], shown["itens"].as_array().unwrap().len()), (&json!(1), 1), "nothing was changed");

    let other = own.dir.account("Outra", &[]).live.key;
    for path in ["/v1/listas/tabela", "/v1/listas/tabela/mudancas"] {
        assert_eq!(server.get_as(&other, path).status, 404, "{path}");
    }
    assert_eq!(server.delete_as(&other, "/v1/listas/tabela").status, 404);
    assert_eq!(server.get_as(&other, "/v1/listas").json(), json!({"listas": []}));
}

#[test]
fn the_command_keeps_shows_and_removes_with_a_server_and_without() {
    let own = OwnRules::of(&[ipi(0, 1, "2020-01-01")]);
    let account =
        taxd(&own.dir, ["account", "list", "--json"]).ok().json()[0]["client_id"].as_str().unwrap().to_owned();
    let list = |action: &str, more: &[&str], input: &str| {
        let args = ["list", action, "--account", &account, "--json"].into_iter().chain(more.iter().copied());
        taxd_with_input(&own.dir, args, input.as_bytes())
    };
    for server in [None, Some(own.serve())] {
        let file = own.dir.write("tabela.jsonl", line(0));
        assert_eq!(list("put", &["tabela", file.to_str().unwrap()], "").ok().json()["linhas"], 1);
        assert_eq!(list("put", &["tabela"], &format!("{}\n{}", line(0), line(1))).ok().json()["calculadas"], 1);
        let lines = list("show", &["tabela"], "").ok().json();
        assert_eq!(lines["itens"][1]["respostas"][0]["resposta"]["codigo"], "regra_inexistente");
        assert_eq!(list("show", &[], "").ok().json()[0]["nome"], "tabela");
        assert_eq!(list("show", &["tabela", "--changes"], "").ok().json()["mudancas"], json!([]));
        assert_eq!(list("put", &["tabela"], "{").code, 1);
        assert_eq!(list("show", &["nenhuma"], "").code, 1);
        assert_eq!(list("remove", &["tabela"], "").ok().json()["removed"], true);
        assert_eq!(list("remove", &["tabela"], "").code, 1);
        drop(server);
    }
}

#[test]
fn only_a_subscription_that_asks_for_it_is_notified_of_a_list() {
    let hooks = Webhooks::new();
    let (asking, other) = (Receiver::answering(200), Receiver::answering(200));
    hooks.subscribe(&asking.url(), &["--listas", "--tributo", "iss"]);
    hooks.subscribe(&other.url(), &[]);
    hooks.own.publish(&[ipi(41, 1, "2020-01-01")]);
    let key = hooks.own.dir.new_key(&hooks.client, "live").key;
    let server = hooks.serve();
    let reply = server.put_as(&key, "/v1/listas/tabela", format!("{}\n{}", line(41), line(41)));
    assert_eq!(reply.status, 200, "{}", reply.text());
    hooks.own.publish(&[ipi(41, 2, "2021-01-01")]);
    let received = asking.wait_for(1);
    let body = received[0].json();
    assert_eq!(
        (&body["acao"], &body["lista"], &body["mudancas"]),
        (&json!("lista_afetada"), &json!("tabela"), &json!(2))
    );
    hooks.wait_for_state("delivered", 3);
    assert_eq!((asking.count(), other.count()), (1, 2), "the other one has the two publications");
    let delivered = hooks.outbox(&[]);
    assert!(
        delivered.iter().any(|row| row["rule_id"] == "lista tabela (aviso 1)" && row["id"] == "sub_1-a1"),
        "{delivered:?}"
    );
    hooks.run(&["outbox", "replay", "sub_1-a1"]);
    let again = asking.wait_for(2);
    assert_eq!((&again[0].body, again[0].header("webhook-id")), (&again[1].body, again[1].header("webhook-id")));
    assert_eq!(hooks.run(&["check"])["findings"], json!([]));
}

/// Products, rounds, and lists.
const PRODUCTS: usize = 12;
const ROUNDS: usize = 12;
const LISTS: usize = 5;

#[test]
fn whenever_it_is_killed_each_change_of_each_publication_is_written_once() {
    let first: Vec<Value> = (0..PRODUCTS).map(|product| ipi(product, 1, "2020-01-01")).collect();
    let own = OwnRules::of(&first);
    {
        let server = own.serve();
        for list in 0..LISTS {
            let lines: Vec<String> = (0..40).map(|n| line((n + list) % PRODUCTS)).collect();
            put(&server, &format!("lista-{list}"), &lines.join("\n"));
        }
    }
    for round in 0..ROUNDS {
        let touched = (0..PRODUCTS).filter(|product| !(product + round).is_multiple_of(3));
        let rules: Vec<Value> = touched.map(|product| ipi(product, round + 2, "2020-01-01")).collect();
        let file = own.dir.write(&format!("round-{round}.json"), bundle(&rules));
        let mut server = own.serve();
        let mut command = Command::new(program());
        let import = command.env_clear().args(["import", "--data"]).arg(own.dir.path()).arg(&file);
        let mut import = import.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(20 + 60 * u64::try_from(round % 6).unwrap()));
        if round % 4 != 3 {
            assert_eq!(server.stop("KILL").code(), None);
        }
        let _ = import.wait().unwrap();
        drop(server);
        // Publishes again, in case the kill came before the commit; else nothing changes.
        own.import(&file, &[]).ok();
    }
    let server = own.serve();
    let publications =
        |product: usize| (0..ROUNDS).filter(move |round| !(product + round).is_multiple_of(3)).map(|round| round + 2);
    for list in 0..LISTS {
        let name = format!("lista-{list}");
        let product_of = |linha: usize| (linha - 1 + list) % PRODUCTS;
        let expected: usize = (1..=40).map(|linha| publications(product_of(linha)).count()).sum();
        let mut found = wait_for_changes(&server, &name, expected);
        assert_eq!(found.len(), expected);
        found.reverse();
        for linha in 1..=40 {
            let own: Vec<&Value> = found.iter().filter(|change| change["linha"] == linha).collect();
            let mut before = 1;
            for (change, version) in own.iter().zip(publications(product_of(linha))) {
                let valores = (&change["antes"]["valor"], &change["depois"]["valor"]);
                assert_eq!(valores, (&json!(format!("{before}.00")), &json!(format!("{version}.00"))), "{change}");
                before = version;
            }
        }
    }
    assert_eq!(taxd(&own.dir, ["check", "--json"]).ok().json()["findings"], json!([]));
}

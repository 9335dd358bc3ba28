//! `GET /v1/usage` against a count kept by the test.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::ledger::Ledger;
use crate::support::{DataDir, Server, examples, with};

/// What a member is.
type Is = fn(&Value) -> bool;

/// Members of the contract's section 2.5, and the type of each.
fn check_types(usage: &Value) {
    let (text, int) = (Value::is_string as Is, Value::is_u64 as Is);
    let members: [(&str, Is); 18] = [
        ("/client_id", text),
        ("/nome", text),
        ("/tier", text),
        ("/rate_limit", int),
        ("/total_chamadas", int),
        ("/chamadas_24h", int),
        ("/latencia/p50_ms", int),
        ("/latencia/p95_ms", int),
        ("/status/sucesso_2xx", int),
        ("/status/erro_cliente_4xx", int),
        ("/status/erro_servidor_5xx", int),
        ("/recentes", Value::is_array),
        ("/recentes/0/created_at", text),
        ("/recentes/0/status_code", int),
        ("/recentes/0/latency_ms", int),
        ("/recentes/0/cached", Value::is_boolean),
        ("/recentes/0/rule_id", text),
        ("/recentes/0/request", Value::is_object),
    ];
    for (member, is) in members {
        assert!(usage.pointer(member).is_some_and(is), "{member}: {usage}");
    }
}

/// Every tax twice, the second time from memory, and every kind of refusal.
fn mix(ledger: &mut Ledger<'_>, server: &Server) {
    for (i, example) in examples(server).iter().enumerate() {
        for reply in [ledger.calculate(example), ledger.calculate(example)] {
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
        let unknown = with(example, &json!({"cliente": "Fulano"}));
        ledger.calculate(&unknown);
        if i % 3 == 0 {
            ledger.get("/v1/regras?limit=1");
        }
    }
    let ipi = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "1999-03-10"});
    assert_eq!(ledger.calculate(&ipi).status, 404);
    assert_eq!(ledger.calculate(&with(&ipi, &json!({"valor_produto": 100}))).status, 422);
    let refused = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1.00",
        "data_operacao": "2026-03-10", "regime_simples_nacional": true});
    assert_eq!(ledger.calculate(&refused).status, 422);
    assert_eq!(ledger.post("/v1/calculate", "{", "POST /v1/calculate", &json!({})).status, 400);
    assert_eq!(ledger.post("/v1/calculate?x=1", "{}", "POST /v1/calculate", &json!({})).status, 422);
    assert_eq!(ledger.post("/v1/regras", "{}", "POST /v1/regras", &json!({})).status, 405);
    let huge = format!("{{\"tributo\":\"{}\"}}", "a".repeat(70_000));
    assert_eq!(ledger.post("/v1/calculate", &huge, "POST /v1/calculate", &json!({})).status, 413);
    let long = with(&ipi, &json!({"observacao": "a".repeat(5_000), "data_operacao": "2026-03-10"}));
    assert_eq!(ledger.calculate(&long).status, 200);
    assert_eq!(ledger.get("/v1/nada?recentes=1").status, 404);
    assert_eq!(ledger.get("/v1/changelog?limit=2").status, 200);
    let etag = ledger.get("/v1/regras?limit=1").header("etag").unwrap().to_owned();
    assert_eq!(ledger.get_with("/v1/regras?limit=1", &[("If-None-Match", &etag)]).status, 304);
    assert_eq!(ledger.get("/v1/usage?recentes=51").status, 422);
}

#[test]
fn it_is_a_count_of_all_calls_and_shows_the_latest_as_they_were() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Um & Cia", &["--plan", "scale", "--rate-limit", "5000"]);
    let mut ledger = Ledger::new(&server, &account.live.key);
    mix(&mut ledger, &server);
    let usage = ledger.check();
    check_types(&usage);
    assert_eq!(
        [&usage["client_id"], &usage["nome"], &usage["tier"], &usage["rate_limit"]],
        [&json!(account.client_id), &json!("Um & Cia"), &json!("scale"), &json!(5000)]
    );
    // The call of `usage` itself is in the next one; once more, and it is still right.
    ledger.check();
    assert_eq!(usage["cota"]["limite"], 20_000_000);
}

#[test]
fn latencies_are_those_that_the_caller_measures() {
    let dir = DataDir::ready();
    let server = dir.serve(&["--body-timeout", "30"]);
    let account = dir.account("Um", &[]);
    let mut ledger = Ledger::new(&server, &account.live.key);
    let quick: Vec<Duration> = (0..9).map(|_| ledger.timed_get("/v1/changelog?limit=1")).collect();
    // A body that comes late: the service waits for it, and so that is how long the call takes.
    let slow = Duration::from_millis(300);
    let took = ledger.slow_calculate(slow);
    let usage = ledger.check();
    let (p50, p95) = (&usage["latencia"]["p50_ms"], &usage["latencia"]["p95_ms"]);
    let ms = |value: &Value| Duration::from_millis(value.as_u64().unwrap());
    let tolerance = Duration::from_millis(2) + took / 50;
    assert!(ms(p95) + tolerance >= slow && ms(p95) <= took + tolerance, "{p95} ms; it took {took:?}");
    assert!(ms(p50) <= *quick.iter().max().unwrap() + tolerance, "{p50} ms; they took {quick:?}");
    let shown = ms(&usage["recentes"][0]["latency_ms"]);
    assert!(shown + tolerance >= slow && shown <= took + tolerance, "{shown:?}; it took {took:?}");
}

/// What the page looks up by itself, several times for each case, once hid the calls that its reader had made.
#[test]
fn look_ups_of_the_page_are_counted_and_not_among_the_latest_calls() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let account = dir.account("Um", &["--rate-limit", "70"]);
    let key = account.live.key.as_str();
    assert_eq!(server.get_as(key, "/v1/regras?limit=1").status, 200);
    for path in ["operacao", "lista", "documentos"] {
        server.post_as(key, &format!("/sandbox/v1/{path}"), "{}");
    }
    for _ in 0..60 {
        assert_eq!(server.post_as(key, "/sandbox/v1/operacao/falta", "{}").status, 200);
    }
    let latest = |usage: &Value| -> Vec<String> {
        let rows = usage["recentes"].as_array().unwrap().iter();
        rows.map(|row| row["resumo"].as_str().unwrap().to_owned()).collect()
    };
    let calculations = ["documentos", "lista", "operacao"].map(|path| format!("POST /sandbox/v1/{path}"));
    let wanted = [&calculations[..], &["GET /v1/regras".to_owned()]].concat();
    let usage = server.usage(key, 50);
    assert_eq!((latest(&usage), &usage["total_chamadas"]), (wanted.clone(), &json!(64)));
    // They count towards the limit of the minute as before.
    let refused = (0..7).map(|_| server.get_as(key, "/sandbox/v1/tipi").status).filter(|status| *status == 429).count();
    assert_eq!(refused, 2);

    server.stop("TERM");
    let kept = dir.shown(&account.client_id)["usage"].take();
    assert_eq!(latest(&kept)[1..], wanted, "read from the log");
}

#[test]
fn recentes_is_1_to_50_and_the_latest_come_first() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Um", &[]);
    let mut ledger = Ledger::new(&server, &account.live.key);
    let begun = Timestamp::now();
    for i in 0..60 {
        ledger.get(&format!("/v1/nada/{i}"));
    }
    for (query, rows) in [("", 10), ("?recentes=1", 1), ("?recentes=50", 50), ("?recentes=007", 7)] {
        let reply = ledger.get(&format!("/v1/usage{query}"));
        assert_eq!(reply.json()["recentes"].as_array().map(Vec::len), Some(rows), "{query}");
    }
    for query in ["0", "51", "x", "", "-1", "+5", "%205", "1.0", "1e1", "99999999999999999999", "1&recentes=1"] {
        let reply = ledger.get(&format!("/v1/usage?recentes={query}"));
        let problem = reply.problem(422, "parametro_invalido");
        assert_eq!(problem["campo"], "recentes", "{query}: {problem}");
    }
    ledger.get("/v1/usage?recente=1").problem(422, "parametro_invalido");
    let usage = ledger.check();
    let instants: Vec<Timestamp> = usage["recentes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["created_at"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(instants.windows(2).all(|pair| pair[0] >= pair[1]), "{instants:?}");
    assert!(instants[49] + Duration::from_millis(1) >= begun && instants[0] <= Timestamp::now(), "{instants:?}");
}

/// Which of two accounts makes a call.
fn whose(i: usize) -> usize {
    usize::from(i.is_multiple_of(3))
}

#[test]
fn neither_of_two_accounts_sees_the_calls_of_the_other() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let accounts = ["Um", "Dois"].map(|name| dir.account(name, &[]));
    {
        let mut ledgers = [0, 1].map(|i| Ledger::new(&server, &accounts[i].live.key));
        let payload = |i: usize| {
            json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": format!("{i}.00"),
            "data_operacao": "2026-03-10"})
        };
        for i in 0..80 {
            let caller = whose(i);
            ledgers[caller].calculate(&payload(i));
            if i % 10 == 0 {
                ledgers[caller].get(&format!("/v1/nada/{i}"));
            }
            // Of the other's call nothing shows, not even while both call at once.
            if i % 20 == 0 {
                ledgers[1 - caller].check();
            }
        }
        for ledger in &mut ledgers {
            ledger.check();
        }
    }
    assert!(server.stop("TERM").success());
    let server = dir.serve(&[]);
    for (account, wanted) in accounts.iter().zip([0, 1]) {
        let usage = server.usage(&account.live.key, 50);
        for row in usage["recentes"].as_array().unwrap() {
            let Some(valor) = row["request"]["valor_produto"].as_str() else { continue };
            let i: usize = valor.trim_end_matches(".00").parse().unwrap();
            assert_eq!(whose(i), wanted, "{row}");
        }
        assert_eq!(usage["client_id"], account.client_id.as_str());
    }
}

#[test]
fn a_caller_that_goes_away_before_its_answer_is_counted_as_499() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Um", &[]);
    let (length, chunks) = ("Content-Length: 100", "Transfer-Encoding: chunked");
    for (framing, sent) in [(length, ""), (length, "{\"tributo\""), (chunks, "2"), (chunks, "5\r\n{\"tri")] {
        let mut raw = server.raw();
        let head = server.head(&format!("Expect: 100-continue\r\n{framing}\r\n\r\n"));
        raw.send(head.replace(&server.key, &account.live.key));
        assert_eq!(raw.reply().status, 100, "the server waits for the body");
        raw.send(sent);
        drop(raw);
    }
    // The server notices a closed connection a moment later.
    let start = Instant::now();
    let usage = loop {
        let usage = dir.shown(&account.client_id)["usage"].take();
        if usage["total_chamadas"] == 4 {
            break usage;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "they are not noticed: {usage}");
    };
    for row in usage["recentes"].as_array().unwrap() {
        assert_eq!((&row["status_code"], &row["resumo"]), (&499.into(), &"POST /v1/calculate".into()), "{row}");
    }
    assert_eq!(usage["status"]["erro_cliente_4xx"], 4);
}

//! Monthly allowances: of production calls, and of each sandbox key.

use std::time::Duration;

use taxd::core::store::Limit;
use taxd::features::Command;
use taxd::features::accounts::{AccountCommand, OverrideChange, OverrideChanges};
use taxd::features::keys::KeyCommand;

use super::good;
use crate::support::{DataDir, InProcess, Key, taxd};

/// Calls of a sandbox key in a month (contract, section 8).
const SANDBOX_CALLS: u64 = 1_000;
/// Seconds from the instant at which these tests begin to the end of its month.
const TO_DECEMBER_S: u64 = 10 * 24 * 60 * 60;
const BEGIN: &str = "2026-11-21T00:00:00Z";

fn quota(calls: u64) -> OverrideChanges {
    OverrideChanges { monthly_quota: Some(OverrideChange::Set(Limit(Some(calls)))), ..OverrideChanges::default() }
}

fn calls_this_month(server: &InProcess, key: &Key) -> u64 {
    let keys = server.admin(Command::Key(KeyCommand::List { account: None }));
    let listed = keys.as_array().unwrap().iter().find(|k| k["key_id"] == key.key_id.as_str()).unwrap();
    listed["calls_this_month"].as_u64().unwrap()
}

/// Uses up a sandbox key, a minute's worth at a time.
fn use_up(server: &InProcess, key: &Key, calls: u64) {
    let mut raw = server.raw();
    let request = format!("GET /v1/regras?limit=1 HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n\r\n", key.key);
    for i in 0..calls {
        assert_eq!(raw.send(&request).reply().status, 200, "call {i}");
    }
}

#[test]
fn the_quota_is_refused_beyond_its_last_call_until_the_month_ends() {
    let server = InProcess::start(BEGIN);
    server.except(quota(3));
    for used in 1..=3 {
        // What the answer is does not matter: the call was made.
        let path = if used == 2 { "/v1/nada" } else { "/v1/regras" };
        assert_ne!(server.get_own(path).status, 429);
    }
    for _ in 0..4 {
        assert_eq!(server.get_own("/v1/regras").retry_after("cota_esgotada"), TO_DECEMBER_S);
    }
    let usage =
        &server.admin(Command::Account(AccountCommand::Show { account: server.client_id.clone(), recent: 0 }))["usage"];
    assert_eq!(usage["cota"], serde_json::json!({"mes": "2026-11", "limite": 3, "usada": 3}));
    assert_eq!(usage["total_chamadas"], 7, "refused calls are logged");
    server.pass(Duration::from_secs(TO_DECEMBER_S - 1));
    assert_eq!(server.get_own("/v1/regras").retry_after("cota_esgotada"), 1);
    server.pass(Duration::from_millis(999));
    assert_eq!(server.get_own("/v1/regras").retry_after("cota_esgotada"), 1);
    server.pass(Duration::from_millis(1));
    let usage = server.usage(&server.key, 1);
    assert_eq!(usage["cota"], serde_json::json!({"mes": "2026-12", "limite": 3, "usada": 1}), "with this very call");
}

/// The question why calls are refused was itself refused.
#[test]
fn the_consumption_is_answered_also_when_the_quota_is_used_up() {
    let server = InProcess::start(BEGIN);
    server.except(OverrideChanges { rate_limit: Some(OverrideChange::Set(6)), ..quota(2) });
    let used = |usage: &serde_json::Value| (usage["cota"]["usada"].clone(), usage["total_chamadas"].clone());
    assert_eq!(used(&server.usage(&server.key, 1)), (1.into(), 0.into()), "it consumes the quota like any call");
    assert_eq!(server.get_own("/v1/regras").status, 200);
    server.get_own("/v1/regras").retry_after("cota_esgotada");
    assert_eq!(used(&server.usage(&server.key, 1)), (2.into(), 3.into()), "and is measured like any call");
    assert_eq!(used(&server.usage(&server.key, 1)), (2.into(), 4.into()));
    // The rate limit applies as before.
    while server.get_own("/v1/usage").status == 200 {}
    server.get_own("/v1/usage").retry_after("limite_excedido");
}

/// A refused calculation was listed without its tax and its payload, although both had been sent.
#[test]
fn a_calculation_beyond_a_limit_is_listed_with_its_tax_and_payload() {
    for (limits, codigo) in [
        (quota(0), "cota_esgotada"),
        (OverrideChanges { rate_limit: Some(OverrideChange::Set(1)), ..quota(900) }, "limite_excedido"),
    ] {
        let server = InProcess::start(BEGIN);
        server.except(limits);
        for example in crate::support::examples(&server) {
            if codigo == "limite_excedido" {
                while server.get_own("/v1/nada").status != 429 {}
            }
            let sent = crate::support::with(&example, &serde_json::json!({"cliente": "Fulano"}));
            server.post("/v1/calculate", sent.to_string()).problem(429, codigo);
            server.pass(Duration::from_mins(2));
            let latest = server.usage(&server.key, 1)["recentes"][0].take();
            let tax = example["tributo"].as_str().unwrap();
            assert_eq!(latest["resumo"], format!("POST /v1/calculate ({tax})"), "{latest}");
            assert_eq!((&latest["request"], &latest["status_code"]), (&example, &429.into()));
        }
        // A body that is not JSON, or too long to be kept, is listed without.
        for body in ["{".to_owned(), format!("{{\"tributo\":\"ipi\",\"x\":\"{}\"}}", "a".repeat(9_000))] {
            if codigo == "limite_excedido" {
                while server.get_own("/v1/nada").status != 429 {}
            }
            server.post("/v1/calculate", &body).problem(429, codigo);
            server.pass(Duration::from_mins(2));
            let latest = server.usage(&server.key, 1)["recentes"][0].take();
            assert_eq!((&latest["resumo"], &latest["request"]), (&"POST /v1/calculate".into(), &serde_json::json!({})));
        }
    }
}

#[test]
fn a_call_beyond_the_rate_limit_uses_up_no_quota() {
    let server = InProcess::start(BEGIN);
    server.except(OverrideChanges { rate_limit: Some(OverrideChange::Set(2)), ..quota(4) });
    for _ in 0..2 {
        for _ in 0..2 {
            assert_eq!(server.get_own("/v1/regras").status, 200);
        }
        server.pass(Duration::from_secs(59));
        // Of the last two, the quota speaks first: waiting a second would not help.
        let refused = server.get_own("/v1/regras");
        assert_eq!(refused.status, 429);
        server.pass(Duration::from_secs(1));
    }
    assert_eq!(server.get_own("/v1/regras").retry_after("cota_esgotada"), TO_DECEMBER_S - 120);
}

#[test]
fn a_quota_that_is_raised_lets_the_next_call_pass() {
    let server = InProcess::start(BEGIN);
    server.except(quota(1));
    assert_eq!(server.get_own("/v1/regras").status, 200);
    server.get_own("/v1/regras").retry_after("cota_esgotada");
    for more in [quota(2), OverrideChanges { monthly_quota: Some(OverrideChange::Clear), ..OverrideChanges::default() }]
    {
        server.except(more);
        assert_eq!(server.get_own("/v1/regras").status, 200);
    }
}

#[test]
fn a_sandbox_key_shares_its_thousand_calls_with_those_it_was_rotated_from() {
    let server = InProcess::start(BEGIN);
    let (first, other) = (server.new_key("test"), server.new_key("test"));
    use_up(&server, &first, 600);
    let rotate = Command::Key(KeyCommand::Rotate { key_id: first.key_id.clone(), grace_ms: 60_000_000 });
    let second = Key::of(&server.admin(rotate));
    use_up(&server, &second, 300);
    let rotate = Command::Key(KeyCommand::Rotate { key_id: second.key_id.clone(), grace_ms: 60_000_000 });
    let third = Key::of(&server.admin(rotate));
    use_up(&server, &third, 50);
    use_up(&server, &first, 50);
    for key in [&first, &second, &third] {
        assert_eq!(server.get_as(&key.key, "/v1/regras").retry_after("cota_esgotada"), TO_DECEMBER_S);
        assert_eq!(calls_this_month(&server, key), SANDBOX_CALLS);
    }
    assert_eq!(server.get_as(&other.key, "/v1/regras").status, 200, "another sandbox key has its own");
    assert_eq!(calls_this_month(&server, &other), 1);
    let usage = server.usage(&server.key, 1);
    assert_eq!(usage["cota"]["usada"], 1, "sandbox calls are not billed: {}", usage["cota"]);
    server.set_clock("2026-12-01T00:00:00Z");
    assert_eq!(calls_this_month(&server, &third), 0);
    use_up(&server, &third, 1);
    assert_eq!(calls_this_month(&server, &third), 1);
}

#[test]
fn what_was_used_survives_a_stop_and_what_was_logged_survives_a_kill() {
    let dir = DataDir::ready();
    let account = dir.account("Um", &["--quota", "5"]);
    let sandbox = dir.new_key(&account.client_id, "test");
    let mut used = 0;
    for signal in ["TERM", "KILL"] {
        let mut server = dir.serve(&[]);
        for _ in 0..2 {
            for key in [&account.live, &sandbox] {
                assert_eq!(server.post_as(&key.key, "/v1/calculate", good().to_string()).status, 200);
            }
            used += 1;
        }
        if signal == "KILL" {
            dir.wait_until_logged();
        }
        server.stop(signal);
        let shown = dir.shown(&account.client_id);
        assert_eq!(shown["usage"]["cota"]["usada"], used, "{signal}");
        let sandbox = shown["keys"].as_array().unwrap().iter().find(|k| k["kind"] == "test").unwrap();
        assert_eq!((&sandbox["calls_this_month"], &sandbox["calls"]), (&used.into(), &used.into()), "{signal}");
    }
    let server = dir.serve(&[]);
    let call = || server.post_as(&account.live.key, "/v1/calculate", good().to_string());
    assert_eq!(call().status, 200);
    call().retry_after("cota_esgotada");
    taxd(&dir, ["account", "set", &account.client_id, "--quota", "6"]).ok();
    assert_eq!(call().status, 200);
    call().retry_after("cota_esgotada");
}

/// An operation once used up a call for each of its taxes, so that it was refused with one call left.
#[test]
fn an_operation_needs_one_call_of_the_quota() {
    let server = InProcess::start(BEGIN);
    server.except(quota(1));
    let facts = r#"{"data_operacao":"2026-11-20","uf_origem":"SP","uf_destino":"MG","ncm":"82032010","valor_produto":"1000.00","papel_na_cadeia":"fabricante_importador","regime_apuracao":"nao_cumulativo","cumpre_obrigacoes_acessorias":true}"#;
    assert_eq!(server.post("/sandbox/v1/operacao", facts).status, 200);
    assert_eq!(server.post("/sandbox/v1/operacao", facts).retry_after("cota_esgotada"), TO_DECEMBER_S);
    assert_eq!(server.get_own("/sandbox/v1/calendario").status, 200, "look-ups use no quota up");
}

//! Whether the service does well, for who supervises it and for who sends callers to it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{LISTEN, listener};
use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};
use crate::support::{OwnRules, Raw, Server, taxd};

#[test]
fn the_listener_answers_health_and_nothing_of_the_api() {
    let hooks = Webhooks::new();
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &LISTEN);
    let listener = listener(&server);
    for (path, told) in [("/health", "ok\n"), ("/ready", "ready\n")] {
        let answer = listener.get(path, &[]);
        assert_eq!((answer.status, answer.text().as_str()), (200, told));
    }
    for path in ["/", "/v1/usage", "/sandbox"] {
        assert_eq!(listener.get_as(&server.key, path).status, 404, "{path}");
    }
    assert_eq!(listener.post("/metrics", json!({}).to_string()).status, 405);
    // The address of the API serves no metrics.
    server.get("/metrics", &[]).problem(404, "rota_inexistente");
}

/// 64 connections on which nothing was asked once delayed an answer by ten seconds.
#[test]
fn idle_connections_do_not_delay_it() {
    let own = OwnRules::none();
    let server = Server::start(&own.dir.path(), Some(&own.key), &LISTEN);
    let listener = listener(&server);
    let idle: Vec<Raw> = (0..80).map(|_| listener.raw()).collect();
    let start = Instant::now();
    assert_eq!(listener.get("/ready", &[]).status, 200);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(idle);
}

#[test]
fn trouble_is_named_while_calls_are_answered() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, _| Answer::Status(404));
    let made = hooks.subscribe(&receiver.url(), &[]);
    let args = ["--webhook-ca", hooks.ca.to_str().unwrap(), LISTEN[0], LISTEN[1]];
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &args);
    let dir = &hooks.own.dir;
    assert_eq!(taxd(dir, ["health"]).ok().stdout, "ok\n");
    hooks.own.publish(&[ipi(1)]);
    server.wait_for_log("a webhook endpoint takes no deliveries");
    let trouble = format!("webhook endpoints fail: {}", made.id);
    let health = listener(&server).get("/health", &[]);
    assert_eq!(health.status, 200, "no restart mends an endpoint");
    assert!(health.text().starts_with(&format!("degraded\nwebhooks_failing: {trouble}")), "{}", health.text());
    let told = taxd(dir, ["health", "--json"]).ok().json();
    assert_eq!((&told["state"], &told["troubles"][0]["name"]), (&json!("degraded"), &json!("webhooks_failing")));
    assert_eq!(taxd(dir, ["status", "--json"]).ok().json()["health"], told);
    for args in [vec!["health"], vec!["status"]] {
        let text = taxd(dir, &args).ok().stdout;
        assert!(text.contains("degraded") && text.contains(&trouble), "{text}");
    }
}

#[test]
fn a_server_without_rules_says_so_and_none_at_all_is_a_failure() {
    let own = OwnRules::none();
    for (args, at) in [(vec!["health"], "stderr"), (vec!["health", "--json"], "stdout")] {
        let done = taxd(&own.dir, &args);
        let told = if at == "stderr" { done.stderr } else { done.stdout };
        assert_eq!(done.code, 1, "the file can be read, and that is not the question");
        assert!(told.contains("no server is running"), "{told}");
    }
    let status: Value = taxd(&own.dir, ["status", "--json"]).ok().json();
    assert_eq!(status["health"]["troubles"][0]["name"], "no_rules");
}

#[test]
fn a_server_that_is_stopping_is_not_ready_and_no_failure() {
    let own = OwnRules::none();
    let mut server = Server::start(&own.dir.path(), Some(&own.key), &LISTEN);
    let listener = listener(&server);
    let mut call = server.raw();
    call.send(server.head("Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    assert_eq!(call.reply().status, 100, "its body is waited for");
    server.signal("TERM");
    server.wait_for_log("stopping");
    assert_eq!((listener.get("/ready", &[]).status, listener.get("/health", &[]).status), (503, 200));
    call.send("{}");
    assert_eq!(call.reply().status, 422);
    assert!(server.wait().success());
}

//! The figures that Prometheus reads, on the listener of their own and on the command line.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};
use crate::support::{Client, Server, taxd};

/// Every figure by its name and labels; the text must be what the format has.
fn figures(text: &str) -> BTreeMap<String, u64> {
    let lines: Vec<&str> = text.lines().collect();
    let (end, lines) = lines.split_last().unwrap();
    assert_eq!(*end, "# EOF", "{text}");
    let mut figures = BTreeMap::new();
    for line in lines {
        if let Some(comment) = line.strip_prefix("# ") {
            assert!(comment.starts_with("HELP taxd_") || comment.starts_with("TYPE taxd_"), "{line}");
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(figures.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{name} twice");
    }
    figures
}

/// The metrics of a server on their own address.
fn listener(server: &Server) -> Client {
    server.wait_for_log("serving metrics address=127.0.0.1:");
    let log = server.log();
    let port = log.split("serving metrics address=127.0.0.1:").nth(1).unwrap().split_whitespace().next().unwrap();
    Client::new(port.parse().unwrap(), String::new(), Duration::from_mins(1))
}

#[test]
fn calls_deliveries_and_failing_endpoints_are_counted() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, _| Answer::Status(404));
    let made = hooks.subscribe(&receiver.url(), &[]);
    let ca = hooks.ca.to_str().unwrap();
    let args = ["--webhook-ca", ca, "--metrics-listen", "127.0.0.1:0"];
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &args);
    let listener = listener(&server);

    let before = listener.get("/metrics", &[]);
    assert_eq!(before.status, 200);
    assert!(before.header("content-type").is_some_and(|t| t.starts_with("application/openmetrics-text")));
    let before = figures(&before.text());
    assert_eq!(before["taxd_rule_versions{tributo=\"ipi\"}"], 1);
    assert_eq!(before["taxd_calls_total{status=\"2xx\"}"], 0);
    assert_eq!(before["taxd_webhook_endpoints_failing"], 0);

    for _ in 0..3 {
        assert_eq!(server.get_own("/v1/changelog").status, 200);
    }
    server.get_own("/v1/nada").problem(404, "rota_inexistente");
    server.post_as("svc_live_x", "/v1/calculate", "{}").problem(401, "chave_invalida");
    hooks.own.publish(&[ipi(1)]);
    server.wait_for_log("a webhook endpoint takes no deliveries");

    let after = figures(&listener.get("/metrics", &[]).text());
    assert_eq!(after["taxd_calls_total{status=\"2xx\"}"], 3);
    assert_eq!(after["taxd_calls_total{status=\"4xx\"}"], 1);
    assert_eq!(after["taxd_refused_keys_total{why=\"mistyped\"}"], 1);
    assert_eq!(after["taxd_rule_versions{tributo=\"ipi\"}"], 2);
    assert_eq!(after["taxd_webhook_deliveries{state=\"failed\"}"], 1);
    assert_eq!(after["taxd_webhook_endpoints_failing"], 1);
    let failing =
        format!("taxd_webhook_endpoint_failing{{subscription=\"{}\",client_id=\"{}\"}}", made.id, hooks.client);
    assert_eq!(after[&failing], 1, "{after:?}");
    assert!(after["taxd_data_file_bytes"] > 0 && after["taxd_disk_free_bytes"] > 0);

    // The command tells the same, asked through the control socket.
    let told = figures(&taxd(&hooks.own.dir, ["metrics"]).ok().stdout);
    assert_eq!(told.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert_eq!(told["taxd_webhook_endpoints_failing"], 1);
}

#[test]
fn the_listener_answers_health_and_nothing_of_the_api() {
    let hooks = Webhooks::new();
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &["--metrics-listen", "127.0.0.1:0"]);
    let listener = listener(&server);
    let health = listener.get("/health", &[]);
    assert_eq!((health.status, health.text().as_str()), (200, "ok\n"));
    for path in ["/", "/v1/usage", "/sandbox"] {
        assert_eq!(listener.get_as(&server.key, path).status, 404, "{path}");
    }
    assert_eq!(listener.post("/metrics", json!({}).to_string()).status, 405);
    // And the API's address tells none of the figures.
    server.get("/metrics", &[]).problem(404, "rota_inexistente");
}

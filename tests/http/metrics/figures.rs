//! What the figures say, and the forms in which they say it.

use serde_json::json;

use super::{LISTEN, OPEN_METRICS, figures, listener};

use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};
use crate::support::{DataDir, OwnRules, Server, bundle, examples, rule, taxd};

#[test]
fn calls_deliveries_and_failing_endpoints_are_counted() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, _| Answer::Status(404));
    let made = hooks.subscribe(&receiver.url(), &[]);
    let ca = hooks.ca.to_str().unwrap();
    let args = ["--webhook-ca", ca, LISTEN[0], LISTEN[1]];
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &args);
    let listener = listener(&server);

    let before = listener.get("/metrics", &[]);
    assert_eq!(before.status, 200);
    let before = figures(&before.text());
    assert_eq!(before["taxd_rule_versions{tributo=\"ipi\"}"], 1.0);
    assert_eq!(before["taxd_account_calls_total{status=\"2xx\"}"], 0.0);
    assert_eq!(before["taxd_webhook_endpoints_failing"], 0.0);

    for _ in 0..3 {
        assert_eq!(server.get_own("/v1/changelog").status, 200);
    }
    server.get_own("/v1/nada").problem(404, "rota_inexistente");
    server.post_as("svc_live_x", "/v1/calculate", "{}").problem(401, "chave_invalida");
    hooks.own.publish(&[ipi(1)]);
    server.wait_for_log("a webhook endpoint takes no deliveries");

    let after = figures(&listener.get("/metrics", &[]).text());
    assert_eq!(after["taxd_account_calls_total{status=\"2xx\"}"], 3.0);
    assert_eq!(after["taxd_account_calls_total{status=\"4xx\"}"], 1.0);
    assert_eq!(after["taxd_refused_keys_total{why=\"mistyped\"}"], 1.0);
    assert_eq!(after["taxd_rule_versions{tributo=\"ipi\"}"], 2.0);
    assert_eq!(after["taxd_webhook_deliveries{state=\"failed\"}"], 1.0);
    assert_eq!(after["taxd_webhook_endpoints_failing"], 1.0);
    let failing =
        format!("taxd_webhook_endpoint_failing{{subscription=\"{}\",client_id=\"{}\"}}", made.id, hooks.client);
    assert_eq!(after[&failing], 1.0, "{after:?}");
    assert!(after["taxd_data_file_bytes"] > 0.0 && after["taxd_disk_free_bytes"] > 0.0);

    // The command prints the same, through the control socket.
    let told = figures(&taxd(&hooks.own.dir, ["metrics"]).ok().stdout);
    assert_eq!(told.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert_eq!(told["taxd_webhook_endpoints_failing"], 1.0);
}

#[test]
fn calls_are_counted_by_tax_status_and_latency() {
    let dir = DataDir::ready();
    let server = dir.serve(&LISTEN);
    let listener = listener(&server);
    let read = || figures(&listener.get("/metrics", &[]).text());
    let before = read();
    for status in [200, 404, 422, 500] {
        assert_eq!(
            before[&format!("taxd_calls_total{{tributo=\"icms\",status=\"{status}\"}}")],
            0.0,
            "from the start on"
        );
    }
    let examples = examples(&server);
    for example in &examples {
        for cached in [false, true, true] {
            let reply = server.calculate(example);
            assert_eq!((reply.status, &reply.json()["cached"]), (200, &json!(cached)), "{example}");
        }
    }
    server.calculate(&json!({"tributo": "icms"})).problem(422, "campo_obrigatorio");
    let nowhere = json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "1.00", "data_operacao": "1999-03-10"});
    server.calculate(&nowhere).problem(404, "regra_inexistente");
    let past = "/v1/calculate?conhecido_em=2020-01-01T00:00:00Z";
    server.post(past, json!({"tributo": "iss"}).to_string()).problem(422, "campo_obrigatorio");
    server.calculate(&json!({"tributo": "imposto"})).problem(422, "valor_invalido");
    server.post("/v1/calculate", "{").problem(400, "json_invalido");
    server.post_as("svc_live_x", "/v1/calculate", "{}").problem(401, "chave_invalida");
    assert_eq!(server.get_own("/v1/usage").status, 200);

    let after = read();
    let calls =
        |tributo: &str, status: &str| after[&format!("taxd_calls_total{{tributo=\"{tributo}\",status=\"{status}\"}}")];
    for (tributo, status, count) in [
        ("icms", "200", 3.0),
        ("icms", "422", 1.0),
        ("ipi", "404", 1.0),
        ("iss", "422", 1.0),
        ("nenhum", "422", 1.0),
        ("nenhum", "400", 1.0),
        ("nenhum", "401", 1.0),
        ("nenhum", "200", 1.0),
        ("nenhum", "503", 0.0),
    ] {
        assert_eq!(calls(tributo, status), count, "{tributo} {status}");
    }
    let total: f64 = after.iter().filter(|(name, _)| name.starts_with("taxd_calls_total{")).map(|(_, n)| n).sum();
    // Each example three times, and seven calls beside them.
    assert_eq!(total, f64::from(u32::try_from(3 * examples.len() + 7).unwrap()));
    let latency = |what: &str, labels: &str| after[&format!("taxd_call_duration_seconds_{what}{{{labels}}}")];
    for (tributo, cached, count) in [("icms", "true", 2.0), ("icms", "false", 2.0), ("nenhum", "false", 4.0)] {
        let labels = format!("tributo=\"{tributo}\",cached=\"{cached}\"");
        assert_eq!(latency("count", &labels), count, "{labels}");
        let sum = latency("sum", &labels);
        assert!(sum > 0.0 && sum < 60.0, "{labels}: {sum}");
        let steps =
            ["0.00005", "0.005", "0.2", "10.0", "+Inf"].map(|le| latency("bucket", &format!("le=\"{le}\",{labels}")));
        assert!(steps.is_sorted() && steps[4] == count, "{labels}: {steps:?}");
    }
}

#[test]
fn the_process_its_connections_and_its_imports_have_metrics() {
    let own = OwnRules::of(&[rule("velho", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}))]);
    let server = Server::start(&own.dir.path(), Some(&own.key), &[LISTEN[0], LISTEN[1], "--max-connections", "1"]);
    let listener = listener(&server);
    let read = || figures(&listener.get("/metrics", &[]).text());
    let published = "taxd_last_publication_timestamp_seconds";
    let before = read();
    assert!(before[published] <= before["process_start_time_seconds"], "nothing was published here");
    let file = own
        .dir
        .write("own.json", bundle(&[rule("proprio", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "7.00"}))]));
    own.import(&file, &["--dry-run"]).ok();
    own.import(&file, &[]).ok();
    own.import(&file, &[]).ok();
    own.refused(&[rule("outro", "ipva", &json!({"uf": "XX"}), &json!({"aliquota": "7.00"}))]);
    let held = server.in_flight(server.raw());
    let mut refused = server.raw();
    assert_eq!(refused.reply().status, 503);
    let after = read();
    for (result, count) in [("published", 1.0), ("unchanged", 1.0), ("refused", 1.0)] {
        assert_eq!(after[&format!("taxd_imports_total{{result=\"{result}\"}}")], count, "{result}");
    }
    assert_eq!((after["taxd_connections"], after["taxd_connections_refused_total"]), (1.0, 1.0));
    assert_eq!(after["taxd_connections_accepted_total"], 1.0);
    drop(held);
    let (started, last) = (after["process_start_time_seconds"], after[published]);
    assert!(started > 1.7e9 && last + 1.0 >= started && last < started + 60.0, "{started} {last}");
    assert!(after["process_resident_memory_bytes"] > 1e6 && after["process_virtual_memory_bytes"] > 1e6);
    assert!(after["process_open_fds"] > 3.0 && after["process_open_fds"] < after["process_max_fds"]);
    assert!(after["process_threads"] > 3.0 && after["process_cpu_seconds_total"] > 0.0);
    let build = format!("taxd_build_info{{version=\"{}\",schema=", env!("CARGO_PKG_VERSION"));
    assert!(after.iter().any(|(name, n)| name.starts_with(&build) && *n == 1.0), "{after:?}");
    drop(server);
    let alone = figures(&taxd(&own.dir, ["metrics"]).ok().stdout);
    assert!(!alone.keys().any(|name| name.starts_with("process_")), "a command tells nothing of itself");
}

#[test]
fn the_result_cache_has_metrics_of_its_entries_and_its_evictions() {
    let dir = DataDir::ready();
    let args = [LISTEN[0], LISTEN[1], "--cache-entries", "16"];
    let server = dir.serve(&args);
    let payload = |i: u32| json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": format!("{i}.00"), "data_operacao": "2026-03-10"});
    for i in 1..=100 {
        assert_eq!(server.calculate(&payload(i)).status, 200);
    }
    let told = figures(&listener(&server).get("/metrics", &[]).text());
    let entries = told["taxd_cache_entries"];
    assert!((1.0..=16.0).contains(&entries), "{entries}");
    assert_eq!(told["taxd_cache_evictions_total"] + entries, 100.0);
    assert_eq!((told["taxd_cache_misses_total"], told["taxd_cache_hits_total"]), (100.0, 0.0));
    assert!(told["taxd_cache_bytes"] > entries * 500.0, "{told:?}");
}

#[test]
fn who_asks_for_open_metrics_gets_them_and_everybody_else_the_older_form() {
    let own = OwnRules::none();
    let server = Server::start(&own.dir.path(), Some(&own.key), &LISTEN);
    let listener = listener(&server);
    let open = listener.get("/metrics", &[OPEN_METRICS]);
    assert_eq!(open.header("content-type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    let open = open.text();
    assert!(
        open.ends_with("# EOF\n") && open.contains("\n# TYPE taxd_cache_hits counter\ntaxd_cache_hits_total 0\n"),
        "{open}"
    );
    for accept in [None, Some(("accept", "*/*")), Some(("accept", "text/plain;version=0.0.4"))] {
        let plain = listener.get("/metrics", accept.as_slice());
        assert_eq!(plain.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        let plain = plain.text();
        assert!(!plain.contains("# EOF"), "{plain}");
        let described = "# HELP taxd_cache_hits_total Calculations that the result cache answered\n\
                         # TYPE taxd_cache_hits_total counter\ntaxd_cache_hits_total 0\n";
        assert!(plain.contains(described), "{plain}");
        assert_eq!(figures(&plain).keys().collect::<Vec<_>>(), figures(&open).keys().collect::<Vec<_>>());
    }
}

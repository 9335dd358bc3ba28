//! The dashboard, the alerts and the table of metrics in `packaging` name metrics that a server exports.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{LISTEN, figures, listener};
use crate::support::Server;
use crate::support::certificates::issue;
use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};

fn packaged(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every name of a metric in the text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("taxd_") || word.starts_with("process_")).map(str::to_owned).collect()
}

/// Returns the names of the metrics of a server after every event that has a metric.
fn told() -> BTreeSet<String> {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, _| Answer::Status(404));
    hooks.subscribe(&receiver.url(), &[]);
    let issued = issue(|_| {});
    let certificate = hooks.own.dir.write("cert.pem", issued.certificate.pem());
    let key = hooks.own.dir.write("key.pem", issued.key.serialize_pem());
    let [ca, certificate, key] = [&hooks.ca, &certificate, &key].map(|path| path.to_str().unwrap());
    let args = ["--webhook-ca", ca, "--tls-cert", certificate, "--tls-key", key, LISTEN[0], LISTEN[1]];
    let server = Server::start(&hooks.own.dir.path(), Some(&hooks.own.key), &args);
    hooks.own.publish(&[ipi(1)]);
    server.wait_for_log("a webhook endpoint takes no deliveries");
    let usage = format!("GET /v1/usage HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {}\r\n\r\n", server.key);
    assert_eq!(server.raw_tls().send(usage).reply().status, 200);
    let figures = figures(&listener(&server).get("/metrics", &[]).text());
    figures.keys().map(|name| name.split('{').next().unwrap().to_owned()).collect()
}

/// Every expression of the dashboard's panels, and of its variables.
fn expressions(dashboard: &Value) -> Vec<String> {
    match dashboard {
        Value::Object(members) => {
            let own = members.iter().filter(|(name, _)| matches!(name.as_str(), "expr" | "query"));
            let own = own.filter_map(|(_, value)| value.as_str().map(str::to_owned));
            own.chain(members.values().flat_map(expressions)).collect()
        }
        Value::Array(items) => items.iter().flat_map(expressions).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_metric_is_in_the_table_and_every_other_name_is_one_of_them() {
    let told = told();
    assert!(told.len() > 30, "{told:?}");
    let base =
        |name: &String| ["_bucket", "_sum", "_count"].iter().find_map(|s| name.strip_suffix(s)).map(str::to_owned);
    let families: BTreeSet<String> = told.iter().map(|name| base(name).unwrap_or_else(|| name.clone())).collect();
    let table = packaged("prometheus/README.md");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', '{']).next());
    let rows: BTreeSet<String> = rows.map(str::to_owned).filter(|row| !named(row).is_empty()).collect();
    assert_eq!(rows, families, "the table of packaging/prometheus/README.md");

    let dashboard: Value = serde_json::from_str(&packaged("grafana/taxd.json")).unwrap();
    let shown = named(&expressions(&dashboard).join(" "));
    let alerts = named(&packaged("prometheus/taxd.rules.yml"));
    for (place, names) in [("dashboard", shown), ("alerts", alerts)] {
        assert!(names.len() > 8, "{place}: {names:?}");
        let unknown: Vec<&String> = names.difference(&told).collect();
        assert!(unknown.is_empty(), "the {place} asks for what nobody tells: {unknown:?}");
    }
}

#[test]
fn every_panel_says_what_it_shows_and_in_which_unit() {
    let dashboard: Value = serde_json::from_str(&packaged("grafana/taxd.json")).unwrap();
    assert_eq!(dashboard["uid"], "taxd");
    let panels = dashboard["panels"].as_array().unwrap();
    let shown: Vec<&Value> = panels.iter().filter(|panel| panel["type"] != "row").collect();
    assert!(shown.len() >= 15, "{}", shown.len());
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "an id is one panel's");
    for panel in shown {
        let title = panel["title"].as_str().unwrap();
        assert!(panel["description"].as_str().is_some_and(|text| text.len() > 20), "{title}");
        assert!(panel["fieldConfig"]["defaults"]["unit"].is_string(), "{title}");
        assert_eq!(panel["datasource"], json!({"type": "prometheus", "uid": "${datasource}"}), "{title}");
        assert!(panel["targets"].as_array().is_some_and(|targets| !targets.is_empty()), "{title}");
    }
}

#[test]
fn every_alert_says_how_bad_it_is_what_it_is_and_what_to_do() {
    let rules = packaged("prometheus/taxd.rules.yml");
    let alerts: Vec<&str> = rules.split("- alert: ").skip(1).collect();
    assert!(alerts.len() >= 12, "{}", alerts.len());
    let tests = packaged("prometheus/taxd.rules.test.yml");
    for alert in alerts {
        let name = alert.lines().next().unwrap();
        for part in ["expr:", "for:", "severity:", "summary:", "description:"] {
            assert!(alert.contains(part), "{name} lacks {part}");
        }
        assert!(tests.contains(&format!("alertname: {name}\n")), "{name} is not tested by promtool");
    }
}

//! What a subscriber receives: the exact body, signed, if the version passes its filters.

use data_encoding::BASE64;
use serde_json::json;

use crate::support::receiver::{Received, Receiver, authority, hmac_hex, hmac_sha256};
use crate::support::webhooks::{Webhooks, ipi};
use crate::support::{OwnRules, Server, bundle, rule, taxd, with};

/// Returns the contract's signature of a request with this secret.
pub fn own_signature(request: &Received, secret: &str) -> String {
    hmac_hex(secret.as_bytes(), &request.body)
}

/// Returns the Standard Webhooks signature of a request with this key.
pub fn standard_signature(request: &Received, key: &[u8]) -> String {
    let (id, timestamp) = (request.header("webhook-id"), request.header("webhook-timestamp"));
    let signed = [format!("{id}.{timestamp}.").as_bytes(), &request.body].concat();
    format!("v1,{}", BASE64.encode(&hmac_sha256(key, &signed)))
}

/// Returns the key in a secret of the form `whsec_...`.
pub fn decoded(secret: &str) -> Vec<u8> {
    BASE64.decode(secret.strip_prefix("whsec_").unwrap().as_bytes()).unwrap()
}

#[test]
fn a_publication_arrives_as_the_contract_has_it() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(204);
    let made = hooks.subscribe(&receiver.url(), &[]);
    let _server = hooks.serve();
    let iss = rule(
        "w-iss-sp",
        "iss",
        &json!({"uf": "SP", "municipio": "São Paulo", "item_lista_servico": ["1.05"]}),
        &json!({"aliquota": "2.90"}),
    );
    hooks.own.publish(&[ipi(1), iss]);
    let received = receiver.wait_for(2);
    let body = |code: &str| {
        let found = received.iter().find(|r| r.rule_id() == code).unwrap_or_else(|| panic!("no {code}"));
        String::from_utf8(found.body.clone()).unwrap()
    };
    assert_eq!(
        body("w-ipi-00001-v1.0"),
        r#"{"acao":"publicada","rule_id":"w-ipi-00001-v1.0","tributo":"ipi","uf_origem":null,"uf_destino":null,"municipio":null,"vigente_de":"2020-01-01"}"#
    );
    assert_eq!(
        body("w-iss-sp-v1.0"),
        r#"{"acao":"publicada","rule_id":"w-iss-sp-v1.0","tributo":"iss","uf_origem":"SP","uf_destino":"SP","municipio":"São Paulo","vigente_de":"2020-01-01"}"#
    );
    for request in &received {
        assert!(request.head.starts_with("POST /webhook?token=abc HTTP/1.1"), "{}", request.head);
        assert_eq!(request.header("content-type"), "application/json");
        assert_eq!(request.header("x-service-signature"), own_signature(request, &made.secret));
        assert_eq!(request.header("webhook-signature"), standard_signature(request, &decoded(&made.secret)));
        assert!(!request.header("webhook-id").contains('.'), "{}", request.head);
        let timestamp: i64 = request.header("webhook-timestamp").parse().unwrap();
        assert!((jiff::Timestamp::now().as_second() - timestamp).abs() < 60, "{timestamp}");
    }
    assert_ne!(received[0].header("webhook-id"), received[1].header("webhook-id"));
}

#[test]
fn a_secret_from_a_file_signs_with_its_text() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    for (n, secret) in ["um segredo do escritório", "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="].into_iter().enumerate() {
        let file = hooks.own.dir.write("secret", format!("{secret}\n"));
        let made = hooks.subscribe(&receiver.url(), &["--secret-file", file.to_str().unwrap()]);
        assert_eq!(made.secret, "", "a secret that the operator knows is not shown");
        let _server = hooks.serve();
        hooks.own.publish(&[ipi(n + 1)]);
        let request = receiver.wait_for(n + 1).pop().unwrap();
        assert_eq!(request.header("x-service-signature"), own_signature(&request, secret));
        let key = if n == 0 { secret.as_bytes().to_vec() } else { decoded(secret) };
        assert_eq!(request.header("webhook-signature"), standard_signature(&request, &key));
        hooks.run(&["subscription", "remove", &made.id]);
    }
}

#[test]
fn what_was_published_while_no_server_ran_is_delivered_when_one_does() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    hooks.subscribe(&receiver.url(), &[]);
    hooks.own.publish(&[ipi(1)]);
    assert_eq!(hooks.outbox(&["--state", "pending"]).len(), 1);
    let _server = hooks.serve();
    assert_eq!(receiver.wait_for(1)[0].rule_id(), "w-ipi-00001-v1.0");
    hooks.wait_for_state("delivered", 1);
    assert_eq!(receiver.count(), 1);
}

#[test]
fn a_dry_run_and_a_refused_import_notify_nobody() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    hooks.subscribe(&receiver.url(), &[]);
    let file = hooks.own.dir.write("dry.json", bundle(&[ipi(1)]));
    hooks.own.import(&file, &["--dry-run"]).ok();
    let wrong = with(&ipi(2), &json!({"exemplos": [{"payload": {}, "valor": "1.00"}]}));
    hooks.own.refused(&[wrong]);
    assert_eq!(hooks.outbox(&[]), Vec::<serde_json::Value>::new());
}

#[test]
fn the_built_in_rules_of_a_first_run_are_delivered_too() {
    let own = OwnRules::none();
    let client = taxd(&own.dir, ["account", "list", "--json"]).ok().json()[0]["client_id"].as_str().unwrap().to_owned();
    let receiver = Receiver::answering(200);
    let base = ["subscription", "create", "--account", &client, "--tributo", "cbs", "--url", &receiver.url()];
    taxd(&own.dir, base).ok();
    let ca = own.dir.write("ca.pem", &authority().pem);
    let _server = Server::start(&own.dir.path(), Some(&own.key), &["--webhook-ca", ca.to_str().unwrap()]);
    assert!(receiver.wait_for(1).iter().all(|request| request.json()["tributo"] == "cbs"));
}

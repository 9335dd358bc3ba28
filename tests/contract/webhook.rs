//! Sections 2.7, 4.6, 5 and 6.1: payload, signature and filters of the webhook.

use std::time::{Duration, Instant};

use ring::hmac;
use serde_json::{Value, json};

use crate::envelope::{has_version, is_date};
use crate::service::Service;
use crate::support::receiver::{Received, Receiver};
use crate::support::{bundle, taxd, with};

/// Time after which a test that waits for deliveries fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// A federal rule of one product.
pub fn product(code: &str, ncm: &str) -> Value {
    json!({
        "rule_code": code, "versao": "1.0", "tributo": "ipi", "escopo": {"ncm": ncm}, "vigente_de": "2026-01-01",
        "citacao_legal": "Decreto de exemplo",
        "conteudo": {"situacao": "tributado", "aliquota": "10.00", "tabela_versao": "TIPI de exemplo"},
    })
}

/// A rule of the operations between two UFs.
fn between(origin: &str, destination: &str) -> Value {
    json!({
        "rule_code": format!("icms-{origin}-{destination}").to_lowercase(), "versao": "1.0", "tributo": "icms",
        "escopo": {"uf_origem": origin, "uf_destino": destination}, "vigente_de": "2026-01-01",
        "citacao_legal": "Resolução de exemplo", "conteudo": {"aliquota": "12.00"},
    })
}

fn city() -> Value {
    json!({
        "rule_code": "itbi-sp", "versao": "1.0", "tributo": "itbi", "escopo": {"uf": "SP", "municipio": "São Paulo"},
        "vigente_de": "2026-01-01", "citacao_legal": "Lei de exemplo", "conteudo": {"aliquota": "3.00"},
    })
}

/// An account with subscriptions.
pub struct Subscriber<'a> {
    service: &'a Service,
    client_id: String,
}

impl Subscriber<'_> {
    pub fn new<'a>(service: &'a Service, plan: &str) -> Subscriber<'a> {
        let client_id = service.dir.account(&format!("Assinante {plan}"), &["--plan", plan]).client_id;
        Subscriber { service, client_id }
    }

    /// Returns the arguments of a new subscription.
    fn arguments<'a>(&'a self, url: &'a str, options: &[&'a str]) -> Vec<&'a str> {
        [&["subscription", "create", "--account", &self.client_id, "--url", url], options].concat()
    }

    /// Creates a subscription. Returns the secret that the operator hands over.
    #[track_caller]
    pub fn subscribe(&self, url: &str, options: &[&str]) -> String {
        let made = self.service.run(&self.arguments(url, options));
        made["secret"].as_str().unwrap_or_default().to_owned()
    }

    /// Tries to create a subscription. Returns the exit status.
    pub fn exit_status(&self, url: &str) -> i32 {
        taxd(&self.service.dir, self.arguments(url, &[])).code
    }
}

impl Service {
    /// Starts a server that delivers to the receivers of these tests. It has one rule: an empty one would load the
    /// built-in rules.
    pub fn that_delivers() -> Service {
        Service::with_authority(&[bundle(&[product("ipi-primeira", "01012100")])])
    }

    /// Waits until that many deliveries are in the state.
    #[track_caller]
    pub fn wait_for_deliveries(&self, state: &str, count: usize) {
        let began = Instant::now();
        loop {
            let listed = self.run(&["outbox", "list", "--state", state, "--limit", "1000"]);
            let deliveries = listed["deliveries"].as_array().unwrap();
            if deliveries.len() >= count {
                assert_eq!(deliveries.len(), count, "{listed}");
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{count} are not {state}: {listed}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The signature of section 5: lowercase hexadecimal HMAC-SHA256 of the raw body.
fn signature(secret: &str, body: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), body);
    data_encoding::HEXLOWER.encode(tag.as_ref())
}

fn rule_ids(received: &[Received]) -> Vec<String> {
    let mut ids: Vec<String> = received.iter().map(Received::rule_id).collect();
    ids.sort();
    ids
}

// Section 4.6: POST, `application/json`; section 5, 5: the signature over the raw bytes.
#[test]
fn a_delivery_is_a_signed_post_of_json() {
    let service = Service::that_delivers();
    let subscriber = Subscriber::new(&service, "scale");
    let receiver = Receiver::answering(200);
    let own = Receiver::answering(200);
    let secret = subscriber.subscribe(&receiver.url(), &[]);
    // The operator may bring the secret.
    let file = service.dir.write("secret", "um-segredo-combinado-por-telefone");
    subscriber.subscribe(&own.url(), &["--secret-file", file.to_str().unwrap()]);
    service.publish(&[product("ipi-a", "22030000"), city()]);
    for request in receiver.wait_for(2) {
        assert!(request.head.starts_with("POST "), "{}", request.head);
        assert!(request.header("content-type").starts_with("application/json"), "{}", request.head);
        assert_eq!(request.header("x-service-signature"), signature(&secret, &request.body));
    }
    for request in own.wait_for(2) {
        let wanted = signature("um-segredo-combinado-por-telefone", &request.body);
        assert_eq!(request.header("x-service-signature"), wanted);
    }
}

// Section 2.7: every field; section 6.1: "one POST for every publication of a rule".
#[test]
fn every_published_rule_is_one_post_with_every_field() {
    let service = Service::that_delivers();
    let receiver = Receiver::answering(200);
    Subscriber::new(&service, "scale").subscribe(&receiver.url(), &[]);
    service.publish(&[product("ipi-a", "22030000"), city(), between("SP", "BA")]);
    let received = receiver.wait_for(3);
    service.wait_for_deliveries("delivered", 3);
    assert_eq!(rule_ids(&receiver.received()), ["icms-sp-ba-v1.0", "ipi-a-v1.0", "itbi-sp-v1.0"]);
    for request in &received {
        let event = request.json();
        assert_eq!(event["acao"], "publicada", "{event}");
        assert!(has_version(&event["rule_id"]) && event["tributo"].is_string(), "{event}");
        assert!(event["vigente_de"].is_null() || is_date(&event["vigente_de"]), "{event}");
        let wanted = match event["tributo"].as_str().unwrap() {
            "ipi" => json!([null, null, null]),
            "icms" => json!(["SP", "BA", null]),
            _ => json!([event["uf_origem"], event["uf_destino"], "São Paulo"]),
        };
        assert_eq!(json!([event["uf_origem"], event["uf_destino"], event["municipio"]]), wanted, "{event}");
        for name in ["uf_origem", "uf_destino", "municipio", "vigente_de"] {
            assert!(event.get(name).is_some(), "{name} is there: {event}");
        }
    }
}

// Section 6.2: changelog events "are read by polling, not pushed. No other events are sent."
#[test]
fn a_supersession_sends_the_new_version_alone() {
    let service = Service::that_delivers();
    service.publish(&[product("ipi-a", "22030000")]);
    let receiver = Receiver::answering(200);
    Subscriber::new(&service, "scale").subscribe(&receiver.url(), &[]);
    let newer = with(&product("ipi-a", "22030000"), &json!({"versao": "1.1", "vigente_de": "2026-07-01"}));
    service.publish(&[newer]);
    let received = receiver.wait_for(1);
    service.wait_for_deliveries("delivered", 1);
    assert_eq!(received[0].json()["rule_id"], "ipi-a-v1.1");
    assert_eq!(received[0].json()["vigente_de"], "2026-07-01");
    assert_eq!(receiver.count(), 1);
}

// Section 6.1: filters by tax, origin UF and destination UF; "an absent filter is a wildcard".
#[test]
fn filters_select_by_tax_and_ufs() {
    let service = Service::that_delivers();
    let subscriber = Subscriber::new(&service, "scale");
    let all = ["icms-ba-sp-v1.0", "icms-sp-ba-v1.0", "icms-sp-rj-v1.0"];
    let cases: [(&[&str], &[&str]); 5] = [
        (&["--tributo", "icms"], &all),
        (&["--tributo", "icms", "--uf-origem", "SP"], &all[1..]),
        (&["--tributo", "icms", "--uf-destino", "SP"], &all[..1]),
        (&["--tributo", "icms", "--uf-origem", "SP", "--uf-destino", "BA"], &all[1..2]),
        (&["--tributo", "itbi"], &["itbi-sp-v1.0"]),
    ];
    let receivers: Vec<Receiver> = cases
        .iter()
        .map(|(options, _)| {
            let receiver = Receiver::answering(200);
            subscriber.subscribe(&receiver.url(), options);
            receiver
        })
        .collect();
    let unfiltered = Receiver::answering(200);
    subscriber.subscribe(&unfiltered.url(), &[]);
    service.publish(&[between("SP", "BA"), between("SP", "RJ"), between("BA", "SP"), city()]);
    let wanted: usize = cases.iter().map(|(_, ids)| ids.len()).sum();
    service.wait_for_deliveries("delivered", wanted + 4);
    for (receiver, (options, ids)) in receivers.iter().zip(cases) {
        assert_eq!(rule_ids(&receiver.received()), ids, "{options:?}");
    }
    assert_eq!(unfiltered.count(), 4);
}

// Section 2.7: "a subscription holds an HTTPS endpoint".
#[test]
fn an_endpoint_without_https_is_refused() {
    let service = Service::that_delivers();
    let subscriber = Subscriber::new(&service, "scale");
    assert_ne!(subscriber.exit_status("http://localhost:1/webhook"), 0);
    assert_eq!(subscriber.exit_status("https://localhost:1/webhook"), 0);
}

// Sections 6.1 and 8: endpoints per plan.
#[test]
fn growth_has_5_endpoints_and_the_other_plans_any_number() {
    let service = Service::that_delivers();
    for (plan, passes) in [("growth", 5), ("scale", 8), ("enterprise", 8)] {
        let subscriber = Subscriber::new(&service, plan);
        let statuses: Vec<i32> = (0..8).map(|i| subscriber.exit_status(&format!("https://localhost:1/{i}"))).collect();
        assert!(statuses[..passes].iter().all(|status| *status == 0), "{plan}: {statuses:?}");
        assert!(statuses[passes..].iter().all(|status| *status != 0), "{plan}: {statuses:?}");
    }
}

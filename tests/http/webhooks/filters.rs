//! Which publications a subscription hears of: those that pass all its filters.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::receiver::Receiver;
use crate::support::rule;
use crate::support::webhooks::{Webhooks, ipi};

fn icms(code: &str, from: &str, to: &str) -> Value {
    let conteudo = json!({"aliquota": "12.00"});
    rule(code, "icms", &json!({"uf_origem": from, "uf_destino": to}), &conteudo)
}

fn ipva(code: &str, uf: &str) -> Value {
    rule(code, "ipva", &json!({"uf": uf, "categoria_veiculo": ["automovel"]}), &json!({"aliquota": "4.00"}))
}

#[test]
fn an_absent_filter_matches_any_and_those_that_are_there_must_all_match() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    let cases: [(&[&str], &[&str]); 8] = [
        (&[], &["federal", "sp-rj", "sp-mg", "ipva-sp", "ipva-rj"]),
        (&["--tributo", "icms"], &["sp-rj", "sp-mg"]),
        (&["--tributo", "ipi"], &["federal"]),
        (&["--uf-origem", "SP"], &["sp-rj", "sp-mg", "ipva-sp"]),
        (&["--uf-destino", "RJ"], &["sp-rj", "ipva-rj"]),
        (&["--uf-origem", "SP", "--uf-destino", "SP"], &["ipva-sp"]),
        (&["--tributo", "icms", "--uf-origem", "SP", "--uf-destino", "MG"], &["sp-mg"]),
        (&["--tributo", "iss"], &[]),
    ];
    let url = |n: usize| format!("https://localhost:{}/{n}", receiver.port);
    for (n, (filters, _)) in cases.iter().enumerate() {
        hooks.subscribe(&url(n), filters);
    }
    let federal = crate::support::with(&ipi(1), &json!({"rule_code": "federal"}));
    let _server = hooks.serve();
    hooks.own.publish(&[
        federal,
        icms("sp-rj", "SP", "RJ"),
        icms("sp-mg", "SP", "MG"),
        ipva("ipva-sp", "SP"),
        ipva("ipva-rj", "RJ"),
    ]);
    let expected: usize = cases.iter().map(|(_, heard)| heard.len()).sum();
    hooks.wait_for_state("delivered", expected);
    let received = receiver.received();
    for (n, (filters, heard)) in cases.iter().enumerate() {
        let here = received.iter().filter(|r| r.head.starts_with(&format!("POST /{n} ")));
        let codes: BTreeSet<String> = here.map(|r| r.rule_id().trim_end_matches("-v1.0").to_owned()).collect();
        assert_eq!(codes, heard.iter().map(|code| (*code).to_owned()).collect(), "{filters:?}");
    }
    assert_eq!(received.len(), expected, "each once");
}

//! Which publications a subscription receives: those that pass all its filters.

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

/// A margin of ST for every origin.
fn st_of_any_origin(code: &str, to: &str) -> Value {
    let conteudo = json!({"criterio": "mva", "descricao": "Cerveja", "mva": "40.00", "ajustavel": false,
        "aliquota_interna": "18.00"});
    rule(code, "icms_st", &json!({"uf_destino": to, "ncm": "2203"}), &conteudo)
}

/// A side that a rule left open passed no filter on that side: a subscription to the ST from MG to SP missed
/// 2,898 of the 3,168 built-in margins.
#[test]
fn a_rule_passes_the_filters_that_it_could_answer_for_and_an_absent_filter_matches_any() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    let cases: [(&[&str], &[&str]); 12] = [
        (&[], &["federal", "sp-rj", "sp-mg", "ipva-sp", "ipva-rj", "st-sp", "st-rj"]),
        (&["--tributo", "icms"], &["sp-rj", "sp-mg"]),
        (&["--tributo", "ipi"], &["federal"]),
        (&["--tributo", "ipi", "--uf-origem", "SP", "--uf-destino", "RJ"], &["federal"]),
        (&["--uf-origem", "SP"], &["federal", "sp-rj", "sp-mg", "ipva-sp", "st-sp", "st-rj"]),
        (&["--uf-destino", "RJ"], &["federal", "sp-rj", "ipva-rj", "st-rj"]),
        (&["--uf-origem", "SP", "--uf-destino", "SP"], &["federal", "ipva-sp", "st-sp"]),
        (&["--tributo", "icms", "--uf-origem", "SP", "--uf-destino", "MG"], &["sp-mg"]),
        (&["--tributo", "icms_st", "--uf-origem", "MG", "--uf-destino", "SP"], &["st-sp"]),
        (&["--tributo", "icms_st", "--uf-origem", "MG"], &["st-sp", "st-rj"]),
        (&["--tributo", "icms_st", "--uf-destino", "MG"], &[]),
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
        st_of_any_origin("st-sp", "SP"),
        st_of_any_origin("st-rj", "RJ"),
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
    let open =
        received.iter().map(crate::support::receiver::Received::json).find(|sent| sent["rule_id"] == "st-sp-v1.0");
    let open = open.unwrap();
    assert_eq!((&open["uf_origem"], &open["uf_destino"]), (&Value::Null, &json!("SP")), "{open}");
}

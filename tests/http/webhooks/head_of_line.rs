//! Ten thousand rules to five endpoints, one of them dead and one slow: the other three are not delayed, and
//! memory does not grow.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::receiver::{Answer, Receiver};
use crate::support::taxd;
use crate::support::webhooks::Webhooks;

const RULES: usize = 10_000;
/// How long the slow endpoint takes to answer.
const SLOW: Duration = Duration::from_secs(9);
/// How much memory the deliveries may add to that of the server after the import: cached pages of the data
/// file, threads, connections.
const MAX_GROWTH_KIB: u64 = 48 * 1024;

fn bundle() -> String {
    let lines: Vec<Value> = (0..RULES).map(|i| json!([format!("h-ipi-{i:05}"), format!("20{i:06}")])).collect();
    let table = json!({
        "comum": {
            "versao": "1.0", "tributo": "ipi", "vigente_de": "2020-01-01", "citacao_legal": "Decreto de teste",
            "conteudo": {"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "TIPI de teste"},
        },
        "colunas": ["rule_code", "escopo.ncm"],
        "linhas": lines,
    });
    json!({"pacote": "muitas", "versao": "1.0", "descricao": "Muitas regras", "tabelas": [table]}).to_string()
}

/// Publishes to three good endpoints and these others. Returns how long the good ones took to receive all of
/// it, and by how much memory grew.
fn publish_to_three_and(others: &[&str]) -> (Duration, u64) {
    let hooks = Webhooks::new();
    let good: Vec<Receiver> = (0..3).map(|_| Receiver::answering(200)).collect();
    let urls = others.iter().map(|url| (*url).to_owned()).chain(good.iter().map(Receiver::url));
    for url in urls {
        hooks.subscribe(&url, &[]);
    }
    let server = hooks.serve();
    let file = hooks.own.dir.write("many.json", bundle());
    taxd(&hooks.own.dir, ["import".as_ref(), file.as_os_str()]).ok();
    let (began, before) = (Instant::now(), server.memory_kib("VmHWM"));
    for receiver in &good {
        receiver.wait_for(RULES);
    }
    let took = began.elapsed();
    let grown = server.memory_kib("VmHWM").saturating_sub(before);
    for receiver in &good {
        let mut heard: Vec<String> =
            receiver.received().iter().map(crate::support::receiver::Received::rule_id).collect();
        heard.sort_unstable();
        heard.dedup();
        assert_eq!(heard.len(), RULES, "each of them");
    }
    (took, grown)
}

#[test]
fn a_dead_and_a_slow_endpoint_do_not_hold_up_the_others() {
    let (alone, _) = publish_to_three_and(&[]);
    let dead = Receiver::mute();
    let slow = Receiver::start(|_, _| Answer::After(SLOW, 200));
    let (took, grown) = publish_to_three_and(&[&dead.url(), &slow.url()]);
    assert!(took < alone * 3 / 2 + Duration::from_secs(2), "alone {alone:?}, beside a dead and a slow one {took:?}");
    assert!((1..=4 * (1 + took.as_secs() / SLOW.as_secs())).contains(&(slow.count() as u64)), "{}", slow.count());
    assert!(grown < MAX_GROWTH_KIB, "memory grew by {grown} KiB");
    println!(
        "three endpoints, {RULES} rules: alone {alone:?}, beside a dead and a slow one {took:?}, {grown} KiB more"
    );
}

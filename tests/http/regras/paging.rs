//! Pages: every rule once, in one order.

use serde_json::Value;

use super::{COUNT, own_rules};
use crate::support::{DataDir, OwnRules, Server, ids, rule};

/// All pages of a query; every page but the last is full.
#[track_caller]
fn walk(server: &Server, query: &str, limit: usize) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let reply = server.get_own(&format!("/v1/regras?{query}&limit={limit}{cursor}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let page = reply.json();
        let rules = page["regras"].as_array().unwrap();
        all.extend(rules.iter().cloned());
        let Some(next) = page["proximo"].as_str() else {
            assert!(page["proximo"].is_null() && rules.len() <= limit, "{}", page["proximo"]);
            return all;
        };
        assert_eq!(rules.len(), limit, "a page before the last is full");
        cursor = format!("&cursor={next}");
    }
}

#[test]
fn pages_of_any_size_visit_every_rule_once_in_the_same_order() {
    let own = own_rules();
    let server = own.serve();
    for query in ["q=", "tributo=ipva", "situacao=vigente", "uf=AC", "rule_code=ipva-ac", "ncm=22030000", "q=teste"] {
        let whole = walk(&server, query, 500);
        for limit in [1, 2, 3, whole.len(), whole.len() + 1] {
            assert_eq!(walk(&server, query, limit), whole, "{query} by {limit}");
        }
    }
    assert_eq!(walk(&server, "q=", 500).len(), COUNT);
}

#[test]
fn all_the_built_in_rules_are_visited_once() {
    let server = DataDir::served();
    let printed = server.greeting.iter().find_map(|l| l.trim().strip_suffix(" rule versions"));
    let count: usize = printed.and_then(|l| l.rsplit(' ').next()).and_then(|n| n.parse().ok()).unwrap();
    let all = walk(&server, "q=", 500);
    let mut distinct = ids(&all);
    distinct.sort_unstable();
    distinct.dedup();
    assert!(count > 10_000, "{count}");
    assert_eq!((all.len(), distinct.len()), (count, count));
    assert_eq!(walk(&server, "q=", 499), all, "the order does not depend on the pages");
    let sum: usize = ["vigente", "futura", "encerrada", "substituida"]
        .iter()
        .map(|s| walk(&server, &format!("situacao={s}"), 500).len())
        .sum();
    assert_eq!(sum, count);
}

#[test]
fn without_a_limit_a_page_has_a_hundred() {
    let rules: Vec<Value> = (0..101)
        .map(|i| {
            let ncm = format!("2203{i:04}");
            let conteudo = serde_json::json!({"situacao": "tributado", "aliquota": "1.00", "tabela_versao": "t"});
            rule(&format!("ipi-{ncm}"), "ipi", &serde_json::json!({"ncm": ncm}), &conteudo)
        })
        .collect();
    let own = OwnRules::of(&rules);
    let server = own.serve();
    let first = server.get_own("/v1/regras").json();
    assert_eq!(first["regras"].as_array().map(Vec::len), Some(100));
    let next = server.get_own(&format!("/v1/regras?cursor={}", first["proximo"].as_str().unwrap())).json();
    assert_eq!(next["regras"].as_array().map(Vec::len), Some(1));
    assert_eq!(next["proximo"], Value::Null);
    assert_eq!(server.regras("limit=500").len(), 101);
    assert_eq!(server.regras("limit=101").len(), 101);
}

#[test]
fn a_publication_between_two_pages_repeats_no_rule_and_loses_none() {
    let own = own_rules();
    let server = own.serve();
    let before = walk(&server, "q=", 500);
    let first = server.get_own("/v1/regras?limit=5").json();
    own.publish(&[rule("ipva-ba", "ipva", &serde_json::json!({"uf": "BA"}), &serde_json::json!({"aliquota": "2.00"}))]);
    let cursor = first["proximo"].as_str().unwrap();
    let rest = server.regras(&format!("limit=500&cursor={cursor}"));
    let mut seen = ids(first["regras"].as_array().unwrap());
    seen.extend(ids(&rest));
    assert_eq!(seen[..COUNT], ids(&before));
    assert_eq!(seen[COUNT..], ["ipva-ba-v1.0"]);
}

//! What a report says of scopes that an import leaves without a rule of their own.

use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::support::{engine, publish, rule, with};

fn icms(code: &str, versao: &str, de: &str, escopo: Value) -> Value {
    let mut rule = rule(code, "icms", &Value::Null, &json!({"aliquota": "18.00"}));
    rule["escopo"] = escopo;
    with(&rule, &json!({"versao": versao, "vigente_de": de}))
}

/// The first version, and then another from 2024 on; of each closing the day, the scope and the count.
fn after(first: Value, then: &[Value]) -> Vec<(Option<String>, Option<String>, Option<usize>)> {
    let engine = engine(0);
    publish(&engine, &[icms("cerveja", "1.0", "2020-01-01", first)]).unwrap();
    gaps(&engine, then)
}

fn gaps(engine: &Engine, then: &[Value]) -> Vec<(Option<String>, Option<String>, Option<usize>)> {
    let report = publish(engine, then).unwrap();
    let notes = report.substituidas.iter().map(Result::unwrap);
    notes.map(|n| (n.lacuna_de.map(|day| day.to_string()), n.lacuna_em, n.lacuna_escopos)).collect()
}

fn moved(escopo: Value) -> Value {
    icms("cerveja", "1.1", "2024-01-01", escopo)
}

const NONE: (Option<String>, Option<String>, Option<usize>) = (None, None, None);

fn left(em: &str, scopes: usize) -> (Option<String>, Option<String>, Option<usize>) {
    (Some("2024-01-01".to_owned()), Some(em.to_owned()), Some(scopes))
}

/// A version that moved from SP to RJ left SP without a rule, and the report was silent: it looked at days alone.
#[test]
fn a_version_that_moves_from_sp_to_rj_leaves_sp_without_a_rule() {
    assert_eq!(after(json!({"uf": "SP"}), &[moved(json!({"uf": "RJ"}))]), [left("UF SP", 1)]);
    let (sp, rj) = (json!({"uf": "SP", "ncm": "2203"}), json!({"uf": "RJ", "ncm": "2203"}));
    assert_eq!(after(sp, &[moved(rj)]), [left("UF SP, NCM 2203", 1)]);
}

#[test]
fn a_scope_that_another_code_takes_over_is_not_a_gap_and_one_left_to_a_general_rule_is() {
    let taken = icms("outra", "1.0", "2024-01-01", json!({"uf": "SP", "ncm": "2203"}));
    let general = icms("geral", "1.0", "2024-01-01", json!({"uf": "SP"}));
    let (sp, rj) = (json!({"uf": "SP", "ncm": "2203"}), json!({"uf": "RJ", "ncm": "2203"}));
    assert_eq!(after(sp.clone(), &[moved(rj.clone()), taken]), [NONE]);
    assert_eq!(after(sp, &[moved(rj), general]), [left("UF SP, NCM 2203", 1)]);
}

#[test]
fn a_narrower_scope_leaves_what_it_no_longer_names_and_a_wider_one_nothing() {
    let ncm = |list: Value| json!({"uf": "SP", "ncm": list});
    assert_eq!(
        after(ncm(json!(["2203", "2204", "2205"])), &[moved(ncm(json!(["2203"])))]),
        [left("UF SP, NCM 2204", 2)]
    );
    assert_eq!(after(ncm(json!(["2203", "2204"])), &[moved(ncm(json!(["22"])))]), [NONE]);
    assert_eq!(after(ncm(json!(["2203"])), &[moved(json!({"uf": "SP"}))]), [NONE]);
    assert_eq!(after(ncm(json!(["22"])), &[moved(ncm(json!(["2203"])))]), [left("UF SP, NCM 22", 1)]);
}

#[test]
fn what_a_later_version_excepts_is_left_unless_another_answers_there() {
    let all = json!({"uf": "SP", "ncm": "22"});
    let but = json!({"uf": "SP", "ncm": "22", "ncm_exceto": ["2203"]});
    let taken = icms("outra", "1.0", "2024-01-01", json!({"uf": "SP", "ncm": "2203"}));
    assert_eq!(after(all.clone(), &[moved(but.clone())]), [left("UF SP, NCM 2203", 1)]);
    assert_eq!(after(all, &[moved(but.clone()), taken]), [NONE]);
    assert_eq!(after(but.clone(), &[moved(but)]), [NONE], "it was excepted before");
}

#[test]
fn a_gap_is_dated_where_the_last_version_of_its_scope_ends() {
    let engine = engine(0);
    publish(&engine, &[icms("cerveja", "1.0", "2020-01-01", json!({"uf": "SP"}))]).unwrap();
    let then = [
        with(&moved(json!({"uf": "SP"})), &json!({"vigente_ate": "2025-01-01"})),
        icms("cerveja", "1.2", "2025-01-01", json!({"uf": "RJ"})),
    ];
    let told = (Some("2025-01-01".to_owned()), Some("UF SP".to_owned()), Some(1));
    assert_eq!(gaps(&engine, &then), [told]);
}

/// A million gaps must not make a report of a gigabyte.
#[test]
fn of_many_gaps_the_first_thousand_say_their_scope() {
    const MANY: usize = 1_100;
    let engine = engine(0);
    let of = |versao: &str, de: &str, uf: &str| -> Vec<Value> {
        let scope = |i: usize| json!({"uf": uf, "ncm": format!("{i:08}")});
        (0..MANY).map(|i| icms(&format!("p-{i:04}"), versao, de, scope(i))).collect()
    };
    publish(&engine, &of("1.0", "2020-01-01", "SP")).unwrap();
    let told = gaps(&engine, &of("1.1", "2024-01-01", "RJ"));
    assert_eq!(told.iter().filter(|(day, _, _)| day.as_deref() == Some("2024-01-01")).count(), MANY);
    assert_eq!(told.iter().filter(|(_, em, scopes)| em.is_some() && scopes.is_some()).count(), 1_000);
}

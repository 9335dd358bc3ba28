//! Publications that touch several codes: scopes that move, ties, and scopes left alone.

use serde_json::{Value, json};

use super::{CODE, Scene, car, event, version};
use crate::support::with;

const AC: &str = "t-ipva-ac-v1.0";
const AC1: &str = "t-ipva-ac-v1.1";
const RO: &str = "t-ipva-ro-v1.0";
const RO1: &str = "t-ipva-ro-v1.1";

/// The IPVA of RO, in the same words.
fn of_ro(versao: &str, de: &str, ate: Option<&str>, rate: &str) -> Value {
    with(&version(versao, de, ate, rate), &json!({"rule_code": "t-ipva-ro", "escopo": {"uf": "RO"}}))
}

#[test]
fn two_codes_may_exchange_their_scopes_on_a_day() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00"), of_ro("1.0", "2020-01-01", None, "5.00")]);
    scene.answers_in("AC", "2024-01-01", "2.00", (AC, "2020-01-01", None));
    scene.answers_in("RO", "2024-01-01", "5.00", (RO, "2020-01-01", None));
    let ac = with(&version("1.1", "2024-01-01", None, "3.00"), &json!({"escopo": {"uf": "RO"}}));
    let ro = with(&of_ro("1.1", "2024-01-01", None, "6.00"), &json!({"escopo": {"uf": "AC"}}));
    scene.publish(&[ac, ro]);
    scene.answers_in("AC", "2023-12-31", "2.00", (AC, "2020-01-01", Some("2024-01-01")));
    scene.answers_in("RO", "2023-12-31", "5.00", (RO, "2020-01-01", Some("2024-01-01")));
    scene.answers_in("AC", "2024-01-01", "6.00", (RO1, "2024-01-01", None));
    scene.answers_in("RO", "2024-01-01", "3.00", (AC1, "2024-01-01", None));
    scene.lists(
        CODE,
        &[(AC, "2020-01-01", Some("2024-01-01"), "encerrada", Some(AC1)), (AC1, "2024-01-01", None, "vigente", None)],
    );
    let of_uf: Vec<Value> = scene.server.regras("uf=RO&vigente_em=2024-01-01");
    assert_eq!(crate::support::ids(&of_uf), [AC1]);
    scene.tells(&[
        event("publicacao", AC1, "2024-01-01", None),
        event("publicacao", RO1, "2024-01-01", None),
        event("substituicao", AC, "2020-01-01", Some(("2024-01-01", AC1))),
        event("substituicao", RO, "2020-01-01", Some(("2024-01-01", RO1))),
    ]);
    let events = scene.server.changelog("");
    let uf = |id: &str, tipo: &str| {
        let found = events.iter().find(|e| e["rule_id"] == id && e["tipo"] == tipo);
        found.unwrap_or_else(|| panic!("no {tipo} of {id}"))["uf_destino"].clone()
    };
    // An event is of the scope of the version that it concerns, not of the one that entered.
    assert_eq!((uf(AC, "substituicao"), uf(AC1, "publicacao")), (json!("AC"), json!("RO")));
}

#[test]
fn a_scope_may_move_backwards_to_a_code_that_is_new() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.answers("2021-01-01", "2.00", (AC, "2020-01-01", None));
    // The code is split: from 2021 on it keeps taxis only, and another takes the rest.
    let taxis = json!({"escopo": {"uf": "AC", "categoria_veiculo": "taxi"}});
    let kept = with(&version("1.1", "2021-01-01", None, "1.00"), &taxis);
    let taken = with(&version("1.0", "2021-01-01", None, "3.00"), &json!({"rule_code": "t-ipva-ac-resto"}));
    let taken_id = "t-ipva-ac-resto-v1.0";
    scene.publish(&[taken, kept]);
    scene.answers("2020-12-31", "2.00", (AC, "2020-01-01", Some("2021-01-01")));
    scene.answers("2021-01-01", "3.00", (taken_id, "2021-01-01", None));
    let taxi = |day| with(&car("AC", day), &json!({"categoria_veiculo": "taxi"}));
    assert_eq!(scene.server.calculate(&taxi("2021-01-01")).envelope()["regra"]["rule_id"], AC1);
    assert_eq!(scene.server.calculate(&taxi("2020-12-31")).envelope()["regra"]["rule_id"], AC);
    scene.tells(&[
        event("publicacao", taken_id, "2021-01-01", None),
        event("publicacao", AC1, "2021-01-01", None),
        event("substituicao", AC, "2020-01-01", Some(("2021-01-01", AC1))),
    ]);
}

#[test]
fn a_tie_with_a_published_code_is_refused_and_changes_nothing() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.answers("2026-01-01", "2.00", (AC, "2020-01-01", None));
    let (rules, events) = (scene.server.regras("limit=500"), scene.server.changelog("limit=500"));
    let other = |de: &str, ate: Option<&str>| with(&version("1.0", de, ate, "9.00"), &json!({"rule_code": "t-outra"}));
    // Before the other begins and until its second day; within; from a day to come on.
    let overlapping =
        [other("2010-01-01", Some("2020-01-02")), other("2021-01-01", Some("2022-01-01")), other("2099-01-01", None)];
    for rule in &overlapping {
        let said = scene.own.refused(std::slice::from_ref(rule));
        assert!(said.contains("t-outra-v1.0") && said.contains(AC) && said.contains("regras[0].escopo"), "{said}");
    }
    // Beside a rule that is right: neither enters.
    scene.own.refused(&[of_ro("1.0", "2020-01-01", None, "5.00"), overlapping[1].clone()]);
    let answer = scene.server.calculate(&car("AC", "2026-01-01")).envelope();
    assert_eq!((&answer["valor"], &answer["cached"]), (&json!("2.00"), &json!(true)));
    assert_eq!(scene.server.regras("limit=500"), rules);
    assert_eq!(scene.server.changelog("limit=500"), events);
    scene.server.calculate(&car("RO", "2026-01-01")).problem(404, "regra_inexistente");
    // One day less, and there is no tie.
    scene.publish(&[with(&overlapping[0], &json!({"vigente_ate": "2020-01-01"}))]);
    scene.answers("2019-12-31", "9.00", ("t-outra-v1.0", "2010-01-01", Some("2020-01-01")));
    scene.answers("2020-01-01", "2.00", (AC, "2020-01-01", None));
}

#[test]
fn a_tie_that_a_closing_of_the_same_bundle_resolves_is_none() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    let other = with(&version("1.0", "2024-01-01", None, "3.00"), &json!({"rule_code": "t-outra"}));
    scene.own.refused(std::slice::from_ref(&other));
    // The old code ends where the other begins: its days are stated again, with an end.
    scene.publish(&[other, version("1.1", "2020-01-01", Some("2024-01-01"), "2.00")]);
    scene.answers("2023-12-31", "2.00", (AC1, "2020-01-01", Some("2024-01-01")));
    scene.answers("2024-01-01", "3.00", ("t-outra-v1.0", "2024-01-01", None));
}

#[test]
fn a_publication_makes_forget_its_own_scope_only_also_where_a_lookup_went_through_it() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00"), of_ro("1.0", "2020-01-01", None, "5.00")]);
    let taxi = |uf: &str| with(&car(uf, "2026-01-01"), &json!({"categoria_veiculo": "taxi"}));
    for payload in [car("AC", "2026-01-01"), taxi("AC"), car("RO", "2026-01-01"), taxi("RO")] {
        assert_eq!(scene.server.calculate(&payload).envelope()["cached"], false);
        assert_eq!(scene.server.calculate(&payload).envelope()["cached"], true);
    }
    // A special rule for the taxis of AC: only they looked there.
    let special = with(
        &version("1.0", "2020-01-01", None, "1.00"),
        &json!({"rule_code": "t-ipva-ac-taxi", "escopo": {"uf": "AC", "categoria_veiculo": "taxi"}}),
    );
    scene.publish(&[special]);
    let after = |payload: &Value| {
        let answer = scene.server.calculate(payload).envelope();
        (answer["valor"].as_str().unwrap().to_owned(), answer["cached"].as_bool().unwrap())
    };
    assert_eq!(after(&taxi("AC")), ("1.00".to_owned(), false));
    assert_eq!(after(&taxi("AC")), ("1.00".to_owned(), true));
    assert_eq!(after(&taxi("RO")), ("5.00".to_owned(), true));
    assert_eq!(after(&car("RO", "2026-01-01")), ("5.00".to_owned(), true));
    assert_eq!(after(&car("AC", "2026-01-01")), ("2.00".to_owned(), true));
}

#[test]
fn the_same_bundle_again_publishes_nothing_and_makes_nothing_forget() {
    let scene = Scene::begin();
    let rules = [version("1.0", "2020-01-01", None, "2.00"), version("1.1", "2023-01-01", None, "3.00")];
    scene.publish(&rules);
    scene.answers("2026-01-01", "3.00", (AC1, "2023-01-01", None));
    let events = scene.server.changelog("");
    let report = scene.own.publish(&rules);
    assert_eq!((&report["publicadas"], &report["substituidas"]), (&json!([]), &json!([])));
    assert_eq!(report["inalteradas"], 2);
    assert_eq!(scene.server.calculate(&car("AC", "2026-01-01")).envelope()["cached"], true);
    assert_eq!(scene.server.changelog(""), events);
}

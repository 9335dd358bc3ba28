//! Versions that come after those before them.

use serde_json::{Value, json};

use super::{CODE, Scene, event, version};

const V0: &str = "t-ipva-ac-v1.0";
const V1: &str = "t-ipva-ac-v1.1";
const V2: &str = "t-ipva-ac-v1.2";

#[test]
fn the_first_version_answers_from_its_first_day_on() {
    let scene = Scene::begin();
    scene.nothing_on("2020-01-01");
    let report = scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    assert_eq!(report["substituidas"], json!([]));
    scene.nothing_on("2019-12-31");
    scene.answers("2020-01-01", "2.00", (V0, "2020-01-01", None));
    scene.answers("2026-01-01", "2.00", (V0, "2020-01-01", None));
    scene.lists(CODE, &[(V0, "2020-01-01", None, "vigente", None)]);
    scene.tells(&[event("publicacao", V0, "2020-01-01", None)]);
}

#[test]
fn a_later_version_closes_the_one_before_on_the_turning_date() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.answers("2023-06-30", "2.00", (V0, "2020-01-01", None));
    scene.answers("2023-07-01", "2.00", (V0, "2020-01-01", None));
    let report = scene.publish(&[version("1.1", "2023-07-01", None, "3.00")]);
    assert_eq!(
        report["substituidas"],
        json!([{"rule_id": V0, "tipo": "substituicao", "substituida_por": V1, "vigente_de": "2020-01-01",
                "vigente_ate_anterior": null, "vigente_ate": "2023-07-01"}])
    );
    // The rate of the day before is the same; its answer says another end, so it is calculated again.
    scene.answers("2023-06-30", "2.00", (V0, "2020-01-01", Some("2023-07-01")));
    scene.answers("2023-07-01", "3.00", (V1, "2023-07-01", None));
    scene.lists(
        CODE,
        &[(V0, "2020-01-01", Some("2023-07-01"), "encerrada", Some(V1)), (V1, "2023-07-01", None, "vigente", None)],
    );
    scene.tells(&[
        event("publicacao", V1, "2023-07-01", None),
        event("substituicao", V0, "2020-01-01", Some(("2023-07-01", V1))),
    ]);
}

#[test]
fn after_a_version_with_an_end_comes_a_gap_that_the_import_names() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.answers("2024-01-01", "2.00", (V0, "2020-01-01", None));
    let report = scene.publish(&[version("1.1", "2022-01-01", Some("2024-01-01"), "3.00")]);
    assert_eq!(report["substituidas"][0]["lacuna_de"], "2024-01-01", "{report}");
    scene.answers("2021-12-31", "2.00", (V0, "2020-01-01", Some("2022-01-01")));
    scene.answers("2023-12-31", "3.00", (V1, "2022-01-01", Some("2024-01-01")));
    scene.nothing_on("2024-01-01");
    scene.nothing_on("2026-01-01");
    scene.lists(
        CODE,
        &[
            (V0, "2020-01-01", Some("2022-01-01"), "encerrada", Some(V1)),
            (V1, "2022-01-01", Some("2024-01-01"), "encerrada", None),
        ],
    );
    // Filled later, the gap is gone, and the version with an end keeps it: nobody closed it.
    let report = scene.publish(&[version("1.2", "2024-01-01", None, "4.00")]);
    assert_eq!(report["substituidas"], json!([]));
    scene.answers("2024-01-01", "4.00", (V2, "2024-01-01", None));
    scene.answers("2023-12-31", "3.00", (V1, "2022-01-01", Some("2024-01-01")));
    scene.tells(&[event("publicacao", V2, "2024-01-01", None)]);
}

#[test]
fn an_end_with_the_next_version_ready_is_not_a_gap() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    let report = scene.publish(&[
        version("1.1", "2022-01-01", Some("2024-01-01"), "3.00"),
        version("1.2", "2024-01-01", None, "4.00"),
    ]);
    let closed = report["substituidas"].as_array().unwrap();
    assert_eq!(closed.len(), 1, "{report}");
    assert!(closed[0].get("lacuna_de").is_none(), "{report}");
    scene.answers("2023-12-31", "3.00", (V1, "2022-01-01", Some("2024-01-01")));
    scene.answers("2024-01-01", "4.00", (V2, "2024-01-01", None));
}

#[test]
fn a_gap_after_a_chain_of_versions_with_ends_is_named() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    let report = scene.publish(&[
        version("1.1", "2022-01-01", Some("2023-01-01"), "3.00"),
        version("1.2", "2023-01-01", Some("2024-01-01"), "4.00"),
    ]);
    scene.answers("2023-12-31", "4.00", (V2, "2023-01-01", Some("2024-01-01")));
    scene.nothing_on("2024-01-01");
    assert_eq!(report["substituidas"][0]["lacuna_de"], "2024-01-01", "{report}");
}

#[test]
fn a_gap_is_named_by_its_first_day_also_where_the_bundle_corrects_itself() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    let report = scene.publish(&[
        version("1.1", "2022-01-01", Some("2024-01-01"), "3.00"),
        version("1.2", "2021-01-01", Some("2023-01-01"), "4.00"),
    ]);
    scene.answers("2022-12-31", "4.00", (V2, "2021-01-01", Some("2023-01-01")));
    scene.nothing_on("2023-01-01");
    let named: Vec<&Value> =
        report["substituidas"].as_array().unwrap().iter().filter_map(|row| row.get("lacuna_de")).collect();
    assert!(!named.is_empty() && named.iter().all(|day| *day == "2023-01-01"), "{report}");
}

#[test]
fn a_future_version_waits_while_the_old_one_answers_until_then() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.answers("2098-12-31", "2.00", (V0, "2020-01-01", None));
    scene.publish(&[version("1.1", "2099-01-01", None, "3.00")]);
    scene.answers("2026-01-01", "2.00", (V0, "2020-01-01", Some("2099-01-01")));
    scene.answers("2098-12-31", "2.00", (V0, "2020-01-01", Some("2099-01-01")));
    scene.answers("2099-01-01", "3.00", (V1, "2099-01-01", None));
    scene.lists(
        CODE,
        &[(V0, "2020-01-01", Some("2099-01-01"), "vigente", Some(V1)), (V1, "2099-01-01", None, "futura", None)],
    );
    scene.tells(&[
        event("publicacao", V1, "2099-01-01", None),
        event("substituicao", V0, "2020-01-01", Some(("2099-01-01", V1))),
    ]);
}

#[test]
fn two_versions_in_one_bundle_follow_one_another_in_whatever_order_they_are_written() {
    let rules = [version("1.0", "2020-01-01", None, "2.00"), version("1.1", "2023-01-01", None, "3.00")];
    let reversed: Vec<Value> = rules.iter().rev().cloned().collect();
    for bundle in [rules.as_slice(), reversed.as_slice()] {
        let scene = Scene::begin();
        scene.publish(bundle);
        scene.answers("2022-12-31", "2.00", (V0, "2020-01-01", Some("2023-01-01")));
        scene.answers("2023-01-01", "3.00", (V1, "2023-01-01", None));
        scene.lists(
            CODE,
            &[(V0, "2020-01-01", Some("2023-01-01"), "encerrada", Some(V1)), (V1, "2023-01-01", None, "vigente", None)],
        );
        scene.tells(&[
            event("publicacao", V0, "2020-01-01", None),
            event("publicacao", V1, "2023-01-01", None),
            event("substituicao", V0, "2020-01-01", Some(("2023-01-01", V1))),
        ]);
    }
}

#[test]
fn version_ten_comes_after_version_nine() {
    let scene = Scene::begin();
    let ten = version("1.10", "2024-01-01", None, "3.00");
    scene.publish(&[ten, version("1.9", "2020-01-01", None, "2.00")]);
    scene.answers("2023-12-31", "2.00", ("t-ipva-ac-v1.9", "2020-01-01", Some("2024-01-01")));
    scene.answers("2024-01-01", "3.00", ("t-ipva-ac-v1.10", "2024-01-01", None));
    let said = scene.own.refused(&[version("1.9", "2025-01-01", None, "9.00")]);
    assert!(said.contains("t-ipva-ac-v1.9"), "{said}");
    scene.publish(&[version("1.11", "2025-01-01", None, "4.00")]);
    scene.answers("2025-01-01", "4.00", ("t-ipva-ac-v1.11", "2025-01-01", None));
}

#[test]
fn a_lower_version_number_is_refused_and_changes_nothing() {
    let scene = Scene::begin();
    scene.publish(&[version("1.5", "2020-01-01", None, "2.00")]);
    scene.answers("2026-01-01", "2.00", ("t-ipva-ac-v1.5", "2020-01-01", None));
    let before = scene.server.changelog("limit=500");
    for lower in ["1.4", "0.9"] {
        let said = scene.own.refused(&[version(lower, "2025-01-01", None, "3.00")]);
        assert!(said.contains("regras[0].versao") && said.contains(lower) && said.contains("1.5"), "{said}");
    }
    let answer = scene.server.calculate(&super::car("AC", "2026-01-01")).envelope();
    assert_eq!((&answer["valor"], &answer["cached"]), (&json!("2.00"), &json!(true)));
    scene.lists(CODE, &[("t-ipva-ac-v1.5", "2020-01-01", None, "vigente", None)]);
    assert_eq!(scene.server.changelog("limit=500"), before);
}

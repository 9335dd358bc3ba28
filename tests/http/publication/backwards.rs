//! Versions that apply to days for which another answered before.

use serde_json::json;

use super::{CODE, Scene, event, version};

const V0: &str = "t-ipva-ac-v1.0";
const V1: &str = "t-ipva-ac-v1.1";
const V2: &str = "t-ipva-ac-v1.2";

#[test]
fn a_version_from_the_same_day_or_earlier_replaces_its_predecessor_entirely() {
    for from in ["2020-01-01", "2018-06-01"] {
        let scene = Scene::begin();
        scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
        scene.answers("2020-01-01", "2.00", (V0, "2020-01-01", None));
        let report = scene.publish(&[version("1.1", from, None, "3.00")]);
        assert_eq!(
            report["substituidas"],
            json!([{"rule_id": V0, "tipo": "substituicao_retroativa", "substituida_por": V1,
                    "vigente_de": "2020-01-01", "vigente_ate_anterior": null, "vigente_ate": from}])
        );
        scene.nothing_on("2018-05-31");
        for day in [from, "2020-01-01", "2026-01-01"] {
            if day == "2020-01-01" && from == day {
                continue;
            }
            scene.answers(day, "3.00", (V1, from, None));
        }
        scene
            .lists(CODE, &[(V0, "2020-01-01", Some(from), "substituida", Some(V1)), (V1, from, None, "vigente", None)]);
        scene.tells(&[
            event("publicacao", V1, from, None),
            event("substituicao_retroativa", V0, "2020-01-01", Some((from, V1))),
        ]);
    }
}

#[test]
fn a_version_may_cut_the_one_two_back_and_replace_the_one_between() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.publish(&[version("1.1", "2023-01-01", None, "3.00")]);
    scene.answers("2021-12-31", "2.00", (V0, "2020-01-01", Some("2023-01-01")));
    scene.answers("2022-01-01", "2.00", (V0, "2020-01-01", Some("2023-01-01")));
    scene.answers("2023-01-01", "3.00", (V1, "2023-01-01", None));
    scene.publish(&[version("1.2", "2022-01-01", None, "4.00")]);
    scene.answers("2021-12-31", "2.00", (V0, "2020-01-01", Some("2022-01-01")));
    scene.answers("2022-01-01", "4.00", (V2, "2022-01-01", None));
    scene.answers("2023-01-01", "4.00", (V2, "2022-01-01", None));
    scene.lists(
        CODE,
        &[
            (V0, "2020-01-01", Some("2022-01-01"), "encerrada", Some(V2)),
            (V1, "2023-01-01", Some("2022-01-01"), "substituida", Some(V2)),
            (V2, "2022-01-01", None, "vigente", None),
        ],
    );
    scene.tells(&[
        event("publicacao", V2, "2022-01-01", None),
        event("substituicao", V0, "2020-01-01", Some(("2022-01-01", V2))),
        event("substituicao_retroativa", V1, "2023-01-01", Some(("2022-01-01", V2))),
    ]);
}

#[test]
fn what_was_replaced_entirely_is_not_superseded_again() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.publish(&[version("1.1", "2020-01-01", None, "3.00")]);
    let report = scene.publish(&[version("1.2", "2020-01-01", None, "4.00")]);
    assert_eq!(report["substituidas"].as_array().unwrap().len(), 1, "{report}");
    scene.answers("2020-01-01", "4.00", (V2, "2020-01-01", None));
    scene.lists(
        CODE,
        &[
            (V0, "2020-01-01", Some("2020-01-01"), "substituida", Some(V1)),
            (V1, "2020-01-01", Some("2020-01-01"), "substituida", Some(V2)),
            (V2, "2020-01-01", None, "vigente", None),
        ],
    );
    scene.tells(&[
        event("publicacao", V2, "2020-01-01", None),
        event("substituicao_retroativa", V1, "2020-01-01", Some(("2020-01-01", V2))),
    ]);
}

#[test]
fn a_correction_of_a_closed_past_period_leaves_the_later_version_alone() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00")]);
    scene.publish(&[version("1.1", "2023-01-01", None, "3.00")]);
    let report = scene.publish(&[version("1.2", "2020-01-01", Some("2023-01-01"), "4.00")]);
    let closed = report["substituidas"].as_array().unwrap();
    assert_eq!(closed.len(), 1, "{report}");
    assert!(closed[0].get("lacuna_de").is_none(), "{report}");
    scene.answers("2020-01-01", "4.00", (V2, "2020-01-01", Some("2023-01-01")));
    scene.answers("2022-12-31", "4.00", (V2, "2020-01-01", Some("2023-01-01")));
    scene.answers("2023-01-01", "3.00", (V1, "2023-01-01", None));
    scene.lists(
        CODE,
        &[
            (V0, "2020-01-01", Some("2020-01-01"), "substituida", Some(V2)),
            (V1, "2023-01-01", None, "vigente", None),
            (V2, "2020-01-01", Some("2023-01-01"), "encerrada", None),
        ],
    );
    scene.tells(&[
        event("publicacao", V2, "2020-01-01", None),
        event("substituicao_retroativa", V0, "2020-01-01", Some(("2020-01-01", V2))),
    ]);
}

#[test]
fn a_correction_of_a_part_of_a_past_period_leaves_a_named_gap_before_the_later_version() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00"), version("1.1", "2023-01-01", None, "3.00")]);
    let report = scene.publish(&[version("1.2", "2021-01-01", Some("2022-01-01"), "4.00")]);
    assert_eq!(report["substituidas"][0]["lacuna_de"], "2022-01-01", "{report}");
    scene.answers("2020-12-31", "2.00", (V0, "2020-01-01", Some("2021-01-01")));
    scene.answers("2021-12-31", "4.00", (V2, "2021-01-01", Some("2022-01-01")));
    scene.nothing_on("2022-01-01");
    scene.nothing_on("2022-12-31");
    scene.answers("2023-01-01", "3.00", (V1, "2023-01-01", None));
    scene.tells(&[
        event("publicacao", V2, "2021-01-01", None),
        event("substituicao", V0, "2020-01-01", Some(("2021-01-01", V2))),
    ]);
}

#[test]
fn a_retroactive_version_inside_one_bundle_leaves_the_first_with_no_day_at_all() {
    let scene = Scene::begin();
    scene.publish(&[version("1.0", "2020-01-01", None, "2.00"), version("1.1", "2019-01-01", None, "3.00")]);
    scene.answers("2019-01-01", "3.00", (V1, "2019-01-01", None));
    scene.answers("2020-01-01", "3.00", (V1, "2019-01-01", None));
    scene.lists(
        CODE,
        &[(V0, "2020-01-01", Some("2019-01-01"), "substituida", Some(V1)), (V1, "2019-01-01", None, "vigente", None)],
    );
    scene.tells(&[
        event("publicacao", V0, "2020-01-01", None),
        event("publicacao", V1, "2019-01-01", None),
        event("substituicao_retroativa", V0, "2020-01-01", Some(("2019-01-01", V1))),
    ]);
}

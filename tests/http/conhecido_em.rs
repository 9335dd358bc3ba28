//! `conhecido_em`: what would have been answered at a past instant.

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

use crate::support::{OwnRules, Reply, Server, rule, with};

fn version(versao: &str, de: &str, rate: &str) -> Value {
    let base = rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": rate}));
    with(&base, &json!({"versao": versao, "vigente_de": de}))
}

fn car(day: &str) -> Value {
    json!({"tributo": "ipva", "uf": "AC", "categoria_veiculo": "automovel", "valor_venal": "100.00",
           "data_fato_gerador": day})
}

fn known(server: &Server, payload: &Value, instant: &str) -> Reply {
    server.post(&format!("/v1/calculate?conhecido_em={instant}"), payload.to_string())
}

/// The instant of the last publication, by its own event.
fn published(server: &Server) -> Timestamp {
    server.changelog("limit=1")[0]["publicado_em"].as_str().unwrap().parse().unwrap()
}

fn text(instant: Timestamp) -> String {
    format!("{instant:.3}")
}

#[test]
fn each_past_instant_keeps_its_answers_whatever_is_published_later() {
    let own = OwnRules::none();
    own.publish(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let days = ["2019-12-31", "2020-01-01", "2022-12-31", "2023-01-01", "2024-06-01", "2026-01-01"];
    // A later one, a retroactive one that reaches behind all, one with an end, one two back.
    let later = [
        version("1.1", "2023-01-01", "2.00"),
        version("1.2", "2019-01-01", "3.00"),
        with(&version("1.3", "2024-01-01", "4.00"), &json!({"vigente_ate": "2025-01-01"})),
        version("1.4", "2022-01-01", "5.00"),
    ];
    let answers = |at: Option<Timestamp>| -> Vec<Value> {
        let one = |day: &&str| {
            let reply = match at {
                None => server.calculate(&car(day)),
                Some(at) => known(&server, &car(day), &text(at)),
            };
            let body = reply.json();
            json!([reply.status, body["valor"], body["regra"], body["codigo"]])
        };
        days.iter().map(one).collect()
    };
    let mut states = vec![(published(&server), answers(None))];
    for next in later {
        own.publish(&[next]);
        states.push((published(&server), answers(None)));
    }
    let distinct: std::collections::HashSet<String> =
        states.iter().map(|(_, a)| Value::Array(a.clone()).to_string()).collect();
    assert_eq!(distinct.len(), 5, "each publication changes the answers");
    for (i, (at, then)) in states.iter().enumerate() {
        assert_eq!(answers(Some(*at)), *then, "at the instant of publication {i}");
        if let Some((next, _)) = states.get(i + 1) {
            assert_eq!(answers(Some(*next - 1.millisecond())), *then, "until the next one, {i}");
        }
    }
    let now = Timestamp::now();
    assert_eq!(answers(Some(now)), states[4].1);
    // A restart forgets none of it.
    drop(server);
    let server = own.serve();
    let reply = known(&server, &car("2026-01-01"), &text(states[0].0));
    let answer = reply.envelope();
    assert_eq!((&answer["valor"], &answer["regra"]["vigente_ate"]), (&json!("1.00"), &Value::Null));
}

#[test]
fn it_is_never_from_the_cache_and_leaves_the_cache_alone() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let before = text(published(&server));
    own.publish(&[version("1.1", "2020-01-01", "2.00")]);
    let payload = car("2026-01-01");
    // Asked first as known then: that is not what is remembered of the payload.
    for _ in 0..3 {
        let then = known(&server, &payload, &before).envelope();
        assert_eq!((&then["valor"], &then["cached"]), (&json!("1.00"), &json!(false)));
    }
    let today = server.calculate(&payload).envelope();
    assert_eq!((&today["valor"], &today["cached"]), (&json!("2.00"), &json!(false)), "nothing was stored");
    for _ in 0..3 {
        let then = known(&server, &payload, &before).envelope();
        assert_eq!((&then["valor"], &then["cached"]), (&json!("1.00"), &json!(false)));
        let now = known(&server, &payload, &text(Timestamp::now())).envelope();
        assert_eq!((&now["valor"], &now["cached"]), (&json!("2.00"), &json!(false)));
        let today = server.calculate(&payload).envelope();
        assert_eq!((&today["valor"], &today["cached"]), (&json!("2.00"), &json!(true)), "the ordinary one is kept");
    }
    // A publication that makes forget the ordinary answer changes no past one.
    own.publish(&[version("1.2", "2020-01-01", "3.00")]);
    assert_eq!(known(&server, &payload, &before).envelope()["valor"], "1.00");
    let today = server.calculate(&payload).envelope();
    assert_eq!((&today["valor"], &today["cached"]), (&json!("3.00"), &json!(false)));
}

#[test]
fn before_the_first_publication_no_rule_answers() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let first = published(&server);
    let payload = car("2026-01-01");
    for instant in [
        text(first - 1.millisecond()),
        "1970-01-01T00:00:00Z".to_owned(),
        "2020-06-01T12:00:00.000Z".to_owned(),
        "1969-12-31T23:59:59Z".to_owned(),
        "1822-09-07T16:30:00-03:00".to_owned(),
    ] {
        let problem = known(&server, &payload, &instant).problem(404, "regra_inexistente");
        let detail = problem["detail"].as_str().unwrap();
        assert!(!detail.contains("2020-01-01"), "what was not known then is not told: {detail}");
        // Other fields would not help, so the refusal is of the instant, and offers the first that is answered.
        assert_eq!(problem["campo"], "conhecido_em", "{problem}");
        assert_eq!(problem["candidatos"][0]["conhecido_em"], text(first), "{problem}");
        assert!(detail.contains(&text(first)), "{detail}");
    }
    assert_eq!(known(&server, &payload, &text(first)).envelope()["valor"], "1.00");
    let elsewhere = with(&payload, &json!({"uf": "AM"}));
    let problem = known(&server, &elsewhere, &text(first)).problem(404, "regra_inexistente");
    assert!(problem.get("campo").is_none(), "since then the missing rule is the reason: {problem}");
}

#[test]
fn a_payload_without_a_rule_then_is_404_and_a_faulty_one_is_refused_as_ever() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let before = text(published(&server));
    own.publish(&[rule("t-ipva-am", "ipva", &json!({"uf": "AM"}), &json!({"aliquota": "9.00"}))]);
    let am = with(&car("2026-01-01"), &json!({"uf": "AM"}));
    known(&server, &am, &before).problem(404, "regra_inexistente");
    assert_eq!(server.calculate(&am).envelope()["valor"], "9.00");
    known(&server, &with(&am, &json!({"valor_venal": "x"})), &before).refuses_field("decimal_invalido", "valor_venal");
    server.post(&format!("/v1/calculate?conhecido_em={before}"), "{").problem(400, "json_invalido");
}

#[test]
fn an_instant_of_the_future_or_malformed_is_refused() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let payload = car("2026-01-01");
    let tomorrow = text(Timestamp::now() + 24.hours());
    for instant in [
        tomorrow.as_str(),
        "9999-12-31T23:59:59Z",
        "",
        "agora",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "1767225600",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T25:00:00Z",
        "01/01/2026",
        // Without an offset, and with what is none: a space is read as `+` before an offset only.
        "2026-01-01+12:00",
        "2026-01-01T12:00:00+agora",
    ] {
        let problem = known(&server, &payload, instant).problem(422, "parametro_invalido");
        assert_eq!(problem["campo"], "conhecido_em", "{instant}: {problem}");
    }
    let path =
        "/v1/calculate?conhecido_em=2026-01-01T00:00:00Z&conhecido_em=2026-01-01T00:00:00Z&conhecido=1&memoria=sim";
    let problem = server.post(path, payload.to_string()).problem(422, "parametro_invalido");
    let mut named: Vec<&str> =
        problem["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap()).collect();
    named.sort_unstable();
    assert_eq!(named, ["conhecido", "conhecido_em", "memoria"]);
}

#[test]
fn one_instant_may_be_written_with_any_offset() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let first = published(&server);
    let brasilia = |at: Timestamp| {
        let local = format!("{:.3}", at - 3.hours());
        format!("{}-03:00", local.trim_end_matches('Z'))
    };
    let payload = car("2026-01-01");
    assert_eq!(known(&server, &payload, &brasilia(first)).envelope()["valor"], "1.00");
    known(&server, &payload, &brasilia(first - 1.millisecond())).problem(404, "regra_inexistente");
    // East of Greenwich the offset has a `+`, which decoding a query turns into a space.
    let berlin = |at: Timestamp| format!("{:.3}", at + 2.hours()).trim_end_matches('Z').to_owned();
    for plus in ["+02:00", "%2B02:00", "+0200", "+02", " 02:00"] {
        let at = |instant| format!("{}{}", berlin(instant), plus.replace(' ', "%20"));
        assert_eq!(known(&server, &payload, &at(first)).envelope()["valor"], "1.00", "{plus}");
        known(&server, &payload, &at(first - 1.millisecond())).problem(404, "regra_inexistente");
    }
}

#[test]
fn the_memory_of_a_past_calculation_is_of_the_past_rule() {
    let own = OwnRules::of(&[version("1.0", "2020-01-01", "1.00")]);
    let server = own.serve();
    let before = text(published(&server));
    own.publish(&[version("1.1", "2020-01-01", "2.00")]);
    let payload = car("2026-01-01").to_string();
    let ask = |query: &str| server.post(&format!("/v1/calculate?{query}"), &payload).envelope();
    let memoria =
        |answer: &Value| answer["detalhes"]["memoria"].as_array().map(|m| Value::Array(m.clone()).to_string());
    let then = ask(&format!("memoria=true&conhecido_em={before}"));
    let now = ask("memoria=true");
    assert_eq!((&then["valor"], &now["valor"]), (&json!("1.00"), &json!("2.00")));
    let (then_steps, now_steps) = (memoria(&then).unwrap(), memoria(&now).unwrap());
    assert!(then_steps.contains("1.00") && now_steps.contains("2.00") && then_steps != now_steps, "{then_steps}");
    assert_eq!(memoria(&ask(&format!("conhecido_em={before}"))), None);
    assert_eq!(memoria(&ask(&format!("conhecido_em={before}&memoria=false"))), None);
}

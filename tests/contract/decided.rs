//! What the contract leaves open and the project decided: status codes, the body of an error, and values.

use serde_json::{Value, json};

use crate::api::Answered;
use crate::errors::in_year;
use crate::service::{RULES, Service, figures};
use crate::support::with;
use crate::taxes::{payload_of, payloads};

/// Asserts the problem document of RFC 9457, with this status and code.
#[track_caller]
pub fn problem(answer: &Answered, status: u16, code: &str) -> Value {
    let problem = answer.refused(status);
    assert!(answer.header("content-type").starts_with("application/problem+json"), "{answer:?}");
    assert_eq!(problem["codigo"], code, "{problem}");
    assert_eq!(problem["type"], format!("urn:taxd:erro:{code}"), "{problem}");
    assert_eq!(problem["status"], status, "{problem}");
    for text in ["title", "detail", "request_id"] {
        assert!(problem[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {problem}");
    }
    assert_eq!(answer.header("x-request-id"), problem["request_id"].as_str().unwrap());
    problem
}

#[track_caller]
fn refused(payload: &Value, status: u16, code: &str) -> Value {
    problem(&figures().calculate(payload), status, code)
}

#[test]
fn keys_that_do_not_work_are_a_401() {
    let service = figures();
    problem(&service.send("GET", "/v1/usage", &[], ""), 401, "chave_ausente");
    for key in ["svc_live_0", "outra"] {
        problem(&service.with_key(key).get("/v1/usage"), 401, "chave_invalida");
    }
    let own = service.dir.account("Revogada", &[]);
    service.run(&["key", "revoke", &own.live.key_id]);
    problem(&service.with_key(&own.live.key).get("/v1/usage"), 401, "chave_invalida");
}

#[test]
fn a_suspended_account_is_a_403() {
    let service = figures();
    let own = service.dir.account("Suspensa", &[]);
    service.run(&["account", "suspend", &own.client_id]);
    problem(&service.with_key(&own.live.key).get("/v1/usage"), 403, "conta_suspensa");
}

#[test]
fn a_rate_limit_or_quota_is_a_429_with_retry_after() {
    let service = figures();
    for (option, code) in [("--rate-limit", "limite_excedido"), ("--quota", "cota_esgotada")] {
        let own = service.dir.account(code, &[option, "2"]);
        let api = service.with_key(&own.live.key);
        for _ in 0..2 {
            let answer = api.calculate(&payload_of("ipi"));
            answer.ok();
            for name in ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] {
                answer.header(name).parse::<u64>().unwrap();
            }
        }
        let answer = api.calculate(&payload_of("ipi"));
        problem(&answer, 429, code);
        assert!(answer.header("retry-after").parse::<u64>().unwrap() > 0);
    }
}

#[test]
fn routes_and_methods_have_their_usual_codes() {
    let service = figures();
    problem(&service.get("/v1/outra"), 404, "rota_inexistente");
    let answer = service.get("/v1/calculate");
    assert_eq!((answer.status, answer.header("allow")), (405, "POST"));
    let own = service.dir.account("Tipo", &[]);
    let headers = [("X-API-Key", own.live.key.as_str()), ("Content-Type", "text/plain")];
    assert_eq!(service.send("POST", "/v1/calculate", &headers, "{}").status, 415);
}

#[test]
fn a_body_that_is_not_json_is_a_400() {
    problem(&figures().post("{\"tributo\": "), 400, "json_invalido");
}

#[test]
fn all_faulty_fields_are_listed_at_once() {
    let faulty = json!({"tributo": "ipi", "ncm": "2203", "valor_produto": "1,00", "data_operacao": "10/03/2026"});
    let refused = figures().calculate(&faulty).refused(422);
    let fields: Vec<&Value> = refused["erros"].as_array().unwrap().iter().map(|fault| &fault["campo"]).collect();
    assert_eq!(fields, ["ncm", "valor_produto", "data_operacao"], "{refused}");
}

#[test]
fn decimals_have_one_form() {
    let amount = |valor: Value| figures().status(&with(&payload_of("ipi"), &json!({"valor_produto": valor})));
    for faulty in [json!(1000), json!(10.5), json!("1e3"), json!(" 1"), json!("1."), json!("-1.00"), json!("+1")] {
        assert_eq!(amount(faulty.clone()), 422, "{faulty}");
    }
    assert_eq!(amount(json!("123456789012345.1234567890")), 200);
    assert_eq!(amount(json!("1234567890123456")), 422);
    assert_eq!(amount(json!("1.12345678901")), 422);
}

#[test]
fn a_duplicate_member_is_refused() {
    let body = payload_of("ipi").to_string().replacen('{', "{\"ncm\": \"22030000\", ", 1);
    assert_eq!(figures().post(&body).status / 100, 4);
}

#[test]
fn unknown_fields_are_refused_by_the_strict_taxes_and_named_by_the_others() {
    for payload in payloads() {
        let unknown = with(&payload, &json!({"campo_estranho": "1"}));
        if unknown["tributo"] == "cbs" || unknown["tributo"] == "ibs" {
            figures().calculate(&unknown).refused(422);
        } else {
            let notices = figures().envelope(&unknown)["avisos"].to_string();
            assert!(notices.contains("campo_estranho"), "{notices}");
        }
    }
}

#[test]
fn null_is_the_same_as_leaving_out() {
    let mut payload = payload_of("ipi");
    payload["frete"] = Value::Null;
    payload["ex"] = Value::Null;
    assert_eq!(figures().envelope(&payload)["valor"], "102.00");
}

#[test]
fn validity_is_half_open() {
    // The version of 2026 ends on 2027-01-01, which is the first day without it.
    let sale = |day: &str| with(&payload_of("pis"), &json!({"data_operacao": day}));
    assert_eq!(figures().envelope(&sale("2026-12-31"))["regra"]["vigente_ate"], "2027-01-01");
    figures().calculate(&sale("2027-01-01")).refused(404);
}

#[test]
fn a_municipality_matches_whatever_the_case_and_accents() {
    let sale = with(&payload_of("itbi"), &json!({"municipio": "SAO PAULO"}));
    assert_eq!(figures().envelope(&sale)["valor"], "15000.00");
}

#[test]
fn no_rule_is_regra_inexistente() {
    for payload in payloads() {
        refused(&in_year(&payload, 1990), 404, "regra_inexistente");
    }
}

#[test]
fn a_rule_without_a_figure_is_regra_sem_conteudo_and_says_which_rule() {
    let sale = with(&payload_of("icms"), &json!({"uf_origem": "GO", "uf_destino": "GO"}));
    let refused = refused(&sale, 422, "regra_sem_conteudo");
    assert_eq!(refused["regra"]["rule_id"], "icms-go-v1.0", "{refused}");
}

#[test]
fn each_named_refusal_is_a_422_with_a_code_of_its_own() {
    let of = |payload: Value, changes: Value| with(&payload, &changes);
    let pis = |changes: Value| of(payload_of("pis"), changes);
    let cases = [
        of(payload_of("icms"), json!({"destinatario_contribuinte": false})),
        of(payload_of("icms"), json!({"destinatario_consumidor_final": true})),
        of(payload_of("icms"), json!({"regime_simples_nacional": true})),
        pis(json!({"regime_apuracao": "simples"})),
        pis(json!({"ncm": "84314922"})),
        of(payload_of("cbs"), json!({"optante_simples": true})),
        pis(json!({"ncm": "40111000"})),
        pis(json!({"ncm": "87083010", "papel_na_cadeia": "fabricante_importador"})),
        of(payload_of("icms_st"), json!({"ncm": "22021000", "uf_origem": "SP", "quantidade": null})),
        of(payload_of("itcmd"), json!({"fato_gerador": "doacao", "valor_unidade_fiscal": null})),
    ];
    let mut codes: Vec<String> = cases
        .iter()
        .map(|payload| {
            let refused = figures().calculate(payload).refused(422);
            let code = refused["codigo"].as_str().unwrap().to_owned();
            problem(&figures().calculate(payload), 422, &code);
            code
        })
        .collect();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), cases.len(), "{codes:?}");
}

#[test]
fn fields_that_a_condition_requires_are_a_422() {
    let fixed = json!({"regime": "sociedade_uniprofissional", "numero_profissionais": null});
    for payload in [
        with(&payload_of("iss"), &fixed),
        with(&payload_of("itbi"), &json!({"financiado_sfh": true})),
        with(&payload_of("itbi"), &json!({"financiado_sfh": true, "valor_financiado": "0"})),
        with(&payload_of("itbi"), &json!({"financiado_sfh": true, "valor_financiado": "500000.01"})),
    ] {
        figures().calculate(&payload).refused(422);
    }
}

#[test]
fn query_parameters_beyond_their_limits_are_a_422() {
    for path in [
        "/v1/usage?recentes=0",
        "/v1/usage?recentes=51",
        "/v1/changelog?limit=0",
        "/v1/changelog?limit=501",
        "/v1/changelog?desde=ontem",
    ] {
        assert_eq!(figures().get(path).status, 422, "{path}");
    }
}

#[test]
fn a_single_uf_tax_has_its_uf_on_both_sides_of_the_changelog() {
    let events = figures().get("/v1/changelog?limit=500").ok();
    let event = events.as_array().unwrap().iter().find(|event| event["rule_id"] == "itbi-sp-v1.0").unwrap();
    assert_eq!((&event["uf_origem"], &event["uf_destino"]), (&json!("SP"), &json!("SP")));
}

#[test]
fn every_answer_has_a_request_id_and_keeps_that_of_the_caller() {
    let service = figures();
    assert!(!service.get("/v1/usage").header("x-request-id").is_empty());
    let own = service.dir.account("Pedido", &[]);
    let headers = [("X-API-Key", own.live.key.as_str()), ("X-Request-Id", "pedido-0815")];
    assert_eq!(service.send("GET", "/v1/usage", &headers, "").header("x-request-id"), "pedido-0815");
}

#[test]
fn memoria_adds_the_steps_and_changes_nothing_else() {
    let service = figures();
    let own = service.dir.account("Memória", &[]);
    let headers = [("X-API-Key", own.live.key.as_str()), ("Content-Type", "application/json")];
    for payload in payloads() {
        let mut plain = service.envelope(&payload);
        let mut explained = service.send("POST", "/v1/calculate?memoria=true", &headers, &payload.to_string()).ok();
        let steps = explained["detalhes"].as_object_mut().unwrap().remove("memoria");
        assert!(steps.as_ref().and_then(Value::as_array).is_some_and(|steps| !steps.is_empty()), "{explained}");
        for envelope in [&mut plain, &mut explained] {
            envelope.as_object_mut().unwrap().remove("cached");
        }
        assert_eq!(plain, explained);
    }
}

#[test]
fn listings_answer_304_to_what_has_not_changed() {
    let service = Service::start(&[RULES.to_owned()], &[]);
    let own = service.dir.account("Etiqueta", &[]);
    let key = ("X-API-Key", own.live.key.as_str());
    for path in ["/v1/regras?limit=5", "/v1/changelog?limit=5"] {
        let first = service.send("GET", path, &[key], "");
        let again = service.send("GET", path, &[key, ("If-None-Match", first.header("etag"))], "");
        assert_eq!((first.status, again.status, again.body.len()), (200, 304, 0), "{path}");
    }
}

#[test]
fn a_cursor_reaches_every_rule_and_every_event() {
    let service = Service::start(&[RULES.to_owned()], &[]);
    let all = serde_json::from_str::<Value>(RULES).unwrap()["regras"].as_array().unwrap().len();
    let (mut rules, mut path) = (0, "/v1/regras?limit=20".to_owned());
    loop {
        let page = service.get(&path).ok();
        rules += page["regras"].as_array().unwrap().len();
        let Some(next) = page["proximo"].as_str() else { break };
        path = format!("/v1/regras?limit=20&cursor={next}");
    }
    let (mut events, mut path) = (0, "/v1/changelog?limit=20".to_owned());
    loop {
        let page = service.get(&path);
        events += page.ok().as_array().unwrap().len();
        let Some(link) = page.headers.get("link").map(|link| link.to_str().unwrap()) else { break };
        assert!(link.contains("rel=\"next\""), "{link}");
        path = link[1..link.find('>').unwrap()].to_owned();
    }
    assert_eq!((rules, events), (all, all));
}

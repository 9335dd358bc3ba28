//! CBS and IBS outside the test year: 404 by the contract (sections 2.3 and 7), and the law of the day for a payload
//! that asks for it with `transicao`.

use serde_json::{Value, json};

use crate::support::{DataDir, Server, assert_rule, with};

/// Days after the test year: the rates of the law change between them.
const LATER_DAYS: [&str; 5] = ["2027-01-01", "2028-12-31", "2029-01-01", "2032-12-31", "2033-01-01"];

fn sale(tributo: &str, day: &str) -> Value {
    json!({
        "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "180.00", "valor_iss": "0", "valor_pis": "0",
        "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": false,
        "data_operacao": day
    })
}

fn asking(payload: &Value) -> Value {
    with(payload, &json!({"transicao": true}))
}

/// What a payload may say besides: plain, a class of each kind of treatment, refusals of each kind.
fn kinds() -> Vec<Value> {
    vec![
        json!({}),
        json!({"classificacao_tributaria": "000001", "ncm": "22030000"}),
        json!({"classificacao_tributaria": "200003", "ncm": "10063021"}),
        json!({"classificacao_tributaria": "200052", "item_lista_servico": "17.14"}),
        json!({"classificacao_tributaria": "410004"}),
        json!({"classificacao_tributaria": "620001"}),
        json!({"classificacao_tributaria": "777777"}),
        json!({"item_lista_servico": "8.01"}),
        json!({"optante_simples": true}),
        json!({"valor_ipi": "1000.00"}),
    ]
}

#[test]
fn the_payload_of_the_contract_has_no_rule_outside_2026_and_hears_what_the_law_of_the_day_answers() {
    let server = DataDir::served();
    let (mut answered, mut refused) = (0, 0);
    for tributo in ["cbs", "ibs"] {
        for (day, kind) in LATER_DAYS.iter().flat_map(|day| kinds().into_iter().map(move |kind| (day, kind))) {
            let payload = with(&sale(tributo, day), &kind);
            for payload in [payload.clone(), with(&payload, &json!({"transicao": false}))] {
                let problem = server.calculate(&payload).problem(404, "regra_inexistente");
                let detail = problem["detail"].as_str().unwrap();
                let says = |text: &str| assert!(detail.contains(text), "{text}: {detail}");
                says("`transicao: true`");
                says(day);
                assert!(problem.get("regra").is_none(), "no rule refused: {problem}");
                let reply = server.calculate(&asking(&payload));
                let asked = reply.json();
                if reply.status == 200 {
                    says(&format!("`valor` {}", asked["valor"].as_str().unwrap()));
                    answered += 1;
                } else {
                    assert_eq!(reply.status, 422, "{asked}");
                    says(&format!("`{}`", asked["codigo"].as_str().unwrap()));
                    says(asked["detail"].as_str().unwrap().trim_end_matches('.'));
                    refused += 1;
                }
                let candidate = &problem["candidatos"][0];
                assert_eq!(candidate["regra"], asked["regra"], "{problem}");
                if asked.get("regra").is_some() {
                    says(asked["regra"]["rule_id"].as_str().unwrap());
                    assert_eq!(candidate["excluida_por"], json!(["transicao"]));
                    assert_rule(&candidate["regra"]);
                }
            }
        }
    }
    assert!(answered > 20 && refused > 20, "both are seen: {answered} and {refused}");
    let detail = |payload: &Value| {
        server.calculate(payload).problem(404, "regra_inexistente")["detail"].as_str().unwrap().to_owned()
    };
    let ibs = detail(&sale("ibs", "2027-06-01"));
    assert!(
        ibs.contains("0.05% do Estado e 0.05% do Município") && ibs.contains("de 2027-01-01 a 2028-12-31"),
        "{ibs}"
    );
    let cbs = detail(&sale("cbs", "2027-06-01"));
    assert!(cbs.contains("`aliquota`") && cbs.contains("Senado Federal"), "the figure is not established: {cbs}");
    let lawyer = json!({"classificacao_tributaria": "200052", "item_lista_servico": "17.14"});
    assert!(detail(&with(&sale("ibs", "2027-06-01"), &lawyer)).contains("redução de 30.00%"));
}

#[test]
fn before_the_test_year_no_field_finds_a_rule() {
    let server = DataDir::served();
    for (tributo, kind) in
        ["cbs", "ibs"].iter().flat_map(|tributo| kinds().into_iter().map(move |kind| (tributo, kind)))
    {
        let payload = with(&sale(tributo, "2025-12-31"), &kind);
        let problem = server.calculate(&payload).problem(404, "regra_inexistente");
        let detail = problem["detail"].as_str().unwrap();
        assert!(!detail.contains("transicao"), "{detail}");
        let asked = with(&asking(&payload), &json!({"valor_is": "10.00"}));
        server.calculate(&asked).problem(404, "regra_inexistente");
    }
}

#[test]
fn in_the_test_year_the_field_changes_no_byte_of_the_answer() {
    let server = DataDir::served();
    for (tributo, kind) in
        ["cbs", "ibs"].iter().flat_map(|tributo| kinds().into_iter().map(move |kind| (tributo, kind)))
    {
        for day in ["2026-01-01", "2026-12-31"] {
            let plain = with(&sale(tributo, day), &kind);
            let text = |payload: &Value| {
                let mut reply = server.calculate(payload).text();
                if let Some(at) = reply.find(",\"request_id\"") {
                    reply.truncate(at);
                }
                reply
            };
            assert_eq!(text(&plain), text(&asking(&plain)));
            assert_eq!(
                text(&plain).replace("\"cached\":true", "\"cached\":false"),
                text(&with(&plain, &json!({"transicao": false})))
            );
        }
    }
}

/// LC 214/2025, art. 12, § 1º, V.
#[test]
fn the_imposto_seletivo_is_part_of_the_base_and_belongs_to_the_later_law() {
    let server = DataDir::served();
    for tributo in ["cbs", "ibs"] {
        for (day, value) in ["2025-12-31", "2026-03-10", "2027-03-10"].iter().flat_map(|d| [(d, "0"), (d, "50.00")]) {
            let payload = with(&sale(tributo, day), &json!({"valor_is": value}));
            let problem = server.calculate(&payload).refuses_field("campo_desconhecido", "valor_is");
            assert!(problem["detail"].as_str().unwrap().contains("`transicao: true`"), "{problem}");
        }
        // The test year has no Imposto Seletivo.
        let in_2026 = |value: &str| asking(&with(&sale(tributo, "2026-03-10"), &json!({"valor_is": value})));
        server.calculate(&in_2026("50.00")).refuses_field("valor_invalido", "valor_is");
        assert_eq!(server.calculate(&in_2026("0")).envelope()["detalhes"]["base_calculo"], "820.00");
    }
    let drink = |value: &Value| asking(&with(&sale("ibs", "2027-03-10"), &json!({"valor_is": value})));
    // 1000 - 180 + 50 = 870; 0.05 % of it is 0.435, rounded for each of the two.
    let answer = server.calculate(&drink(&json!("50.00"))).envelope();
    assert_eq!((&answer["detalhes"]["base_calculo"], &answer["valor"]), (&json!("870.00"), &json!("0.88")));
    for none in [json!("0"), json!(null)] {
        assert_eq!(server.calculate(&drink(&none)).envelope()["detalhes"]["base_calculo"], "820.00");
    }
}

fn base_and_notices(server: &Server, payload: &Value) -> (String, String) {
    let answer = server.calculate(payload).envelope();
    let notices: Vec<String> = answer["avisos"].as_array().into_iter().flatten().map(Value::to_string).collect();
    (answer["detalhes"]["base_calculo"].as_str().unwrap().to_owned(), notices.join(" "))
}

/// The law takes a tax out of the base while it exists (LC 214/2025, art. 12, § 2º, V): PIS and COFINS until 2026, ICMS
/// and ISS until 2032.
#[test]
fn a_tax_that_is_extinct_stays_in_the_base_and_a_notice_says_so() {
    let server = DataDir::served();
    let taxes = json!({"valor_icms": "100.00", "valor_iss": "50.00", "valor_pis": "10.00", "valor_cofins": "40.00"});
    // Rice: nothing is due, also in the years whose rates are not established.
    let rice = json!({"classificacao_tributaria": "200003", "ncm": "10063021"});
    let all = ["`valor_pis`", "`valor_cofins`", "`valor_icms`", "`valor_iss`"];
    for tributo in ["cbs", "ibs"] {
        for (day, base, stay) in [
            ("2026-12-31", "800.00", 0),
            ("2027-01-01", "850.00", 2),
            ("2032-12-31", "850.00", 2),
            ("2033-01-01", "1000.00", 4),
        ] {
            let payload = asking(&with(&with(&sale(tributo, day), &taxes), &rice));
            let (found, notices) = base_and_notices(&server, &payload);
            assert_eq!(found, base, "{payload}");
            let told: Vec<bool> =
                all.iter().map(|name| notices.contains(&format!("{name} não saiu da base"))).collect();
            let wanted: Vec<bool> = (0..all.len()).map(|place| place < stay).collect();
            assert_eq!(told, wanted, "{day}: {notices}");
        }
        // A zero needs no notice.
        let zero = asking(&with(&with(&sale(tributo, "2027-01-01"), &json!({"valor_icms": "0"})), &rice));
        assert!(!base_and_notices(&server, &zero).1.contains("não saiu da base"));
        // What stays in the base cannot make it negative.
        let large = asking(&with(&with(&sale(tributo, "2027-01-01"), &json!({"valor_pis": "2000.00"})), &rice));
        assert_eq!(base_and_notices(&server, &large).0, "820.00");
        server.calculate(&with(&large, &json!({"data_operacao": "2026-12-31"}))).problem(422, "base_negativa");
    }
}

#[test]
fn the_field_is_a_flag_and_nothing_else() {
    let server = DataDir::served();
    for other in [json!("true"), json!(1), json!("sim"), json!([true])] {
        let payload = with(&sale("ibs", "2027-03-10"), &json!({"transicao": other}));
        server.calculate(&payload).refuses_field("tipo_invalido", "transicao");
    }
    let absent = with(&sale("ibs", "2027-03-10"), &json!({"transicao": null}));
    server.calculate(&absent).problem(404, "regra_inexistente");
    let listed = server.get("/sandbox/tributos.json", &[]).json();
    for tributo in ["cbs", "ibs"] {
        let declared = listed.as_array().unwrap().iter().find(|tax| tax["tributo"] == tributo).unwrap();
        let by_day = json!({"campo": "transicao", "data": "data_operacao", "desde": "2027-01-01"});
        assert_eq!(declared["lei_da_data"], by_day, "the page sets the field by the day");
    }
}

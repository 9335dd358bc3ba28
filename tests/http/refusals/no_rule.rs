//! 404: no rule for the request, or no such address.

use serde_json::json;

use crate::support::{DataDir, OwnRules, code_of, examples, ids, rule, with};

/// Such a day was a fault of the payload, although it is one of the calendar.
#[test]
fn no_rule_answers_before_1900_or_after_2200() {
    let server = DataDir::served();
    let date_of = |payload: &serde_json::Value| {
        let names = ["data_operacao", "data_fato_gerador", "data", "competencia", "data_pagamento", "exercicio"];
        *names.iter().find(|name| payload.get(**name).is_some()).unwrap()
    };
    for example in examples(&server) {
        let name = date_of(&example);
        assert_eq!(server.calculate(&example).status, 200, "{example}");
        for day in ["0001-01-01", "1899-12-31", "2201-01-01", "9999-12-31"] {
            let value = if name == "exercicio" { json!(day[..4].parse::<u32>().unwrap()) } else { json!(day) };
            let problem = server.calculate(&with(&example, &json!({name: value}))).problem(404, "regra_inexistente");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(&day[..4]), "{detail}");
        }
    }
}

#[test]
fn a_rule_without_an_end_answers_to_the_last_day_of_2200() {
    let own = OwnRules::of(&[rule("t-ipva-ac", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "2.00"}))]);
    let server = own.serve();
    for (day, answers) in [("2200-12-31", true), ("2201-01-01", false), ("1899-12-31", false)] {
        let car = json!({"tributo": "ipva", "uf": "AC", "categoria_veiculo": "taxi", "valor_venal": "100.00",
                         "data_fato_gerador": day});
        assert_eq!(server.calculate(&car).status, if answers { 200 } else { 404 }, "{day}");
        assert_eq!(!server.regras(&format!("vigente_em={day}")).is_empty(), answers, "{day}");
    }
    assert!(server.changelog("desde=9999-12-31").is_empty());
    assert_eq!(server.changelog("desde=0001-01-01").len(), 1);
}

#[test]
fn an_item_that_the_list_does_not_have_is_answered_only_by_a_rule_that_names_it() {
    let iss = |code: &str, town: &str, more: &serde_json::Value, rate: &str| {
        let scope = with(&json!({"uf": "MG", "municipio": town}), more);
        rule(code, "iss", &scope, &json!({"aliquota": rate}))
    };
    let refusal =
        json!({"recusa": {"hipoteses": [{"reducao": "60.00", "anexo": "Anexo II", "descricao": "Educação"}]}});
    let own = OwnRules::none();
    let report = own.publish(&[
        iss("t-araxa", "Araxá", &json!({}), "3.00"),
        iss("t-uberaba", "Uberaba", &json!({"item_lista_servico": ["7.14", "41.01"]}), "4.00"),
        rule("t-cbs", "cbs", &json!({}), &json!({"aliquota": "0.90"})),
        rule("t-cbs-8", "cbs", &json!({"item_lista_servico": "8.01"}), &refusal),
    ]);
    let warned: Vec<&str> = report["avisos"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert_eq!(warned.len(), 2, "one for each item: {report}");
    for (told, item, near) in [(warned[0], "7.14", "7.13"), (warned[1], "41.01", "40.01")] {
        assert!(["t-uberaba-v1.0", item, near].iter().all(|word| told.contains(word)), "{told}");
    }
    let server = own.serve();
    let payload = |town: &str, item: &str| {
        json!({"tributo": "iss", "uf": "MG", "municipio": town, "item_lista_servico": item, "preco_servico": "100.00",
               "data": "2026-03-10"})
    };
    let suggests = |text: &serde_json::Value| text.as_str().unwrap().contains("o mais próximo em vigor é o 7.13");

    // The rule for every service is one for the services of the list.
    for item in ["7.14", "99.99"] {
        let none = server.calculate(&payload("Araxá", item)).problem(404, "regra_inexistente");
        let detail = none["detail"].as_str().unwrap();
        assert!(detail.contains("art. 1º") && detail.contains("o mais próximo em vigor é o"), "{none}");
    }
    let general = server.calculate(&payload("Araxá", "7.13")).envelope();
    assert_eq!((&general["valor"], code_of(&general)), (&json!("3.00"), "t-araxa"));
    assert!(general.get("avisos").is_none());
    // A law has added them, says the rule.
    for item in ["7.14", "41.01"] {
        let added = server.calculate(&payload("Uberaba", item)).envelope();
        assert_eq!((&added["valor"], added.get("avisos")), (&json!("4.00"), None));
    }
    let none = server.calculate(&payload("Betim", "7.14")).problem(404, "regra_inexistente");
    assert!(suggests(&none["detail"]), "{none}");
    let none = server.calculate(&payload("Betim", "7.13")).problem(404, "regra_inexistente");
    assert!(!none["detail"].as_str().unwrap().contains("LC 116"), "{none}");

    let reform = json!({"tributo": "cbs", "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0",
        "valor_pis": "0", "valor_cofins": "0", "valor_ipi": "100.00", "optante_simples": false,
        "cumpre_obrigacoes_acessorias": false, "data_operacao": "2026-03-10", "item_lista_servico": "7.14"});
    let answer = server.calculate(&reform).envelope();
    assert_eq!(answer["valor"], "8.10", "the IPI leaves the base");
    assert!(suggests(&answer["avisos"][0]), "{answer}");

    for (item, wanted) in [
        ("7.14", ["t-araxa-v1.0", "t-cbs-v1.0", "t-uberaba-v1.0"].as_slice()),
        ("99.99", &["t-araxa-v1.0", "t-cbs-v1.0"]),
    ] {
        assert_eq!(ids(&server.regras(&format!("item_lista_servico={item}"))), wanted, "{item}");
    }
}

/// What is wrong with the form of a request comes before what no rule exists for.
#[test]
fn a_fault_of_form_comes_before_a_service_that_is_not_one() {
    let content = json!({"aliquota": "3.00"});
    let own = OwnRules::of(&[rule("t-araxa", "iss", &json!({"uf": "MG", "municipio": "Araxá"}), &content)]);
    let server = own.serve();
    let service = json!({"tributo": "iss", "uf": "MG", "municipio": "Araxá", "item_lista_servico": "99.99",
        "preco_servico": "1,00", "data": "2026-03-10"});
    server.calculate(&service).refuses_field("decimal_invalido", "preco_servico");
    let written = with(&service, &json!({"preco_servico": "1.00"}));
    server.calculate(&written).problem(404, "regra_inexistente");
}

#[test]
fn no_such_address() {
    let server = DataDir::served();
    for path in [
        "/v2/calculate",
        "/sandbox/v1",
        "/sandbox/v1/calculate",
        "/sandbox/../taxd.redb",
        "/metrics",
        "/health",
        "/control.sock",
    ] {
        server.get(path, &[]).problem(404, "rota_inexistente");
    }
    let key = [("X-API-Key", server.key.as_str())];
    for path in ["/v1", "/v1/", "/v1/calculate/", "/v1/Calculate", "/v1/nada"] {
        server.get(path, &key).problem(404, "rota_inexistente");
        server.get(path, &[]).problem(401, "chave_ausente");
    }
}

/// What a refusal knows of the product and of the rate is in members of its document, and in its sentence.
#[test]
fn a_refusal_has_the_situation_of_the_product_and_the_bounds_of_the_rate() {
    let coffee = json!({"criterio": "mva", "descricao": "Café", "mva": "40.00", "aliquota_interna": "18.00"});
    let own = OwnRules::of(&[rule(
        "t-cafe",
        "icms_st",
        &json!({"uf_destino": "SP", "ncm": "0901", "cest": "1709600"}),
        &coffee,
    )]);
    let server = own.serve();
    let biscuit = json!({"tributo": "icms_st", "ncm": "19053100", "uf_origem": "SP", "uf_destino": "SP",
        "valor_produto": "100.00", "data_operacao": "2026-11-25"});
    let problem = server.calculate(&biscuit).problem(404, "regra_inexistente");
    assert_eq!(problem["situacao_st"], "mercadoria_sem_regra", "{problem}");
    let segment = json!([{"codigo": "17", "nome": "Produtos alimentícios", "regras_na_uf": true}]);
    assert_eq!((&problem["segmento"], problem.get("limites")), (&segment, None));
    let shirt = server.calculate(&with(&biscuit, &json!({"ncm": "99999999"}))).problem(404, "regra_inexistente");
    assert_eq!((&shirt["situacao_st"], shirt.get("segmento")), (&json!("fora_da_lista_nacional"), None));
    let service = json!({"tributo": "iss", "uf": "MG", "municipio": "Araxá", "item_lista_servico": "1.07",
        "preco_servico": "1000.00", "data": "2026-11-25"});
    let problem = server.calculate(&service).problem(404, "regra_inexistente");
    let bounds = json!({"citacao_legal": "LC nº 116/2003, arts. 8º, II, e 8º-A", "aliquota_minima": "2.00",
        "aliquota_maxima": "5.00", "base": "1000.00", "valor_minimo": "20.00", "valor_maximo": "50.00"});
    assert_eq!((&problem["limites"], problem.get("situacao_st")), (&bounds, None));
}

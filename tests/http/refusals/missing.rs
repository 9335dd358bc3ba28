//! 422: a field that is missing, or that another field makes wrong.

use serde_json::{Value, json};

use crate::support::{DataDir, code_of, declared_taxes, with};

#[test]
fn every_required_amount_of_cbs_and_ibs() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let amounts = ["valor_operacao", "valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"];
    for tributo in ["cbs", "ibs"] {
        let whole = json!({
            "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "0", "valor_iss": "0", "valor_pis": "0",
            "valor_cofins": "0", "valor_ipi": "0", "optante_simples": false, "cumpre_obrigacoes_acessorias": false,
            "data_operacao": "2026-03-10"
        });
        for field in amounts {
            let absent = with(&whole, &json!({field: null}));
            server.calculate(&absent).refuses_field("valor_material_ausente", field);
            let mut null = whole.clone();
            null[field] = Value::Null;
            server.calculate(&null).refuses_field("valor_material_ausente", field);
        }
        for field in ["optante_simples", "cumpre_obrigacoes_acessorias", "data_operacao"] {
            server.calculate(&with(&whole, &json!({field: null}))).refuses_field("campo_obrigatorio", field);
        }
        // All that is missing is named at once.
        let problem = server.calculate(&json!({"tributo": tributo})).problem(422, "payload_invalido");
        let named: Vec<&str> =
            problem["erros"].as_array().unwrap().iter().map(|e| e["campo"].as_str().unwrap()).collect();
        assert_eq!(named.len(), 9, "{problem}");
        assert!(amounts.iter().all(|a| named.contains(a)), "{problem}");
    }
}

#[test]
fn the_itemised_icms_of_pis_and_cofins() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    for tributo in ["pis", "cofins"] {
        let payload = json!({"tributo": tributo, "regime_apuracao": "cumulativo", "valor_operacao": "1000.00",
                             "data_operacao": "2026-03-10"});
        server.calculate(&payload).refuses_field("icms_destacado_ausente", "valor_icms_destacado");
        let zero = with(&payload, &json!({"valor_icms_destacado": "0"}));
        assert_eq!(server.calculate(&zero).status, 200, "an explicit zero is legitimate");
    }
}

#[test]
fn the_single_phase_and_the_buyer() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    // Gasoline, Decreto 5.059/2004: R$ 141.10 and R$ 651.40 a cubic metre for who opted for it.
    for (tributo, retail, by_unit) in [("pis", "18.60", "352.75"), ("cofins", "85.40", "1628.50")] {
        // Beer, Lei 13.097/2015: single-phase, the rate by buyer (1.86% and 8.54% to a retailer).
        let beer = json!({"tributo": tributo, "regime_apuracao": "nao_cumulativo", "ncm": "22030000",
                          "valor_operacao": "1000.00", "valor_icms_destacado": "0", "data_operacao": "2026-03-10"});
        let problem = server.calculate(&beer).refuses_field("papel_na_cadeia_ausente", "papel_na_cadeia");
        assert!(problem["regra"]["rule_id"].as_str().unwrap().starts_with(&format!("{tributo}-monofasico-bebidas")));
        let maker = with(&beer, &json!({"papel_na_cadeia": "fabricante_importador"}));
        let problem = server.calculate(&maker).refuses_field("venda_a_ausente", "venda_a");
        assert!(problem["regra"]["citacao_legal"].is_string());
        let sold = with(&maker, &json!({"venda_a": "varejista_consumidor_final"}));
        assert_eq!(server.calculate(&sold).envelope()["valor"], retail);
        // Parts of vehicles: one of the two words would only lead to the next refusal (Lei 10.485/2002, art. 3º).
        let parts = with(&maker, &json!({"ncm": "87083090", "destinacao_autopropulsado": false}));
        let detail = server.calculate(&parts).refuses_field("venda_a_ausente", "venda_a")["detail"].to_string();
        assert!(
            detail.contains("Só `varejista_consumidor_final` tem alíquota") && detail.contains("1,65%"),
            "{detail}"
        );
        let gasoline = with(&maker, &json!({"ncm": "27101259"}));
        server.calculate(&gasoline).refuses_field("regime_especial_ausente", "regime_especial");
        let special = with(&gasoline, &json!({"regime_especial": true}));
        let problem = server.calculate(&special).refuses_field("quantidade_ausente", "quantidade");
        assert!(problem["detail"].as_str().unwrap().contains("em metro cúbico"), "{problem}");
        let sold = with(&special, &json!({"quantidade": "2.5"}));
        assert_eq!(server.calculate(&sold).envelope()["valor"], by_unit);
    }
}

#[test]
fn the_number_of_professionals() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.14",
                         "preco_servico": "1000.00", "data": "2020-01-01", "regime": "sociedade_uniprofissional"});
    server.calculate(&payload).refuses_field("numero_profissionais_ausente", "numero_profissionais");
    for (number, codigo) in [
        (json!(0), "fora_do_intervalo"),
        (json!(-1), "fora_do_intervalo"),
        (json!("7"), "tipo_invalido"),
        (json!(1.5), "tipo_invalido"),
    ] {
        let payload = with(&payload, &json!({"numero_profissionais": number}));
        server.calculate(&payload).refuses_field(codigo, "numero_profissionais");
    }
}

/// An ERP sends zero where it has no quantity, and got no tax at all for it.
#[test]
fn a_zero_that_the_rule_does_not_use_is_not_at_fault() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let unused = [
        // By margin alone.
        (
            json!({"tributo": "icms_st", "ncm": "19053100", "cest": "1705300", "uf_origem": "MG", "uf_destino": "SP",
                   "data_operacao": "2026-06-10", "valor_produto": "1000.00"}),
            ["quantidade"].as_slice(),
        ),
        // The normal regime.
        (
            json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "1.05",
                   "preco_servico": "1000.00", "data": "2026-03-10"}),
            &["numero_profissionais"],
        ),
        // A rule in BRL.
        (
            json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "causa_mortis", "valor_base": "1000000.00",
                   "data_fato_gerador": "2026-05-20"}),
            &["valor_unidade_fiscal"],
        ),
        // One rate whatever the power.
        (
            json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "automovel", "valor_venal": "85000.00",
                   "combustivel": "flex", "data_fato_gerador": "2026-01-01"}),
            &["potencia_cv", "cilindrada_cm3"],
        ),
    ];
    for (payload, fields) in unused {
        let without = server.calculate(&payload).envelope();
        for field in fields {
            let zeros = if field.starts_with("valor") || *field == "quantidade" {
                vec![json!("0"), json!("0.00")]
            } else {
                vec![json!(0)]
            };
            for zero in zeros {
                let given = server.calculate(&with(&payload, &json!({*field: zero}))).envelope();
                assert_eq!(given["valor"], without["valor"], "{field}");
                assert_eq!(given["detalhes"], without["detalhes"], "{field}");
            }
        }
    }
}

#[test]
fn a_zero_that_the_rule_counts_with_is_refused_in_its_name() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let needed = [
        (
            json!({"tributo": "icms_st", "ncm": "22071090", "cest": "0600101", "uf_origem": "SP", "uf_destino": "SP",
                   "data_operacao": "2026-01-10", "valor_produto": "1000.00", "quantidade": "0.00"}),
            ("valor_zero", "quantidade"),
        ),
        (
            json!({"tributo": "ipva", "uf": "SP", "categoria_veiculo": "motocicleta", "valor_venal": "20000.00",
                   "combustivel": "gasolina", "data_fato_gerador": "2026-01-01", "cilindrada_cm3": 0}),
            ("fora_do_intervalo", "cilindrada_cm3"),
        ),
    ];
    for (payload, (codigo, field)) in needed {
        let problem = server.calculate(&payload).refuses_field(codigo, field);
        assert!(problem["regra"]["rule_id"].is_string(), "{problem}");
    }
}

#[test]
fn the_fiscal_unit() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    // No built-in rule states the UFESP of that day.
    let payload = json!({"tributo": "itcmd", "uf": "SP", "fato_gerador": "doacao", "valor_base": "1000.00",
                         "data_fato_gerador": "2020-05-20"});
    let problem = server.calculate(&payload).refuses_field("unidade_fiscal_ausente", "valor_unidade_fiscal");
    assert_eq!(code_of(&problem), "itcmd-sp-doacao");
    let zero = with(&payload, &json!({"valor_unidade_fiscal": "0.00"}));
    server.calculate(&zero).refuses_field("valor_zero", "valor_unidade_fiscal");
}

#[test]
fn the_financed_part() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "1000.00",
                         "financiado_sfh": true, "data": "2026-03-20"});
    for financed in [Value::Null, json!("0"), json!("0.00"), json!("1000.01")] {
        let payload = with(&payload, &json!({"valor_financiado": financed}));
        server.calculate(&payload).refuses_field("valor_financiado_invalido", "valor_financiado");
    }
    let whole = with(&payload, &json!({"valor_financiado": "1000.00"}));
    assert_eq!(server.calculate(&whole).status, 200, "the whole may be financed");
}

#[test]
fn a_value_of_goods_above_zero() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "icms_st", "ncm": "19053100", "cest": "1705300", "uf_origem": "SP",
                         "uf_destino": "SP", "data_operacao": "2026-06-10", "valor_produto": "0.00"});
    server.calculate(&payload).refuses_field("valor_zero", "valor_produto");
}

#[test]
fn a_negative_base_names_its_fields() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let payload = json!({"tributo": "pis", "regime_apuracao": "cumulativo", "valor_operacao": "100.00",
                         "valor_icms_destacado": "100.01", "data_operacao": "2026-03-10"});
    let problem = server.calculate(&payload).problem(422, "base_negativa");
    let named: Vec<&Value> = problem["erros"].as_array().unwrap().iter().map(|e| &e["campo"]).collect();
    assert_eq!(named, [&json!("valor_operacao"), &json!("valor_icms_destacado")]);
    let equal = with(&payload, &json!({"valor_icms_destacado": "100.00"}));
    assert_eq!(server.calculate(&equal).envelope()["valor"], "0.00");
}

/// It was a 422, like a fault of form; the contract's 404 is for discriminators without a rule.
#[test]
fn a_municipality_that_the_uf_has_not_is_404_unless_something_else_is_wrong() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let of_city = |tax: &Value| tax["campos"].as_array().unwrap().iter().any(|field| field["nome"] == "municipio");
    let taxes: Vec<Value> = declared_taxes(&server).into_iter().filter(of_city).collect();
    assert!(taxes.len() >= 3, "iss, iptu and itbi");
    for tax in taxes {
        for (uf, name, hint) in [("SP", "São Palo", "São Paulo"), ("RJ", "Campinas", "SP"), ("SP", "9999999", "IBGE")]
        {
            let payload = with(&tax["exemplo"], &json!({"uf": uf, "municipio": name}));
            let problem = server.calculate(&payload).refuses_field("municipio_desconhecido", "municipio");
            assert!(problem["detail"].as_str().unwrap().contains(hint), "{problem}");
            assert!(problem.get("tipo_recusa").is_none(), "{problem}");
        }
        let required = tax["campos"].as_array().unwrap().iter().map(|field| field["nome"].as_str().unwrap());
        let amount = required.into_iter().find(|name| name.starts_with("valor_") || *name == "preco_servico").unwrap();
        let two = with(&tax["exemplo"], &json!({"municipio": "Nárnia", amount: "1,00"}));
        let problem = server.calculate(&two).problem(422, "payload_invalido");
        assert_eq!(problem["erros"].as_array().unwrap().len(), 2, "{problem}");
        // An unknown UF has no municipalities to look in.
        server.calculate(&with(&tax["exemplo"], &json!({"uf": "XX"}))).refuses_field("uf_invalida", "uf");
    }
    // What concerns several fields is a fault of form, too.
    let itbi = json!({"tributo": "itbi", "uf": "SP", "municipio": "Nárnia", "valor_transacao": "1000.00",
                      "financiado_sfh": true, "valor_financiado": "1000.01", "data": "2026-03-20"});
    let problem = server.calculate(&itbi).problem(422, "payload_invalido");
    let named: Vec<&Value> = problem["erros"].as_array().unwrap().iter().map(|e| &e["campo"]).collect();
    assert_eq!(named, [&json!("municipio"), &json!("valor_financiado")]);
}

//! 422: a field that is missing, or that another field makes wrong.

use serde_json::{Value, json};

use crate::support::{DataDir, declared_taxes, with};

/// An ERP sends zero where it has no quantity, and got no tax at all for it.
#[test]
fn a_zero_that_the_rule_does_not_use_is_not_at_fault() {
    let server = DataDir::served();
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

/// It was a 422, like a fault of form; the contract's 404 is for discriminators without a rule.
#[test]
fn a_municipality_that_the_uf_has_not_is_404_unless_something_else_is_wrong() {
    let server = DataDir::served();
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

//! The years from 2029 on, in which the IBS replaces ICMS and ISS: what the built-in rules answer in 2028 is answered at
//! the share of the year, or refused by the national rule of the transition, and never as in 2028.

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd_base::problem::{ErrorCode, TipoRecusa};
use taxd_base::value::Date;

use crate::support::{built_in_engine, calculate, with};
use crate::worked_examples::worked_examples;

const TAXES: [&str; 4] = ["icms", "icms_st", "icms_consumidor_final", "iss"];
const SHARES: [(&str, &str); 4] = [("2029", "0.9"), ("2030", "0.8"), ("2031", "0.7"), ("2032", "0.6")];

/// Every payload of a worked example of the taxes that end.
fn payloads() -> Vec<Value> {
    let is_of_them = |payload: &Value| TAXES.iter().any(|tributo| payload["tributo"] == *tributo);
    let found: Vec<Value> = worked_examples().into_iter().filter(is_of_them).collect();
    assert!(found.len() > 1_000, "{}", found.len());
    found
}

fn on(payload: &Value, day: &str) -> Value {
    let field = if payload["tributo"] == "iss" { "data" } else { "data_operacao" };
    with(payload, &json!({field: day}))
}

fn amount(answer: &Value, name: &str) -> Decimal {
    let part = if name == "valor" { &answer["valor"] } else { &answer["detalhes"][name] };
    part.as_str().unwrap_or_else(|| panic!("{name}: {answer}")).parse().unwrap()
}

/// The rule code of the national rule of a tax.
fn national(payload: &Value) -> String {
    format!("{}-transicao", payload["tributo"].as_str().unwrap().replace('_', "-"))
}

/// ICMS of São Paulo was 180.00 on 1,000.00 in 2029 and in 2033, and ISS 50.00.
#[test]
fn what_2028_answers_is_due_at_the_share_of_the_year_or_refused_by_the_national_rule() {
    let (mut reduced, mut refused) = (0, 0);
    for payload in payloads() {
        let Ok(before) = calculate(built_in_engine(), &on(&payload, "2028-12-31")) else { continue };
        for (year, share) in SHARES {
            let payload = on(&payload, &format!("{year}-07-01"));
            match calculate(built_in_engine(), &payload) {
                Ok(answer) => {
                    let share: Decimal = share.parse().unwrap();
                    // To a taxpayer of another UF only the own ICMS of the seller is calculated.
                    let rate = match &answer["detalhes"] {
                        shown if shown["aliquota_interna"].is_string() => "aliquota_interna",
                        shown if shown["aliquota_interestadual"].is_string() => "aliquota_interestadual",
                        _ => "aliquota_aplicada",
                    };
                    assert_eq!(amount(&answer, rate), amount(&before, rate) * share, "{payload}: {answer}");
                    // Each of two parts is rounded by itself.
                    let difference = amount(&answer, "valor") - amount(&before, "valor") * share;
                    assert!(difference.abs() <= Decimal::new(2, 2), "{payload}: {answer}");
                    let others = answer["detalhes"]["regras_auxiliares"].as_array().unwrap();
                    let named =
                        others.iter().any(|rule| rule["rule_id"].as_str().unwrap().starts_with(&national(&payload)));
                    assert!(named, "{payload}: {answer}");
                    reduced += 1;
                }
                // The lists of ST of a State can end in the transition.
                Err(problem) if payload["tributo"] == "icms_st" && problem.codigo == ErrorCode::RegraInexistente => {}
                Err(problem) => {
                    assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo, "{payload}: {}", problem.detail);
                    let regra = problem.regra.as_ref().unwrap();
                    let rule_id = regra.rule_id.to_string();
                    // A benefit that ends with 2028 is refused by its next version.
                    let ended = regra.vigente_de == Date::parse("2029-01-01").unwrap();
                    assert!(
                        ended || rule_id.starts_with(&national(&payload)),
                        "{payload}: {rule_id}: {}",
                        problem.detail
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(reduced > 1_000 && refused > 1_000, "both are seen: {reduced} and {refused}");
}

#[test]
fn from_2033_on_the_taxes_are_extinct_whatever_the_request() {
    for payload in payloads() {
        for day in ["2033-01-01", "2040-12-31"] {
            let problem = calculate(built_in_engine(), &on(&payload, day)).expect_err("the tax has ended");
            assert_eq!(problem.codigo, ErrorCode::TributoExtinto, "{payload}: {}", problem.detail);
            assert_eq!(problem.tipo_recusa, Some(TipoRecusa::TributoExtinto), "{payload}");
            let regra = problem.regra.as_ref().unwrap();
            assert_eq!(regra.rule_id.to_string(), format!("{}-v2.0", national(&payload)));
            assert!(
                problem.detail.contains("desde 01/01/2033") && regra.citacao_legal.as_str().contains("ADCT, art. 129")
            );
        }
    }
}

/// What is more than a rate falls in the same proportion, and how was not read.
#[test]
fn no_benefit_surcharge_or_fixed_amount_is_answered_in_the_transition() {
    let icms = |more: &Value| {
        let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "1000.00",
            "data_operacao": "2029-01-15"});
        with(&payload, more)
    };
    let iss = json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2029-01-15", "regime": "sociedade_uniprofissional",
        "numero_profissionais": 2});
    let fuel = json!({"ncm": "27101259", "papel_na_cadeia": "revenda"});
    for (payload, what) in [
        (icms(&json!({"ncm": "49019900"})), "a isenção"),
        (icms(&json!({"uf_origem": "RJ", "uf_destino": "RJ"})), "o adicional do fundo"),
        (icms(&fuel), "o imposto por unidade"),
        (icms(&with(&fuel, &json!({"papel_na_cadeia": "fabricante_importador", "quantidade": "10"}))), "por unidade"),
        (iss, "o valor fixo por profissional"),
    ] {
        let problem = calculate(built_in_engine(), &payload).expect_err("more than a rate");
        assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo, "{payload}");
        assert!(problem.detail.contains(what), "{payload}: {}", problem.detail);
    }
    // A seller in the Simples Nacional pays the ICMS of a fuel outside of it: the role is asked for as before.
    let problem = calculate(built_in_engine(), &icms(&json!({"ncm": "27101259"}))).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::PapelNaCadeiaAusente);
}

#[test]
fn the_steps_of_the_calculation_show_the_share_and_its_law() {
    let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "BA", "valor_produto": "1000.00",
        "data_operacao": "2029-01-15"});
    let answer = built_in_engine().calculate(payload.to_string().as_bytes(), true).unwrap();
    let answer: Value = serde_json::from_slice(&answer.to_json()).unwrap();
    assert_eq!((&answer["valor"], &answer["detalhes"]["valor_icms"]), (&json!("63.00"), &json!("63.00")));
    let steps = answer["detalhes"]["memoria"].as_array().unwrap();
    let step = steps.iter().find(|step| step["nome"] == "aliquota_aplicada").unwrap();
    assert_eq!((&step["formula"], &step["resultado"]), (&json!("7,00 × 90,00%"), &json!("6.30")));
    assert!(step["fundamento"].as_str().unwrap().contains("art. 31-A"), "{step}");
    let last = steps.last().unwrap();
    assert_eq!(last["formula"], "1.000,00 × 6,30%");
}

//! Taxes without an amount, what depends on them, and facts at fault.

use serde_json::{Value, json};
use taxd_base::document::{Object, Role, Shape};
use taxd_base::problem::{ErrorCode, Problem};
use taxd_law::operation;
use taxd_law::tax::find;

use super::rules::{ICMS_UNKNOWN, IPI_UNKNOWN, apuracao, engine, sale, service, tax, text_by};
use crate::support::with;

#[track_caller]
fn situations(apuracao: &Value, wanted: &[(&str, &str)]) {
    for (tributo, situacao) in wanted {
        assert_eq!(tax(apuracao, tributo)["situacao"], *situacao, "{tributo}: {apuracao:#}");
    }
}

#[test]
fn what_depends_on_a_refused_icms_is_refused_and_names_it() {
    let facts = json!({"ncm": ICMS_UNKNOWN, "contribuinte_ipi": false, "substituicao_tributaria": false});
    let apuracao = apuracao(&with(&sale(), &facts));
    assert_eq!(tax(&apuracao, "icms")["problema"]["codigo"], "regra_sem_conteudo");
    for (tributo, on) in [
        ("pis", json!(["icms"])),
        ("cofins", json!(["icms"])),
        ("cbs", json!(["icms", "pis", "cofins"])),
        ("ibs", json!(["icms", "pis", "cofins"])),
    ] {
        let line = tax(&apuracao, tributo);
        assert_eq!((&line["situacao"], &line["depende_de"]), (&json!("recusado"), &on), "{tributo}");
        assert_eq!((line.get("pedido"), &line["valor"]), (None, &Value::Null), "{tributo} is not asked");
    }
    let totals = &apuracao["totais"];
    assert_eq!(totals["valor_documento"], json!({"valor": "1000.00", "completo": true, "faltam": []}));
    let missing = json!({"valor": "0.00", "completo": false, "faltam": ["icms", "pis", "cofins", "cbs", "ibs"]});
    assert_eq!((&totals["tributos"], &apuracao["completo"]), (&missing, &json!(false)));
}

#[test]
fn a_refused_ipi_stops_the_taxes_whose_base_has_it_and_no_other() {
    let unknown = with(&sale(), &json!({"ncm": IPI_UNKNOWN}));
    let to_reseller = apuracao(&unknown);
    let wanted = [("icms", "calculado"), ("icms_st", "recusado"), ("pis", "calculado"), ("cbs", "recusado")];
    situations(&to_reseller, &wanted);
    assert_eq!(tax(&to_reseller, "cbs")["depende_de"], json!(["ipi"]));
    assert_eq!(to_reseller["totais"]["valor_documento"]["faltam"], json!(["ipi", "icms_st"]));
    let to_consumer = apuracao(&with(&unknown, &json!({"destinatario_contribuinte": false})));
    situations(&to_consumer, &[("icms_consumidor_final", "recusado"), ("pis", "recusado")]);
    assert_eq!(tax(&to_consumer, "pis")["depende_de"], json!(["icms_consumidor_final"]));
}

/// A missing rule of ICMS-ST is not a zero: the total of the document says that it may lack one.
#[test]
fn a_tax_without_a_rule_is_missing_from_the_totals() {
    let apuracao = apuracao(&with(&sale(), &json!({"ncm": "01013000", "contribuinte_ipi": false})));
    situations(&apuracao, &[("icms_st", "sem_regra"), ("cbs", "calculado")]);
    let document = json!({"valor": "1000.00", "completo": false, "faltam": ["icms_st"]});
    assert_eq!(apuracao["totais"]["valor_documento"], document);
}

#[test]
fn a_fact_that_one_tax_needs_is_missing_from_that_tax_alone() {
    let facts = json!({"papel_na_cadeia": null, "regime_apuracao": null, "substituicao_tributaria": false});
    let apuracao = apuracao(&with(&sale(), &facts));
    situations(&apuracao, &[("icms", "calculado")]);
    for (tributo, campo) in [("ipi", "contribuinte_ipi"), ("pis", "regime_apuracao")] {
        let problem = &tax(&apuracao, tributo)["problema"];
        assert_eq!((&problem["codigo"], &problem["campo"]), (&json!("campo_obrigatorio"), &json!(campo)));
    }
}

/// The missing fields were once named one after the other: a tax that waits for another was not looked at.
#[test]
fn what_every_tax_lacks_is_said_at_once_also_by_those_that_wait_for_another() {
    let bare = json!({
        "papel_na_cadeia": null, "contribuinte_ipi": null, "regime_apuracao": null, "cumpre_obrigacoes_acessorias": null
    });
    let facts = with(&sale(), &bare);
    let answered = apuracao(&facts);
    let campos: Vec<(&str, &str)> = answered["tributos"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tax| Some((tax["tributo"].as_str()?, tax["problema"]["campo"].as_str()?)))
        .collect();
    let wanted = [
        ("ipi", "contribuinte_ipi"),
        ("pis", "regime_apuracao"),
        ("cofins", "regime_apuracao"),
        ("cbs", "cumpre_obrigacoes_acessorias"),
        ("ibs", "cumpre_obrigacoes_acessorias"),
    ];
    assert_eq!(campos, wanted, "{answered:#}");
    assert_eq!(tax(&answered, "cbs")["depende_de"], json!(["ipi", "pis", "cofins"]));
    // A tax that lacks no datum only waits: what it answers to a made-up amount is not in the answer.
    let waiting = apuracao(&with(&facts, &json!({"cumpre_obrigacoes_acessorias": true})));
    let cbs = tax(&waiting, "cbs");
    assert_eq!((cbs.get("problema"), cbs.get("pedido"), &cbs["valor"]), (None, None, &Value::Null), "{waiting:#}");
}

/// Facts at fault are refused before anything is calculated; a datum that only a tax needs is not such a fault.
#[test]
fn the_check_refuses_what_the_calculation_refuses_for_its_facts() {
    for facts in [json!({"uf_destino": null}), json!({"ncm": "12"}), json!({"desconto": "1000.01"}), json!([])] {
        let facts = if facts.is_array() { facts } else { with(&sale(), &facts) };
        let text = facts.to_string();
        let checked = operation::parse(text.as_bytes()).and_then(|facts| operation::check(&facts)).unwrap_err();
        let calculated = text_by(engine(), &facts).unwrap_err();
        assert_eq!((checked.codigo, &checked.detail), (calculated.codigo, &calculated.detail));
    }
    let facts = with(&sale(), &json!({"regime_apuracao": null})).to_string();
    operation::check(&operation::parse(facts.as_bytes()).unwrap()).unwrap();
}

#[track_caller]
fn faults(facts: &Value) -> Vec<(String, ErrorCode)> {
    let problem = text_by(engine(), facts).expect_err("the facts are at fault");
    problem.erros.iter().map(|erro| (erro.campo.clone(), erro.codigo)).collect()
}

#[test]
fn facts_at_fault_are_all_named_at_once() {
    let fault = |campo: &str, codigo| (campo.to_owned(), codigo);
    let neither = with(&sale(), &json!({"valor_produto": null}));
    assert_eq!(faults(&neither), [fault("valor_produto", ErrorCode::CampoObrigatorio)]);
    assert_eq!(faults(&with(&sale(), &service())), [fault("valor_produto", ErrorCode::CampoObrigatorio)]);
    let mixed = with(&sale(), &json!({"uf": "SP", "uf_destino": null, "desconto": "1000.01"}));
    let wanted = [
        fault("uf", ErrorCode::ValorInvalido),
        fault("uf_destino", ErrorCode::CampoObrigatorio),
        fault("desconto", ErrorCode::BaseNegativa),
    ];
    assert_eq!(faults(&mixed), wanted);
    let mixed = with(&service(), &json!({"frete": "1.00", "municipio": null}));
    let wanted = [fault("frete", ErrorCode::ValorInvalido), fault("municipio", ErrorCode::CampoObrigatorio)];
    assert_eq!(faults(&mixed), wanted);
    // A municipality without its UF was once refused without a reason.
    let nowhere = with(&service(), &json!({"uf": null}));
    assert_eq!(faults(&nowhere), [fault("uf", ErrorCode::CampoObrigatorio)]);
    for (facts, campo) in [
        (
            json!({"destinatario_contribuinte": false, "destinatario_consumidor_final": false}),
            "destinatario_consumidor_final",
        ),
        (
            json!({"destinatario_consumidor_final": true, "destinado_industrializacao": true}),
            "destinado_industrializacao",
        ),
        (
            json!({"valor_icms_st_retido": "1.00", "uf_destino": "RJ", "papel_na_cadeia": "revenda"}),
            "valor_icms_st_retido",
        ),
        // Who makes the goods did not buy them.
        (json!({"valor_icms_st_retido": "1.00"}), "valor_icms_st_retido"),
        // The regime once said one thing and the flag another, and the flag won in silence.
        (json!({"regime_apuracao": "simples"}), "regime_apuracao"),
        (json!({"regime_simples_nacional": true}), "regime_apuracao"),
    ] {
        assert_eq!(faults(&with(&sale(), &facts)), [fault(campo, ErrorCode::ValorInvalido)]);
    }
    let problem = text_by(engine(), &with(&sale(), &json!({"fretes": "1.00"}))).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::CampoDesconhecido);
    assert!(problem.detail.contains("Você quis dizer `frete`?"), "{problem:?}");
}

/// An outage in the middle of an operation is not a refusal of one tax.
#[test]
fn a_failure_of_the_service_fails_the_operation() {
    let ask = |payload: &Object<'_>| match payload.text("tributo") {
        Some("pis") => Err(Box::new(Problem::unavailable())),
        _ => engine().answer(payload, false, None),
    };
    let sale = sale().to_string();
    let failed = operation::calculate(&operation::parse(sale.as_bytes()).unwrap(), &ask).unwrap_err();
    assert_eq!(failed.codigo, ErrorCode::Indisponivel);
}

/// One quantity cannot be litres for ICMS and cubic metres for PIS: it once was, and the total said that it was whole.
#[test]
fn a_quantity_that_two_taxes_count_in_different_units_is_refused() {
    let facts = json!({
        "data_operacao": "2025-08-10", "valor_produto": "50000.00", "uf_origem": "SP", "uf_destino": "SP",
        "ncm": "27101259", "papel_na_cadeia": "fabricante_importador", "regime_apuracao": "nao_cumulativo",
        "regime_especial": true, "quantidade": "10000", "substituicao_tributaria": false
    });
    let text = text_by(&crate::support::built_in().0, &facts).unwrap();
    let apuracao: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(tax(&apuracao, "icms")["valor"], "14700.00");
    for tributo in ["pis", "cofins"] {
        assert_eq!(tax(&apuracao, tributo)["problema"]["campo"], "quantidade", "{apuracao:#}");
    }
    assert_eq!(apuracao["completo"], false);
}

/// LC 123/2006, art. 18, § 4º-A, I: the maker of such goods pays PIS and COFINS beside the Simples Nacional.
#[test]
fn the_simples_does_not_include_what_is_paid_once_in_the_chain() {
    let maker = json!({"ncm": super::rules::SINGLE_PHASE, "regime_simples_nacional": true, "regime_apuracao": null});
    let maker = apuracao(&with(&sale(), &maker));
    situations(&maker, &[("pis", "recusado"), ("cofins", "recusado")]);
    let ordinary = apuracao(&with(&sale(), &json!({"regime_simples_nacional": true, "regime_apuracao": null})));
    situations(&ordinary, &[("pis", "regime_unificado"), ("cofins", "regime_unificado")]);
}

#[test]
fn the_difference_that_the_buyer_of_a_seller_in_the_simples_pays_is_not_zero() {
    let facts = json!({
        "uf_destino": "RJ", "destinatario_consumidor_final": true, "regime_simples_nacional": true,
        "regime_apuracao": null
    });
    situations(&apuracao(&with(&sale(), &facts)), &[("icms_consumidor_final", "recusado")]);
}

/// An answer without its ICMS once counted as one of zero, and PIS was calculated on a base that still had the tax.
#[test]
fn each_answer_about_icms_has_the_amount_that_later_taxes_need() {
    for tributo in ["icms", "icms_consumidor_final"] {
        let Shape::Document(fields) = find(tributo).unwrap().detalhes else { panic!("{tributo}") };
        let own: Vec<_> = fields.iter().filter(|field| field.role == Some(Role::Icms)).collect();
        assert!(matches!(own[..], [field] if field.required && !field.nullable), "{tributo}: {own:?}");
    }
}

/// An operation of 2033 had no CBS and no IBS, because they waited for the amount of the extinct ICMS.
#[test]
fn an_extinct_tax_does_not_apply_and_the_others_do_not_wait_for_it() {
    let facts = json!({"data_operacao": "2033-01-01", "contribuinte_ipi": false, "substituicao_tributaria": false});
    let apuracao = apuracao(&with(&sale(), &facts));
    let icms = tax(&apuracao, "icms");
    assert_eq!((&icms["situacao"], &icms["motivo"]), (&json!("nao_se_aplica"), &json!("O ICMS está extinto.")));
    for tributo in ["cbs", "ibs"] {
        assert_eq!(tax(&apuracao, tributo).get("depende_de"), None, "{apuracao:#}");
    }
    let missing = apuracao["totais"]["tributos"]["faltam"].as_array().unwrap();
    assert!(!missing.contains(&json!("icms")), "{missing:?}");
}

//! Sections 2.3, 2.4 and 7, `cbs` and `ibs`: the test year 2026.

use serde_json::{Value, json};

use crate::rows::{Form, Row, optional, required};
use crate::service::figures;
use crate::support::with;

/// Each tax, its rate, and the tax on 738.00.
const TAXES: [(&str, &str, &str); 2] = [("cbs", "0.90", "6.64"), ("ibs", "0.10", "0.74")];

/// Amounts that are required: "declare 0 if not applicable".
const AMOUNTS: [&str; 5] = ["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"];

/// An operation of someone who does not meet the accessory obligations.
pub fn payload(tributo: &str) -> Value {
    json!({
        "tributo": tributo, "valor_operacao": "1000.00", "valor_icms": "180.00", "valor_iss": "0",
        "valor_pis": "13.53", "valor_cofins": "62.32", "valor_ipi": "6.15", "cumpre_obrigacoes_acessorias": false,
        "optante_simples": false, "data_operacao": "2026-03-10"
    })
}

/// Checks one row for both taxes.
fn check(row: &Row, field: &str) {
    for (tax, ..) in TAXES {
        let full = with(&payload(tax), &json!({"ncm": "84212300", "item_lista_servico": "17.19"}));
        row.check(&full, field);
    }
}

#[test]
fn valor_operacao_is_required() {
    check(&required(Form::Decimal), "valor_operacao");
}

// Section 7: "without any of the required amounts" is a 422.
#[test]
fn the_other_taxes_are_required() {
    for field in AMOUNTS {
        check(&required(Form::Decimal), field);
    }
}

// Section 2.3: "no default".
#[test]
fn cumpre_obrigacoes_acessorias_is_required() {
    check(&required(Form::Boolean), "cumpre_obrigacoes_acessorias");
}

#[test]
fn optante_simples_is_required() {
    check(&required(Form::Boolean), "optante_simples");
}

#[test]
fn ncm_is_optional_and_has_8_digits() {
    check(&optional(Form::Ncm), "ncm");
}

#[test]
fn item_lista_servico_is_optional() {
    check(&optional(Form::Item), "item_lista_servico");
}

#[test]
fn data_operacao_is_required() {
    check(&required(Form::Date), "data_operacao");
}

// Section 2.3: the rates of the test year, on the value without the other taxes and the IPI.
#[test]
fn the_base_is_without_the_other_taxes() {
    for (tax, rate, valor) in TAXES {
        let wanted = json!({
            "base_calculo": "738.00", "aliquota_aplicada": rate, "valor_destaque": valor, "valor_devido": valor,
            "dispensado": false
        });
        figures().shows(&payload(tax), valor, &wanted);
    }
}

// Section 2.1: explicit zero and absence are different.
#[test]
fn an_explicit_zero_is_an_amount() {
    let zeros: Value =
        AMOUNTS.iter().map(|field| ((*field).to_owned(), json!("0"))).collect::<serde_json::Map<_, _>>().into();
    for (tax, valor) in [("cbs", "9.00"), ("ibs", "1.00")] {
        figures().shows(&with(&payload(tax), &zeros), valor, &json!({"base_calculo": "1000.00"}));
    }
}

// Section 2.3: meeting the obligations waives the payment. Section 2.4: `valor_destaque` is always present.
#[test]
fn meeting_the_obligations_waives_the_payment() {
    for (tax, _, destaque) in TAXES {
        let waived = with(&payload(tax), &json!({"cumpre_obrigacoes_acessorias": true}));
        let wanted = json!({"valor_destaque": destaque, "valor_devido": "0.00", "dispensado": true});
        let envelope = figures().shows(&waived, "0.00", &wanted);
        assert!(envelope["detalhes"]["motivo_dispensa"].is_string(), "{envelope}");
    }
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = [
        "valor_destaque",
        "valor_devido",
        "dispensado",
        "dispensa_presumida",
        "motivo_dispensa",
        "base_calculo",
        "aliquota_aplicada",
    ];
    for (tax, ..) in TAXES {
        figures().has_entries(&payload(tax), &entries);
        figures().has_entries(&with(&payload(tax), &json!({"cumpre_obrigacoes_acessorias": true})), &entries);
    }
}

// Section 2.3: "the contract is strict: an unknown field is refused". No UF and no municipality.
#[test]
fn an_unknown_field_is_refused() {
    for (tax, ..) in TAXES {
        for field in ["uf", "municipio", "uf_destino", "frete", "campo_desconhecido"] {
            let answer = figures().calculate(&with(&payload(tax), &json!({ field: "SP" })));
            assert_eq!(answer.status / 100, 4, "{field}: {}", answer.json());
            assert!(answer.json().to_string().contains(field), "{}", answer.json());
        }
    }
}

// Sections 2.3 and 7: `optante_simples` true "gives a named 422".
#[test]
fn optante_simples_is_a_named_422() {
    for (tax, ..) in TAXES {
        let refused = figures().calculate(&with(&payload(tax), &json!({"optante_simples": true}))).refused(422);
        assert!(refused.to_string().contains("optante_simples"), "{refused}");
    }
}

// Section 2.3: `ncm` and `item_lista_servico` address "the refusal list of differentiated regimes".
#[test]
fn a_differentiated_regime_is_refused() {
    let listed = [json!({"ncm": "30049099"}), json!({"ncm": "10063021"}), json!({"item_lista_servico": "8.01"})];
    for (tax, ..) in TAXES {
        for hint in &listed {
            figures().calculate(&with(&payload(tax), hint)).refused(422);
        }
    }
}

// Sections 2.3 and 7: "outside 2026 no test-year rule exists (404)".
#[test]
fn outside_the_test_year_there_is_no_rule() {
    for (tax, ..) in TAXES {
        for day in ["2025-01-01", "2025-12-31", "2027-01-01", "2028-06-30", "2029-01-01", "2033-01-01"] {
            figures().calculate(&with(&payload(tax), &json!({"data_operacao": day}))).refused(404);
        }
        for day in ["2026-01-01", "2026-12-31"] {
            figures().envelope(&with(&payload(tax), &json!({"data_operacao": day})));
        }
    }
}

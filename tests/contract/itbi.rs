//! Sections 2.3, 2.4 and 7, `itbi`.

use serde_json::{Value, json};

use crate::rows::{Form, default, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// A purchase in São Paulo: 3%, and 0.5% of the first 100,000.00 that the SFH finances.
pub fn payload() -> Value {
    json!({
        "tributo": "itbi", "uf": "SP", "municipio": "São Paulo", "valor_transacao": "500000.00",
        "valor_venal_referencia": "600000.00", "financiado_sfh": false, "data": "2026-03-10"
    })
}

/// The same, of which the SFH finances this amount.
fn financed(amount: &str) -> Value {
    with(&payload(), &json!({"financiado_sfh": true, "valor_financiado": amount}))
}

rows! { payload();
    uf_is_required: "uf" is required(Form::Uf);
    municipio_is_required: "municipio" is required(Form::Text);
    valor_transacao_is_required: "valor_transacao" is required(Form::Decimal);
    valor_venal_referencia_is_optional: "valor_venal_referencia" is optional(Form::Decimal);
    financiado_sfh_defaults_to_false: "financiado_sfh" is default(Form::Boolean, json!(false));
    data_is_required: "data" is required(Form::Date);
}

#[test]
fn valor_financiado_is_a_decimal() {
    for faulty in [json!("abc"), json!("1,50"), json!([])] {
        let answer = figures().calculate(&with(&financed("50000.00"), &json!({"valor_financiado": faulty})));
        assert_eq!(answer.status / 100, 4, "{}", answer.json());
    }
}

// Section 2.3: "default base is the declared transaction value", also with a higher reference value.
#[test]
fn the_base_is_the_declared_value() {
    figures().shows(&payload(), "15000.00", &json!({}));
}

// Section 2.3: "municipal cadastre reference value (historical rules)".
#[test]
fn a_historical_rule_uses_the_reference_value() {
    let rio = json!({"uf": "RJ", "municipio": "Rio de Janeiro"});
    figures().shows(&with(&payload(), &rio), "12000.00", &json!({}));
    let lower = with(&with(&payload(), &rio), &json!({"valor_venal_referencia": "400000.00"}));
    figures().shows(&lower, "10000.00", &json!({}));
}

// Sections 2.3 and 7: `financiado_sfh` true "requires valor_financiado > 0".
#[test]
fn financing_requires_a_financed_amount() {
    for amount in [Value::Null, json!("0"), json!("0.00")] {
        let answer = figures().calculate(&with(&financed("1.00"), &json!({"valor_financiado": amount})));
        assert_eq!(answer.status / 100, 4, "{amount}: {}", answer.json());
        assert!(answer.json().to_string().contains("valor_financiado"), "{}", answer.json());
    }
}

// Sections 2.3 and 7: "must not exceed the transaction value".
#[test]
fn the_financed_amount_stays_within_the_transaction() {
    let answer = figures().calculate(&financed("500000.01"));
    assert_eq!(answer.status / 100, 4, "{}", answer.json());
    figures().envelope(&financed("500000.00"));
}

// Section 2.4: applied base, rate, SFH treatment and remarks of the municipal rule.
#[test]
fn detalhes_show_base_rate_financing_and_remarks() {
    // 100,000 × 0.5% + 400,000 × 3%.
    let envelope = figures().shows(&financed("300000.00"), "12500.00", &json!({}));
    let detalhes = envelope["detalhes"].to_string();
    for part in ["500000.00", "3.00", "0.50", "100000.00", "Observação de exemplo."] {
        assert!(detalhes.contains(part), "{part}: {envelope}");
    }
    // 50,000 × 0.5% + 450,000 × 3%.
    figures().shows(&financed("50000.00"), "13750.00", &json!({}));
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"municipio": "Campinas"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"uf": "MG", "municipio": "Belo Horizonte"}))).refused(422);
}

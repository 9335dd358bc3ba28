//! Sections 2.3, 2.4 and 7, `itcmd`.

use serde_json::{Value, json};

use crate::rows::{Form, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// An inheritance in SP, at one rate.
pub fn payload() -> Value {
    json!({
        "tributo": "itcmd", "uf": "SP", "fato_gerador": "causa_mortis", "valor_base": "200000.00",
        "data_fato_gerador": "2026-05-10", "valor_unidade_fiscal": "40.00"
    })
}

/// A gift in SP, exempt up to 2,500 fiscal units.
fn gift(amount: &str) -> Value {
    with(&payload(), &json!({"fato_gerador": "doacao", "valor_base": amount}))
}

rows! { payload();
    uf_is_required: "uf" is required(Form::Uf);
    fato_gerador_is_required: "fato_gerador" is required(Form::OneOf(&["causa_mortis", "doacao"]));
    valor_base_is_required: "valor_base" is required(Form::Decimal);
    data_fato_gerador_is_required: "data_fato_gerador" is required(Form::Date);
    valor_unidade_fiscal_is_optional: "valor_unidade_fiscal" is optional(Form::Decimal);
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = ["base", "aliquota_aplicada", "fato_gerador", "isento", "isencao_base_legal", "limite_isencao"];
    figures().has_entries(&payload(), &entries);
    let wanted = json!({"base": "200000.00", "aliquota_aplicada": "4.00", "fato_gerador": "causa_mortis"});
    figures().shows(&payload(), "8000.00", &wanted);
}

// Sections 2.3 and 7: `valor_unidade_fiscal` is required if an exemption is in fiscal units.
#[test]
fn an_exemption_in_fiscal_units_requires_the_unit() {
    let exempt = json!({
        "isento": true, "isencao_base_legal": "Lei de exemplo, art. 4º", "limite_isencao": "100000.00"
    });
    figures().shows(&gift("100000.00"), "0.00", &exempt);
    figures().shows(&gift("100000.01"), "4000.00", &json!({"isento": false, "aliquota_aplicada": "4.00"}));
    let answer = figures().calculate(&with(&gift("200000.00"), &json!({"valor_unidade_fiscal": null})));
    assert_eq!(answer.status / 100, 4, "{}", answer.json());
    assert!(answer.json().to_string().contains("valor_unidade_fiscal"), "{}", answer.json());
}

// Sections 2.3 and 7: likewise if brackets are.
#[test]
fn brackets_in_fiscal_units_require_the_unit() {
    let rio = with(&gift("100000.00"), &json!({"uf": "RJ"}));
    // 1,000 units are 40,000.00: 40,000 × 2% + 60,000 × 4%.
    figures().shows(&rio, "3200.00", &json!({}));
    let answer = figures().calculate(&with(&rio, &json!({"valor_unidade_fiscal": null})));
    assert_eq!(answer.status / 100, 4, "{}", answer.json());
    assert!(answer.json().to_string().contains("valor_unidade_fiscal"), "{}", answer.json());
}

// Section 2.4: "under progressive rates, a breakdown per bracket".
#[test]
fn progressive_rates_have_a_breakdown() {
    let rio = with(&payload(), &json!({"uf": "RJ", "valor_base": "150000.00"}));
    let envelope = figures().shows(&rio, "4000.00", &json!({"base": "150000.00"}));
    let brackets = envelope["detalhes"].as_object().unwrap().values().find_map(Value::as_array).unwrap();
    let taxes: Vec<String> = brackets.iter().map(ToString::to_string).collect();
    assert_eq!(taxes.len(), 2, "{envelope}");
    // 100,000 × 2% and 50,000 × 4%.
    assert!(taxes.iter().all(|bracket| bracket.contains("2000.00")), "{envelope}");
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"uf": "AC"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"uf": "GO"}))).refused(404);
    figures().calculate(&with(&gift("1000.00"), &json!({"uf": "GO"}))).refused(422);
}

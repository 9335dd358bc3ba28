//! Sections 2.3, 2.4 and 7, `iss`.

use serde_json::{Value, json};

use crate::rows::{Form, default, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// Accounting services in São Paulo.
pub fn payload() -> Value {
    json!({
        "tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": "17.19",
        "preco_servico": "1000.00", "data": "2026-03-10", "regime": "normal", "numero_profissionais": 3
    })
}

/// The same of a firm of professionals: 100.00 each.
fn fixed() -> Value {
    with(&payload(), &json!({"regime": "sociedade_uniprofissional"}))
}

rows! { payload();
    uf_is_required: "uf" is required(Form::Uf);
    municipio_is_required: "municipio" is required(Form::Text);
    item_lista_servico_is_required: "item_lista_servico" is required(Form::Item);
    preco_servico_is_required: "preco_servico" is required(Form::Decimal);
    data_is_required: "data" is required(Form::Date);
    regime_defaults_to_normal: "regime" is
        default(Form::OneOf(&["normal", "sociedade_uniprofissional"]), json!("normal"));
    numero_profissionais_is_optional: "numero_profissionais" is optional(Form::Integer);
}

// Section 2.3: the price is the base of the percentage.
#[test]
fn the_price_is_the_base() {
    let wanted = json!({
        "preco_servico": "1000.00", "aliquota_aplicada": "5.00", "item_lista_servico": "17.19", "regime": "normal",
        "retido_na_fonte": false
    });
    figures().shows(&payload(), "50.00", &wanted);
}

// Section 2.4: `retido_na_fonte`.
#[test]
fn a_withholding_is_shown() {
    figures().shows(
        &with(&payload(), &json!({"item_lista_servico": "7.02"})),
        "40.00",
        &json!({"retido_na_fonte": true}),
    );
}

// Section 2.4: the fixed regime also shows `numero_profissionais` and `periodicidade`.
#[test]
fn the_fixed_regime_pays_by_professional() {
    let wanted = json!({
        "regime": "sociedade_uniprofissional", "numero_profissionais": 3, "periodicidade": "mensal"
    });
    figures().shows(&fixed(), "300.00", &wanted);
    figures().shows(&with(&fixed(), &json!({"numero_profissionais": 7})), "700.00", &json!({}));
}

// Sections 2.3 and 7: "required under the fixed regime".
#[test]
fn the_fixed_regime_requires_numero_profissionais() {
    let answer = figures().calculate(&with(&fixed(), &json!({"numero_profissionais": null})));
    assert_eq!(answer.status / 100, 4, "{}", answer.json());
    assert!(answer.json().to_string().contains("numero_profissionais"), "{}", answer.json());
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = ["preco_servico", "aliquota_aplicada", "item_lista_servico", "regime", "retido_na_fonte"];
    figures().has_entries(&payload(), &entries);
    figures().has_entries(&fixed(), &entries);
    figures().has_entries(&fixed(), &["numero_profissionais", "periodicidade"]);
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    figures().calculate(&with(&payload(), &json!({"municipio": "Campinas"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"item_lista_servico": "10.05"}))).refused(404);
    figures().calculate(&with(&fixed(), &json!({"item_lista_servico": "7.02"}))).refused(404);
    figures().calculate(&with(&payload(), &json!({"item_lista_servico": "1.09"}))).refused(422);
}

//! Sections 2.3, 2.4 and 7, `icms`.

use serde_json::{Value, json};

use crate::rows::{Form, default, optional, required, rows};
use crate::service::figures;
use crate::support::with;

/// A sale inside SP.
pub fn payload() -> Value {
    json!({
        "tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "ncm": "84212300", "valor_produto": "1000.00",
        "frete": "50.00", "despesas": "11.11", "data_operacao": "2026-03-10", "origem_mercadoria": "nacional",
        "destinatario_contribuinte": true, "destinatario_consumidor_final": false, "regime_simples_nacional": false
    })
}

/// A sale from SP to BA.
fn interstate() -> Value {
    with(&payload(), &json!({"uf_destino": "BA"}))
}

rows! { payload();
    uf_origem_is_required: "uf_origem" is required(Form::Uf);
    uf_destino_is_required: "uf_destino" is required(Form::Uf);
    ncm_is_optional_and_has_8_digits: "ncm" is optional(Form::Ncm);
    valor_produto_is_required: "valor_produto" is required(Form::Decimal);
    frete_defaults_to_zero: "frete" is default(Form::Decimal, json!("0"));
    despesas_defaults_to_zero: "despesas" is default(Form::Decimal, json!("0"));
    data_operacao_is_required: "data_operacao" is required(Form::Date);
    origem_mercadoria_defaults_to_nacional: "origem_mercadoria" is
        default(Form::OneOf(&["nacional", "importada"]), json!("nacional"));
    destinatario_contribuinte_defaults_to_true: "destinatario_contribuinte" is default(Form::Boolean, json!(true));
    destinatario_consumidor_final_defaults_to_false: "destinatario_consumidor_final" is
        default(Form::Boolean, json!(false));
    regime_simples_nacional_defaults_to_false: "regime_simples_nacional" is default(Form::Boolean, json!(false));
}

// Section 2.3: the tax is inside the value; freight and expenses enter the base.
#[test]
fn the_base_has_freight_and_expenses() {
    // 1061.11 × 18% = 190.9998.
    let wanted = json!({"base_calculo": "1061.11", "aliquota_aplicada": "18.00", "valor_icms": "191.00"});
    figures().shows(&payload(), "191.00", &wanted);
}

// Section 2.3: "internal when uf_origem equals uf_destino, otherwise interstate".
#[test]
fn equal_ufs_are_an_internal_operation() {
    let internal = figures().shows(&payload(), "191.00", &json!({"tipo_operacao": "interna"}));
    assert_eq!(internal["regra"]["rule_id"], "icms-sp-v1.0");
    // 1061.11 × 7% = 74.2777.
    let wanted = json!({"tipo_operacao": "interestadual", "aliquota_aplicada": "7.00"});
    let interstate = figures().shows(&interstate(), "74.28", &wanted);
    assert_eq!(interstate["regra"]["rule_id"], "icms-sp-ba-v1.0");
    assert_eq!(interstate["detalhes"]["citacao_interestadual"], "Lei de exemplo, icms-sp-ba");
}

// Section 2.3: "a product-specific rule wins over the general UF rule".
#[test]
fn a_product_rule_wins_over_the_general_rule() {
    let beer = with(&payload(), &json!({"ncm": "22030000", "frete": null, "despesas": null}));
    let product = figures().shows(&beer, "250.00", &json!({"aliquota_aplicada": "25.00"}));
    let general = figures().shows(&with(&beer, &json!({"ncm": null})), "180.00", &json!({}));
    assert_eq!(product["regra"]["rule_id"], "icms-sp-cerveja-v1.0");
    assert_ne!(product["detalhes"]["regra_casada"], general["detalhes"]["regra_casada"]);
}

// Section 2.3: "`importada` triggers the 4% interstate rate", and that rate alone.
#[test]
fn imported_goods_pay_4_percent_between_ufs() {
    let imported = json!({"origem_mercadoria": "importada"});
    figures().shows(&with(&interstate(), &imported), "42.44", &json!({"aliquota_aplicada": "4.00"}));
    figures().shows(&with(&payload(), &imported), "191.00", &json!({"aliquota_aplicada": "18.00"}));
}

// Section 7: named refusals.
#[test]
fn another_rate_share_is_a_named_422() {
    let cases = [
        ("destinatario_contribuinte", false),
        ("destinatario_consumidor_final", true),
        ("regime_simples_nacional", true),
    ];
    for operation in [payload(), interstate()] {
        for (field, value) in cases {
            let refused = figures().calculate(&with(&operation, &json!({ field: value }))).refused(422);
            assert!(refused.to_string().contains(field), "the reason names {field}: {refused}");
        }
    }
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    let entries = [
        "tipo_operacao",
        "base_calculo",
        "aliquota_aplicada",
        "valor_icms",
        "valor_fcp",
        "isento",
        "isencao_base_legal",
        "regra_casada",
        "citacao_interestadual",
        "divergencia_interestadual",
    ];
    for operation in [payload(), interstate()] {
        figures().has_entries(&operation, &entries);
    }
}

// Section 2.4: `valor_fcp` is split from `valor_icms`; the amount due is both.
#[test]
fn the_poverty_fund_is_split() {
    let rio = with(&payload(), &json!({"uf_origem": "RJ", "uf_destino": "RJ", "frete": null, "despesas": null}));
    figures().shows(&rio, "220.00", &json!({"valor_icms": "200.00", "valor_fcp": "20.00"}));
}

// Section 2.4: `isento` with `isencao_base_legal`.
#[test]
fn an_exemption_has_its_legal_ground() {
    let beans = with(&payload(), &json!({"ncm": "07133399"}));
    figures().shows(&beans, "0.00", &json!({"isento": true, "isencao_base_legal": "Lei de exemplo, art. 1º"}));
    figures().shows(&payload(), "191.00", &json!({"isento": false}));
}

// Section 2.4: the table of the Senate answers, and `divergencia_interestadual` shows a product rule that differs.
#[test]
fn a_diverging_product_rule_is_shown() {
    let beer = with(&interstate(), &json!({"ncm": "22030000"}));
    let envelope = figures().shows(&beer, "74.28", &json!({"aliquota_aplicada": "7.00"}));
    let divergence = envelope["detalhes"]["divergencia_interestadual"].to_string();
    assert!(divergence.contains("12.00"), "{divergence}");
    let none = &figures().envelope(&interstate())["detalhes"]["divergencia_interestadual"];
    assert!(none.is_null() || none == false, "{none}");
}

// Section 1, principle 3: no rule is a 404, a rule without content a 422, and neither is a zero.
#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    let within = |uf: &str| with(&payload(), &json!({"uf_origem": uf, "uf_destino": uf}));
    figures().calculate(&within("AC")).refused(404);
    figures().calculate(&with(&interstate(), &json!({"uf_destino": "AC"}))).refused(404);
    figures().calculate(&within("GO")).refused(422);
}

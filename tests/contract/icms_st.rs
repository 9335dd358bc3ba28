//! Sections 2.3 and 2.4, `icms_st`.

use serde_json::{Value, json};

use crate::rows::{Form, default, required, rows};
use crate::service::figures;
use crate::support::with;

/// A purchase from MG, with an adjusted margin.
pub fn payload() -> Value {
    json!({
        "tributo": "icms_st", "ncm": "84212300", "uf_origem": "MG", "uf_destino": "SP", "data_operacao": "2026-03-10",
        "valor_produto": "1000.00", "ipi": "100.00", "frete": "50.00", "despesas": "10.00", "quantidade": "2"
    })
}

/// A sale inside SP of a product with a price list: 5.00 a litre.
fn by_price_list() -> Value {
    json!({
        "tributo": "icms_st", "ncm": "22021000", "uf_origem": "SP", "uf_destino": "SP", "data_operacao": "2026-03-10",
        "valor_produto": "1000.00", "quantidade": "400"
    })
}

rows! { payload();
    ncm_is_required_and_has_8_digits: "ncm" is required(Form::Ncm);
    uf_origem_is_required: "uf_origem" is required(Form::Uf);
    uf_destino_is_required: "uf_destino" is required(Form::Uf);
    data_operacao_is_required: "data_operacao" is required(Form::Date);
    valor_produto_is_required: "valor_produto" is required(Form::Decimal);
    ipi_defaults_to_zero: "ipi" is default(Form::Decimal, json!("0"));
    frete_defaults_to_zero: "frete" is default(Form::Decimal, json!("0"));
    despesas_defaults_to_zero: "despesas" is default(Form::Decimal, json!("0"));
}

// Section 2.3: "Must be > 0".
#[test]
fn valor_produto_must_be_above_zero() {
    for zero in ["0", "0.00"] {
        let answer = figures().calculate(&with(&payload(), &json!({"valor_produto": zero})));
        assert_eq!(answer.status / 100, 4, "{}", answer.json());
    }
    figures().envelope(&with(&payload(), &json!({"valor_produto": "0.01"})));
}

// Section 2.3: the base is the margin over product, IPI, freight and expenses. Own ICMS has no IPI in its base.
#[test]
fn the_base_by_margin_has_ipi_freight_and_expenses() {
    let inside = with(&payload(), &json!({"uf_origem": "SP"}));
    // (1000 + 100 + 50 + 10) × 1.40 = 1624.00; own ICMS 1060 × 18% = 190.80; 1624 × 18% − 190.80 = 101.52.
    let wanted = json!({
        "base_calculo_st": "1624.00", "icms_proprio": "190.80", "icms_st": "101.52", "aliquota_interna": "18.00",
        "mva_aplicada": "40.00", "base_metodo": "mva"
    });
    figures().shows(&inside, "101.52", &wanted);
}

// Section 2.3: interstate operations use the adjusted margin, with the rates of both sides.
#[test]
fn an_interstate_operation_adjusts_the_margin() {
    // 1.40 × 0.88 ÷ 0.82 = 1.502439...; 1160 × that = 1742.829...; own ICMS 1060 × 12% = 127.20.
    // 1742.829... × 18% − 127.20 = 186.509...
    let wanted = json!({
        "base_calculo_st": "1742.83", "icms_proprio": "127.20", "icms_st": "186.51", "aliquota_interna": "18.00",
        "aliquota_interestadual": "12.00", "mva_aplicada": "50.24", "base_metodo": "mva"
    });
    figures().shows(&payload(), "186.51", &wanted);
}

// Section 2.3: base = price-list value × quantity. Section 2.4: `base_metodo` says which base won.
#[test]
fn a_price_list_rule_multiplies_the_quantity() {
    // 5.00 × 400 = 2000.00; × 18% = 360.00, less 180.00.
    let wanted = json!({
        "base_calculo_st": "2000.00", "icms_proprio": "180.00", "icms_st": "180.00", "base_metodo": "pauta"
    });
    figures().shows(&by_price_list(), "180.00", &wanted);
}

#[test]
fn quantidade_is_a_decimal_for_a_price_list() {
    for faulty in [json!("abc"), json!("-1"), json!("1,5"), json!("")] {
        let answer = figures().calculate(&with(&by_price_list(), &json!({"quantidade": faulty})));
        answer.refused(422);
    }
    figures().shows(&with(&by_price_list(), &json!({"quantidade": "400.5"})), "180.45", &json!({}));
}

// Sections 2.3 and 7: "absent then means 422".
#[test]
fn a_price_list_rule_without_quantidade_is_a_422() {
    let refused = figures().calculate(&with(&by_price_list(), &json!({"quantidade": null}))).refused(422);
    assert!(refused.to_string().contains("quantidade"), "the reason names the field: {refused}");
}

// Section 2.3: "Ignored by MVA-only rules".
#[test]
fn a_margin_rule_ignores_quantidade() {
    let valor = figures().envelope(&payload())["valor"].clone();
    for quantidade in [Value::Null, json!("0"), json!("1"), json!("400"), json!("1.5")] {
        assert_eq!(figures().envelope(&with(&payload(), &json!({"quantidade": quantidade})))["valor"], valor);
    }
}

// Section 2.4: `base_metodo` where a rule has both bases.
#[test]
fn base_metodo_says_which_base_won() {
    // Margin: 1000 × 1.40 = 1400. Price list: 5 × quantity.
    for (quantidade, metodo, base) in [("400", "pauta", "2000.00"), ("100", "mva", "1400.00")] {
        let beer = with(&by_price_list(), &json!({"ncm": "22030000", "quantidade": quantidade}));
        let detalhes = figures().envelope(&beer)["detalhes"].clone();
        assert_eq!((&detalhes["base_metodo"], &detalhes["base_calculo_st"]), (&json!(metodo), &json!(base)));
    }
}

// Section 2.4: `fcp_st` is the share of the poverty fund inside the total, if the rule models it.
#[test]
fn fcp_st_is_a_share_inside_the_total() {
    let perfume =
        with(&by_price_list(), &json!({"ncm": "33030010", "uf_origem": "RJ", "uf_destino": "RJ", "quantidade": null}));
    // 1500 × 20% − 200 = 100.00; FCP 1500 × 2% = 30.00.
    figures().shows(&perfume, "130.00", &json!({"icms_st": "100.00", "fcp_st": "30.00"}));
    assert!(figures().envelope(&payload())["detalhes"].get("fcp_st").is_none_or(|fcp| fcp.is_null() || fcp == "0.00"));
}

// Section 2.4: "all amounts and rates are decimal strings".
#[test]
fn amounts_and_rates_are_decimal_strings() {
    let detalhes = &figures().envelope(&payload())["detalhes"];
    let entries =
        ["base_calculo_st", "icms_proprio", "icms_st", "aliquota_interna", "aliquota_interestadual", "mva_aplicada"];
    for name in entries {
        let text = detalhes[name].as_str().unwrap_or_else(|| panic!("{name} is a string: {detalhes}"));
        assert!(text.parse::<f64>().is_ok() && !text.contains([',', 'e', 'E']), "{name}: {text}");
    }
}

//! Sections 2.3, 2.4 and 7, `pis` and `cofins`: the same body, two discriminators.

use serde_json::{Value, json};

use crate::rows::{Form, Row, optional, required};
use crate::service::figures;
use crate::support::with;

const TAXES: [&str; 2] = ["pis", "cofins"];

/// A sale under the ordinary regime.
pub fn payload(tributo: &str) -> Value {
    json!({
        "tributo": tributo, "regime_apuracao": "nao_cumulativo", "valor_operacao": "1000.00",
        "valor_icms_destacado": "180.00", "data_operacao": "2026-03-10"
    })
}

/// A tyre, whose rule is single-phase.
fn tyre(tributo: &str) -> Value {
    with(&payload(tributo), &json!({"ncm": "40111000", "papel_na_cadeia": "fabricante_importador"}))
}

/// A car part, whose single-phase rule discriminates the buyer.
fn car_part(tributo: &str) -> Value {
    with(&tyre(tributo), &json!({"ncm": "87083010", "venda_a": "demais"}))
}

/// A part of self-propelled vehicles, with a marker rule.
fn marked(tributo: &str) -> Value {
    with(&payload(tributo), &json!({"ncm": "84314922", "destinacao_autopropulsado": false}))
}

/// Checks one row for both taxes.
fn check(row: &Row, payload: fn(&str) -> Value, field: &str) {
    for tax in TAXES {
        row.check(&payload(tax), field);
    }
}

#[test]
fn regime_apuracao_is_required() {
    check(&required(Form::OneOf(&["cumulativo", "nao_cumulativo"])), payload, "regime_apuracao");
}

#[test]
fn valor_operacao_is_required() {
    check(&required(Form::Decimal), payload, "valor_operacao");
}

// Section 7: "`pis`/`cofins` without `valor_icms_destacado`" is a 422.
#[test]
fn valor_icms_destacado_is_required() {
    check(&required(Form::Decimal), payload, "valor_icms_destacado");
}

#[test]
fn data_operacao_is_required() {
    check(&required(Form::Date), payload, "data_operacao");
}

#[test]
fn ncm_is_optional_and_has_8_digits() {
    check(&optional(Form::Ncm), tyre, "ncm");
}

#[test]
fn ex_is_optional() {
    check(&optional(Form::Text), |tax| with(&tyre(tax), &json!({"ex": "01"})), "ex");
}

#[test]
fn papel_na_cadeia_is_optional_under_the_ordinary_regime() {
    let ordinary = |tax: &str| with(&tyre(tax), &json!({"ncm": null}));
    check(&optional(Form::OneOf(&["fabricante_importador", "revenda"])), ordinary, "papel_na_cadeia");
}

#[test]
fn venda_a_is_optional_under_the_ordinary_regime() {
    let ordinary = |tax: &str| with(&car_part(tax), &json!({"ncm": null}));
    check(&optional(Form::OneOf(&["varejista_consumidor_final", "demais"])), ordinary, "venda_a");
}

#[test]
fn destinacao_autopropulsado_is_optional_without_a_marker_rule() {
    let ordinary = |tax: &str| with(&payload(tax), &json!({"destinacao_autopropulsado": true}));
    check(&optional(Form::Boolean), ordinary, "destinacao_autopropulsado");
}

// Section 2.3: the ICMS is excluded from the base; the ordinary rule has no NCM.
#[test]
fn the_ordinary_regime_has_its_rate_on_the_base_without_icms() {
    let rates = [
        ("pis", "cumulativo", "5.33"),
        ("pis", "nao_cumulativo", "13.53"),
        ("cofins", "cumulativo", "24.60"),
        ("cofins", "nao_cumulativo", "62.32"),
    ];
    for (tax, regime, valor) in rates {
        let sale = with(&payload(tax), &json!({"regime_apuracao": regime}));
        figures().shows(&sale, valor, &json!({"situacao": "tributado", "regime_apuracao": regime}));
        figures().shows(&with(&sale, &json!({"ncm": "84212300"})), valor, &json!({}));
    }
}

// Section 2.1: explicit zero and absence are different. Section 2.3: "an explicit zero is legitimate".
#[test]
fn an_explicit_zero_of_icms_is_legitimate() {
    for (tax, valor) in [("pis", "16.50"), ("cofins", "76.00")] {
        figures().shows(&with(&payload(tax), &json!({"valor_icms_destacado": "0"})), valor, &json!({}));
    }
}

// Sections 2.3 and 7: "`simples` is valid vocabulary and answers a named 422".
#[test]
fn simples_is_a_named_422() {
    for tax in TAXES {
        let refused = figures().calculate(&with(&payload(tax), &json!({"regime_apuracao": "simples"}))).refused(422);
        let unknown = figures().calculate(&with(&payload(tax), &json!({"regime_apuracao": "outro"}))).json();
        assert_ne!(refused["detail"], unknown["detail"], "a refusal of its own, not a faulty value: {refused}");
        assert!(refused.to_string().to_lowercase().contains("simples"), "{refused}");
    }
}

// Sections 2.3 and 7: `papel_na_cadeia` is "required when the matching rule is single-phase".
#[test]
fn a_single_phase_rule_requires_papel_na_cadeia() {
    for tax in TAXES {
        let answer = figures().calculate(&with(&tyre(tax), &json!({"papel_na_cadeia": null})));
        assert_eq!(answer.status / 100, 4, "{}", answer.json());
        assert!(answer.json().to_string().contains("papel_na_cadeia"), "{}", answer.json());
    }
}

#[test]
fn a_single_phase_rule_taxes_the_manufacturer_and_not_the_resale() {
    for (tax, valor) in [("pis", "16.40"), ("cofins", "77.90")] {
        let maker = json!({"situacao": "tributado", "papel_na_cadeia": "fabricante_importador"});
        figures().shows(&tyre(tax), valor, &maker);
        let resale = with(&tyre(tax), &json!({"papel_na_cadeia": "revenda"}));
        let wanted = json!({"situacao": "monofasico_revenda", "papel_na_cadeia": "revenda"});
        let envelope = figures().shows(&resale, "0.00", &wanted);
        assert!(envelope["detalhes"]["motivo_zero"].is_string(), "a legitimate zero has its reason: {envelope}");
    }
}

// Sections 2.3 and 7: `venda_a` is "required when the matching rule discriminates the buyer".
#[test]
fn a_rule_that_discriminates_the_buyer_requires_venda_a() {
    let amounts = [("pis", "18.86", "13.53"), ("cofins", "88.56", "62.32")];
    for (tax, retailer, others) in amounts {
        let part = car_part(tax);
        let answer = figures().calculate(&with(&part, &json!({"venda_a": null})));
        assert_eq!(answer.status / 100, 4, "{}", answer.json());
        assert!(answer.json().to_string().contains("venda_a"), "{}", answer.json());
        figures().shows(&part, others, &json!({"venda_a": "demais"}));
        let to_retailer = with(&part, &json!({"venda_a": "varejista_consumidor_final"}));
        figures().shows(&to_retailer, retailer, &json!({"venda_a": "varejista_consumidor_final"}));
    }
}

// Sections 2.3 and 7: "`false` unlocks the ordinary calculation; `true` or absent gives a named 422".
#[test]
fn a_marker_rule_is_unlocked_by_false_alone() {
    for (tax, valor) in [("pis", "13.53"), ("cofins", "62.32")] {
        figures().shows(&marked(tax), valor, &json!({"destinacao_autopropulsado": false}));
        for declared in [Value::Null, json!(true)] {
            let refused = figures().calculate(&with(&marked(tax), &json!({"destinacao_autopropulsado": declared})));
            assert!(refused.refused(422).to_string().contains("destinacao_autopropulsado"));
        }
    }
}

// Section 2.4: `motivo_zero` "when zero is legitimate".
#[test]
fn a_zero_rate_has_its_reason() {
    for tax in TAXES {
        let beans = with(&payload(tax), &json!({"ncm": "07133399"}));
        figures().shows(&beans, "0.00", &json!({"situacao": "aliquota_zero", "motivo_zero": "Cesta básica"}));
        assert!(figures().envelope(&payload(tax))["detalhes"]["motivo_zero"].is_null());
    }
}

// Sections 2.3 and 2.4: `ex` is the "same axis as ipi", and `ex_aplicado` echoes it.
#[test]
fn ex_selects_the_line_of_the_exception() {
    for (tax, valor, ordinary) in [("pis", "8.20", "13.53"), ("cofins", "16.40", "62.32")] {
        let drink = |ex: &str| with(&payload(tax), &json!({"ncm": "22021000", "ex": ex}));
        figures().shows(&drink("1"), valor, &json!({"ex_aplicado": true}));
        figures().shows(&drink("01"), valor, &json!({"ex_aplicado": true}));
        figures().shows(&drink("9"), ordinary, &json!({"ex_aplicado": false}));
    }
}

// Section 2.4: every entry.
#[test]
fn detalhes_have_every_entry() {
    for tax in TAXES {
        let entries = ["situacao", "regime_apuracao", "papel_na_cadeia", "venda_a", "motivo_zero"];
        figures().has_entries(&payload(tax), &entries);
        figures().has_entries(&tyre(tax), &entries);
    }
}

// Section 2.2: "each return one singular envelope: each contribution has its own rule, rate and citation".
#[test]
fn a_pair_is_two_calls() {
    for tax in TAXES {
        let envelope = figures().envelope(&payload(tax));
        assert_eq!(envelope["tributo"], tax);
        assert_eq!(envelope["regra"]["rule_id"], format!("{tax}-nao-cumulativo-v1.0"));
    }
}

#[test]
fn no_rule_is_a_404_and_a_null_rate_a_422() {
    for tax in TAXES {
        figures().calculate(&with(&payload(tax), &json!({"data_operacao": "2017-12-31"}))).refused(404);
        figures().calculate(&with(&payload(tax), &json!({"data_operacao": "2027-01-01"}))).refused(404);
        figures().calculate(&with(&payload(tax), &json!({"ncm": "22084000"}))).refused(422);
    }
}

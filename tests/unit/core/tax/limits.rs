//! The bounds that national law sets to a rate which no rule establishes.

use serde_json::{Value, json};
use taxd_core::engine::Engine;

use crate::support::{built_in_engine, calculate, engine, engine_with, rule, with};

/// The `limites` and the sentence of a refusal.
fn bounds(engine: &Engine, payload: &Value) -> (Value, String) {
    let problem = calculate(engine, payload).unwrap_err();
    let document = serde_json::to_value(problem.document(None)).unwrap();
    (document["limites"].clone(), problem.detail.into())
}

fn service(more: &Value) -> Value {
    let base = json!({"tributo": "iss", "uf": "MG", "municipio": "Araxá", "item_lista_servico": "1.07",
        "preco_servico": "1234.50", "data": "2026-11-25"});
    with(&base, more)
}

fn gift(more: &Value) -> Value {
    let base = json!({"tributo": "itcmd", "uf": "AP", "fato_gerador": "doacao", "valor_base": "500000.00",
        "data_fato_gerador": "2026-11-25"});
    with(&base, more)
}

const BOTH: &str = "LC nº 116/2003, arts. 8º, II, e 8º-A";

#[test]
fn a_service_without_a_rate_lies_between_two_and_five_percent() {
    let scope = |item: &str| json!({"uf": "MG", "municipio": "Araxá", "item_lista_servico": item});
    let engine = engine_with(&[
        rule("t-nula", "iss", &scope("1.05"), &json!({"aliquota": null})),
        rule("t-certa", "iss", &scope("1.04"), &json!({"aliquota": "3.00"})),
    ]);
    let wanted = json!({"citacao_legal": BOTH, "aliquota_minima": "2.00", "aliquota_maxima": "5.00", "base": "1234.50",
        "valor_minimo": "24.69", "valor_maximo": "61.73"});
    for item in ["1.07", "1.05"] {
        let (limites, detail) = bounds(&engine, &service(&json!({"item_lista_servico": item})));
        assert_eq!(limites, wanted, "{item}: {detail}");
        let said = format!(
            "A lei nacional põe a alíquota entre 2,00% e 5,00% ({BOTH}): sobre R$ 1.234,50, de R$ 24,69 a R$ 61,73."
        );
        assert!(detail.ends_with(&said), "{detail}");
    }
    // For three subitems a municipality may go below the lowest rate, and before 2017-12-30 the law set none.
    for more in [
        json!({"item_lista_servico": "7.02"}),
        json!({"item_lista_servico": "7.05"}),
        json!({"item_lista_servico": "16.01"}),
        json!({"data": "2017-12-29"}),
    ] {
        let (limites, detail) = bounds(&engine, &service(&more));
        let most = json!({"citacao_legal": "LC nº 116/2003, art. 8º, II", "aliquota_maxima": "5.00", "base": "1234.50",
            "valor_maximo": "61.73"});
        assert_eq!(limites, most, "{more}");
        assert!(detail.contains("no máximo R$ 61,73"), "{detail}");
    }
    // A fixed amount, a service that no list has, a day before the law, and a refusal for another reason have no bounds.
    for more in [
        json!({"regime": "sociedade_uniprofissional", "numero_profissionais": 2}),
        json!({"item_lista_servico": "41.01"}),
        json!({"data": "2003-07-31"}),
        json!({"data": "2201-01-01"}),
        json!({"municipio": "Araxa do Sul"}),
        json!({"preco_servico": "x"}),
    ] {
        let (limites, detail) = bounds(&engine, &service(&more));
        assert_eq!(limites, Value::Null, "{more}: {detail}");
    }
}

#[test]
fn a_transfer_without_a_rate_pays_eight_percent_at_most() {
    let scope = json!({"uf": "AP", "fato_gerador": "causa_mortis"});
    let exemption = json!({"limite": "100000.00", "modo": "excedente", "base_legal": "Lei de teste, art. 1º"});
    let engine = engine_with(&[rule("t-nula", "itcmd", &scope, &json!({"aliquota": null, "isencao": exemption}))]);
    let most = |base: &str, valor: &str| {
        json!({"citacao_legal": "Resolução do Senado Federal nº 9/1992, art. 1º", "aliquota_maxima": "8.00", "base": base,
            "valor_maximo": valor})
    };
    let (limites, detail) = bounds(&engine, &gift(&json!({})));
    assert_eq!(limites, most("500000.00", "40000.00"));
    assert!(detail.ends_with("sobre R$ 500.000,00, no máximo R$ 40.000,00."), "{detail}");
    // The base of the tax itself: without the exempt part.
    let (limites, _) = bounds(&engine, &gift(&json!({"fato_gerador": "causa_mortis"})));
    assert_eq!(limites, most("400000.00", "32000.00"));
    let (limites, _) = bounds(&engine, &gift(&json!({"data_fato_gerador": "1991-12-31"})));
    assert_eq!(limites, Value::Null);
}

/// ITBI has no bound in national law, and a figure of another tax must not be taken for one.
#[test]
fn no_other_tax_has_bounds() {
    let engine = engine(0);
    let house = json!({"tributo": "itbi", "uf": "MG", "municipio": "Araxá", "valor_transacao": "300000.00",
        "data": "2026-11-25"});
    let car = json!({"tributo": "ipva", "uf": "AP", "categoria_veiculo": "automovel", "valor_venal": "50000.00",
        "data_fato_gerador": "2026-01-01"});
    for payload in [house, car] {
        assert_eq!(bounds(&engine, &payload).0, Value::Null, "{payload}");
    }
}

/// From 2029 on the law reduces the rates, and the bounds of before are not those of the day.
#[test]
fn the_transition_has_no_bounds() {
    let (limites, detail) = bounds(built_in_engine(), &service(&json!({"data": "2029-01-15"})));
    assert_eq!(limites, Value::Null, "{detail}");
}

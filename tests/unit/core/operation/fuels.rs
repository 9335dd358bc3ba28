//! Fuels, whose ICMS is by the litre and paid once in the chain.

use serde_json::{Value, json};

use super::rules::{tax, text_by};
use crate::support::{built_in_engine, with};

/// Gasoline sold inside SP by a petrol station to who burns it.
fn at_the_pump() -> Value {
    json!({
        "data_operacao": "2026-03-10", "valor_produto": "600.00", "uf_origem": "SP", "uf_destino": "SP",
        "ncm": "27101259", "papel_na_cadeia": "revenda", "regime_apuracao": "nao_cumulativo",
        "destinatario_contribuinte": false, "cumpre_obrigacoes_acessorias": true
    })
}

fn apuracao(facts: &Value) -> Value {
    let text = text_by(built_in_engine(), facts).unwrap_or_else(|problem| panic!("{facts}: {problem:?}"));
    serde_json::from_str(&text).unwrap()
}

/// The sale to a consumer was refused, and with it PIS and COFINS: the consumer's tax knows no tax by the litre.
#[test]
fn a_reseller_owes_no_icms_to_any_buyer_on_fuel_that_was_taxed_before() {
    for (uf_destino, contribuinte) in [("SP", false), ("SP", true), ("RJ", false)] {
        let facts = json!({
            "uf_destino": uf_destino, "destinatario_contribuinte": contribuinte, "destinatario_consumidor_final": true
        });
        let apuracao = apuracao(&with(&at_the_pump(), &facts));
        let icms = tax(&apuracao, "icms");
        assert_eq!((&icms["situacao"], &icms["valor"]), (&json!("calculado"), &json!("0.00")), "{apuracao:#}");
        let why = icms["resposta"]["detalhes"]["motivo_zero"].as_str().unwrap();
        assert!(why.contains("LC 192/2022, art. 2º"), "{why}");
        assert!(icms["avisos"].to_string().contains("CF, art. 155, § 2º, XII, h"), "{icms}");
        for tributo in ["pis", "cofins"] {
            assert_eq!(tax(&apuracao, tributo)["valor"], "0.00", "{tributo}: {apuracao:#}");
        }
    }
}

/// LC 123/2006, art. 13, § 1º, XIII, a: the unified regime leaves the single-phase ICMS of fuels out. It was said to be
/// paid in it.
#[test]
fn a_maker_in_the_simples_pays_the_icms_by_the_litre_beside_the_unified_regime() {
    let maker = json!({
        "papel_na_cadeia": "fabricante_importador", "quantidade": "1000", "regime_simples_nacional": true,
        "regime_apuracao": "simples", "destinatario_contribuinte": true
    });
    let facts = with(&at_the_pump(), &maker);
    let icms = |facts: &Value| tax(&apuracao(facts), "icms").clone();
    let due = icms(&facts);
    // The same litres by a maker outside the Simples.
    let ordinary = json!({"regime_simples_nacional": false, "regime_apuracao": "nao_cumulativo"});
    assert_eq!((&due["situacao"], &due["valor"]), (&json!("calculado"), &icms(&with(&facts, &ordinary))["valor"]));
    assert_ne!(due["valor"], "0.00");
    assert!(due["avisos"].to_string().contains("art. 13, § 1º, XIII, a"), "{due}");
    assert_eq!(due["condicoes_dos_avisos"], json!(["regime"]));
    let reseller = icms(&with(&facts, &json!({"papel_na_cadeia": "revenda", "quantidade": null})));
    assert_eq!(reseller["valor"], "0.00", "{reseller}");
}

/// The option is of PIS and COFINS; IPI said that it ignored it.
#[test]
fn the_special_regime_of_one_tax_is_not_a_field_that_another_ignores() {
    let maker = json!({
        "papel_na_cadeia": "fabricante_importador", "quantidade": "1000", "regime_especial": true,
        "destinatario_contribuinte": true
    });
    let taxes = apuracao(&with(&at_the_pump(), &maker));
    let ipi = tax(&taxes, "ipi");
    assert_eq!(ipi["situacao"], "calculado", "{ipi}");
    assert!(!ipi.to_string().contains("regime_especial"), "{ipi}");
    assert_eq!(tax(&taxes, "pis")["pedido"]["regime_especial"], true);
    // Goods of no special regime: one tax still says that the field was ignored.
    let other = json!({"ncm": "39241000", "quantidade": null, "substituicao_tributaria": false});
    let taxes = apuracao(&with(&with(&at_the_pump(), &maker), &other));
    assert!(!tax(&taxes, "ipi").to_string().contains("regime_especial"));
    assert!(tax(&taxes, "pis")["resposta"]["avisos"].to_string().contains("`regime_especial` foi ignorado"));
}

//! Section 7, which refusal comes first: faults of form, no rule, a named refusal.

use serde_json::json;

use crate::decided::problem;
use crate::errors::in_year;
use crate::service::{figures, law};
use crate::support::with;
use crate::taxes::payload_of;

// Faults of form, then no rule, then named refusals.
#[test]
fn the_order_of_refusals_is_form_then_rule_then_name() {
    let cases = [
        (payload_of("icms"), json!({"destinatario_contribuinte": false}), "valor_produto"),
        (payload_of("icms"), json!({"destinatario_consumidor_final": true}), "valor_produto"),
        (payload_of("icms"), json!({"regime_simples_nacional": true}), "valor_produto"),
        (payload_of("pis"), json!({"regime_apuracao": "simples"}), "valor_operacao"),
        (payload_of("cofins"), json!({"regime_apuracao": "simples"}), "valor_operacao"),
        (payload_of("pis"), json!({"ncm": "84314922"}), "valor_operacao"),
        (payload_of("cbs"), json!({"optante_simples": true}), "valor_operacao"),
        (payload_of("ibs"), json!({"optante_simples": true}), "valor_operacao"),
    ];
    for (payload, changes, amount) in cases {
        let payload = with(&payload, &changes);
        let named = figures().calculate(&payload).refused(422)["codigo"].clone();
        let faulty = figures().calculate(&with(&payload, &json!({ amount: "abc" }))).refused(422);
        assert_ne!(faulty["codigo"], named, "form comes first: {faulty}");
        assert_eq!(faulty["erros"][0]["campo"], amount, "{faulty}");
        problem(&figures().calculate(&in_year(&payload, 1990)), 404, "regra_inexistente");
    }
    let simples = with(&payload_of("cbs"), &json!({"optante_simples": true}));
    figures().calculate(&in_year(&simples, 2025)).refused(404);
}

// Section 2.3: "outside 2026 no test-year rule exists (404)", also in years of which the built-in rules know more.
#[test]
fn cbs_and_ibs_have_rules_in_2026_alone() {
    for tax in ["cbs", "ibs"] {
        for year in [2024, 2025, 2027, 2028, 2029, 2033] {
            let answer = law().calculate(&in_year(&payload_of(tax), year));
            problem(&answer, 404, "regra_inexistente");
        }
        law().envelope(&in_year(&payload_of(tax), 2026));
    }
}

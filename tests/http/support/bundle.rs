//! Bundles of the tests.

use serde_json::{Value, json};

/// Returns a bundle of these rules.
pub fn bundle(rules: &[Value]) -> String {
    let document = json!({
        "pacote": "teste", "versao": "1.0", "descricao": "Regras de um teste", "regras": rules,
    });
    serde_json::to_string_pretty(&document).unwrap()
}

/// Returns a rule in force from 2020 without end.
pub fn rule(code: &str, tributo: &str, escopo: &Value, conteudo: &Value) -> Value {
    json!({
        "rule_code": code, "versao": "1.0", "tributo": tributo, "escopo": escopo,
        "vigente_de": "2020-01-01", "vigente_ate": null,
        "citacao_legal": format!("Lei de teste de {code}"), "conteudo": conteudo,
    })
}

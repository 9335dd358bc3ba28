//! Payloads made from the scopes of built-in rules.

use serde_json::Value;
use taxd_base::document::Node;
use taxd_base::value::Date;
use taxd_law::tax;

use crate::support::{built_in_engine, calculate};

/// The payload that the scope of a built-in rule describes for one of its NCM, on a day.
pub fn payload(rule: &Value, ncm: Option<&str>, on: Date) -> Value {
    let entry = tax::find(rule["tributo"].as_str().unwrap()).unwrap();
    let mut payload: Value = serde_json::from_str(entry.exemplo).unwrap();
    let first = |value: &Value| value.as_array().map_or_else(|| value.clone(), |list| list[0].clone());
    for name in ["uf_origem", "uf_destino", "municipio", "ex", "item_lista_servico", "cest", "classificacao_tributaria"]
    {
        if !rule[name].is_null() {
            payload[name] = first(&rule[name]);
        }
    }
    if let Some(ncm) = ncm {
        payload["ncm"] = format!("{ncm:0<8}").into();
    } else if entry.tributo.as_str() != "ipi" && entry.tributo.as_str() != "icms_st" {
        payload["ncm"] = Value::Null;
    }
    if !rule["uf_origem"].is_null() {
        payload["uf"] = rule["uf_origem"].clone();
    }
    if let Some(own) = entry.escopo.discriminador
        && !rule[own.campo].is_null()
    {
        payload[own.campo] = first(&rule[own.campo]);
    }
    for field in entry.payload {
        if field.shape == taxd_base::document::Shape::Date {
            payload[field.name] = on.to_string().into();
        }
    }
    if !payload["exercicio"].is_null() {
        payload["exercicio"] = (on.ordinal() / 10_000).into();
    }
    let text = payload.to_string();
    let Ok(Node::Object(asked)) = Node::parse(text.as_bytes()) else { panic!("{text}") };
    if let Some(flag) = entry.flag_of_the_day(&asked) {
        payload[flag] = true.into();
    }
    payload
}

/// The rule that answered or refused, and whether nothing did: the refusal names neither a rule nor a candidate that would answer.
pub fn who(payload: &Value) -> (Option<String>, bool) {
    match calculate(built_in_engine(), payload) {
        Ok(answer) => (answer["regra"]["rule_id"].as_str().map(str::to_owned), false),
        Err(problem) => {
            let rule = problem.regra.as_ref().map(|r| r.rule_id.to_string());
            let nothing = rule.is_none() && problem.candidatos.iter().all(|candidate| candidate.exclusao.is_some());
            (rule, nothing)
        }
    }
}

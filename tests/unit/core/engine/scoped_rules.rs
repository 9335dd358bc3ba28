//! Rules of some scopes, what asks for each, and what an answer gives by the naive way: it is calculated, and read.

use serde_json::{Value, json};
use taxd_core::engine::{Engine, SituacaoChamada};

use crate::support::{calculate, rule, with};

pub fn icms(uf: &str, ncm: Option<&str>) -> Value {
    json!({"tributo": "icms", "uf_origem": uf, "uf_destino": uf, "valor_produto": "100.00", "ncm": ncm,
        "data_operacao": "2026-03-10"})
}

pub fn iss(item: &str) -> Value {
    json!({"tributo": "iss", "uf": "SP", "municipio": "São Paulo", "item_lista_servico": item,
        "preco_servico": "100.00", "data": "2026-03-10"})
}

pub fn st(cest: Option<&str>, origem: &str) -> Value {
    json!({"tributo": "icms_st", "ncm": "22030000", "cest": cest, "uf_origem": origem, "uf_destino": "SP",
        "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}

/// Scopes and payloads that compete for one another's answers.
pub fn scopes() -> Vec<(&'static str, Value)> {
    let sao_paulo = json!({"uf": "SP", "municipio": "São Paulo"});
    vec![
        ("icms", json!({"uf": "SP"})),
        ("icms", json!({"uf": "SP", "ncm": ["2203", "2204"]})),
        ("icms", json!({"uf": "SP", "ncm": "22030000"})),
        ("icms", json!({"uf": "SP", "ncm": "22", "ncm_exceto": "2204"})),
        ("icms", json!({"uf_origem": "MG", "uf_destino": "SP"})),
        ("iss", sao_paulo.clone()),
        ("iss", with(&sao_paulo, &json!({"item_lista_servico": ["1.05", "1.06"]}))),
        ("icms_st", json!({"uf_destino": "SP", "ncm": "2203"})),
        ("icms_st", json!({"uf_destino": "SP", "ncm": "22030000", "cest": "0302100"})),
        ("icms_st", json!({"uf_destino": "SP", "uf_origem": "MG", "ncm": "22", "cest": "0302200"})),
    ]
}

pub fn payloads() -> Vec<Value> {
    let interstate = with(&icms("SP", Some("22030000")), &json!({"uf_origem": "MG"}));
    let mut all = vec![
        icms("SP", None),
        icms("SP", Some("22030000")),
        icms("SP", Some("22040000")),
        interstate,
        iss("1.05"),
        iss("1.07"),
    ];
    for cest in [None, Some("0302100"), Some("0302200")] {
        all.extend([st(cest, "SP"), st(cest, "MG")]);
    }
    all
}

/// Amount and rule, or code and rule.
pub type Seen = (Result<String, String>, Option<String>);

/// What a payload gives by the naive way: it is calculated, and the answer is read.
pub fn naive(engine: &Engine, payload: &Value) -> Seen {
    match calculate(engine, payload) {
        Ok(answer) => {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (Ok(text(&answer["valor"])), Some(text(&answer["regra"]["rule_id"])))
        }
        Err(problem) => (Err(problem.codigo.as_str().to_owned()), problem.regra.map(|regra| regra.rule_id.to_string())),
    }
}

/// The same change as the engine names it, from the naive outcomes.
pub fn change(before: &Seen, after: &Seen) -> Option<SituacaoChamada> {
    match (&before.0, &after.0) {
        (Ok(old), Ok(new)) if old != new => Some(SituacaoChamada::ValorMuda),
        (Ok(_), Ok(_)) if before.1 != after.1 => Some(SituacaoChamada::RegraMuda),
        (Err(_), Ok(_)) => Some(SituacaoChamada::PassaAResponder),
        (Ok(_), Err(_)) => Some(SituacaoChamada::PassaARecusar),
        (Err(old), Err(new)) if old != new => Some(SituacaoChamada::RecusaMuda),
        _ => None,
    }
}

/// A new version of the rule of a scope; its rate is in percent points.
pub fn version(scope: usize, number: usize, month: u32, rate: usize) -> Value {
    let (tributo, escopo) = &scopes()[scope];
    let rate = format!("{rate}.00");
    let content = match *tributo {
        "icms_st" => json!({"criterio": "mva", "descricao": "X", "mva": "80.00", "aliquota_interna": rate}),
        _ => json!({"aliquota": rate}),
    };
    let dates = json!({"versao": format!("1.{number}"), "vigente_de": format!("2026-{month:02}-01")});
    with(&rule(&format!("regra-{scope}"), tributo, escopo, &content), &dates)
}

/// Every payload in every second month.
pub fn dated() -> Vec<Value> {
    let at = |month: u32, mut payload: Value| {
        let name = if payload["tributo"] == "iss" { "data" } else { "data_operacao" };
        payload[name] = json!(format!("2026-{month:02}-15"));
        payload
    };
    (1..13).step_by(2).flat_map(|month| payloads().into_iter().map(move |payload| at(month, payload))).collect()
}

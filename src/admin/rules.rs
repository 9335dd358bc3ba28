//! Rules for the analyst: listing them, and the history of a code in words.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AdminError;
use crate::engine::coverage::Coverage;
use crate::engine::{Engine, Filter};
use crate::value::{Date, RuleCode};

/// Filters of a listing, as they were typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesQuery {
    /// Name and value of each filter of `GET /v1/regras`.
    pub filters: Vec<(String, String)>,
    /// Most rules to list.
    pub limit: usize,
}

/// Lists rules that pass the filters.
pub(super) fn list(engine: &Engine, query: &RulesQuery) -> Result<Value, AdminError> {
    let mut filter = Filter::default();
    for (name, value) in &query.filters {
        filter.set(name, value).map_err(|e| AdminError::new(format!("--{}: {e}", name.replace('_', "-"))))?;
    }
    page(engine, &filter, query.limit)
}

fn page(engine: &Engine, filter: &Filter, limit: usize) -> Result<Value, AdminError> {
    let today = engine.now().day();
    let page = engine.regras(filter, today, 0, limit)?;
    let regras: Result<Vec<Value>, _> = page.items.iter().map(|item| serde_json::from_str(item)).collect();
    let regras = regras.map_err(|e| AdminError::new(e.to_string()))?;
    Ok(json!({ "regras": regras, "mais": page.next.is_some() }))
}

/// All versions of a code, each with what changed from the one before it and the bundle that brought it.
pub(super) fn history(engine: &Engine, rule_code: &str) -> Result<Value, AdminError> {
    let unknown = || AdminError::new(format!("there is no rule \"{rule_code}\"; `taxd rules list` shows the codes"));
    let code = RuleCode::parse(rule_code).map_err(|_| unknown())?;
    let filter = Filter { rule_code: Some(code.clone()), ..Filter::default() };
    let mut listed = page(engine, &filter, usize::MAX)?;
    let bundles = engine.bundles_of(&code)?;
    if bundles.is_empty() {
        return Err(unknown());
    }
    let mut versions = listed.get_mut("regras").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
    let mut previous: Option<Value> = None;
    for (version, bundle) in versions.iter_mut().zip(bundles) {
        let mut changes = Vec::new();
        if let Some(previous) = &previous {
            let from = version.get("vigente_de").and_then(Value::as_str).unwrap_or_default().to_owned();
            compare("", Some(&stated(previous)), Some(&stated(version)), &from, &mut changes);
        }
        previous = Some(version.clone());
        if let Some(members) = version.as_object_mut() {
            members.insert("mudancas".to_owned(), json!(changes));
            members.insert("pacote".to_owned(), json!(bundle));
        }
    }
    Ok(json!({ "rule_code": rule_code, "versoes": versions }))
}

/// What the rules answer on the day that was typed, or today.
pub(super) fn coverage(engine: &Engine, vigente_em: Option<&str>) -> Result<Coverage, AdminError> {
    let day = match vigente_em {
        None => engine.now().day(),
        Some(day) => Date::parse(day).map_err(|e| AdminError::new(format!("--vigente-em: {e}")))?,
    };
    Ok(engine.coverage(day)?)
}

/// What a version states, without what names, dates or places it: its scope, citation, remarks
/// and, one level up, its content.
fn stated(version: &Value) -> Value {
    const OTHER: [&str; 9] = [
        "rule_id",
        "rule_code",
        "versao",
        "tributo",
        "vigente_de",
        "vigente_ate",
        "situacao",
        "publicado_em",
        "substituida_por",
    ];
    let members = version.as_object().cloned().unwrap_or_default();
    let mut stated = serde_json::Map::new();
    for (name, value) in members.into_iter().filter(|(name, _)| !OTHER.contains(&name.as_str()) && name != "fonte") {
        match value {
            Value::Object(content) if name == "conteudo" => stated.extend(content),
            value => {
                stated.insert(name, value);
            }
        }
    }
    Value::Object(stated)
}

/// What changed, in words: "`aliquota_interna` 18.00 -> 19.50 a partir de 2024-03-13".
fn compare(path: &str, old: Option<&Value>, new: Option<&Value>, from: &str, changes: &mut Vec<String>) {
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|name| !old.contains_key(*name));
            for name in old.keys().chain(added) {
                compare(&inner(name), old.get(name), new.get(name), from, changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.iter().chain(new).any(Value::is_object) => {
            for i in 0..old.len().max(new.len()) {
                compare(&format!("{path}[{i}]"), old.get(i), new.get(i), from, changes);
            }
        }
        (old, new) if old != new => {
            changes.push(format!("{path} {} -> {} a partir de {from}", written(old), written(new)));
        }
        _ => {}
    }
}

fn written(value: Option<&Value>) -> String {
    match value {
        None => "(ausente)".to_owned(),
        Some(Value::Null) => "(não estabelecido)".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

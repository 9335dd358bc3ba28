//! Rules for the analyst: listing them, and the history of a code in words.

pub mod command;
pub mod page;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::AdminError;
use crate::base::value::{Conferencia, Date, Municipio, RuleCode, RuleId, Uf, shorten};
use crate::core::engine::coverage::Coverage;
pub(crate) use crate::core::engine::upcoming::Sucessao;
use crate::core::engine::upcoming::Upcoming;
use crate::core::engine::{BundleRecord, Engine, Filter, SituacaoRegra};
use crate::features::changes::Changes;
use crate::law::tax;

/// What the operator can ask of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulesCommand {
    /// List rule versions.
    List(RulesQuery),
    /// Show a version, or all versions of a code.
    Show { rule: String },
    /// What the rules answer, by tax, place and kind.
    Coverage {
        /// On this day; `None` for today.
        vigente_em: Option<String>,
    },
    /// What begins and what ends in the next days.
    Upcoming {
        /// After this day; `None` for today.
        desde: Option<String>,
        dias: u32,
    },
    /// Show the versions of a code, with the changes from each to the next.
    History { rule_code: String },
}

/// Filters of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesQuery {
    /// Name and value of each filter, as in `GET /v1/regras`.
    pub filters: Vec<(String, String)>,
    pub limit: usize,
}

/// The changes to show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesQuery {
    /// Published on this day or later.
    pub desde: String,
    /// Name and value of each filter, as in `GET /v1/regras`.
    pub filters: Vec<(String, String)>,
}

/// Rule versions, each as `R` reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleList<R> {
    /// The versions, as in `GET /v1/regras`.
    pub regras: Vec<R>,
    /// True if there are more than the limit.
    pub mais: bool,
}

/// The versions of a code, each as `R` reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleHistory<R> {
    pub rule_code: String,
    /// Its versions, the oldest first.
    pub versoes: Vec<HistoricVersion<R>>,
}

/// A listed version, as JSON.
pub type ListedRule = Map<String, Value>;

/// A version of a code, where it came from, and what it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoricVersion<R> {
    /// The version, as in `GET /v1/regras`.
    #[serde(flatten)]
    pub version: R,
    /// What changed from the version before it, one sentence each.
    pub mudancas: Vec<String>,
    pub pacote: BundleRecord,
}

/// The refusal of a rule that is not published, with the codes that it may mean.
fn unknown(engine: &Engine, rule: &str) -> AdminError {
    let folded = rule.to_lowercase();
    let code = RuleId::parse(&folded).map_or(folded, |id| id.code.to_string());
    let near = engine.codes_near(&code).unwrap_or_default();
    let hint = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(", ")) };
    AdminError::new(format!("there is no rule \"{}\"; {hint}`taxd rules list` shows what there is", shorten(rule)))
}

/// Returns the versions that pass the filters.
pub(super) fn list(engine: &Engine, query: &RulesQuery) -> Result<RuleList<Box<RawValue>>, AdminError> {
    page(engine, &filter(&query.filters)?, query.limit)
}

fn filter(given: &[(String, String)]) -> Result<Filter, AdminError> {
    let mut filter = Filter::default();
    for (name, value) in given {
        // The filter's own refusal is in Portuguese, for callers of the API.
        filter.set(name, value).map_err(|_| match name.as_str() {
            "municipio" => unknown_municipality(given, value),
            _ => refused_filter(name, value),
        })?;
    }
    Ok(filter)
}

/// The refusal of a municipality that no UF has, with the nearest name: among those of the UF, if a filter names one.
fn unknown_municipality(given: &[(String, String)], name: &str) -> AdminError {
    let uf = given.iter().find(|(filter, _)| filter == "uf").and_then(|(_, uf)| Uf::from_abbreviation(uf));
    let hint = match Municipio::near(uf, name) {
        Some(near) => format!("did you mean \"{}\" ({})?", near.name(), near.uf()),
        None => "it takes the official name of a municipality, or its IBGE code".to_owned(),
    };
    AdminError::new(format!("--municipio: no UF has a municipality \"{}\"; {hint}", shorten(name)))
}

/// Returns what the publications since a day changed.
pub(super) fn changes(engine: &Engine, query: &ChangesQuery) -> Result<Changes, AdminError> {
    let since = Date::parse(&query.desde).map_err(|_| refused_filter("since", &query.desde))?;
    Ok(engine.changes(since, &filter(&query.filters)?)?)
}

/// The taxes that an option accepts; of the Imposto Seletivo, also why it is not one of them.
pub(super) fn taxes_accepted(name: &str) -> String {
    let names = tax::NAMES.join(", ");
    if tax::is_imposto_seletivo(name) {
        return format!(
            "it is the Imposto Seletivo (LC 214/2025, arts. 409 ff.), whose rates no act has set; the taxes are {names}"
        );
    }
    format!("it takes {names}")
}

/// The refusal of a filter's value, and what the filter accepts.
fn refused_filter(name: &str, value: &str) -> AdminError {
    let accepted = match name {
        "tributo" => taxes_accepted(value),
        "uf" => "it takes the two letters of a UF, like SP".to_owned(),
        "ncm" => "it takes the eight digits of an NCM, like 22030000".to_owned(),
        "item_lista_servico" => "it takes a service item, like 1.05 or 17.01".to_owned(),
        "classificacao_tributaria" => "it takes the six digits of a cClassTrib, like 200003".to_owned(),
        "vigente_em" | "inicia_ate" | "termina_ate" | "desde" | "since" => {
            "it takes a day of the calendar, like 2026-01-31 or 31/01/2026".to_owned()
        }
        "sem_sucessora" => "it takes true or false".to_owned(),
        "sucessao" => format!("it takes {}", Sucessao::WORDS.join(", ")),
        "situacao" => format!("it takes {}", SituacaoRegra::WORDS.join(", ")),
        "conferencia" => format!("it takes {}", Conferencia::WORDS.join(", ")),
        "q" => "it takes at most 100 bytes".to_owned(),
        _ => "there is no such filter".to_owned(),
    };
    AdminError::new(format!("--{}: \"{}\" is not accepted; {accepted}", name.replace('_', "-"), shorten(value)))
}

/// Returns a version, or all versions of a code. Fails if there is none.
pub(super) fn show(engine: &Engine, rule: &str) -> Result<RuleList<Box<RawValue>>, AdminError> {
    let mut filter = Filter::default();
    match RuleId::parse(rule) {
        Some(id) => filter.rule_id = Some(id),
        None => filter.rule_code = Some(RuleCode::parse(rule).map_err(|_| unknown(engine, rule))?),
    }
    let found = page(engine, &filter, usize::MAX)?;
    if found.regras.is_empty() { Err(unknown(engine, rule)) } else { Ok(found) }
}

fn page<R: DeserializeOwned>(engine: &Engine, filter: &Filter, limit: usize) -> Result<RuleList<R>, AdminError> {
    let page = engine.regras(filter, engine.now().day(), 0, limit)?;
    let regras = page.items.iter().map(|item| serde_json::from_str(item)).collect::<Result<_, _>>()?;
    Ok(RuleList { regras, mais: page.next.is_some() })
}

/// Returns all versions of a code, each with what changed from the one before it and the bundle that it came in.
pub(super) fn history(engine: &Engine, rule_code: String) -> Result<RuleHistory<ListedRule>, AdminError> {
    let code = RuleCode::parse(&rule_code).map_err(|_| unknown(engine, &rule_code))?;
    let filter = Filter { rule_code: Some(code.clone()), ..Filter::default() };
    let listed: RuleList<ListedRule> = page(engine, &filter, usize::MAX)?;
    let bundles = engine.bundles_of(&code)?;
    if bundles.is_empty() {
        return Err(unknown(engine, &rule_code));
    }
    let versions = listed.regras.into_iter().zip(bundles).zip(engine.changes_of(&code)?);
    let versoes = versions.map(|((version, pacote), mudancas)| HistoricVersion { version, mudancas, pacote }).collect();
    Ok(RuleHistory { rule_code, versoes })
}

/// Reads the day of an option; today without one.
fn day_of(engine: &Engine, name: &str, day: Option<&str>) -> Result<Date, AdminError> {
    day.map_or_else(|| Ok(engine.now().day()), |day| Date::parse(day).map_err(|_| refused_filter(name, day)))
}

/// Returns what the rules answer on a day, or today.
pub(super) fn coverage(engine: &Engine, vigente_em: Option<&str>) -> Result<Arc<Coverage>, AdminError> {
    Ok(engine.coverage(day_of(engine, "vigente_em", vigente_em)?)?)
}

/// Returns what begins and what ends in the `dias` after a day, or after today.
pub(super) fn upcoming(engine: &Engine, desde: Option<&str>, dias: u32) -> Result<Upcoming, AdminError> {
    let from = day_of(engine, "desde", desde)?;
    Ok(engine.upcoming(from, from.plus_days(dias))?)
}

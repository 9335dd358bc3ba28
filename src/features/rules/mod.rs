//! Rules for the analyst: listing them, and the history of a code in words.

pub mod command;
pub mod page;

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::AdminError;
use super::typed;
use crate::base::document::{edits, nearest};
use crate::base::value::{Conferencia, Date, Municipio, RuleCode, RuleId, Uf, fold, shorten};
use crate::core::engine::coverage::Coverage;
use crate::core::engine::upcoming::{Sucessao, Upcoming};
use crate::core::engine::{BundleRecord, Engine, Filter, SituacaoRegra};
use crate::features::calendar::UpcomingQuery;
use crate::features::changes::{self, Changes, ChangesQuery, given};
use crate::law::tax;

/// Rules: list, show, history, coverage, upcoming
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulesCommand {
    /// List rule versions
    List(Box<RulesQuery>),
    /// Show all that a rule version says
    Show {
        /// Version (CODE-vMAJOR.MINOR), or code for all its versions
        #[arg(value_name = "RULE_ID|CODE", value_parser = typed::rule)]
        rule: String,
    },
    /// Show the versions of a code as a timeline, with the changes from each to the next
    History {
        /// Rule code, or a version of it
        #[arg(value_name = "CODE|RULE_ID", value_parser = typed::rule_code)]
        rule_code: String,
    },
    /// What the rules answer, by tax, place and kind, as Markdown tables in Portuguese
    ///
    /// Of the data directory. If none is named and there is no ./taxd-data, of the built-in rules.
    Coverage(CoverageQuery),
    Upcoming(UpcomingQuery),
}

/// What the coverage counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct CoverageQuery {
    /// On this day: 2026-03-10 or 10/03/2026 [default: today]
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub vigente_em: Option<String>,
    /// Only this tax, in either case
    #[arg(long, value_parser = typed::word)]
    pub tributo: Option<String>,
    /// Only this UF, its municipalities and the rules of all UFs
    #[arg(long, value_parser = typed::uf)]
    pub uf: Option<String>,
}

/// Filters, as in GET /v1/regras.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct RulesQuery {
    /// Tax, in either case
    #[arg(long, value_parser = typed::word)]
    pub tributo: Option<String>,
    /// UF on either side, in either case
    #[arg(long, value_parser = typed::uf)]
    pub uf: Option<String>,
    /// Municipality
    #[arg(long)]
    pub municipio: Option<String>,
    /// Every rule that would be considered for this NCM, with or without points
    #[arg(long, value_parser = typed::ncm)]
    pub ncm: Option<String>,
    /// Every rule that would be considered for this service item
    #[arg(long, value_name = "N.NN")]
    pub item_lista_servico: Option<String>,
    /// The rules of this tax classification (cClassTrib)
    #[arg(long, value_name = "CODE")]
    pub classificacao_tributaria: Option<String>,
    /// Versions that apply on this day: 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub vigente_em: Option<String>,
    /// Versions that begin after today and up to this day
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub inicia_ate: Option<String>,
    /// Versions whose last day is from today to this day
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub termina_ate: Option<String>,
    /// Versions after whose last day requests are refused, because no rule follows or the next one has no figure
    /// (true), or all others (false)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub sem_sucessora: Option<String>,
    #[arg(
        long,
        value_name = "WORD",
        value_parser = typed::word,
        help = "Versions that end, by what answers then: nova_versao, regra_geral, extinta, sem_figura or sem_sucessora"
    )]
    pub sucessao: Option<String>,
    /// vigente, futura, encerrada or substituida
    #[arg(long, value_parser = typed::word)]
    pub situacao: Option<String>,
    #[arg(
        long,
        value_name = "GRADE",
        value_parser = typed::word,
        help = "How well the figures are established: texto_legal, fontes_concordes, fonte_unica or do_escritorio"
    )]
    pub conferencia: Option<String>,
    /// Words of the citation
    #[arg(long, value_name = "WORDS")]
    pub q: Option<String>,
    /// Most versions to list
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub limit: usize,
}

impl RulesQuery {
    /// Name and value of each filter that is given, as in `GET /v1/regras`.
    fn filters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        given([
            ("tributo", &self.tributo),
            ("uf", &self.uf),
            ("municipio", &self.municipio),
            ("ncm", &self.ncm),
            ("item_lista_servico", &self.item_lista_servico),
            ("classificacao_tributaria", &self.classificacao_tributaria),
            ("vigente_em", &self.vigente_em),
            ("inicia_ate", &self.inicia_ate),
            ("termina_ate", &self.termina_ate),
            ("sem_sucessora", &self.sem_sucessora),
            ("sucessao", &self.sucessao),
            ("situacao", &self.situacao),
            ("conferencia", &self.conferencia),
            ("q", &self.q),
        ])
    }
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
    page(engine, &filter(query.filters())?, query.limit)
}

fn filter<'q>(given: impl Iterator<Item = (&'static str, &'q str)>) -> Result<Filter, AdminError> {
    let mut filter = Filter::default();
    // A UF is read before the municipality, whose refusal looks for a near name in it.
    let mut of_uf = None;
    for (name, value) in given {
        if name == "uf" {
            of_uf = Uf::from_abbreviation(value);
        }
        // The filter's own refusal is in Portuguese, for callers of the API.
        filter.set(name, value).map_err(|_| match name {
            "municipio" => unknown_municipality(of_uf, value),
            _ => refused_filter(name, value),
        })?;
    }
    Ok(filter)
}

/// The refusal of a municipality that no UF has, with the nearest name: among those of the UF, if a filter names one.
fn unknown_municipality(uf: Option<Uf>, name: &str) -> AdminError {
    let hint = match Municipio::near(uf, name) {
        Some(near) => format!("did you mean \"{}\" ({})?", near.name(), near.uf()),
        None => "it takes the official name of a municipality, or its IBGE code".to_owned(),
    };
    AdminError::new(format!("--municipio: no UF has a municipality \"{}\"; {hint}", shorten(name)))
}

/// Returns what the publications since a day changed.
pub(super) fn changes(engine: &Engine, query: &ChangesQuery) -> Result<Changes, AdminError> {
    let since = Date::parse(&query.since).map_err(|_| refused_filter("since", &query.since))?;
    Ok(Changes::read(engine, since, &filter(query.filters())?)?)
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

/// The UF whose letters or name are nearest.
fn near_uf(text: &str) -> Option<&'static str> {
    let folded = fold(text);
    let named = Uf::WORDS.iter().chain(Uf::NAMES).zip(Uf::WORDS.iter().cycle());
    let near = named.filter_map(|(name, uf)| Some((edits(&folded, &fold(name))?, *uf)));
    near.min_by_key(|(edits, _)| *edits).map(|(_, uf)| uf)
}

/// The refusal of a filter's value, and what the filter accepts.
fn refused_filter(name: &str, value: &str) -> AdminError {
    let near = match name {
        "tributo" => nearest(value, tax::NAMES.iter().copied()),
        // Two letters are near too many others.
        "uf" if value.chars().count() > 2 => near_uf(value),
        _ => None,
    };
    let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    let accepted = match name {
        "tributo" => taxes_accepted(value),
        "uf" => "it takes the two letters of a UF, like SP, or its name".to_owned(),
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
    AdminError::new(format!("--{}: \"{}\" is not accepted; {near}{accepted}", name.replace('_', "-"), shorten(value)))
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
    let versions = listed.regras.into_iter().zip(bundles).zip(changes::sentences_of(engine, &code)?);
    let versoes = versions.map(|((version, pacote), mudancas)| HistoricVersion { version, mudancas, pacote }).collect();
    Ok(RuleHistory { rule_code, versoes })
}

/// Reads the day of an option; today without one.
fn day_of(engine: &Engine, name: &str, day: Option<&str>) -> Result<Date, AdminError> {
    day.map_or_else(|| Ok(engine.now().day()), |day| Date::parse(day).map_err(|_| refused_filter(name, day)))
}

/// Returns what the rules answer on a day, or today.
pub(super) fn coverage(engine: &Engine, query: &CoverageQuery) -> Result<Arc<Coverage>, AdminError> {
    let day = day_of(engine, "vigente_em", query.vigente_em.as_deref())?;
    let Filter { tributo, uf, .. } = filter(given([("tributo", &query.tributo), ("uf", &query.uf)]))?;
    if tributo.is_none() && uf.is_none() {
        return Ok(engine.coverage(day)?);
    }
    Ok(Arc::new(engine.coverage_of(day, tributo, uf)?))
}

/// Returns what begins and what ends in the days after a day, or after today.
pub(super) fn upcoming(engine: &Engine, query: &UpcomingQuery) -> Result<Upcoming, AdminError> {
    let from = day_of(engine, "desde", query.desde.as_deref())?;
    let of_query = given([("tributo", &query.tributo), ("uf", &query.uf)]);
    let filter = (query.tributo.is_some() || query.uf.is_some()).then(|| filter(of_query)).transpose()?;
    Ok(engine.upcoming_of(from, from.plus_days(query.days), filter.as_ref())?)
}

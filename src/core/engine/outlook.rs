//! What a payload is answered on each of some days, by the rules that were known at an instant.
//!
//! A payload with a date of its own is asked for that day. One without it is asked for the first day, and then for each
//! day on which a version under a key that it looked up begins or ends: on the days between, the same calculation finds
//! the same versions.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::answer::{Extras, PayloadForm};
use super::published::PublishedVersions;
use super::resolve::{self, Resolver};
use super::touched::probe;
use super::{Engine, calculate, provenance};
use crate::base::document::{Node, Object, Shape, parse_payload};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa, guarded};
use crate::base::value::{Date, RuleId, Timestamp};
use crate::law::rule::{Linha, Place, RuleResult, Vigencia};
use crate::law::tax::Entry;
use crate::store::{AnswerSpan, AsOfReader, LookupEntry, RuleTables, StoreError, StoreResult, WatchedAnswer};

/// A payload that is asked for several days.
pub struct OpenQuestion {
    payload: Object<'static>,
    entry: &'static Entry,
    /// The field with the day, or with the year of a yearly tax.
    campo: &'static str,
    /// The day that the payload has; `None` if it follows today.
    fixed: Option<Date>,
}

/// The answers to a question on the days from the first to the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    pub spans: Vec<AnswerSpan>,
    /// Hashes of the keys that were looked up.
    pub probes: Vec<u64>,
    /// The first day after the last one on which the answer may change.
    pub next: Option<Date>,
}

/// The rules as they were known at an instant.
pub struct RulesAt<'e> {
    engine: &'e Engine,
    rules: AsOfReader,
}

/// The field that dates the payloads of a tax.
fn dating(entry: &Entry) -> Option<&'static str> {
    let dated = entry.payload.iter().find(|field| field.required && matches!(field.shape, Shape::Date));
    entry.yearly.or(dated.map(|field| field.name))
}

fn faulty(codigo: ErrorCode, detail: String) -> Box<Problem> {
    Box::new(Problem::new(codigo, detail))
}

impl OpenQuestion {
    /// Reads a payload. Fails if it is not JSON, has no tax, or has a date that is none.
    pub fn read(payload: &[u8]) -> RuleResult<OpenQuestion> {
        let document = parse_payload(payload).map_err(|fault| faulty(ErrorCode::JsonInvalido, fault.to_string()))?;
        match document {
            Node::Object(object) => OpenQuestion::of(object.into_owned()),
            other => Err(faulty(ErrorCode::TipoInvalido, format!("Informe um objeto JSON; veio {}.", other.kind()))),
        }
    }

    pub fn of(mut payload: Object<'static>) -> RuleResult<OpenQuestion> {
        let entry = calculate::tax_of(&payload)?;
        let campo = dating(entry).ok_or_else(|| Box::new(Problem::failure("O tributo não tem data.", entry.sigla)))?;
        let fixed = match payload.get(campo) {
            None | Some(Node::Null) => {
                payload.take(campo);
                None
            }
            Some(given) => Some(day_of(given).ok_or_else(|| {
                let faults = entry.field_faults(&payload);
                let unread = || Problem::of_field(ErrorCode::DataInvalida, campo, "A data não pôde ser lida.");
                Box::new(if faults.is_empty() { unread() } else { Problem::from_faults(faults) })
            })?),
        };
        Ok(OpenQuestion { payload, entry, campo, fixed })
    }

    pub fn tributo(&self) -> &'static str {
        self.entry.tributo.as_str()
    }

    pub fn follows_today(&self) -> bool {
        self.fixed.is_none()
    }

    pub fn payload(&self) -> &Object<'static> {
        &self.payload
    }

    /// The payload for a day, and the day that selects the rule: that of a yearly tax is 1 January.
    fn on(&self, day: Date) -> (Object<'static>, Date) {
        if let Some(fixed) = self.fixed {
            return (self.payload.clone(), fixed);
        }
        let asked = if self.entry.yearly.is_some() { first_of_year(day, 0) } else { day };
        let is_year = self.entry.payload.iter().any(|f| f.name == self.campo && matches!(f.shape, Shape::Int { .. }));
        let mut payload = self.payload.clone();
        let value = if is_year { Node::Int(i64::from(asked.year())) } else { Node::from(asked.to_string()) };
        payload.set(self.campo, value);
        (payload, asked)
    }

    /// The first day on which the question is of that day or a later one.
    fn first_day_of(&self, day: Date) -> Date {
        if self.entry.yearly.is_none() || day.is_first_of_year() { day } else { first_of_year(day, 1) }
    }
}

/// The day that a payload has.
fn day_of(node: &Node<'_>) -> Option<Date> {
    match node {
        Node::Text(text) => Date::parse(text).ok(),
        other => other.whole().and_then(|year| u32::try_from(year).ok()).and_then(first_of),
    }
}

/// 1 January of a year, if the calendar has it.
fn first_of(year: u32) -> Option<Date> {
    Date::from_ordinal(year.checked_mul(10_000)?.checked_add(101)?)
}

fn first_of_year(day: Date, later: u32) -> Date {
    first_of(day.year() + later).unwrap_or(day)
}

fn first_of_next_month(day: Date) -> Date {
    let (year, month) = if day.month() == 12 { (day.year() + 1, 1) } else { (day.year(), day.month() + 1) };
    Date::from_ordinal(year * 10_000 + month * 100 + 1).unwrap_or(day)
}

/// Rules that note on which day the versions that are read next begin or end.
struct Noting<'r> {
    rules: &'r AsOfReader,
    /// The day that is asked for.
    day: Date,
    next: Cell<Option<Date>>,
    /// True if another day was looked up, as by a tax of whole months.
    is_other_day: Cell<bool>,
}

impl Noting<'_> {
    fn note(&self, vigencia: Vigencia) {
        for day in [Some(vigencia.de), vigencia.ate].into_iter().flatten().filter(|day| *day > self.day) {
            self.next.set(Some(self.next.get().map_or(day, |next| next.min(day))));
        }
    }
}

impl RuleTables for Noting<'_> {
    fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        self.is_other_day.set(self.is_other_day.get() || data != self.day);
        Ok(self.entries_under(chave)?.into_iter().find(|entry| entry.vigencia.covers(data)))
    }

    fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        let entries = self.rules.entries_under(prefix)?;
        for entry in &entries {
            self.note(entry.vigencia);
        }
        Ok(entries)
    }

    fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        let rows = self.rules.rows(prefix, place, max)?;
        for (_, vigencia) in rows.iter().flat_map(|row| &row.versoes) {
            self.note(*vigencia);
        }
        Ok(rows)
    }

    fn record(&self, number: u64) -> StoreResult<Vec<u8>> {
        self.rules.record(number)
    }
}

impl RulesAt<'_> {
    /// Number of the last publication that was known.
    pub fn publication(&self) -> u64 {
        self.rules.publication()
    }

    /// Answers a question on the days from the first to the last. Fails if the data file cannot be read.
    pub fn outlook(&self, question: &OpenQuestion, first: Date, last: Date) -> RuleResult<Outlook> {
        let mut day = question.fixed.unwrap_or(first);
        let (mut spans, mut probes): (Vec<AnswerSpan>, _) = (Vec::new(), BTreeSet::new());
        loop {
            let (resposta, looked_up, next) = self.answer_on(question, day)?;
            probes.extend(looked_up);
            if spans.last().is_none_or(|span| span.resposta != resposta) {
                spans.push(AnswerSpan { de: day, resposta });
            }
            match next {
                Some(next) if next <= last => day = next,
                next => return Ok(Outlook { spans, probes: probes.into_iter().collect(), next }),
            }
        }
    }

    /// The answer on a day, the keys that were looked up, and the next day on which it may change.
    fn answer_on(&self, question: &OpenQuestion, day: Date) -> RuleResult<(WatchedAnswer, Vec<u64>, Option<Date>)> {
        let (payload, asked) = question.on(day);
        let noting = Noting { rules: &self.rules, day: asked, next: Cell::new(None), is_other_day: Cell::new(false) };
        let resolver = Resolver::new(&noting, Some(&self.engine.decoded));
        let answered = guarded(|| calculate::answer(&resolver, PayloadForm::Object(&payload), Extras::default()));
        let answer = match answered {
            Ok(answer) => {
                let regra = answer.regra();
                WatchedAnswer {
                    valor: Some(answer.valor.to_string()),
                    codigo: None,
                    rule_id: Some(answer.rule_id().to_string()),
                    citacao_legal: Some(regra.citacao_legal.as_str().to_owned()),
                }
            }
            Err(problem) if problem.codigo == ErrorCode::Indisponivel => return Err(problem),
            Err(problem) => WatchedAnswer {
                valor: None,
                codigo: Some(problem.codigo),
                rule_id: problem.regra.as_ref().map(|regra| regra.rule_id.to_string()),
                citacao_legal: problem.regra.as_ref().map(|regra| regra.citacao_legal.as_str().to_owned()),
            },
        };
        let probes = resolver.into_probes();
        if question.fixed.is_some() {
            return Ok((answer, probes, None));
        }
        // The law of a tax itself may change with the year, and a tax of whole months looks up the first day of each.
        let month = noting.is_other_day.get().then(|| first_of_next_month(day));
        let next = noting.next.get().map(|next| question.first_day_of(next));
        let next = [next, month, Some(first_of_year(day, 1))].into_iter().flatten().filter(|next| *next > day).min();
        Ok((answer, probes, next))
    }

    /// Fails with what is wrong with a question itself: no publication makes it answerable.
    pub fn check(&self, question: &OpenQuestion, today: Date) -> RuleResult<()> {
        let (payload, _) = question.on(today);
        let faults = question.entry.field_faults(&payload);
        if !faults.is_empty() {
            return Err(Box::new(Problem::from_faults(faults)));
        }
        let resolver = Resolver::new(&self.rules, Some(&self.engine.decoded));
        match guarded(|| calculate::answer(&resolver, PayloadForm::Object(&payload), Extras::default())) {
            Err(problem) if is_fault(&problem) => Err(problem),
            _ => Ok(()),
        }
    }
}

/// True if the payload is at fault whatever the rules.
fn is_fault(problem: &Problem) -> bool {
    let of_data =
        problem.tipo_recusa == Some(TipoRecusa::DadoInvalido) || problem.codigo == ErrorCode::CampoObrigatorio;
    problem.codigo.status() == 400 || (of_data && problem.regra.is_none())
}

impl Engine {
    /// The rules as they were known at an instant. Waits if a publication is being committed.
    pub fn rules_at(&self, instant: Timestamp) -> StoreResult<RulesAt<'_>> {
        self.instants.answer_for(instant, self.now());
        Ok(RulesAt { engine: self, rules: self.store.read_rules_as_of(instant.millis())? })
    }

    /// Now, and the number of the last publication: each later one is dated later than this.
    pub fn settled_now(&self) -> StoreResult<(Timestamp, u64)> {
        let now = self.now();
        self.instants.answer_for(now, now);
        Ok((now, self.store.read_journal()?.last_publication()?))
    }

    /// When a publication was made; the beginning of time for that before the first.
    pub fn published_at(&self, number: u64) -> StoreResult<Option<Timestamp>> {
        if number == 0 {
            return Ok(Timestamp::from_millis(0));
        }
        Ok(Some(provenance::publication(&self.store.read_journal()?, number)?.publicado_em))
    }

    /// When the publication that brought a version was made; `None` if there is no such version.
    pub fn publication_of(&self, rule_id: &str) -> StoreResult<Option<Timestamp>> {
        let journal = self.store.read_journal()?;
        let Some(rule_id) = RuleId::parse(rule_id) else { return Ok(None) };
        let Some(number) = journal.number_of(&rule_id)? else { return Ok(None) };
        Ok(Some(provenance::publication(&journal, journal.state(number)?.publication)?.publicado_em))
    }

    /// Hashes of the scope keys that a publication touched, in order.
    pub fn touched_by(&self, number: u64) -> StoreResult<Vec<u64>> {
        Ok(PublishedVersions::read(&self.store.read_journal()?, number)?.touched.into_hashes())
    }
}

/// Identifies what makes the hashes of keys, and what looks keys up: another release may do either in another way.
pub fn program_mark() -> u64 {
    probe(concat!("taxd ", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// The failure of a read, as a caller hears of it.
pub fn read_failed(error: &StoreError) -> Box<Problem> {
    resolve::failed(error)
}

//! The one change that explains a difference.
//!
//! Each question whose figures differ is asked again with one fact changed ([`changes`]), and on the day before its rules
//! began and the day on which they end. If one change gives the figures of the document to the cent, the line says which
//! one. If the document cannot refute the change, the difference is to be checked. If none does, it says which one figure
//! is not that of the rule ([`figures`]). The engine answers these questions as any other; nothing is calculated here.

mod changes;
pub(super) mod codes;
mod facts;
mod figures;
mod point;
pub(super) mod sums;
pub(super) mod totals;

use std::sync::Arc;

use self::changes::ChangedFact;
pub(super) use self::facts::Facts;
use self::figures::FiguresOfBoth;
use super::compare::{Comparison, asked};
use super::finding::{AuditLine, Certainty, Explanation};
use crate::base::value::{Date, with_comma};
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Most differences of a document that are explained: each costs some twenty questions.
pub(super) const EXPLAINED: usize = 200;
/// Differences whose questions are asked together, which bounds the answers in memory.
const TOGETHER: usize = 64;
/// Most versions before the one that answered, and after it, that are tried.
const VERSIONS: u8 = 6;
/// Most changes that a sentence names, if several give the figures of the document.
const NAMED: usize = 2;

/// A line, and what can still be asked about its difference.
#[derive(Debug)]
pub struct Judged {
    pub(super) line: AuditLine,
    open: Option<Box<Open>>,
}

impl Judged {
    /// A line that needs no explanation.
    pub fn ready(line: AuditLine) -> Judged {
        Judged { line, open: None }
    }

    /// A line that differs, with its payload, its comparison, and the answer.
    pub(super) fn differing(line: AuditLine, comparison: Comparison, facts: &Facts, answer: &TaxAnswer) -> Judged {
        let figures = FiguresOfBoth { comparison: &comparison, facts, answer };
        if let Some(explicacao) = figures.contradiction() {
            return Judged::ready(AuditLine { explicacao: Some(explicacao), ..line });
        }
        let payload = line.payload.clone();
        let open = |payload| Box::new(Open::of(comparison, payload, facts, answer));
        Judged { open: payload.map(open), line }
    }

    /// The same line without questions about its difference.
    pub(super) fn unexplained(self) -> Judged {
        Judged::ready(self.line)
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

/// A difference that no change explains yet.
#[derive(Debug)]
struct Open {
    comparison: Comparison,
    payload: Arc<EnginePayload>,
    changes: Vec<ChangedFact>,
    /// The day of the next earlier version to try, and of the next later one.
    days: [Option<Date>; 2],
    tried: u8,
    found: Vec<(Explanation, bool)>,
    /// What the figures show if no change gives those of the document.
    only_one: Option<(Explanation, bool)>,
}

impl Open {
    fn of(comparison: Comparison, payload: Arc<EnginePayload>, facts: &Facts, answer: &TaxAnswer) -> Open {
        let changes = changes::of(&payload, &comparison, facts);
        let only_one = FiguresOfBoth { comparison: &comparison, facts, answer }.only_one();
        let [earlier, later] = if versions_may_fit(&comparison, answer) { neighbours(answer) } else { [None; 2] };
        // Nobody charges by a law of years to come.
        let day = payload_day(&payload).map_or(0, Date::ordinal);
        let later = later.filter(|later| !comparison.declared.valor.is_zero() && later.ordinal() <= day + A_YEAR);
        let days = [earlier, later];
        Open { comparison, payload, changes, days, tried: 0, found: Vec::new(), only_one }
    }

    /// The questions of this round: first the changes, and in each round one version to either side.
    fn questions(&self) -> Vec<Arc<EnginePayload>> {
        let days = self.days.iter().flatten().map(|day| on(&self.payload, *day));
        self.changes.iter().map(|change| Arc::clone(&change.payload)).chain(days).collect()
    }

    fn take(&mut self, answers: &mut impl Iterator<Item = RuleResult<TaxAnswer>>) {
        for change in std::mem::take(&mut self.changes) {
            let Some(answer) = answers.next() else { return };
            let fits =
                answer.as_ref().is_ok_and(|answer| self.comparison.fits_as(change.members, change.declared, answer));
            if fits {
                self.found.push((Explanation { codigo: change.codigo, detalhe: change.detalhe }, change.legitimate));
            }
        }
        self.tried += 1;
        for (place, day) in self.days.into_iter().enumerate() {
            if day.is_none() {
                continue;
            }
            let Some(answer) = answers.next() else { return };
            let mut next = None;
            if let Ok(answer) = answer {
                if self.comparison.fits(&answer) {
                    self.found.push((of_version(&self.comparison, &answer, place == 0), false));
                } else if self.tried < VERSIONS {
                    next = neighbours(&answer).get(place).copied().flatten();
                }
            }
            if let Some(day) = self.days.get_mut(place) {
                *day = next;
            }
        }
    }

    /// The explanation, and whether the document cannot refute it.
    fn explanation(self) -> Option<(Explanation, bool)> {
        let legitimate = self.found.iter().any(|(_, legitimate)| *legitimate);
        let Some((first, _)) = self.found.first() else { return self.only_one };
        let named: Vec<&str> = self.found.iter().take(NAMED).map(|(found, _)| found.detalhe.as_str()).collect();
        let codigo = if self.found.len() > 1 { "mais_de_uma" } else { first.codigo };
        Some((Explanation { codigo, detalhe: named.join("; ou ") }, legitimate))
    }
}

/// Whether another version may have the figures of the document. Those of a federal tax differ in their rates alone.
fn versions_may_fit(comparison: &Comparison, answer: &TaxAnswer) -> bool {
    let is_federal = matches!(comparison.line.tributo, "pis" | "cofins" | "cbs" | "ibs" | "ipi");
    !(is_federal && comparison.agreement(answer).get(1) == Some(&Some(true)))
}

/// The day before the rules of an answer began together, and the day on which the first of them ends.
fn neighbours(answer: &TaxAnswer) -> [Option<Date>; 2] {
    let periods = answer.periods();
    let began = periods.iter().map(|(de, _)| *de).max();
    let ends = periods.iter().filter_map(|(_, ate)| *ate).min();
    [began.map(Date::previous_day).filter(|day| day.may_have_rules()), ends]
}

/// A year, in the ordinals of days.
const A_YEAR: u32 = 10_000;

fn name_of_day(payload: &EnginePayload) -> &'static str {
    ["data", "data_pagamento"].into_iter().find(|name| payload.get(name).is_some()).unwrap_or("data_operacao")
}

fn payload_day(payload: &EnginePayload) -> Option<Date> {
    Date::parse(payload.text(name_of_day(payload))?).ok()
}

/// The payload on another day.
fn on(payload: &EnginePayload, day: Date) -> Arc<EnginePayload> {
    let name = name_of_day(payload);
    let mut payload = payload.clone();
    payload.set(name, day.to_string());
    asked(payload)
}

/// The figures are those of another version of the rules.
fn of_version(comparison: &Comparison, answer: &TaxAnswer, earlier: bool) -> Explanation {
    let regra = answer.regra();
    let what = (comparison.members.aliquota)(answer)
        .map_or_else(|| "o valor do documento".to_owned(), |rate| format!("{}%", with_comma(rate.normalize())));
    let [_, ends] = neighbours(answer);
    let began = answer.periods().into_iter().map(|(de, _)| de).max().unwrap_or(regra.vigente_de);
    let law = regra.citacao_legal.as_str();
    let detalhe = match ends.filter(|_| earlier) {
        Some(end) => format!("{what} valia {} ({law})", end.until()),
        None => format!("{what} só vale desde {} ({law})", began.dmy()),
    };
    Explanation { codigo: if earlier { "versao_anterior" } else { "versao_posterior" }, detalhe }
}

/// Asks for what explains the differences, and returns the lines in their order.
pub fn explain<E>(
    mut judged: Vec<Judged>,
    mut ask: impl FnMut(Vec<Arc<EnginePayload>>) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
) -> Result<Vec<AuditLine>, E> {
    let mut open: Vec<&mut Judged> = judged.iter_mut().filter(|judged| judged.is_open()).collect();
    for together in open.chunks_mut(TOGETHER) {
        loop {
            let payloads: Vec<_> =
                together.iter().filter_map(|judged| judged.open.as_ref()).flat_map(|open| open.questions()).collect();
            if payloads.is_empty() {
                break;
            }
            let mut answers = ask(payloads)?.into_iter();
            together.iter_mut().filter_map(|judged| judged.open.as_mut()).for_each(|open| open.take(&mut answers));
        }
    }
    Ok(judged.into_iter().map(Judged::explained).collect())
}

impl Judged {
    fn explained(self) -> AuditLine {
        let Judged { line, open } = self;
        let Some((explicacao, legitimate)) = open.and_then(|open| open.explanation()) else { return line };
        let certeza = if legitimate { Some(Certainty::Conferir) } else { line.certeza };
        AuditLine { certeza, explicacao: Some(explicacao), ..line }
    }
}

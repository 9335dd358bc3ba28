//! What differs between two answers of a line over the same days; pure.

use std::collections::BTreeSet;

use crate::base::value::Date;
use crate::engine::SituacaoChamada;
use crate::store::{AnswerSpan, WatchedAnswer};

/// From a day on, another answer than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub de: Date,
    pub situacao: SituacaoChamada,
    pub antes: WatchedAnswer,
    pub depois: WatchedAnswer,
}

/// How an answer changes; `None` if it does not. Two refusals with one code are the same outcome.
fn situacao(antes: &WatchedAnswer, depois: &WatchedAnswer) -> Option<SituacaoChamada> {
    match (&antes.valor, &depois.valor) {
        (Some(old), Some(new)) if old != new => Some(SituacaoChamada::ValorMuda),
        (Some(_), Some(_)) => (antes.rule_id != depois.rule_id).then_some(SituacaoChamada::RegraMuda),
        (None, Some(_)) => Some(SituacaoChamada::PassaAResponder),
        (Some(_), None) => Some(SituacaoChamada::PassaARecusar),
        (None, None) => (antes.codigo != depois.codigo).then_some(SituacaoChamada::RecusaMuda),
    }
}

impl Changed {
    /// The change from one answer to another; `None` if they are the same.
    pub fn between(de: Date, antes: &WatchedAnswer, depois: &WatchedAnswer) -> Option<Changed> {
        let situacao = situacao(antes, depois)?;
        Some(Changed { de, situacao, antes: antes.clone(), depois: depois.clone() })
    }
}

/// The answer on a day: that of the last span that has begun, or else of the first.
fn on(spans: &[AnswerSpan], day: Date) -> Option<&WatchedAnswer> {
    let begun = spans.iter().rev().find(|span| span.de <= day);
    begun.or(spans.first()).map(|span| &span.resposta)
}

/// The changes from the answers before to those after, on the days from `first` on: one for each run of days on which
/// both stay the same and differ from each other.
pub fn differences(before: &[AnswerSpan], after: &[AnswerSpan], first: Date) -> Vec<Changed> {
    let begins = before.iter().chain(after).map(|span| span.de).filter(|day| *day > first);
    let days: BTreeSet<Date> = std::iter::once(first).chain(begins).collect();
    let mut found: Vec<Changed> = Vec::new();
    let mut last = None;
    for day in days {
        let Some((old, new)) = on(before, day).zip(on(after, day)) else { continue };
        // A span may begin although nothing that counts is different: it is the same run of days.
        let run = Changed::between(day, old, new);
        let is_same = |one: &Changed, other: &Changed| one.antes == other.antes && one.depois == other.depois;
        if let Some(run) = &run
            && !last.as_ref().is_some_and(|last| is_same(last, run))
        {
            found.push(run.clone());
        }
        last = run;
    }
    found
}

//! The calendar as the page reads it: days, groups, and the rules of a group.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::sentence::in_words;
use crate::base::value::{Date, RuleId};
use crate::core::engine::coverage::TaxTotal;
use crate::core::engine::upcoming::{Lapse, TestYearRule, Upcoming, UpcomingCounts, UpcomingRule};
use crate::features::calendar::report::{UpcomingGroup, groups, rules_of};
use crate::http::cursor;
use crate::law::codes::Prazo;
use crate::law::labels;

/// Groups in an answer: some 500 bytes each.
const GROUPS: usize = 500;
/// Rules of a group in an answer.
const RULES: usize = 200;

/// What begins and ends in a window of days.
#[derive(Serialize)]
pub(super) struct CalendarPage<'a> {
    /// The day that it looks ahead from.
    desde: Date,
    ate: Date,
    /// The days on which something begins or ends, of all kinds.
    dias: Vec<CalendarDay>,
    /// The groups of the kind that was asked for.
    grupos: Vec<UpcomingGroup>,
    /// How many there are.
    total: usize,
    /// Where the next groups begin.
    proximo: Option<String>,
    /// The taxes with figures that are not established on the first day.
    figuras_nulas: &'a [TaxTotal],
    /// Those of them that had the figures before.
    sem_figura_desde: &'a [Lapse],
    /// The rules of the test year that answer in the window.
    ano_teste: &'a [TestYearRule],
    /// The dates of duties; they are not rules.
    prazos: &'a [Prazo],
}

/// A day on which rules begin or end.
#[derive(Serialize)]
pub(super) struct CalendarDay {
    /// The first day on which they answer, or no longer answer.
    data: Date,
    #[serde(flatten)]
    regras: UpcomingCounts,
    /// How many answer until then, and nothing, or a rule that refuses, follows.
    sem_resposta: u64,
    /// Their taxes.
    sem_resposta_de: Vec<String>,
    /// The taxes that are extinct from that day on.
    extintos: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct GroupRules<'a> {
    regras: Vec<GroupRule<'a>>,
    total: usize,
    /// Where the next ones begin.
    proximo: Option<String>,
}

#[derive(Serialize)]
struct GroupRule<'a> {
    rule_id: &'a RuleId,
    escopo: String,
    vigente_de: Date,
    vigente_ate: Option<Date>,
    sucessora: Option<&'a RuleId>,
    /// The first part of its scope without an answer.
    sem_sucessora_em: Option<String>,
    citacao_legal: &'a str,
}

/// The days of the window on which something happens.
pub(super) fn days(upcoming: &Upcoming) -> Vec<CalendarDay> {
    let day = |regras: &[Arc<UpcomingRule>]| {
        let taxes_that = |is: fn(&UpcomingRule) -> bool| -> Vec<String> {
            let taxes: BTreeSet<&str> =
                regras.iter().map(Arc::as_ref).filter(|regra| is(regra)).map(|regra| regra.tributo.as_str()).collect();
            taxes.into_iter().map(str::to_owned).collect()
        };
        let counts = UpcomingCounts::of(regras);
        Some(CalendarDay {
            data: regras.first()?.data,
            regras: counts,
            sem_resposta: counts.fins.without_answer(),
            sem_resposta_de: taxes_that(UpcomingRule::leaves_no_answer),
            extintos: taxes_that(|regra| regra.extincao.is_some()),
        })
    };
    upcoming.regras.chunk_by(|a, b| a.data == b.data).filter_map(day).collect()
}

/// The calendar from the group of that place on.
pub(super) fn calendar(upcoming: &Upcoming, dias: Vec<CalendarDay>, after: usize) -> CalendarPage<'_> {
    let groups = groups(upcoming);
    CalendarPage {
        desde: upcoming.desde,
        ate: upcoming.ate,
        dias,
        total: groups.len(),
        proximo: next(after, GROUPS, groups.len()),
        grupos: groups.into_iter().skip(after).take(GROUPS).collect(),
        figuras_nulas: &upcoming.figuras_nulas,
        sem_figura_desde: &upcoming.sem_figura_desde,
        ano_teste: &upcoming.ano_teste,
        prazos: &upcoming.prazos,
    }
}

/// The rules of the group of that id, from that place on; none if a publication since has changed the group.
pub(super) fn rules<'a>(upcoming: &'a Upcoming, id: &str, after: usize) -> GroupRules<'a> {
    let group = groups(upcoming).into_iter().find(|group| group.id == id);
    let regras: Vec<&Arc<UpcomingRule>> = group.iter().flat_map(|group| rules_of(upcoming, group)).collect();
    GroupRules {
        total: regras.len(),
        proximo: next(after, RULES, regras.len()),
        regras: regras.into_iter().skip(after).take(RULES).map(|regra| GroupRule::of(regra)).collect(),
    }
}

fn next(after: usize, limit: usize, total: usize) -> Option<String> {
    let next = after.saturating_add(limit);
    (next < total).then(|| cursor::write(next as u64))
}

impl GroupRule<'_> {
    fn of(regra: &UpcomingRule) -> GroupRule<'_> {
        let named = labels::named(Some(regra.tributo.as_str()));
        GroupRule {
            rule_id: &regra.rule_id,
            escopo: in_words(&regra.escopo, &named),
            vigente_de: regra.vigente_de,
            vigente_ate: regra.vigente_ate,
            sucessora: regra.sucessora.as_ref(),
            sem_sucessora_em: regra.sem_sucessora_em.as_ref().map(|part| in_words(part, &named)),
            citacao_legal: &regra.citacao_legal,
        }
    }
}

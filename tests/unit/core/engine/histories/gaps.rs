//! The days and scopes that imports leave without a rule of their own, against the model.

use std::iter::once;

use taxd_base::value::NcmPrefix;
use taxd_law::rule::Chave;

use super::calendar::{Day, written};
use super::days::chaves;
use super::model::{Model, Scope, Version};
use super::{every_history, same};
use crate::support::engine;

type Ncm = Option<&'static str>;

fn beside_ncm(s: &Scope) -> [Option<&'static str>; 5] {
    [Some(s.tributo), s.origem, s.destino, s.cest, s.ex]
}

/// A rule of that scope answers for everything under the other one's key, but for what it excepts inside.
fn covers(scope: &Scope, other: &Scope, ncm: Ncm) -> bool {
    let open = beside_ncm(scope).iter().zip(beside_ncm(other)).all(|(own, asked)| own.is_none() || *own == asked);
    let under = |list: &[&str]| ncm.is_some_and(|ncm| list.iter().any(|prefix| ncm.starts_with(prefix)));
    open && (scope.ncm.is_empty() || under(scope.ncm)) && !under(scope.exceto)
}

/// What of a key of `old` no version answers on that day: all of it, or what is excepted inside it.
fn left(versions: &[Version], old: &Version, ncm: Ncm, day: Day) -> Option<Ncm> {
    let has_key = |s: &Scope| match ncm {
        Some(ncm) => s.ncm.contains(&ncm),
        None => s.ncm.is_empty(),
    };
    let same_key = |v: &&Version| beside_ncm(&v.scope) == beside_ncm(&old.scope) && has_key(&v.scope);
    let of_code = |v: &&Version| v.code == old.code && covers(&v.scope, &old.scope, ncm);
    let on_day = || versions.iter().filter(|v| v.covers(day));
    let Some(answering) = on_day().find(same_key).or_else(|| on_day().find(of_code)) else { return Some(ncm) };
    let inside = |e: &&&str| ncm.is_none_or(|ncm| e.starts_with(ncm) && **e != ncm);
    let was_answered = |e: &&&str| !old.scope.exceto.iter().any(|own| e.starts_with(own));
    let cut = answering.scope.exceto.iter().filter(inside).filter(was_answered);
    cut.map(|e| left(versions, old, Some(e), day)).find_map(|gap| gap)
}

/// The first day that `old` lost and on which something of it is left, the first key of it that is,
/// and how many of its keys are on some day.
fn gap_of(after: &Model, old: &Version) -> Option<(Day, String, usize)> {
    let now = after.versions.iter().find(|v| v.id() == old.id()).unwrap();
    let versions = &after.versions;
    let turning = versions.iter().flat_map(|v| once(v.de).chain(v.ate)).filter(|day| old.covers(*day));
    let mut days: Vec<Day> = turning.filter(|day| !now.covers(*day)).collect();
    days.sort_unstable();
    let own: Vec<Ncm> =
        if old.scope.ncm.is_empty() { vec![None] } else { old.scope.ncm.iter().copied().map(Some).collect() };
    let mut gaps = Vec::new();
    for (key, ncm) in chaves(&old.scope).into_iter().zip(own) {
        let first = days.iter().find_map(|day| Some((*day, left(versions, old, ncm, *day)?)));
        gaps.extend(first.map(|(day, ncm)| (day, Chave { ncm: ncm.map(|n| NcmPrefix::parse(n).unwrap()), ..key })));
    }
    let (day, key) = gaps.iter().min_by_key(|(day, _)| *day)?;
    Some((*day, key.descricao(), gaps.len()))
}

#[test]
fn every_gap_that_an_import_leaves_is_reported_with_its_first_day_and_scope() {
    every_history(|history| {
        let engine = engine(0);
        let mut model = &Model::default();
        for step in &history.steps {
            let report = step.import(&engine);
            let (Some(after), Ok(report)) = (&step.after, report) else { continue };
            for old in &model.versions {
                let gap = gap_of(after, old).map(|(day, em, keys)| (written(day).to_owned(), em, keys));
                let superseded = report.substituidas.iter().map(Result::unwrap);
                let notes: Vec<_> = superseded.filter(|n| n.rule_id.to_string() == old.id()).collect();
                let first = notes.iter().filter(|n| n.lacuna_de.is_some()).min_by_key(|n| n.lacuna_de);
                let told = first.map(|n| {
                    (n.lacuna_de.unwrap().to_string(), n.lacuna_em.clone().unwrap(), n.lacuna_escopos.unwrap())
                });
                let what = format!("clock {}: first day lost of {}", step.clock, old.id());
                // An end that moved twice has two notes, each of which knows of its own days.
                match notes.len() {
                    0 | 1 => same(&what, &gap, &told)?,
                    _ => same(&what, &gap.map(|g| g.0), &told.map(|t| t.0))?,
                }
            }
            if !step.dry_run {
                model = after;
            }
        }
        Ok(())
    });
}

//! Who answers on which day, now and as it was known then.

use taxd_base::value::{Cest, Date, Ex, NcmPrefix, Uf};
use taxd_core::engine::Engine;
use taxd_core::store::RuleTables;
use taxd_law::rule::{Chave, Vigencia};

use super::calendar::{Day, TEN_YEARS, written};
use super::generate::{History, Random};
use super::model::{Model, Scope, Version};
use super::probe::{Asker, PROBES};
use super::{every_history, same};
use crate::support::engine;

/// The two payloads that a history is asked on each of the 3,653 days, by turns; the others
/// are asked on the days on which something turns, and on the days before.
const EVERY_DAY: [[usize; 2]; 8] = [[0, 1], [0, 5], [1, 5], [0, 7], [1, 2], [5, 6], [0, 12], [1, 4]];
/// Payloads asked at each past instant.
const THEN: usize = 2;

/// An engine after all of the history.
fn played(history: &History) -> Engine {
    let engine = engine(0);
    for step in &history.steps {
        // Whether it should have been refused is asked in `listed`.
        let _ = step.import(&engine);
    }
    engine
}

#[test]
fn on_every_day_of_ten_years_the_engine_answers_like_the_model() {
    every_history(|history| {
        let engine = played(history);
        let mut asker = Asker::new(&engine);
        let now = &history.model.versions;
        let every_day = EVERY_DAY[usize::try_from(history.seed).unwrap() % EVERY_DAY.len()];
        for (n, probe) in PROBES.iter().enumerate() {
            let turning = || history.model.turning_days(|s| probe.rank(s).is_some());
            let days = if every_day.contains(&n) { TEN_YEARS.collect() } else { turning() };
            for day in days {
                asker.check(probe, day, None, &probe.expected(now, day))?;
            }
        }
        Ok(())
    });
}

#[test]
fn asked_from_the_first_publication_on_the_engine_answers_like_the_model_after_each() {
    every_history(|history| {
        // Each key is kept from the first question on: a publication must drop those that it touches.
        let engine = engine(0);
        let mut asker = Asker::new(&engine);
        let mut random = Random::of(!history.seed);
        let nothing = Model::default();
        let mut now = &nothing;
        for step in &history.steps {
            for _ in 0..2 {
                for probe in &PROBES {
                    let mut days = now.turning_days(|s| probe.rank(s).is_some());
                    days.push(TEN_YEARS.start + random.below(TEN_YEARS.len()));
                    let day = *random.of_these(&days);
                    asker.check(probe, day, None, &probe.expected(&now.versions, day))?;
                }
            }
            let _ = step.import(&engine);
            now = step.after.as_ref().filter(|_| !step.dry_run).unwrap_or(now);
        }
        Ok(())
    });
}

#[test]
fn at_every_past_instant_the_engine_answers_what_the_model_knew_then() {
    every_history(|history| {
        let engine = played(history);
        let mut asker = Asker::new(&engine);
        let mut random = Random::of(!history.seed);
        for (instant, _) in &history.model.past {
            for at in [instant - 1, *instant, instant + 1] {
                for _ in 0..THEN {
                    let probe = random.of_these(&PROBES);
                    let mut days = history.model.turning_days(|s| probe.rank(s).is_some());
                    days.extend((0..4).map(|_| TEN_YEARS.start + random.below(TEN_YEARS.len())));
                    for day in days {
                        let wanted = probe.expected(history.model.known_at(at), day);
                        asker.check(probe, day, Some(at), &wanted).map_err(|e| format!("known at {at}: {e}"))?;
                    }
                }
            }
        }
        Ok(())
    });
}

pub(super) fn chaves(scope: &Scope) -> Vec<Chave> {
    let uf = |name: Option<&str>| name.map(|name| Uf::from_abbreviation(name).unwrap());
    let one = Chave {
        uf_origem: uf(scope.origem),
        uf_destino: uf(scope.destino),
        ex: scope.ex.map(|ex| Ex::parse(ex).unwrap()),
        cest: scope.cest.map(|cest| Cest::parse(cest).unwrap()),
        ..Chave::of(taxd_law::tax::find(scope.tributo).unwrap().tributo)
    };
    if scope.ncm.is_empty() {
        return vec![one];
    }
    scope.ncm.iter().map(|ncm| Chave { ncm: Some(NcmPrefix::parse(ncm).unwrap()), ..one.clone() }).collect()
}

type Span = (Date, Option<Date>);

fn day(day: Day) -> Date {
    Date::parse(written(day)).unwrap()
}

/// The validities of these versions under a key, in order.
fn under(versions: &[Version], chave: &Chave) -> Vec<Span> {
    let here = versions.iter().filter(|v| !v.is_empty() && chaves(&v.scope).contains(chave));
    let mut spans: Vec<Span> = here.map(|v| (day(v.de), v.ate.map(day))).collect();
    spans.sort();
    spans
}

/// What the store holds under a key, in order.
fn kept(rules: &impl RuleTables, chave: &Chave) -> Vec<Span> {
    let spans = rules.validities(&chave.bytes()).unwrap().into_iter().map(|Vigencia { de, ate }| (de, ate));
    let mut spans: Vec<Span> = spans.collect();
    spans.sort();
    spans
}

#[test]
fn under_every_key_the_validities_are_those_of_the_model_and_never_overlap() {
    every_history(|history| {
        let engine = played(history);
        let mut keys: Vec<Chave> = Vec::new();
        for key in history.steps.iter().flat_map(|s| &s.rules).flat_map(|v| chaves(&v.scope)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let present = engine.store().read_rules().unwrap();
        for key in &keys {
            let spans = kept(&*present, key);
            same(&key.descricao(), &under(&history.model.versions, key), &spans)?;
            let apart = |pair: &[Span]| pair[0].1.is_some_and(|end| end <= pair[1].0);
            if !spans.windows(2).all(apart) {
                return Err(format!("{} is answered twice: {spans:?}", key.descricao()));
            }
        }
        for (instant, _) in &history.model.past {
            for at in [instant - 1, *instant, instant + 1] {
                let then = engine.store().read_rules_as_of(at).unwrap();
                for key in &keys {
                    let what = format!("{}, known at {at}", key.descricao());
                    same(&what, &under(history.model.known_at(at), key), &kept(&then, key))?;
                }
            }
        }
        Ok(())
    });
}

//! An engine that remembers answers like one that does not, whatever is published in between.

use serde_json::Value;
use taxd_base::value::Timestamp;

use super::calendar::TEN_YEARS;
use super::generate::Random;
use super::probe::PROBES;
use super::{every_history, same};
use crate::support::engine;

/// Payloads asked after each step. Drawn from few days, so that they come back later.
const ASKED: usize = 10;
const DAYS: usize = 2;

#[test]
fn with_and_without_cache_the_answers_are_the_same_between_publications() {
    every_history(|history| {
        let (remembering, plain) = (engine(4_096), engine(0));
        let mut random = Random::of(!history.seed);
        let days: Vec<usize> = (0..DAYS).map(|_| TEN_YEARS.start + random.below(TEN_YEARS.len())).collect();
        for (n, step) in history.steps.iter().enumerate() {
            let taken = [&remembering, &plain].map(|engine| step.import(engine).is_ok());
            same("taken", &[step.after.is_some(); 2], &taken)?;
            for _ in 0..ASKED {
                let payload = random.of_these(&PROBES).payload(*random.of_these(&days));
                let memoria = random.percent(20);
                // Asked of the past in between, which is neither kept nor served as the present.
                let past = history.model.past.first().and_then(|(at, _)| Timestamp::from_millis(*at)).unwrap();
                let then = [&remembering, &plain].map(|e| e.calculate_at(&payload, memoria, Some(past)));
                if then.iter().flatten().any(|answer| answer.cached) {
                    return Err("an answer of the past came from memory".to_owned());
                }
                let mut first = None;
                for again in [false, true] {
                    let [kept, fresh] = [&remembering, &plain].map(|e| e.calculate(&payload, memoria));
                    let was_cached = kept.as_ref().is_ok_and(|answer| answer.cached);
                    if again && kept.is_ok() && !was_cached {
                        return Err(format!("step {n}: asked twice, calculated twice"));
                    }
                    let shown = |answer: &[u8]| {
                        let mut value: Value = serde_json::from_slice(answer).unwrap();
                        value["cached"] = Value::Null;
                        value
                    };
                    let both = [kept, fresh].map(|answer| answer.map(|a| shown(&a.to_json())).map_err(|p| p.detail));
                    same(&format!("step {n}: {}", String::from_utf8_lossy(&payload)), &both[1], &both[0])?;
                    same("asked again", first.get_or_insert(both[1].clone()), &both[1])?;
                }
            }
        }
        Ok(())
    });
}

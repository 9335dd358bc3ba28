//! The histories themselves.

use serde_json::json;

use super::HISTORIES;
use super::generate::{History, Step};
use super::model::{Event, Model, Version};

/// How often the histories hold what they are meant to hold: a generator that stops making a
/// case would leave the other tests with nothing to fail on.
#[test]
fn the_histories_hold_every_case() {
    let all: Vec<History> = (0..HISTORIES).map(History::of).collect();
    let steps = || {
        all.iter().flat_map(|history| {
            let before = std::iter::once(Model::default());
            let models = history.steps.iter().scan(Model::default(), |now, step| {
                if let Some(after) = step.after.as_ref().filter(|_| !step.dry_run) {
                    *now = after.clone();
                }
                Some(now.clone())
            });
            before.chain(models).zip(&history.steps)
        })
    };
    let count = |holds: &dyn Fn(&Model, &Step) -> bool| steps().filter(|(before, step)| holds(before, step)).count();
    let grown = |before: &Model, step: &Step| step.after.as_ref().is_some_and(|a| a.past.len() > before.past.len());
    let new = |before: &Model, step: &Step| -> Vec<&'static str> {
        let events = step.after.as_ref().map_or(&[][..], |a| &a.events[before.events.len()..]);
        events.iter().map(Event::tipo).collect()
    };
    let lower = |before: &Model, step: &Step| {
        step.rules.iter().any(|v| {
            let of_code = || before.versions.iter().filter(|old| old.code == v.code);
            of_code().any(|old| old.minor > v.minor) && !of_code().any(|old| old.minor == v.minor)
        })
    };
    let rewritten = |before: &Model, step: &Step| {
        let same_id = |a: &Version, b: &Version| (a.code, a.minor) == (b.code, b.minor);
        step.rules.iter().any(|v| before.versions.iter().any(|old| same_id(old, v) && !old.states_the_same_as(v)))
    };
    let moved = |_: &Model, step: &Step| {
        step.after.as_ref().is_some_and(|a| {
            step.rules.iter().any(|v| a.versions.iter().any(|old| old.code == v.code && old.scope != v.scope))
        })
    };
    let twice =
        |_: &Model, step: &Step| step.after.is_some() && step.rules.windows(2).any(|pair| pair[0].code == pair[1].code);
    let holds = json!({
        "published": count(&|b, s| grown(b, s) && !s.dry_run),
        "dry runs": count(&|b, s| grown(b, s) && s.dry_run),
        "nothing new": count(&|b, s| s.after.is_some() && !grown(b, s)),
        "lower": count(&|b, s| s.after.is_none() && lower(b, s)),
        "rewritten": count(&|b, s| s.after.is_none() && rewritten(b, s)),
        "ties": count(&|b, s| s.after.is_none() && !lower(b, s) && !rewritten(b, s)),
        "cut": count(&|b, s| new(b, s).contains(&"substituicao")),
        "replaced": count(&|b, s| new(b, s).contains(&"substituicao_retroativa")),
        "both": count(&|b, s| ["substituicao", "substituicao_retroativa"].iter().all(|t| new(b, s).contains(t))),
        "moved": count(&moved),
        "twice": count(&twice),
        "clock back": count(&|b, s| grown(b, s) && b.past.last().is_some_and(|(last, _)| s.clock <= *last)),
    });
    println!("{holds}");
    for (name, times) in holds.as_object().unwrap() {
        assert!(times.as_u64().unwrap() >= 25, "{name}: {times} of {holds}");
    }
}

//! Reports of imports, listings and the changelog after each step.

use serde_json::{Value, json};
use taxd_base::value::{Date, Timestamp};
use taxd_core::engine::{Engine, Filter, ImportReport, Page};

use super::calendar::{Day, TEN_YEARS, written};
use super::generate::{History, Random};
use super::model::{Event, Model, Version, id};
use super::{Checked, every_history, same};
use crate::support::engine;

/// Rules and events on a page.
const PAGE: usize = 4;

/// A history played step by step: the engine and the model after each, refusals included.
fn at_each_step(history: &History, mut check: impl FnMut(&Engine, &Model) -> Checked) -> Checked {
    let engine = engine(0);
    let mut model = &Model::default();
    for (n, step) in history.steps.iter().enumerate() {
        let report = step.import(&engine);
        let checked = match (&step.after, &report) {
            (Some(after), Ok(report)) => reported(report, model, after),
            (None, Err(_)) => Ok(()),
            (wanted, _) => Err(format!("to be taken: {}, but {report:?}", wanted.is_some())),
        };
        if let Some(after) = step.after.as_ref().filter(|_| !step.dry_run) {
            model = after;
        }
        checked.and_then(|()| check(&engine, model)).map_err(|fault| format!("after step {n}: {fault}"))?;
    }
    Ok(())
}

/// The report lists the changes of the step in the model.
fn reported(report: &ImportReport, before: &Model, after: &Model) -> Checked {
    let (mut published, mut superseded) = (Vec::new(), Vec::new());
    for event in &after.events[before.events.len()..] {
        let v = &event.version;
        match event.closed {
            None => published.push(json!({"rule_id": v.id(), "tributo": v.scope.tributo,
                "vigente_de": written(v.de), "vigente_ate": v.declared.map(written)})),
            Some((end, by)) => superseded.push(json!({"rule_id": v.id(), "tipo": event.tipo(),
                "substituida_por": id(v.code, by), "vigente_de": written(v.de),
                "vigente_ate_anterior": end.map(written), "vigente_ate": v.ate.map(written)})),
        }
    }
    let mut got = serde_json::to_value(&report.substituidas).unwrap();
    for note in got.as_array_mut().unwrap() {
        // Asked in `gaps`.
        note.as_object_mut().unwrap().retain(|name, _| !name.starts_with("lacuna"));
    }
    same("superseded", &json!(superseded), &got)?;
    same("published", &json!(published), &serde_json::to_value(&report.publicadas).unwrap())
}

/// All pages of a listing, the page limit kept.
fn all_pages(mut page: impl FnMut(Option<u64>) -> Page) -> Vec<Value> {
    let (mut items, mut from) = (Vec::new(), None);
    loop {
        let page = page(from);
        assert!(page.items.len() <= PAGE && (page.next.is_none() || page.items.len() == PAGE), "{page:?}");
        items.extend(page.items.iter().map(|item| serde_json::from_str::<Value>(item).unwrap()));
        match page.next {
            Some(next) => from = Some(next),
            None => return items,
        }
    }
}

fn instant(millis: u64) -> String {
    Timestamp::from_millis(millis).unwrap().to_string()
}

fn situacao(v: &Version, today: Day) -> &'static str {
    match () {
        () if v.is_empty() => "substituida",
        () if v.covers(today) => "vigente",
        () if v.de > today => "futura",
        () => "encerrada",
    }
}

/// What a listing shows of a version, as far as the model knows.
fn row(model: &Model, v: &Version, today: Day) -> Value {
    json!({"rule_id": v.id(), "uf_origem": v.scope.origem, "uf_destino": v.scope.destino, "vigente_de": written(v.de),
        "vigente_ate": v.ate.map(written), "situacao": situacao(v, today),
        "publicado_em": instant(model.past[v.publication].0),
        "substituida_por": v.superseded_by.map(|by| id(v.code, by))})
}

/// The members of `of` that `like` has too.
fn members(of: &Value, like: &Value) -> Value {
    like.as_object().unwrap().keys().map(|name| (name.clone(), of[name].clone())).collect()
}

fn listed(engine: &Engine, filter: &Filter, today: Day) -> Vec<Value> {
    let today = Date::parse(written(today)).unwrap();
    all_pages(|from| engine.regras(filter, today, from.unwrap_or_default(), PAGE).unwrap())
}

fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["rule_id"].as_str().unwrap()).collect()
}

#[test]
fn after_each_publication_the_rules_listed_are_those_of_the_model() {
    every_history(|history| {
        let mut random = Random::of(!history.seed);
        at_each_step(history, |engine, model| {
            let today = TEN_YEARS.start + random.below(TEN_YEARS.len());
            let wanted: Vec<Value> = model.versions.iter().map(|v| row(model, v, today)).collect();
            let all = listed(engine, &Filter::default(), today);
            same("rules", &wanted.len(), &all.len())?;
            for (wanted, got) in wanted.iter().zip(&all) {
                same("rule", wanted, &members(got, wanted))?;
            }
            let on = TEN_YEARS.start + random.below(TEN_YEARS.len());
            let word = *random.of_these(&["vigente", "futura", "encerrada", "substituida"]);
            for (name, value) in [("vigente_em", written(on)), ("situacao", word)] {
                let mut filter = Filter::default();
                filter.set(name, value).unwrap();
                let passes = |v: &&Version| if name == "situacao" { situacao(v, today) == word } else { v.covers(on) };
                let wanted: Vec<String> = model.versions.iter().filter(passes).map(Version::id).collect();
                let got = listed(engine, &filter, today);
                same(&format!("{name}={value}"), &wanted, &ids(&got).into_iter().map(str::to_owned).collect())?;
            }
            Ok(())
        })
    });
}

fn told(event: &Event) -> Value {
    let v = &event.version;
    let mut told = json!({"rule_id": v.id(), "tributo": v.scope.tributo, "uf_origem": v.scope.origem,
        "uf_destino": v.scope.destino, "municipio": null, "vigente_de": written(v.de),
        "publicado_em": instant(event.instant), "tipo": event.tipo()});
    if let Some((_, by)) = event.closed {
        told["vigente_ate"] = json!(v.ate.map(written));
        told["rule_code"] = json!(v.code);
        told["substituida_por"] = json!(id(v.code, by));
    }
    told
}

#[test]
fn after_each_publication_the_changelog_has_the_events_of_the_model() {
    every_history(|history| {
        at_each_step(history, |engine, model| {
            let wanted: Vec<Value> = model.events.iter().rev().map(told).collect();
            let got = all_pages(|from| engine.changelog(None, from, PAGE).unwrap());
            same("events", &wanted.len(), &got.len())?;
            wanted.iter().zip(&got).try_for_each(|(wanted, got)| same("event", wanted, got))?;
            let Some(middle) = model.events.get(model.events.len() / 2) else { return Ok(()) };
            let since = Timestamp::from_millis(middle.instant);
            let wanted: Vec<Value> =
                model.events.iter().rev().filter(|e| e.instant >= middle.instant).map(told).collect();
            same("events since", &wanted, &all_pages(|from| engine.changelog(since, from, PAGE).unwrap()))
        })
    });
}

#[test]
fn every_closing_has_its_event_and_every_event_its_version() {
    every_history(|history| {
        at_each_step(history, |engine, _| {
            let rules = listed(engine, &Filter::default(), TEN_YEARS.start);
            let events = all_pages(|from| engine.changelog(None, from, PAGE).unwrap());
            for rule in &rules {
                let own = || events.iter().filter(|e| e["rule_id"] == rule["rule_id"]);
                same("publications", &1, &own().filter(|e| e["tipo"] == "publicacao").count())?;
                // The latest closing is in force.
                let last = own().find(|e| e["tipo"] != "publicacao");
                let by = last.map_or(&Value::Null, |e| &e["substituida_por"]);
                same("substituida_por", by, &rule["substituida_por"])?;
                if let Some(last) = last {
                    same("vigente_ate", &last["vigente_ate"], &rule["vigente_ate"])?;
                }
            }
            let listed = ids(&rules);
            let unknown = events.iter().flat_map(|e| [&e["rule_id"], &e["substituida_por"]]);
            match unknown.filter_map(Value::as_str).find(|id| !listed.contains(id)) {
                Some(id) => Err(format!("{id} has an event and is not listed")),
                None => Ok(()),
            }
        })
    });
}

#[test]
fn the_instants_of_publications_grow_also_when_the_clock_is_set_back() {
    every_history(|history| {
        let engine = engine(0);
        let mut last = String::new();
        let mut model = &Model::default();
        for step in &history.steps {
            let _ = step.import(&engine);
            let Some(after) = step.after.as_ref().filter(|_| !step.dry_run) else { continue };
            if after.past.len() == model.past.len() {
                continue;
            }
            model = after;
            let newest = engine.changelog(None, None, 1).unwrap().items;
            let told = serde_json::from_str::<Value>(&newest[0]).unwrap()["publicado_em"].as_str().unwrap().to_owned();
            // Never before the clock, and later than the last publication by at least the least.
            let clock = Timestamp::from_millis(step.clock).unwrap().to_string();
            if told <= last || told < clock {
                return Err(format!("publicado_em {told} after {last}, clock {clock}"));
            }
            last = told;
        }
        Ok(())
    });
}

//! A publication that somebody has seen is in every answer from then on: calculated, listed, counted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use serde_json::{Value, json};
use taxd_base::value::{Date, Timestamp};
use taxd_core::engine::{Engine, Filter, ImportOptions, Stage, Step};
use taxd_core::store::Store;

use crate::support::{bundle, calculate, engine, file, publish, rule, with};

const PUBLICATIONS: usize = 10;
/// Other rules of each publication, which make the commit, the sweep and the listing take some time.
const OTHERS: usize = 200;
/// Answers that are remembered and to be swept.
const REMEMBERED: usize = 1_000;

fn geral(minor: usize) -> Value {
    with(
        &rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": format!("{minor}.00")})),
        &json!({"versao": format!("1.{minor}")}),
    )
}

fn publication(minor: usize) -> String {
    let others = (0..OTHERS).map(|i| {
        let ncm = format!("{:08}", minor * OTHERS + i);
        rule(&format!("produto-{ncm}"), "icms", &json!({"uf": "RJ", "ncm": ncm}), &json!({"aliquota": "7.00"}))
    });
    bundle(&others.chain([geral(minor)]).collect::<Vec<_>>()).to_string()
}

fn sale(reais: usize) -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": format!("{reais}.00"),
        "data_operacao": "2026-03-10"})
}

/// How many publications the changelog knows of.
fn shown(engine: &Engine) -> usize {
    engine.state_of_rules().unwrap().split(' ').next().unwrap().parse().unwrap()
}

/// The version that answered.
fn version(answer: &Value) -> usize {
    answer["regra"]["rule_id"].as_str().unwrap().rsplit('.').next().unwrap().parse().unwrap()
}

#[test]
fn what_a_reader_has_seen_published_is_in_every_later_answer() {
    let dir = tempfile::TempDir::new().unwrap();
    let engine = Engine::new(Store::open(dir.path()).unwrap(), 2 * REMEMBERED);
    let publish = |minor| {
        let files = [file("teste.json", &publication(minor))];
        engine.import(&files, Timestamp::now(), ImportOptions::default()).unwrap();
    };
    let remember = || (1..=REMEMBERED).for_each(|reais| drop(calculate(&engine, &sale(reais)).unwrap()));
    publish(1);
    engine.update_catalog().unwrap();
    let over = AtomicBool::new(false);
    let mut filter = Filter::default();
    filter.set("rule_code", "geral").unwrap();
    let today = Date::parse("2026-03-10").unwrap();
    std::thread::scope(|scope| {
        let (engine, over, filter) = (&engine, &over, &filter);
        let watch = |reais: usize| {
            move || {
                let mut known = 0;
                while !over.load(Ordering::SeqCst) {
                    let seen = shown(engine);
                    if seen == known {
                        continue;
                    }
                    known = seen;
                    let answer = calculate(engine, &sale(reais)).unwrap();
                    assert!(version(&answer) >= seen, "{seen} were published, and then came {answer}");
                    let count = engine.rule_count().unwrap();
                    assert!(count >= (seen * (OTHERS + 1)) as u64, "{seen} were published, and then {count} counted");
                    let listed = engine.regras(filter, today, 0, 500).unwrap().items.len();
                    assert!(listed >= seen, "{seen} were published, and then {listed} listed");
                    let again = calculate(engine, &sale(reais)).unwrap();
                    assert!(version(&again) >= seen, "{seen} were published, and then came {again}");
                }
            }
        };
        let watching = [1, REMEMBERED].map(|reais| scope.spawn(watch(reais)));
        for minor in 2..=PUBLICATIONS {
            remember();
            publish(minor);
        }
        over.store(true, Ordering::SeqCst);
        for thread in watching {
            thread.join().unwrap();
        }
    });
    let (first, second) = (calculate(&engine, &sale(1)).unwrap(), calculate(&engine, &sale(1)).unwrap());
    assert_eq!((version(&first), &second["cached"]), (PUBLICATIONS, &json!(true)), "and it is remembered again");
}

/// Of two imports of the same rules at once the second one ended with none new before the first one had
/// renewed the listing, and they were missing from it.
#[test]
fn what_an_import_found_published_by_another_is_listed_when_it_ends() {
    let engine = engine(0);
    publish(&engine, &[rule("primeira", "ipva", &json!({"uf": "AC"}), &json!({"aliquota": "1.00"}))]).unwrap();
    engine.update_catalog().unwrap();
    let rules: Vec<Value> = (0..4_000)
        .map(|i| {
            let scope = json!({"uf": "RJ", "ncm": format!("{i:08}")});
            rule(&format!("produto-{i:04}"), "icms", &scope, &json!({"aliquota": "7.00"}))
        })
        .collect();
    let (all, last) = (bundle(&rules).to_string(), bundle(&rules[3_999..]).to_string());
    let (begun, first_has_begun) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut progress = |step: Step| {
                if step.stage == Stage::Publishing {
                    begun.send(()).unwrap();
                }
            };
            engine.import_with_progress(&[file("todas.json", &all)], ImportOptions::default(), &mut progress).unwrap();
        });
        first_has_begun.recv().unwrap();
        let report = engine.import(&[file("uma.json", &last)], Timestamp::now(), ImportOptions::default()).unwrap();
        assert_eq!((report.publicadas.len(), report.inalteradas), (0, 1));
        let mut filter = Filter::default();
        filter.set("rule_code", "produto-3999").unwrap();
        let listed = engine.regras(&filter, Date::parse("2026-03-10").unwrap(), 0, 500).unwrap().items;
        assert_eq!(listed.len(), 1);
    });
}

//! What a publication leaves in memory and what it forgets.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd_base::document::Node;
use taxd_core::engine::Engine;

use super::scoped_rules::{icms, iss, payloads, scopes, st};
use crate::property::cases;
use crate::support::{calculate, engine, publish, rule, with};

fn icms_rule(code: &str, uf: &str, ncm: Option<&str>, rate: &str) -> Value {
    rule(code, "icms", &json!({"uf": uf, "ncm": ncm}), &json!({"aliquota": rate}))
}

/// Value and `cached` of the answer, or the code of the refusal.
fn ask(engine: &Engine, payload: &Value) -> (String, bool) {
    match calculate(engine, payload) {
        Ok(answer) => (answer["valor"].as_str().unwrap().to_owned(), answer["cached"].as_bool().unwrap()),
        Err(problem) => (problem.codigo.as_str().to_owned(), false),
    }
}

fn is(valor: &str, cached: bool) -> (String, bool) {
    (valor.to_owned(), cached)
}

#[test]
fn a_repeated_payload_is_answered_from_memory_with_the_same_envelope() {
    let engine = engine(64);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    let mut first = calculate(&engine, &icms("SP", None)).unwrap();
    let second = calculate(&engine, &icms("SP", None)).unwrap();
    assert_eq!((&first["cached"], &second["cached"]), (&json!(false), &json!(true)));
    first["cached"] = json!(true);
    assert_eq!(first, second);
}

#[test]
fn an_engine_without_cache_remembers_nothing() {
    let engine = engine(0);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    assert_eq!([(); 3].map(|()| ask(&engine, &icms("SP", None))), [(); 3].map(|()| is("18.00", false)));
}

/// A list of ten thousand rows beside a server evicted what its callers ask again.
#[test]
fn what_the_program_asks_itself_is_neither_remembered_nor_taken_from_memory() {
    let engine = engine(64);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    let bytes = icms("SP", None).to_string();
    let Ok(Node::Object(payload)) = Node::parse(bytes.as_bytes()) else { panic!("{bytes}") };
    let of_program = || engine.answer(&payload, false, None).unwrap().cached;
    assert_eq!((of_program(), engine.cache_state().entries), (false, 0));
    assert_eq!([(); 2].map(|()| ask(&engine, &icms("SP", None)).1), [false, true]);
    assert!(!of_program());
}

#[test]
fn the_memory_of_steps_is_remembered_apart() {
    let engine = engine(64);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    let bytes = icms("SP", None).to_string();
    let steps = |memoria| {
        let answer: Value =
            serde_json::from_slice(&engine.calculate(bytes.as_bytes(), memoria).unwrap().to_json()).unwrap();
        (answer["detalhes"].get("memoria").is_some(), answer["cached"].as_bool().unwrap())
    };
    assert_eq!([false, true, false, true].map(steps), [(false, false), (true, false), (false, true), (true, true)]);
}

#[test]
fn a_publication_forgets_its_own_scope_and_no_other() {
    let engine = engine(64);
    let item = rule(
        "item",
        "iss",
        &json!({"uf": "SP", "municipio": "São Paulo", "item_lista_servico": "1.05"}),
        &json!({"aliquota": "5.00"}),
    );
    publish(&engine, &[icms_rule("geral-sp", "SP", None, "18.00"), icms_rule("geral-rj", "RJ", None, "20.00"), item])
        .unwrap();
    let asked = [icms("SP", None), icms("SP", Some("22030000")), icms("RJ", None), iss("1.05")];
    for payload in &asked {
        ask(&engine, payload);
    }
    let next = with(&icms_rule("geral-sp", "SP", None, "19.00"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    publish(&engine, &[next]).unwrap();
    let wanted = [is("19.00", false), is("19.00", false), is("20.00", true), is("5.00", true)];
    assert_eq!(asked.map(|payload| ask(&engine, &payload)), wanted);
}

/// More than are removed under one lock.
#[test]
fn of_thousands_of_answers_a_publication_forgets_exactly_those_that_it_changes() {
    let engine = engine(8_192);
    let rules = [icms_rule("geral", "SP", None, "18.00"), icms_rule("outra", "RJ", None, "20.00")];
    publish(&engine, &rules).unwrap();
    let asked = |uf: &str, amount: u32| with(&icms(uf, None), &json!({"valor_produto": format!("{amount}.00")}));
    for amount in 1..=3_000 {
        assert!(!ask(&engine, &asked("SP", amount)).1);
    }
    for amount in 1..=500 {
        assert!(!ask(&engine, &asked("RJ", amount)).1);
    }
    assert_eq!(engine.cache_state().entries, 3_500);
    let new = with(&rules[0], &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    publish(&engine, &[new]).unwrap();
    assert_eq!(engine.cache_state().entries, 500);
    for amount in 1..=500 {
        assert!(ask(&engine, &asked("RJ", amount)).1 && !ask(&engine, &asked("SP", amount)).1);
    }
}

#[test]
fn a_more_specific_rule_forgets_the_answers_that_it_would_have_given() {
    let engine = engine(64);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    let asked = [icms("SP", None), icms("SP", Some("22030000")), icms("SP", Some("10063021"))];
    for payload in &asked {
        ask(&engine, payload);
    }
    publish(&engine, &[icms_rule("cerveja", "SP", Some("2203"), "25.00")]).unwrap();
    // Without NCM the amount is the same, and the answer says now that an NCM leads to other rules.
    assert_eq!(
        asked.map(|payload| ask(&engine, &payload)),
        [is("18.00", false), is("25.00", false), is("18.00", true)]
    );
}

#[test]
fn a_scope_that_moves_forgets_where_it_was_and_where_it_goes() {
    let engine = engine(64);
    publish(
        &engine,
        &[
            icms_rule("geral", "SP", None, "18.00"),
            icms_rule("cerveja", "SP", Some("2203"), "25.00"),
            icms_rule("geral-rj", "RJ", None, "20.00"),
        ],
    )
    .unwrap();
    let asked = [icms("SP", Some("22030000")), icms("RJ", Some("22030000")), icms("SP", None)];
    for payload in &asked {
        ask(&engine, payload);
    }
    let moved =
        with(&icms_rule("cerveja", "RJ", Some("2203"), "27.00"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    publish(&engine, &[moved]).unwrap();
    assert_eq!(
        asked.map(|payload| ask(&engine, &payload)),
        [is("18.00", false), is("27.00", false), is("18.00", false)]
    );
}

#[test]
fn a_new_cest_forgets_the_answers_that_did_not_name_one() {
    let engine = engine(64);
    let margin = |code: &str, cest: Option<&str>, mva: &str| {
        let content = json!({"criterio": "mva", "descricao": code, "mva": mva, "aliquota_interna": "18.00"});
        rule(code, "icms_st", &json!({"uf_destino": "SP", "ncm": "2203", "cest": cest}), &content)
    };
    publish(&engine, &[margin("primeiro", Some("0302100"), "100.00")]).unwrap();
    assert_eq!(ask(&engine, &st(None, "SP")), is("18.00", false));
    assert_eq!(ask(&engine, &st(Some("0302100"), "SP")), is("18.00", false));
    publish(&engine, &[margin("segundo", Some("0302200"), "50.00")]).unwrap();
    assert_eq!(ask(&engine, &st(None, "SP")).0, "cest_necessario");
    assert_eq!(ask(&engine, &st(Some("0302100"), "SP")), is("18.00", true));
}

#[test]
fn large_answers_take_no_more_memory_than_as_many_ordinary_ones() {
    const ENTRIES: usize = 1_600;
    const KIB: usize = 1024;
    let engine = engine(ENTRIES);
    publish(&engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
    // The payload alone takes nearly all of what an entry may take on an average.
    let large = |n: usize| with(&icms("SP", None), &json!({"nota": format!("{n:04}").repeat(900)}));
    let taken = large(0).to_string().len() + calculate(&engine, &large(0)).unwrap().to_string().len();
    assert!(taken > 4 * KIB && large(0).to_string().len() < 4 * KIB);
    for n in 0..ENTRIES {
        ask(&engine, &large(n));
    }
    // From the latest back: asking for one that is there makes none of the earlier ones go.
    let kept = (0..ENTRIES).rev().filter(|n| ask(&engine, &large(*n)).1).count();
    assert!(kept * taken <= ENTRIES * 4 * KIB, "{kept} answers of {taken} bytes are kept");
    assert!(kept > ENTRIES / 2, "{kept} are kept");
    // What a publication forgets makes room again.
    publish(&engine, &[with(&icms_rule("geral", "SP", None, "19.00"), &json!({"versao": "1.1"}))]).unwrap();
    for n in 0..ENTRIES {
        ask(&engine, &large(n));
    }
    let again = (0..ENTRIES).rev().filter(|n| ask(&engine, &large(*n)).1).count();
    assert!(again.abs_diff(kept) < ENTRIES / 20, "{again} are kept, and {kept} before");
}

#[test]
fn importing_what_is_there_already_forgets_nothing() {
    let engine = engine(64);
    let rules = [icms_rule("geral", "SP", None, "18.00")];
    publish(&engine, &rules).unwrap();
    ask(&engine, &icms("SP", None));
    publish(&engine, &rules).unwrap();
    assert!(publish(&engine, &[icms_rule("geral", "SP", None, "19.00")]).is_err());
    assert_eq!(ask(&engine, &icms("SP", None)), is("18.00", true));
}

#[derive(Debug, Clone)]
enum Step {
    /// A version of the rule of that scope, from that month on.
    Publish(usize, u32),
    Ask(usize, u32),
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn with_and_without_cache_the_answers_are_the_same(steps in proptest::collection::vec(
        prop_oneof![
            1 => (0..10usize, 1..13u32).prop_map(|(s, m)| Step::Publish(s, m)),
            4 => (0..12usize, 1..13u32).prop_map(|(p, m)| Step::Ask(p, m)),
        ],
        20..80,
    )) {
        let (remembering, plain) = (engine(256), engine(0));
        for (n, step) in steps.into_iter().enumerate() {
            match step {
                Step::Publish(scope, month) => {
                    let (tributo, escopo) = &scopes()[scope];
                    let rate = format!("{}.00", n % 40 + 1);
                    let content = match *tributo {
                        "icms_st" => json!({"criterio": "mva", "descricao": "X", "mva": "80.00", "aliquota_interna": rate}),
                        _ => json!({"aliquota": rate}),
                    };
                    let dates = json!({"versao": format!("1.{n}"), "vigente_de": format!("2026-{month:02}-01")});
                    let rules = [with(&rule(&format!("regra-{scope}"), tributo, escopo, &content), &dates)];
                    prop_assert!(publish(&remembering, &rules).is_ok() && publish(&plain, &rules).is_ok());
                }
                Step::Ask(payload, month) => {
                    let mut payload = payloads()[payload].clone();
                    let name = if payload["tributo"] == "iss" { "data" } else { "data_operacao" };
                    payload[name] = json!(format!("2026-{month:02}-15"));
                    let answers = [&remembering, &plain].map(|engine| calculate(engine, &payload).map(|mut answer| {
                        answer["cached"] = Value::Null;
                        answer
                    }));
                    prop_assert_eq!(&answers[0], &answers[1], "{}", payload);
                    // Asked again at once, a result comes from memory.
                    if answers[0].is_ok() {
                        prop_assert_eq!(&calculate(&remembering, &payload).unwrap()["cached"], &json!(true));
                    }
                }
            }
        }
    }
}

/// An NCM and its prefixes, the shortest first: each rule of one answers instead of those before it.
const PREFIXES: [&str; 6] = ["22", "2203", "22030", "220300", "2203000", "22030000"];

/// The rule of a prefix, at one more percent point than that of the prefix before it.
fn of_prefix(place: usize) -> Value {
    icms_rule(&format!("prefixo-{place}"), "SP", Some(PREFIXES[place]), &format!("{}.00", place + 1))
}

#[test]
fn a_publication_under_each_prefix_of_an_ncm_is_seen_by_the_next_call() {
    // An engine without cache still keeps what it looked up.
    for cached in [0, 64] {
        let (upwards, downwards) = (engine(cached), engine(cached));
        for engine in [&upwards, &downwards] {
            publish(engine, &[icms_rule("geral", "SP", None, "18.00")]).unwrap();
            assert_eq!(ask(engine, &icms("SP", Some("22030000"))), is("18.00", false));
        }
        for place in 0..PREFIXES.len() {
            publish(&upwards, &[of_prefix(place)]).unwrap();
            assert_eq!(ask(&upwards, &icms("SP", Some("22030000"))), is(&format!("{}.00", place + 1), false));
            // Once the longest prefix has a rule, the shorter ones are not looked up.
            publish(&downwards, &[of_prefix(PREFIXES.len() - 1 - place)]).unwrap();
            assert_eq!(ask(&downwards, &icms("SP", Some("22030000"))), is("6.00", cached > 0 && place > 0));
        }
        // The end of a rule is seen too: the prefix before it answers again.
        let ended =
            with(&of_prefix(5), &json!({"versao": "2.0", "vigente_de": "2026-01-01", "vigente_ate": "2026-02-01"}));
        publish(&upwards, &[ended]).unwrap();
        assert_eq!(ask(&upwards, &icms("SP", Some("22030000"))), is("5.00", false));
    }
}

#[test]
fn a_publication_under_a_prefix_is_seen_for_each_origin_and_cest() {
    let engine = engine(0);
    let cest = "0302100";
    let scopes = [(None, None), (Some("SP"), None), (None, Some(cest)), (Some("SP"), Some(cest))];
    for (n, (uf_origem, with_cest)) in scopes.into_iter().enumerate() {
        let escopo = json!({"uf_origem": uf_origem, "uf_destino": "SP", "ncm": "2203", "cest": with_cest});
        let content =
            json!({"criterio": "mva", "descricao": "X", "mva": format!("{}00.00", n + 1), "aliquota_interna": "18.00"});
        publish(&engine, &[rule(&format!("st-{n}"), "icms_st", &escopo, &content)]).unwrap();
        assert_eq!(ask(&engine, &st(Some(cest), "SP")), is(&format!("{}.00", 18 * (n + 1)), false));
    }
}

#[test]
fn calls_that_run_during_a_publication_under_a_prefix_never_answer_from_before_one_that_is_over() {
    let rate = |engine: &Engine| {
        let (valor, _) = ask(engine, &icms("SP", Some("22030000")));
        valor.trim_end_matches(".00").parse::<usize>().unwrap()
    };
    for cached in [0, 64] {
        let engine = engine(cached);
        publish(&engine, &[icms_rule("geral", "SP", None, "0.00")]).unwrap();
        let published = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut least = 0;
                    while least < PREFIXES.len() {
                        least = least.max(published.load(Ordering::SeqCst));
                        let seen = rate(&engine);
                        assert!(seen >= least, "{seen} after {least}");
                        least = seen;
                    }
                });
            }
            for place in 0..PREFIXES.len() {
                publish(&engine, &[of_prefix(place)]).unwrap();
                published.store(place + 1, Ordering::SeqCst);
                assert_eq!(rate(&engine), place + 1);
            }
        });
    }
}

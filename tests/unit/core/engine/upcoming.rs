//! What lies ahead: what answers after the last day of a rule, against lookups day by day, and the calendar.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;
use taxd_base::value::Date;
use taxd_core::engine::upcoming::{Evento, Figuras, Sucessao};
use taxd_core::engine::{Engine, Filter};

use super::scope_payload::{payload, who};
use crate::support::{built_in_engine, calculate, day, engine, engine_with, publish, rule, with};

/// A rule of that scope from 2020 on, until a day.
fn until(code: &str, tributo: &str, escopo: &Value, conteudo: &Value, ate: Option<&str>) -> Value {
    with(&rule(code, tributo, escopo, conteudo), &json!({"vigente_ate": ate}))
}

fn icms(code: &str, escopo: &Value, ate: Option<&str>) -> Value {
    until(code, "icms", escopo, &json!({"aliquota": "18.00"}), ate)
}

fn ipi(code: &str, escopo: &Value, ate: Option<&str>) -> Value {
    until(code, "ipi", escopo, &json!({"situacao": "tributado", "aliquota": "5.00", "tabela_versao": "TIPI"}), ate)
}

/// What follows the end of each rule in the year 2024: its code, the word, and the version that answers.
fn ends(engine: &Engine) -> Vec<(String, Sucessao, Option<String>)> {
    let upcoming = engine.upcoming(day("2023-12-31"), day("2024-12-31")).unwrap();
    let ends = upcoming.regras.iter().filter(|regra| regra.evento == Evento::Termina);
    ends.map(|regra| {
        (regra.rule_id.code.to_string(), regra.sucessao.unwrap(), regra.sucessora.as_ref().map(ToString::to_string))
    })
    .collect()
}

const END: Option<&str> = Some("2024-07-01");

#[test]
fn a_product_rule_that_ends_returns_to_the_general_rule_and_without_one_leaves_nothing() {
    let product = icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), END);
    let general = icms("geral", &json!({"uf": "SP"}), None);
    let elsewhere = icms("fluminense", &json!({"uf": "RJ"}), None);
    let alone = engine_with(&[product.clone(), elsewhere]);
    assert_eq!(ends(&alone), [("cerveja".to_owned(), Sucessao::SemSucessora, None)]);
    let upcoming = alone.upcoming(day("2024-06-01"), day("2024-07-31")).unwrap();
    assert_eq!(upcoming.resumo.fins.sem_sucessora, 1);
    assert_eq!(upcoming.regras[0].sem_sucessora_em.as_deref(), Some("UF SP, NCM 2203"));
    assert_eq!(upcoming.regras[0].escopos_sem_sucessora, 1);
    let both = engine_with(&[product, general]);
    assert_eq!(ends(&both), [("cerveja".to_owned(), Sucessao::RegraGeral, Some("geral-v1.0".to_owned()))]);
}

#[test]
fn a_new_version_or_another_code_of_the_same_scope_is_a_successor_and_one_without_a_figure_a_kind_of_its_own() {
    let next =
        json!({"versao": "1.1", "vigente_de": "2024-07-01", "vigente_ate": null, "conteudo": {"aliquota": null}});
    let first = icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), END);
    let engine = engine_with(&[first.clone(), with(&first, &next)]);
    assert_eq!(ends(&engine), [("cerveja".to_owned(), Sucessao::SemFigura, Some("cerveja-v1.1".to_owned()))]);
    let upcoming = engine.upcoming(day("2024-06-01"), day("2024-07-01")).unwrap();
    assert_eq!((upcoming.resumo.fins.sem_figura, upcoming.resumo.fins.total()), (1, 1));
    assert!(upcoming.regras.iter().all(|regra| regra.figuras == Some(Figuras::Nulas)), "the end and the begin");

    let mut other = with(&with(&first, &next), &json!({"conteudo": {"aliquota": "20.00"}}));
    other["rule_code"] = "outra".into();
    let ended = ends(&engine_with(&[first, other]));
    assert_eq!(ended, [("cerveja".to_owned(), Sucessao::NovaVersao, Some("outra-v1.1".to_owned()))]);
}

/// A version that refused already loses nothing, one that has several products is of the worst kind of one of them, and a
/// general rule without a figure answers as little as a version without one.
#[test]
fn what_answered_before_and_each_part_of_the_scope_decide_if_an_end_leaves_no_answer() {
    let reason = json!({"motivo": "Não conferida."});
    let null = |code: &str, escopo: &Value| {
        let rule = with(&rule(code, "icms", escopo, &json!({"aliquota": null})), &reason);
        with(&rule, &json!({"vigente_de": "2024-07-01"}))
    };
    let both = icms("bebidas", &json!({"uf": "SP", "ncm": ["2203", "2204"]}), END);
    let beer = with(&icms("cerveja", &json!({"uf": "SP", "ncm": "2203"}), None), &json!({"vigente_de": "2024-07-01"}));
    let refused =
        with(&until("recusa", "icms", &json!({"uf": "RJ", "ncm": "2203"}), &json!({"aliquota": null}), END), &reason);
    let engine = engine_with(&[
        both,
        beer,
        null("vinho", &json!({"uf": "SP", "ncm": "2204"})),
        refused,
        null("geral-rj", &json!({"uf": "RJ"})),
        icms("mineira", &json!({"uf": "MG", "ncm": "2203"}), END),
        null("geral-mg", &json!({"uf": "MG"})),
    ]);
    let wanted = [
        ("bebidas", Sucessao::SemFigura, "vinho-v1.0"),
        ("mineira", Sucessao::SemFigura, "geral-mg-v1.0"),
        ("recusa", Sucessao::RegraGeral, "geral-rj-v1.0"),
    ];
    let mut found = ends(&engine);
    found.sort();
    assert_eq!(found, wanted.map(|(code, word, then)| (code.to_owned(), word, Some(then.to_owned()))));
}

/// A successor that excludes a part of the scope leaves that part to a less specific rule, or to none.
/// Price lists of fuels had no figure since 2026-08-16, and only a report from before that day said so.
#[test]
fn what_refuses_today_and_answered_before_is_a_gap_until_a_figure_comes() {
    let (in_rj, in_sp) = (json!({"uf": "RJ"}), json!({"uf": "SP"}));
    let next = |code: &str, escopo: &Value, rate: Value| {
        let content = json!({"aliquota": rate});
        with(&rule(code, "icms", escopo, &content), &json!({"versao": "1.1", "vigente_de": "2024-07-01"}))
    };
    let never = rule("nunca", "icms", &json!({"uf": "MG"}), &json!({"aliquota": null}));
    let engine = engine_with(&[
        icms("perdida", &in_rj, None),
        next("perdida", &in_rj, Value::Null),
        icms("renovada", &in_sp, None),
        next("renovada", &in_sp, json!("19.00")),
        never,
    ]);
    let gaps = |today: &str| {
        let upcoming = engine.upcoming(day(today), day("2025-12-31")).unwrap();
        let gaps = upcoming.sem_figura_desde.iter();
        let said = gaps.map(|gap| (gap.desde.to_string(), gap.primeira.to_string(), gap.ultima_citacao.clone()));
        said.collect::<Vec<_>>()
    };
    assert!(gaps("2024-06-30").is_empty());
    let gap = ("2024-07-01".to_owned(), "perdida-v1.1".to_owned(), "Lei de perdida".to_owned());
    assert_eq!(gaps("2024-07-01"), std::slice::from_ref(&gap));
    assert_eq!(gaps("2025-01-01"), [gap]);
    let mended = json!({"versao": "1.2", "vigente_de": "2024-09-01"});
    publish(&engine, &[with(&rule("perdida", "icms", &in_rj, &json!({"aliquota": "20.00"})), &mended)]).unwrap();
    assert!(gaps("2025-01-01").is_empty());
}

#[test]
fn what_the_successor_excludes_is_asked_for_by_itself() {
    let first = icms("bebidas", &json!({"uf": "SP", "ncm": "22"}), END);
    let mut but = icms("outras", &json!({"uf": "SP", "ncm": "22", "ncm_exceto": ["2203"]}), None);
    but["vigente_de"] = "2024-07-01".into();
    let general = icms("geral", &json!({"uf": "SP"}), None);
    assert_eq!(ends(&engine_with(&[first.clone(), but.clone()]))[0].1, Sucessao::SemSucessora);
    let engine = engine_with(&[first, but, general]);
    assert_eq!(ends(&engine), [("bebidas".to_owned(), Sucessao::RegraGeral, Some("geral-v1.0".to_owned()))]);
}

#[test]
fn each_tax_falls_back_as_its_own_lookup_does() {
    let rate = json!({"aliquota": "2.00"});
    let sorocaba = json!({"uf": "SP", "municipio": "Sorocaba"});
    let item = with(&sorocaba, &json!({"item_lista_servico": "1.05"}));
    let item = until("item", "iss", &item, &rate, END);
    let general = until("geral", "iss", &sorocaba, &rate, None);
    assert_eq!(ends(&engine_with(&[item, general]))[0].1, Sucessao::RegraGeral);

    // A classification without a rule is refused; the national rate does not stand in for it.
    let national = until("nacional", "cbs", &json!({}), &json!({"aliquota": "0.90"}), None);
    let class = json!({"classificacao": {"descricao": "Isenção"}});
    let class = until("classe", "cbs", &json!({"classificacao_tributaria": "400001"}), &class, END);
    assert_eq!(ends(&engine_with(&[national, class]))[0].1, Sucessao::SemSucessora);

    // A margin for one origin goes on as the margin without origin.
    let margin = json!({"descricao": "Cerveja", "criterio": "mva", "mva": "40.00", "aliquota_interna": "18.00"});
    let one =
        until("uma-origem", "icms_st", &json!({"uf_origem": "SP", "uf_destino": "RJ", "ncm": "2203"}), &margin, END);
    let open = until("todos", "icms_st", &json!({"uf_destino": "RJ", "ncm": "2203"}), &margin, None);
    assert_eq!(ends(&engine_with(&[one, open]))[0].1, Sucessao::RegraGeral);
}

/// The next number of a sequence that is the same every time.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Rules of the IPI under one another, with exceptions, on random days of one quarter.
fn random_rules(seed: u64) -> Vec<Value> {
    let mut state = seed;
    let prefixes = ["22", "2203", "220300", "22030000", "2204", "22041010"];
    let mut rules = Vec::new();
    for (i, prefix) in prefixes.iter().enumerate() {
        let first = 1 + next(&mut state) % 28;
        let end = (!next(&mut state).is_multiple_of(3))
            .then(|| format!("2024-{:02}-{:02}", 2 + next(&mut state) % 2, 1 + next(&mut state) % 28));
        let mut escopo = json!({"ncm": prefix});
        if next(&mut state).is_multiple_of(2) && prefix.len() < 6 {
            escopo["ncm_exceto"] = json!([format!("{prefix}{}", if *prefix == "22" { "03" } else { "10" })]);
        }
        let mut rule = ipi(&format!("linha-{i}"), &escopo, end.as_deref());
        rule["vigente_de"] = format!("2024-01-{first:02}").into();
        rules.push(rule);
    }
    rules
}

/// The naive implementation: asks the calculation for every code on every day. A code that a rule answered yesterday and
/// nothing answers today is in the scope of an end without a successor; if another rule answers, it is not.
#[test]
fn the_ends_are_those_that_a_lookup_day_by_day_finds() {
    let codes = ["22030000", "22031000", "22041010", "22041090", "22042100", "22051000", "22100000"];
    let (mut gaps, mut changes) = (0, 0);
    for seed in 0..60 {
        let engine = engine(0);
        publish(&engine, &random_rules(seed)).unwrap();
        let upcoming = engine.upcoming(day("2024-01-31"), day("2024-03-31")).unwrap();
        let reported: BTreeMap<(String, Date), Sucessao> = upcoming
            .regras
            .iter()
            .filter_map(|regra| Some(((regra.rule_id.to_string(), regra.data), regra.sucessao?)))
            .collect();
        for code in codes {
            let answers = |day: Date| {
                let payload =
                    json!({"tributo": "ipi", "ncm": code, "valor_produto": "100.00", "data_operacao": day.to_string()});
                match calculate(&engine, &payload) {
                    Ok(answer) => Some(answer["regra"]["rule_id"].as_str().unwrap().to_owned()),
                    Err(problem) => {
                        assert_eq!(problem.codigo, ErrorCode::RegraInexistente);
                        None
                    }
                }
            };
            let mut today = day("2024-01-31");
            let mut before = answers(today);
            while today < day("2024-03-31") {
                today = today.next_day().unwrap();
                let now = answers(today);
                match (&before, &now) {
                    (Some(ended), None) => {
                        assert_eq!(
                            reported.get(&(ended.clone(), today)),
                            Some(&Sucessao::SemSucessora),
                            "{seed} {code}"
                        );
                        gaps += 1;
                    }
                    (Some(ended), Some(entered)) if ended != entered => {
                        let began = format!("{today}");
                        let by_begin = random_rules(seed).iter().any(|rule| rule["vigente_de"] == *began);
                        assert!(by_begin || reported.contains_key(&(ended.clone(), today)), "{seed} {code} {today}");
                        changes += 1;
                    }
                    _ => {}
                }
                before = now;
            }
        }
    }
    assert!(gaps > 40 && changes > 20, "the scan sees both: {gaps} and {changes}");
}

/// The fallbacks that the taxes declare are those of their calculations: of every built-in rule that has ended or will, by
/// its own validity or because the transition to the IBS leaves it without answer, and that answers the payload of its
/// scope on its last day, nothing answers the next day exactly if it has no successor,
/// and what it answered is refused exactly if no figure follows.
#[test]
fn the_ends_of_the_built_in_rules_are_those_that_the_calculation_finds() {
    let engine = built_in_engine();
    let upcoming = engine.upcoming(day("1990-01-01"), day("2034-01-01")).unwrap();
    let ends =
        upcoming.regras.iter().filter_map(|regra| Some((regra.rule_id.to_string(), (regra.data, regra.sucessao?))));
    let reported: BTreeMap<String, (Date, Sucessao)> = ends.collect();
    let page = engine.regras(&Filter::default(), day("2026-11-22"), 0, usize::MAX).unwrap();
    let mut seen: BTreeMap<(String, Sucessao), usize> = BTreeMap::new();
    let mut lost_answers = 0;
    for item in &page.items {
        let rule: Value = serde_json::from_str(item).unwrap();
        let rule_id = rule["rule_id"].as_str().unwrap();
        let Some((end, sucessao)) = reported.get(rule_id) else { continue };
        let end = *end;
        // One in eight of the lines of the TIPI is enough.
        if rule["tributo"] == "ipi" && !rule_id.len().is_multiple_of(8) {
            continue;
        }
        let first = day(rule["vigente_de"].as_str().unwrap());
        let last = first.plus_days(u32::try_from(first.days_between(end)).unwrap().saturating_sub(1));
        let ncms = match rule["ncm"].as_array() {
            Some(list) => list.iter().map(Value::as_str).collect(),
            None => vec![None],
        };
        let answers_on_last = |ncm: Option<&str>| who(&payload(&rule, ncm, last)).0.as_deref() == Some(rule_id);
        let asked: Vec<Option<&str>> = ncms.iter().copied().filter(|ncm| answers_on_last(*ncm)).collect();
        if asked.is_empty() {
            continue;
        }
        if *sucessao == Sucessao::SemFigura {
            let answered = |ncm: Option<&str>, on| calculate(engine, &payload(&rule, ncm, on)).is_ok();
            let lost = asked.iter().any(|ncm| answered(*ncm, last) && !answered(*ncm, end));
            // Of a rule of one product, or of none, it is this payload that is left.
            if asked.len() == ncms.len() && ncms.iter().flatten().all(|ncm| ncm.len() == 8) && ncms.len() == 1 {
                assert!(lost || !answered(asked[0], last), "{rule_id}: nothing is lost");
            }
            lost_answers += usize::from(lost);
        }
        let orphan = asked.iter().any(|ncm| who(&payload(&rule, *ncm, end)).1);
        // An NCM that was not asked for may be the one that is left.
        if orphan || asked.len() == ncms.len() {
            assert_eq!(orphan, *sucessao == Sucessao::SemSucessora, "{rule_id}: {sucessao}");
        }
        *seen.entry((rule["tributo"].as_str().unwrap().to_owned(), *sucessao)).or_default() += 1;
    }
    let taxes = seen.keys().map(|(tributo, _)| tributo).collect::<std::collections::BTreeSet<_>>().len();
    assert!(lost_answers > 50, "{lost_answers}");
    assert!(taxes >= 9 && seen.values().sum::<usize>() > 500, "the scan sees the taxes: {seen:?}");
}

/// Rules of the test year, from the provision in their content.
#[test]
fn the_test_year_ends_announced_and_no_rule_of_2026_ends_without_a_successor() {
    let upcoming = built_in_engine().upcoming(day("2026-11-22"), day("2027-12-27")).unwrap();
    let test_year: Vec<String> = upcoming.ano_teste.iter().map(|regra| regra.rule_id.to_string()).collect();
    assert_eq!(test_year, ["cbs-2026-v1.0", "ibs-2026-v1.0"]);
    let ends = upcoming.regras.iter().filter(|r| r.ano_teste).map(|r| (r.tributo.as_str(), r.sucessao.unwrap()));
    assert_eq!(ends.collect::<Vec<_>>(), [("cbs", Sucessao::SemFigura), ("ibs", Sucessao::NovaVersao)]);
    assert_eq!(upcoming.resumo.fins.sem_sucessora, 0);
    let filter = Filter { vigente_em: Some(day("2026-12-31")), ..Filter::default() };
    let page = built_in_engine().regras(&filter, day("2026-11-22"), 0, usize::MAX).unwrap();
    let rules = page.items.iter().map(|item| serde_json::from_str::<Value>(item).unwrap());
    let ending = rules.filter(|rule| rule["vigente_ate"] == "2027-01-01").count();
    assert_eq!(upcoming.resumo.terminam, ending as u64);
    assert!(ending > 4_000, "the scan sees the rules that end: {ending}");
}

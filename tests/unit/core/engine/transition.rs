//! The national rule of the transition to the IBS: when it is looked up, what depends on it, and where it is published.

use serde_json::{Value, json};
use taxd_base::problem::ErrorCode;
use taxd_base::value::Date;
use taxd_core::engine::{Engine, Filter};

use crate::support::{calculate, engine, publish, rule, with};

fn sale(day: &str) -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00", "data_operacao": day,
        "ncm": "10063021"})
}

fn general() -> Value {
    rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))
}

fn transition(version: &str, content: &Value) -> Value {
    let transition = rule("transicao", "icms", &json!({}), &json!({"transicao": content}));
    with(&transition, &json!({"versao": version, "vigente_de": "2029-01-01"}))
}

/// Value and `cached` of the answer, or the code of the refusal.
fn ask(engine: &Engine, day: &str) -> (String, bool) {
    match calculate(engine, &sale(day)) {
        Ok(answer) => (answer["valor"].as_str().unwrap().to_owned(), answer["cached"].as_bool().unwrap()),
        Err(problem) => (problem.codigo.as_str().to_owned(), false),
    }
}

fn is(valor: &str, cached: bool) -> (String, bool) {
    (valor.to_owned(), cached)
}

#[test]
fn a_publication_of_the_transition_drops_the_answers_that_used_it_and_no_other() {
    let engine = engine(64);
    publish(&engine, &[general(), transition("1.0", &json!({"proporcao": "90.00"}))]).unwrap();
    for cached in [false, true] {
        assert_eq!(
            (ask(&engine, "2028-12-31"), ask(&engine, "2029-01-01")),
            (is("18.00", cached), is("16.20", cached))
        );
    }
    publish(&engine, &[transition("1.1", &json!({"proporcao": "50.00"}))]).unwrap();
    assert_eq!((ask(&engine, "2028-12-31"), ask(&engine, "2029-01-01")), (is("18.00", true), is("9.00", false)));
    publish(&engine, &[transition("1.2", &json!({"motivo_extincao": "Extinto."}))]).unwrap();
    assert_eq!(
        (ask(&engine, "2028-12-31"), ask(&engine, "2029-01-01")),
        (is("18.00", true), is("tributo_extinto", false))
    );
}

/// A server whose rules are older than the transition answered the rates of 2028.
#[test]
fn without_the_national_rule_no_rate_of_2028_answers_in_2029() {
    let engine = engine(0);
    publish(&engine, &[general()]).unwrap();
    assert_eq!(ask(&engine, "2028-12-31").0, "18.00");
    let problem = calculate(&engine, &sale("2029-01-01")).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::RegraInexistente);
    assert!(problem.detail.contains("federal/transicao.json"), "{}", problem.detail);
    // A share that nobody established refuses too.
    publish(&engine, &[transition("1.0", &json!({"proporcao": null}))]).unwrap();
    assert_eq!(ask(&engine, "2029-01-01").0, "regra_sem_conteudo");
}

/// The law reduces the rates of 31/12/2028: one that begins later is not one of them, and may be reduced already.
#[test]
fn a_rate_that_began_in_the_transition_is_not_reduced_but_refused() {
    let engine = engine(0);
    let later = with(&general(), &json!({"versao": "1.1", "vigente_de": "2029-07-01"}));
    publish(&engine, &[general(), later, transition("1.0", &json!({"proporcao": "90.00"}))]).unwrap();
    assert_eq!(ask(&engine, "2029-06-30").0, "16.20");
    let problem = calculate(&engine, &sale("2029-07-01")).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::RegraSemConteudo);
    assert!(problem.detail.contains("01/07/2029") && problem.detail.contains("31/12/2028"), "{}", problem.detail);
}

#[test]
fn the_national_rule_names_no_place_and_every_other_rule_does() {
    let share = json!({"transicao": {"proporcao": "90.00"}});
    let st = json!({"criterio": "transicao", "descricao": "Todas", "transicao": {"proporcao": null}});
    let sao_paulo = json!({"uf": "SP", "municipio": "São Paulo"});
    let rate = json!({"aliquota": "5.00"});
    let mva = json!({"criterio": "mva", "descricao": "Cerveja", "mva": "40.00", "aliquota_interna": "18.00"});
    let to_sp = json!({"uf_destino": "SP"});
    let none = json!({});
    for (tributo, escopo, content, wanted) in [
        ("icms", &json!({"uf": "SP"}), &share, "escopo"),
        ("icms", &json!({"ncm": "2203"}), &share, "escopo"),
        ("icms", &json!({"origem_mercadoria": "importada"}), &share, "escopo"),
        ("icms_consumidor_final", &json!({"operacao": "interna"}), &share, "escopo"),
        ("icms_st", &json!({"ncm": "2203", "uf_destino": "SP"}), &st, "escopo"),
        ("iss", &sao_paulo, &share, "escopo"),
        ("iss", &none, &rate, "escopo.municipio"),
        ("icms_st", &to_sp, &mva, "escopo.ncm"),
        ("icms", &none, &json!({"transicao": {"proporcao": "90.00"}, "aliquota": "18.00"}), "conteudo.aliquota"),
        ("icms", &none, &json!({"transicao": {}}), "conteudo.transicao.proporcao"),
        ("icms", &none, &json!({"transicao": {"proporcao": "100.01"}}), "conteudo.transicao.proporcao"),
        (
            "iss",
            &none,
            &json!({"transicao": {"proporcao": "90.00", "motivo_extincao": "x"}}),
            "conteudo.transicao.proporcao",
        ),
    ] {
        let faults = publish(&engine(0), &[rule("regra", tributo, escopo, content)]).unwrap_err();
        let found: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
        assert!(found.contains(&format!("regras[0].{wanted}").as_str()), "{tributo} {escopo} {content}: {found:?}");
    }
}

/// The table and the rule of the product are compared at their full rates: reduced alone, equal rates would differ.
#[test]
fn the_divergence_of_interstate_rates_is_that_of_the_full_rates() {
    for (stated, differs) in [("12.00", false), ("7.00", true)] {
        let engine = engine(0);
        let beer = json!({"aliquota": "18.00", "aliquota_interestadual": stated});
        let table =
            rule("tabela", "icms", &json!({"uf_origem": "SP", "uf_destino": "MG"}), &json!({"aliquota": "12.00"}));
        let beer = rule("cerveja", "icms", &json!({"uf": "SP", "ncm": "2203"}), &beer);
        publish(&engine, &[table, beer, transition("1.0", &json!({"proporcao": "90.00"}))]).unwrap();
        let answer = with(&sale("2029-01-01"), &json!({"uf_destino": "MG", "ncm": "22030000"}));
        let answer = calculate(&engine, &answer).unwrap();
        assert_eq!(answer["valor"], "10.80");
        let divergence = &answer["detalhes"]["divergencia_interestadual"];
        assert_eq!(!divergence.is_null(), differs, "{divergence}");
        if differs {
            let shown = (&divergence["aliquota_tabela"], &divergence["aliquota_regra_produto"]);
            assert_eq!(shown, (&json!("12.00"), &json!("7.00")));
        }
    }
}

/// The count of the rules said of 2033 what it says of 2026.
#[test]
fn the_coverage_counts_what_the_calculation_answers_on_the_day() {
    let engine = engine(0);
    let reduced = json!({"aliquota": "18.00", "reducao_base": "10.00"});
    let extinct =
        with(&transition("2.0", &json!({"motivo_extincao": "Extinto."})), &json!({"vigente_de": "2033-01-01"}));
    publish(
        &engine,
        &[
            general(),
            rule("reduzida", "icms", &json!({"uf": "SP", "ncm": "2203"}), &reduced),
            transition("1.0", &json!({"proporcao": "90.00"})),
            extinct,
        ],
    )
    .unwrap();
    let counts = |day: &str| {
        let coverage = engine.coverage(Date::parse(day).unwrap()).unwrap();
        let icms = coverage.totais.iter().find(|total| total.tributo == "icms").unwrap().regras;
        (icms.sim, icms.nulo, icms.extinto)
    };
    assert_eq!((counts("2028-12-31"), counts("2029-01-01"), counts("2033-01-01")), ((2, 0, 0), (2, 1, 0), (0, 0, 3)));
}

/// Rules of ST and benefits lose their answers on 01/01/2029, and everything does in 2033: the calendar and the alarm were
/// silent about both days, and the listing of those days had the open-ended rules beside the national one.
#[test]
fn what_lies_ahead_and_the_listings_say_what_the_transition_takes() {
    let engine = engine(0);
    let reduced = json!({"aliquota": "18.00", "reducao_base": "10.00"});
    let later = json!({"versao": "1.1", "vigente_de": "2030-07-01"});
    publish(
        &engine,
        &[
            general(),
            rule("reduzida", "icms", &json!({"uf": "SP", "ncm": "2203"}), &reduced),
            with(&rule("nova", "icms", &json!({"uf": "SP", "ncm": "2204"}), &json!({"aliquota": "25.00"})), &later),
            transition("1.0", &json!({"proporcao": "90.00"})),
            with(&transition("2.0", &json!({"motivo_extincao": "Extinto."})), &json!({"vigente_de": "2033-01-01"})),
        ],
    )
    .unwrap();
    let day = |text: &str| Date::parse(text).unwrap();
    let ends = |from: &str, until: &str| -> Vec<String> {
        let upcoming = engine.upcoming(day(from), day(until)).unwrap();
        let ends = upcoming.regras.iter().filter_map(|regra| Some((regra, regra.sucessao?)));
        ends.map(|(regra, sucessao)| {
            let by = regra.sucessora.as_ref().unwrap();
            format!("{} {} {sucessao} {by}", regra.data, regra.rule_id)
        })
        .collect()
    };
    assert_eq!(ends("2028-01-01", "2028-12-31"), [""; 0]);
    assert_eq!(ends("2028-12-31", "2029-01-31"), ["2029-01-01 reduzida-v1.0 sem_figura transicao-v1.0"]);
    // A rate that begins in the transition is refused from its first day on.
    assert_eq!(ends("2029-01-01", "2032-12-31"), ["2030-07-01 nova-v1.1 sem_figura transicao-v1.0"]);
    let last = ["2033-01-01 transicao-v1.0 extinta transicao-v2.0", "2033-01-01 geral-v1.0 extinta transicao-v2.0"];
    let mut found = ends("2032-12-31", "2033-12-31");
    found.sort();
    let mut last = last.map(str::to_owned);
    last.sort();
    assert_eq!(found, last);
    let counts = engine.upcoming_ends(day("2028-12-31"), day("2029-12-31")).unwrap();
    assert_eq!(counts[&day("2029-01-01")].fins.sem_figura, 1);
    assert_eq!(engine.rule_id_of(counts[&day("2029-01-01")].without_answer.unwrap()).unwrap(), "reduzida-v1.0");

    let listed = |filter: &Filter, today: &str| -> Vec<String> {
        let page = engine.regras(filter, day(today), 0, 100).unwrap();
        let rules = page.items.iter().map(|item| serde_json::from_str::<Value>(item).unwrap());
        rules
            .map(|rule| format!("{} {}", rule["rule_id"].as_str().unwrap(), rule["situacao"].as_str().unwrap()))
            .collect()
    };
    let on = |text: &str| Filter { vigente_em: Some(day(text)), ..Filter::default() };
    assert_eq!(listed(&on("2028-12-31"), "2026-11-25"), ["geral-v1.0 vigente", "reduzida-v1.0 vigente"]);
    assert_eq!(listed(&on("2030-12-31"), "2026-11-25"), ["geral-v1.0 vigente", "transicao-v1.0 futura"]);
    assert_eq!(listed(&on("2033-01-01"), "2033-06-01"), ["transicao-v2.0 vigente"]);
    let lost = Filter { sem_sucessora: Some(true), ..Filter::default() };
    assert_eq!(listed(&lost, "2029-06-01"), ["nova-v1.1 futura", "reduzida-v1.0 encerrada"]);
    let ending = Filter { termina_ate: Some(day("2029-01-31")), ..Filter::default() };
    assert_eq!(listed(&ending, "2028-12-01"), ["reduzida-v1.0 vigente"]);
}

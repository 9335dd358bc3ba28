//! What the national list of goods under substitution says beside an answer or a refusal of `icms_st`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taxd_base::problem::{ErrorCode, Problem, SituacaoSt};
use taxd_core::engine::Engine;

use crate::support::{built_in_engine, calculate, engine_with, rule, with};

fn margin(code: &str, scope: &Value) -> Value {
    let content = json!({"criterio": "mva", "descricao": "Mercadoria", "mva": "40.00", "aliquota_interna": "18.00"});
    rule(code, "icms_st", &with(scope, &json!({"uf_destino": "SP"})), &content)
}

fn question(ncm: &str, more: &Value) -> Value {
    let base = json!({"tributo": "icms_st", "ncm": ncm, "uf_origem": "SP", "uf_destino": "SP",
        "data_operacao": "2026-11-25", "valor_produto": "1000.00"});
    with(&base, more)
}

fn refused(engine: &Engine, payload: &Value) -> Problem {
    let problem = *calculate(engine, payload).unwrap_err();
    assert_eq!(problem.codigo, ErrorCode::RegraInexistente, "{problem:?}");
    problem
}

/// The situation, and the segments with whether the State has rules of them.
fn situation(problem: &Problem) -> (Option<SituacaoSt>, Vec<(&str, bool)>) {
    (problem.situacao_st, problem.segmento.iter().map(|s| (s.codigo, s.regras_na_uf)).collect())
}

/// A refusal for want of a rule once said nothing of the product: of 1,350 ordinary questions 1,186 ended in it.
#[test]
fn a_refusal_says_which_segment_has_the_product_and_whether_the_list_of_the_state_was_read() {
    use SituacaoSt::{AnexoNaoLido, ForaDaListaNacional, MercadoriaSemRegra, SoPortaAPorta};
    let engine = engine_with(&[
        margin("t-cafe", &json!({"ncm": "0901", "cest": "1709600"})),
        margin("t-do-pr", &json!({"ncm": "84149010", "cest": "0103500", "uf_origem": "PR"})),
        with(
            &margin("t-antiga", &json!({"ncm": "32081010", "cest": "2400100"})),
            &json!({"vigente_ate": "2025-01-01"}),
        ),
    ]);
    for (ncm, more, situacao, segments) in [
        ("19053100", json!({}), MercadoriaSemRegra, vec![("17", true)]),
        ("21069030", json!({"uf_destino": "MG"}), AnexoNaoLido, vec![("03", false), ("23", false)]),
        ("61091000", json!({}), SoPortaAPorta, vec![("28", false)]),
        ("10063021", json!({}), ForaDaListaNacional, vec![]),
        ("99999999", json!({}), ForaDaListaNacional, vec![]),
        // A rule of another origin, or of another day, is not the list of the State.
        ("87083090", json!({"uf_origem": "PR"}), MercadoriaSemRegra, vec![("01", true)]),
        ("87083090", json!({"uf_origem": "RJ"}), AnexoNaoLido, vec![("01", false)]),
        ("32081010", json!({}), AnexoNaoLido, vec![("24", false)]),
        // The CEST says which of the segments of the NCM it is.
        ("18069000", json!({}), MercadoriaSemRegra, vec![("17", true), ("23", false)]),
        ("18069000", json!({"cest": "2300200"}), AnexoNaoLido, vec![("23", false)]),
        ("33049910", json!({"cest": "2801100"}), AnexoNaoLido, vec![("28", false)]),
    ] {
        let problem = refused(&engine, &question(ncm, &more));
        assert_eq!(situation(&problem), (Some(situacao), segments), "{ncm} {more}: {}", problem.detail);
        assert!(problem.detail.contains("lista nacional (Convênio ICMS 142/2018"), "{}", problem.detail);
    }
    // A day that no rule can have has its own reason, and other refusals have theirs.
    let far = refused(&engine, &question("19053100", &json!({"data_operacao": "2201-01-01"})));
    assert_eq!(situation(&far), (None, vec![]));
    let doubtful = calculate(&engine, &question("09012100", &json!({"valor_produto": "0"}))).unwrap_err();
    assert_eq!(situation(&doubtful), (None, vec![]));
}

#[test]
fn a_refusal_says_what_is_doubtful_about_the_cest() {
    let engine = engine_with(&[margin("t-cafe", &json!({"ncm": "0901", "cest": "1709600"}))]);
    for (ncm, cest, said) in [
        ("19053100", "1705300", None),
        ("19053100", "1700100", Some("A tabela não traz o NCM 19053100 no CEST 1700100")),
        ("19053100", "1799900", Some("O CEST 1799900 não está na tabela de outubro de 2026")),
        ("19053100", "1705500", Some("O CEST 1705500 já não está na tabela")),
        // A CEST for any NCM.
        ("84145910", "0199900", None),
    ] {
        let detail = refused(&engine, &question(ncm, &json!({"cest": cest}))).detail;
        let doubts = ["A tabela não traz", "não está na tabela de", "já não está na tabela"];
        match said {
            Some(said) => assert!(detail.contains(said), "{cest}: {detail}"),
            None => assert!(!doubts.iter().any(|doubt| detail.contains(doubt)), "{cest}: {detail}"),
        }
    }
}

#[test]
fn an_answer_by_a_cest_that_left_the_table_says_so() {
    let engine = engine_with(&[
        margin("t-corrente", &json!({"ncm": "73151210", "cest": "0111000"})),
        margin("t-agua", &json!({"ncm": "22011000"})),
        margin("t-cafe", &json!({"ncm": "0901", "cest": "1709600"})),
    ]);
    let warned = |payload: Value| {
        let answer = calculate(&engine, &payload).unwrap();
        let avisos = answer["avisos"].as_array().cloned().unwrap_or_default();
        let left = avisos.iter().filter(|aviso| aviso.as_str().unwrap().contains("já não está na tabela"));
        left.map(|aviso| aviso.as_str().unwrap()[..15].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(warned(question("73151210", &json!({"cest": "0111000"}))), ["O CEST 0111000 "]);
    assert_eq!(warned(question("22011000", &json!({"cest": "0300100"}))), ["O CEST 0300100 "]);
    assert_eq!(warned(question("22011000", &json!({"cest": "0300300"}))), Vec::<String>::new());
    assert_eq!(warned(question("09012100", &json!({"cest": "1709600"}))), Vec::<String>::new());
}

/// Everyday goods of each kind of shop, by their NCM.
const GOODS: [&str; 20] = [
    "10063021", "07133319", "04012010", "02013000", "02071412", "19052090", "09012100", "17019900", "15079011",
    "22021000", "22030000", "22011000", "30049069", "33051000", "61091000", "64041900", "85171300", "85287200",
    "40111000", "25232910",
];
const STATES: [&str; 10] = ["SP", "RJ", "MG", "RS", "PR", "SC", "BA", "PE", "CE", "GO"];

#[test]
fn each_of_two_hundred_ordinary_questions_is_answered_or_names_its_situation() {
    let engine = built_in_engine();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for ncm in GOODS {
        for uf in STATES {
            let payload = question(ncm, &json!({"uf_destino": uf}));
            let outcome = match calculate(engine, &payload) {
                Ok(_) => "200",
                Err(problem) if problem.codigo == ErrorCode::RegraInexistente => {
                    let situacao = problem.situacao_st.unwrap_or_else(|| panic!("{ncm} to {uf}: {}", problem.detail));
                    let has_segment = !problem.segmento.is_empty();
                    assert_eq!(has_segment, situacao != SituacaoSt::ForaDaListaNacional, "{ncm} to {uf}");
                    assert!(problem.detail.contains(uf) && problem.detail.contains("142/2018"), "{}", problem.detail);
                    situacao.as_str()
                }
                Err(problem) => problem.codigo.as_str(),
            };
            *counts.entry(outcome).or_default() += 1;
        }
    }
    assert_eq!(counts.values().sum::<usize>(), 200);
    let every = SituacaoSt::WORDS.iter().all(|word| counts.get(word).is_some_and(|count| *count > 0));
    assert!(every, "some situation is met by none of the questions: {counts:?}");
}

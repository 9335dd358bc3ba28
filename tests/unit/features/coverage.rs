//! The coverage as tables for people, and that of the built-in rules, which is a file of their folder.

use serde_json::{Value, json};
use taxd::features::coverage::markdown::to_markdown;
use taxd_base::value::Date;
use taxd_core::engine::coverage::{Coverage, CoverageRow, GradeCounts, StateCounts};

use crate::support::{assert_golden, built_in_engine, engine_with, rule, with};

/// The day of `rulesets/COBERTURA.md`.
const COVERED_ON: &str = "2026-11-01";

#[test]
fn the_coverage_of_the_folder_is_that_of_the_built_in_rules() {
    let coverage = built_in_engine().coverage(Date::parse(COVERED_ON).unwrap()).unwrap();
    assert_golden("rulesets/COBERTURA.md", &to_markdown(&coverage));
}

/// The rows in words.
fn rows(coverage: &Coverage) -> Vec<String> {
    let row = |r: &CoverageRow| {
        let place = [r.uf.as_deref(), r.municipio.as_deref()].map(|name| name.unwrap_or("-")).join("/");
        format!("{} {place} {}: {} {}", r.tributo, r.tipo, r.regras.sim, r.regras.nulo)
    };
    coverage.linhas.iter().map(row).collect()
}

#[test]
fn rules_are_counted_by_place_and_kind_on_one_day() {
    let icms = |code: &str, escopo: Value| rule(code, "icms", &escopo, &json!({"aliquota": "12.00"}));
    let geral = icms("t-geral", json!({"uf": "SP"}));
    let engine = engine_with(&[
        with(&geral, &json!({"vigente_ate": "2024-01-01"})),
        with(
            &icms("t-produto", json!({"uf": "SP", "ncm": ["22", "2402"]})),
            &json!({"fonte": "Artigo não localizado.", "conferencia": "fonte_unica"}),
        ),
        with(&icms("t-outro", json!({"uf": "SP", "ncm": "33"})), &json!({"conferencia": "texto_legal"})),
        icms("t-par", json!({"uf_origem": "SP", "uf_destino": "RJ"})),
        rule(
            "t-iptu",
            "iptu",
            &json!({"uf": "SP", "municipio": "Santos", "uso_imovel": ["residencial", "territorial"]}),
            &json!({"modelo": "unica", "aliquota": null}),
        ),
    ]);
    let on = |day: &str| engine.coverage(Date::parse(day).unwrap()).unwrap();
    let now = on("2026-01-01");
    assert_eq!(
        rows(&now),
        [
            "icms -/- interestadual: 1 0",
            "icms SP/- por produto: 2 0",
            "iptu SP/Santos residencial: 0 1",
            "iptu SP/Santos territorial: 0 1",
        ]
    );
    assert_eq!(rows(&on("2023-01-01"))[1], "icms SP/- geral: 1 0");
    let iptu = now.totais.iter().find(|total| total.tributo == "iptu").unwrap();
    assert_eq!(
        (now.totais.len(), iptu.regras),
        (20, StateCounts { nulo: 1, ..StateCounts::default() }),
        "one rule, though it is of two kinds"
    );
    let icms = now.totais.iter().find(|total| total.tributo == "icms").unwrap();
    let grades = GradeCounts { texto_legal: 1, fontes_concordes: 0, fonte_unica: 1, do_escritorio: 0, sem_grau: 1 };
    assert_eq!(icms.conferencia, grades, "the rules of the day alone");
    assert_eq!((now.sem_artigo.len(), now.sem_artigo[0].local.as_deref()), (1, Some("SP")));

    let text = to_markdown(&now);
    for line in [
        "| ICMS | 3 | 0 | 0 | 0 |",
        "| tributo | texto ou tabela oficial lida | fontes concordes | fonte única | sem grau |",
        "| ICMS | 1 | 0 | 1 | 1 |",
        "| onde | interestadual | por produto |",
        "| nacional | 1 sim | - |",
        "| SP | - | 2 sim |",
        "| AC | - | - |",
        "| SP Santos | nulo | nulo |",
        "| ICMS | SP | Lei de t-produto | 1 |",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
    }
    assert_eq!(serde_json::from_value::<Coverage>(serde_json::to_value(&now).unwrap()).unwrap(), *now);
}

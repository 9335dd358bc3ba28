//! What an import takes, and what it does with it.

use serde_json::{Value, json};

use crate::support::{bundle, calculate, engine, file, import, publish, rule, with};

fn general(rate: &str) -> Value {
    rule("icms-sp", "icms", &json!({"uf": "SP"}), &json!({"aliquota": rate}))
}

fn payload() -> Value {
    json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
        "data_operacao": "2026-03-10"})
}

/// Published, unchanged.
fn counts(engine: &taxd_core::engine::Engine, source: &str) -> (usize, usize) {
    let report = import(engine, &[file("a.json", source)], false).unwrap();
    (report.publicadas.len(), report.inalteradas)
}

#[test]
fn importing_the_same_again_publishes_nothing() {
    let engine = engine(0);
    let source = bundle(&[general("18.00")]).to_string();
    assert_eq!(counts(&engine, &source), (1, 0));
    assert_eq!(counts(&engine, &source), (0, 1));
    assert_eq!(engine.rule_count().unwrap(), 1);
}

#[test]
fn importing_old_and_new_versions_again_supersedes_nothing_twice() {
    let engine = engine(0);
    let rules = [general("18.00"), with(&general("19.00"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}))];
    publish(&engine, &rules).unwrap();
    let again = publish(&engine, &rules).unwrap();
    assert_eq!((again.publicadas.len(), again.substituidas.len(), again.inalteradas), (0, 0, 2));
    assert_eq!(calculate(&engine, &payload()).unwrap()["valor"], "19.00");
}

#[test]
fn what_states_the_same_rule_is_the_same_rule() {
    let written = r#"{"pacote": "p", "versao": "1", "descricao": "d", "regras": [{
        "rule_code": "itcmd-sp", "versao": "1.0", "tributo": "itcmd", "escopo": {"uf": "SP", "fato_gerador": ["doacao"]},
        "vigente_de": "2020-01-01", "vigente_ate": null, "citacao_legal": "Lei", "avisos": ["Um"],
        "conteudo": {"aliquota": "4.00", "isencao": {"limite": "10.00", "modo": "total", "base_legal": "Art."}}}]}"#;
    // Other order of keys, absence for null, one value for a list of one, blanks, an escape.
    let other = r#"{"descricao": "d", "versao": "1", "pacote": "p", "regras": [{
        "conteudo": {"isencao": {"base_legal": "Art.", "modo": "total", "limite": "10.00"}, "aliquota": "4.00"},
        "avisos": "Um", "citacao_legal": " Lei ", "vigente_de": "2020-01-01",
        "escopo": {"fato_gerador": "doacao", "uf": "\u0053P"},
        "tributo": "itcmd", "versao": "1.0", "rule_code": "itcmd-sp"}]}"#;
    let engine = engine(0);
    assert_eq!(counts(&engine, written), (1, 0));
    assert_eq!(counts(&engine, other), (0, 1));
}

#[test]
fn the_lines_of_a_table_have_a_grade_in_common_or_one_each() {
    let columns = json!(["rule_code", "escopo.ncm", "conteudo.aliquota", "avisos", "conferencia"]);
    let common = json!({"versao": "1.0", "tributo": "ipi", "vigente_de": "2022-08-01", "citacao_legal": "TIPI",
        "conferencia": "fonte_unica", "conteudo": {"situacao": "tributado", "tabela_versao": "TIPI"}});
    let lines = json!([
        ["uma", "10000000", "1.00", "Um.", "texto_legal"],
        ["outra", "20000000", "2.00", [{"condicao": "data", "texto": "Dois."}], null],
    ]);
    let table = json!({"comum": common, "colunas": columns, "linhas": lines, "exemplos": []});
    let document = json!({"pacote": "p", "versao": "1", "descricao": "d", "tabelas": [table]});
    let engine = engine(0);
    assert_eq!(counts(&engine, &document.to_string()), (2, 0));
    let mut kept: Vec<[Value; 3]> = Vec::new();
    let journal = engine.store().read_journal().unwrap();
    let members = |record: &[u8]| {
        let record: Value = serde_json::from_slice(record).unwrap();
        ["conferencia", "avisos", "condicoes_dos_avisos"].map(|name| record[name].clone())
    };
    journal.each_version(1, |_, record, _| kept.push(members(record))).unwrap();
    kept.sort_by_key(|[_, avisos, _]| avisos.to_string());
    let expected = [
        [json!("fonte_unica"), json!(["Dois."]), json!(["data"])],
        // Without a condition, the record is as in earlier releases.
        [json!("texto_legal"), json!(["Um."]), Value::Null],
    ];
    assert_eq!(kept, expected);
}

#[test]
fn examples_are_not_part_of_what_a_rule_states() {
    let engine = engine(0);
    publish(&engine, &[general("18.00")]).unwrap();
    let example = json!({"payload": payload(), "valor": "18.00"});
    let report = publish(&engine, &[with(&general("18.00"), &json!({"exemplos": [example]}))]).unwrap();
    assert_eq!((report.publicadas.len(), report.inalteradas, report.exemplos), (0, 1, 1));
}

/// A later build had read the law of a rule and said so in its `conferencia`: the whole import was refused, with every new
/// rule in it, although no figure had changed.
#[test]
fn a_rule_with_other_notes_on_its_figures_is_the_published_one_and_stays_as_it_was() {
    let engine = engine(0);
    let noted = |condicao: &str| json!([{"condicao": condicao, "texto": "Um."}]);
    let first =
        with(&general("18.00"), &json!({"fonte": "Lista.", "conferencia": "fonte_unica", "avisos": noted("data")}));
    publish(&engine, std::slice::from_ref(&first)).unwrap();
    let before = engine.calculate(payload().to_string().as_bytes(), false).unwrap().to_json();
    let other = with(&first, &json!({"fonte": "Lei.", "conferencia": "texto_legal", "avisos": noted("regime")}));
    let new = with(&general("20.00"), &json!({"rule_code": "icms-rj", "escopo": {"uf": "RJ"}}));
    let report = publish(&engine, &[other.clone(), new]).unwrap();
    assert_eq!((report.publicadas.len(), report.inalteradas), (1, 1));
    let warning = report.avisos.join(" ");
    assert!(warning.contains("icms-sp-v1.0: already published with another source"), "{warning}");
    assert_eq!(engine.calculate(payload().to_string().as_bytes(), false).unwrap().to_json(), before);
    assert!(String::from_utf8_lossy(&before).contains("fonte_unica"));
    // The sentence of a warning is part of the answer, and so is the reason of a refusal.
    for changed in [json!({"avisos": noted("data"), "citacao_legal": "Outra."}), json!({"avisos": ["Dois."]})] {
        assert!(publish(&engine, &[with(&first, &changed)]).is_err(), "{changed}");
    }
    assert!(publish(&engine, &[other]).unwrap().publicadas.is_empty());
}

#[test]
fn a_table_is_the_rules_of_its_lines() {
    let table = json!({"pacote": "p", "versao": "1", "descricao": "d", "tabelas": [{
        "comum": {"versao": "1.0", "tributo": "ipi", "vigente_de": "2022-08-01", "citacao_legal": "TIPI",
            "conteudo": {"situacao": "tributado", "tabela_versao": "T"}},
        "colunas": ["rule_code", "escopo.ncm", "escopo.ex", "conteudo.aliquota", "motivo", "vigente_ate"],
        "linhas": [
            ["ipi-22030000", "22030000", null, "3.90", null, null],
            ["ipi-22030000-ex01", "22030000", "01", "6.50", null, "2027-01-01"],
            ["ipi-2204", ["2204", "2205"], null, null, "Não conferida.", null],
        ],
    }]});
    let line = |code: &str, escopo: Value, aliquota: Value| {
        json!({"rule_code": code, "versao": "1.0", "tributo": "ipi", "vigente_de": "2022-08-01", "citacao_legal": "TIPI",
            "escopo": escopo, "conteudo": {"situacao": "tributado", "tabela_versao": "T", "aliquota": aliquota}})
    };
    let written = bundle(&[
        line("ipi-22030000", json!({"ncm": "22030000"}), json!("3.90")),
        with(
            &line("ipi-22030000-ex01", json!({"ncm": "22030000", "ex": "1"}), json!("6.50")),
            &json!({"vigente_ate": "2027-01-01"}),
        ),
        with(&line("ipi-2204", json!({"ncm": ["2204", "2205"]}), Value::Null), &json!({"motivo": "Não conferida."})),
    ]);
    for (first, second) in [(&table, &written), (&written, &table)] {
        let engine = engine(0);
        assert_eq!(counts(&engine, &first.to_string()), (3, 0));
        assert_eq!(counts(&engine, &second.to_string()), (0, 3));
    }
}

#[test]
fn a_dry_run_reports_everything_and_writes_nothing() {
    let engine = engine(16);
    publish(&engine, &[general("18.00")]).unwrap();
    let next = with(&general("19.00"), &json!({"versao": "1.1", "vigente_de": "2026-01-01"}));
    let source = bundle(&[next]).to_string();
    assert_eq!(calculate(&engine, &payload()).unwrap()["valor"], "18.00");
    for _ in 0..2 {
        let report = import(&engine, &[file("a.json", &source)], true).unwrap();
        assert!(report.dry_run);
        let superseded: Vec<_> = report.substituidas.iter().map(Result::unwrap).collect();
        let [superseded] = superseded.as_slice() else { panic!("{report:?}") };
        assert_eq!(superseded.rule_id.to_string(), "icms-sp-v1.0");
        assert_eq!(superseded.vigente_ate.map(|d| d.to_string()).as_deref(), Some("2026-01-01"));
        assert_eq!(report.publicadas.len(), 1);
    }
    assert_eq!(engine.rule_count().unwrap(), 1);
    let answer = calculate(&engine, &payload()).unwrap();
    assert_eq!((&answer["valor"], &answer["cached"]), (&json!("18.00"), &json!(true)));
    assert_eq!(counts(&engine, &source), (1, 0));
    assert_eq!(calculate(&engine, &payload()).unwrap()["valor"], "19.00");
}

#[test]
fn examples_see_the_state_that_the_import_results_in() {
    let engine = engine(0);
    publish(&engine, &[general("18.00")]).unwrap();
    let old_day = with(&payload(), &json!({"data_operacao": "2025-12-31"}));
    let product = json!({"rule_code": "cerveja", "versao": "1.0", "tributo": "icms", "vigente_de": "2026-01-01",
        "escopo": {"uf": "SP", "ncm": "2203"}, "citacao_legal": "Lei", "conteudo": {"aliquota": "20.00"},
        "exemplos": [{"payload": with(&payload(), &json!({"ncm": "22030000"})), "valor": "20.00"}]});
    let next = with(
        &general("19.00"),
        &json!({"versao": "1.1", "vigente_de": "2026-01-01",
        "exemplos": [{"payload": payload(), "valor": "19.00", "detalhes": {"regra_casada": "geral"}}]}),
    );
    let table = json!({"colunas": [], "linhas": [], "exemplos": [
        {"payload": old_day, "valor": "18.00", "rule_id": "icms-sp-v1.0"},
        {"payload": with(&payload(), &json!({"uf_origem": "RJ", "uf_destino": "RJ"})), "codigo": "regra_inexistente"},
    ]});
    let source = with(&bundle(&[next, product]), &json!({"tabelas": [table]})).to_string();
    let report = import(&engine, &[file("a.json", &source)], false).unwrap();
    assert_eq!(report.exemplos, 4);
}

#[test]
fn the_order_of_rules_and_files_does_not_matter() {
    let old = with(&general("18.00"), &json!({"vigente_ate": "2026-01-01"}));
    let next = with(&general("19.00"), &json!({"versao": "1.1", "vigente_de": "2025-06-01"}));
    let other = with(&rule("outra", "icms", &json!({"uf": "RJ"}), &json!({"aliquota": "20.00"})), &json!({}));
    let rules = [old, next, other];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let engine = engine(0);
        let files: Vec<_> = order
            .iter()
            .map(|i| file(&format!("{i}.json"), &bundle(std::slice::from_ref(&rules[*i])).to_string()))
            .collect();
        assert_eq!(import(&engine, &files, false).unwrap().publicadas.len(), 3);
        let on =
            |day: &str| calculate(&engine, &with(&payload(), &json!({"data_operacao": day}))).unwrap()["valor"].clone();
        assert_eq!(
            (on("2025-05-31"), on("2025-06-01"), on("2026-01-01")),
            (json!("18.00"), json!("19.00"), json!("19.00"))
        );
    }
}

//! What an import refuses: every fault at once, each with its file, line, JSON path and code.

use serde_json::json;
use taxd_base::document::{Faults, Node, Path};
use taxd_core::engine::{BundleFault, BundleFile};

use crate::support::{bundle, engine, file, import, publish, rule, with};

/// Returns the line (from 1) of the only occurrence of `text`.
fn line(source: &str, text: &str) -> usize {
    let lines: Vec<usize> = source.lines().enumerate().filter(|(_, l)| l.contains(text)).map(|(i, _)| i + 1).collect();
    assert_eq!(lines.len(), 1, "{text} stands on lines {lines:?}");
    lines[0]
}

fn refused(files: &[BundleFile]) -> Vec<BundleFault> {
    let engine = engine(0);
    let faults = import(&engine, files, false).expect_err("the import went through");
    assert_eq!(engine.rule_count().unwrap(), 0, "something was published beside faults");
    for fault in &faults {
        assert!(!fault.detail.is_empty() && fault.to_string().starts_with(&format!("{}:{}: ", fault.file, fault.line)));
    }
    faults
}

/// Asserts that exactly these faults were found: path, the text on the line, code.
fn assert_faults(source: &str, wanted: &[(&str, &str, &str)]) {
    let mut found: Vec<(String, usize, &str)> =
        refused(&[file("a.json", source)]).into_iter().map(|f| (f.path, f.line, f.codigo.as_str())).collect();
    let mut wanted: Vec<(String, usize, &str)> =
        wanted.iter().map(|(path, text, code)| ((*path).to_owned(), line(source, text), *code)).collect();
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
}

const FAULTY: &str = r#"{
  "pacote": "teste",
  "versao": "1",
  "descricao": "Um pacote com muitas falhas",
  "regras": [
    {
      "rule_code": "primeira",
      "versao": "1.0",
      "tributo": "icms",
      "escopo": {"uf": "SP"},
      "vigente_de": "2026-01-01",
      "citacao_legal": "Lei 1",
      "autor": "campo que não existe",
      "conteudo": {
        "aliquota": "18,00"
      }
    },
    {
      "rule_code": "segunda",
      "versao": "1.0",
      "tributo": "icsm",
      "escopo": {"uf": "SP"},
      "vigente_de": "2026-01-01",
      "citacao_legal": "Lei 2",
      "conteudo": {"aliquota": "18.00"}
    },
    { "rule_code": "terceira",
      "versao": "1.0",
      "tributo": "icms",
      "escopo": {
        "uf": "XX",
        "ncm": ["2203", "220"]
      },
      "vigente_de": "2026-01-01",
      "citacao_legal": "Lei 3",
      "conteudo": {
        "aliquota": null
      }
    },
    {
      "rule_code": "quarta",
      "versao": "1.0",
      "tributo": "itcmd",
      "escopo": {"uf": "SP"},
      "vigente_de": "2026-01-01",
      "vigente_ate": "2025-12-31",
      "citacao_legal": "Lei 4",
      "conteudo": {
        "metodo": "marginal",
        "faixas": [
          {"ate": "100.00", "aliquota": "1.00"},
          {"ate": "50.00", "aliquota": "2.00"},
          {"ate": "900.00", "aliquota": "3.00"}
        ]
      }
    },
    {
      "rule_code": "quinta",
      "versao": "1.0",
      "tributo": "ipi",
      "escopo": {"ncm": "22030000", "ex": "0"},
      "vigente_de": "2026-01-01",
      "citacao_legal": "Lei 5",
      "conteudo": {"situacao": "tributado", "tabela_versao": "T", "aliquota": "3.90"}
    }
  ],
  "tabelas": [
    {
      "comum": {"versao": "1.0", "tributo": "ipi", "vigente_de": "2026-01-01", "citacao_legal": "TIPI",
        "conteudo": {"situacao": "tributado", "tabela_versao": "T"}},
      "colunas": ["rule_code", "escopo.ncm", "conteudo.aliquota"],
      "linhas": [
        ["linha-um", "11111111", "1.00"],
        ["linha-dois", "22222222"],
        ["linha-tres", "33333333", "1e3"],
        ["linha-quatro", "4444444x", "4.00"],
        {"rule_code": "linha-cinco"}
      ]
    }
  ]
}"#;

#[test]
fn a_grade_and_a_condition_are_words_of_their_lists() {
    let source = r#"{"pacote": "t", "versao": "1", "descricao": "d", "regras": [
    {"rule_code": "uma", "versao": "1.0", "tributo": "icms", "vigente_de": "2026-01-01", "citacao_legal": "L",
      "escopo": {"uf": "SP"}, "conteudo": {"aliquota": "18.00"},
      "conferencia": "lida",
      "avisos": [
        {"condicao": "prazo", "texto": "Um."},
        {"condicao": "campo", "texto": "Dois."},
        {"texto": "Três."},
        {"condicao": "data", "texto": "Quatro.", "frase": "x"},
        7]}]}"#;
    assert_faults(
        source,
        &[
            ("regras[0].conferencia", "lida", "valor_invalido"),
            ("regras[0].avisos[0].condicao", "prazo", "valor_invalido"),
            ("regras[0].avisos[1].condicao", "campo", "valor_invalido"),
            ("regras[0].avisos[2].condicao", "Três", "campo_obrigatorio"),
            ("regras[0].avisos[3].frase", "Quatro", "campo_desconhecido"),
            ("regras[0].avisos[4]", "7", "tipo_invalido"),
        ],
    );
    let details: Vec<String> =
        refused(&[file("a.json", source)]).into_iter().map(|fault| fault.detail.into()).collect();
    for words in [
        "`texto_legal`, `fontes_concordes`, `fonte_unica`",
        "beneficio, regime, destino, descricao, data, conferencia.",
    ] {
        assert!(details.iter().any(|detail| detail.contains(words)), "{words}: {details:#?}");
    }
}

#[test]
fn all_faults_of_form_scope_and_content_are_reported_at_once_with_their_places() {
    assert_faults(
        FAULTY,
        &[
            ("regras[0].autor", "campo que não existe", "campo_desconhecido"),
            ("regras[0].conteudo.aliquota", "18,00", "decimal_invalido"),
            ("regras[1].tributo", "icsm", "valor_invalido"),
            ("regras[2].escopo.uf", "XX", "uf_invalida"),
            ("regras[2].escopo.ncm[1]", "\"220\"", "ncm_invalido"),
            ("regras[2].motivo", "\"terceira\"", "campo_obrigatorio"),
            ("regras[3].vigente_ate", "2025-12-31", "fora_do_intervalo"),
            ("regras[3].conteudo.faixas[1]", "\"50.00\"", "valor_invalido"),
            ("regras[3].conteudo.faixas[2]", "\"900.00\"", "valor_invalido"),
            ("regras[4].escopo.ex", "\"ex\": \"0\"", "ex_invalido"),
            ("tabelas[0].linhas[1]", "linha-dois", "valor_invalido"),
            ("tabelas[0].linhas[2].conteudo.aliquota", "linha-tres", "decimal_invalido"),
            ("tabelas[0].linhas[3].escopo.ncm", "4444444x", "ncm_invalido"),
            ("tabelas[0].linhas[4]", "linha-cinco", "tipo_invalido"),
        ],
    );
}

#[test]
fn a_rule_with_a_faulty_head_still_has_its_scope_and_content_checked() {
    let source = r#"{"pacote": "p", "versao": "1", "descricao": "d", "regras": [{
      "rule_code": "x",
      "versao": "1.",
      "tributo": "icms",
      "escopo": {"uf": "sp"},
      "vigente_de": "2026-02-30",
      "citacao_legal": "",
      "conteudo": {"aliquota": 18}
    }]}"#;
    assert_faults(
        source,
        &[
            ("regras[0].rule_code", "rule_code", "valor_invalido"),
            ("regras[0].versao", "\"versao\": \"1.\"", "valor_invalido"),
            ("regras[0].vigente_de", "2026-02-30", "data_invalida"),
            ("regras[0].citacao_legal", "citacao_legal", "valor_invalido"),
            ("regras[0].escopo.uf", "escopo", "uf_invalida"),
            ("regras[0].conteudo.aliquota", "conteudo", "tipo_invalido"),
        ],
    );
}

/// On days outside of these no rule answers, so none may state one.
#[test]
fn a_rule_begins_and_ends_between_1900_and_2200() {
    let source = r#"{"pacote": "p", "versao": "1", "descricao": "d", "regras": [{
      "rule_code": "uma", "versao": "1.0", "tributo": "icms", "citacao_legal": "L",
      "escopo": {"uf": "SP"},
      "vigente_de": "1899-12-31",
      "vigente_ate": "2201-01-01",
      "conteudo": {"aliquota": "18.00"}
    }]}"#;
    assert_faults(
        source,
        &[
            ("regras[0].vigente_de", "1899-12-31", "data_invalida"),
            ("regras[0].vigente_ate", "2201-01-01", "data_invalida"),
        ],
    );
    let inside = source.replace("1899-12-31", "1900-01-01").replace("2201-01-01", "2200-12-31");
    import(&engine(0), &[file("a.json", &inside)], false).unwrap();
}

#[test]
fn a_bundle_with_a_faulty_head_still_has_its_rules_checked() {
    let source = r#"{
      "versao": "1",
      "descricao": "Falta o nome",
      "regras": [{
        "rule_code": "uma", "versao": "1.0", "tributo": "icms", "vigente_de": "2026-01-01", "citacao_legal": "L",
        "escopo": {"uf": "SP"},
        "conteudo": {"aliquota": "x"}
      }]
    }"#;
    let paths: Vec<String> = refused(&[file("a.json", source)]).into_iter().map(|f| f.path).collect();
    assert_eq!(paths, ["pacote", "regras[0].conteudo.aliquota"]);
}

#[test]
fn an_ipva_rule_with_inconsistent_content_is_refused_with_the_place() {
    let brl = json!({"limite": "5000.00", "modo": "total", "base_legal": "Lei"});
    let brackets = json!([{"ate": "100", "aliquota": "2.00"}, {"ate": null, "aliquota": "3.00"}]);
    let cases = [
        (json!({"faixas": brackets, "metodo": "integral"}), "faixas_por"),
        (json!({"aliquota": "2.00", "faixas_por": "potencia_cv"}), "faixas_por"),
        (json!({"faixas": brackets, "faixas_por": "potencia_cv"}), "metodo"),
        (json!({"faixas": brackets, "faixas_por": "cilindrada_cm3", "metodo": "marginal"}), "metodo"),
        (
            json!({"faixas": brackets, "faixas_por": "valor_venal", "metodo": "marginal", "aliquota": "2.00"}),
            "aliquota",
        ),
        (
            json!({"faixas": brackets, "faixas_por": "valor_venal", "metodo": "integral", "isento": true,
                "motivo_isencao": "Lei"}),
            "aliquota",
        ),
        (json!({"aliquota": "2.00", "reducao_base": "100.01"}), "reducao_base"),
        // It was read and had no effect.
        (json!({"isento": true, "motivo_isencao": "Lei", "reducao_base": "50.00"}), "reducao_base"),
        (json!({"isento": true, "motivo_isencao": "Lei", "isencao": brl}), "isencao"),
        (
            json!({"combustiveis": [{"combustivel": ["gnv"], "faixas": brackets, "metodo": "integral"}]}),
            "combustiveis[0].faixas_por",
        ),
    ];
    for (content, place) in cases {
        let faults = publish(&engine(0), &[rule("ipva", "ipva", &json!({"uf": "SP"}), &content)]).unwrap_err();
        let paths: Vec<&str> = faults.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, [format!("regras[0].conteudo.{place}")], "{content}");
    }
}

/// A check that came later refused what the data file held, and with it every listing.
#[test]
fn what_was_published_before_a_check_was_added_is_still_read() {
    let content = json!({"isento": true, "motivo_isencao": "Lei", "reducao_base": "50.00"}).to_string();
    let node = Node::parse(content.as_bytes()).unwrap();
    let mut faults = Faults::default();
    let read = (taxd_law::tax::find("ipva").unwrap().read_conteudo)(&node, &Path::ROOT, &mut faults);
    assert!(read.is_some() && faults.is_empty());
}

#[test]
fn a_repeated_key_is_reported_on_the_line_of_its_repetition() {
    let source = r#"{"pacote": "p", "versao": "1", "descricao": "d", "regras": [{
      "rule_code": "uma", "versao": "1.0", "tributo": "icms", "vigente_de": "2026-01-01", "citacao_legal": "L",
      "escopo": {"uf": "SP"},
      "conteudo": {
        "aliquota": "18.00",
        "aliquota": "19.00"
      }
    }]}"#;
    assert_faults(source, &[("regras[0].conteudo.aliquota", "19.00", "chave_duplicada")]);
}

#[test]
fn the_faults_of_several_files_are_reported_together_and_nothing_is_imported() {
    let good = bundle(&[rule("boa", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]).to_string();
    let faults = refused(&[
        file("boa.json", &good),
        file("json.json", "{\n  \"pacote\": \"p\",\n  oi\n}"),
        file("falta.json", "{\"pacote\": \"p\", \"versao\": \"1\",\n \"descricao\": \"d\",\n \"regras\": [7]}"),
        BundleFile::unsigned("bytes.json", b"{\n\"pacote\": \"\xff\"}".to_vec()),
        file("vazio.json", ""),
        file("lista.json", "[]"),
        file("nada.json", "{\"pacote\": \"p\", \"versao\": \"1\", \"descricao\": \"d\"}"),
    ]);
    let mut found: Vec<(&str, usize, &str)> =
        faults.iter().map(|f| (f.file.as_str(), f.line, f.codigo.as_str())).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("bytes.json", 2, "json_invalido"),
            ("falta.json", 3, "tipo_invalido"),
            ("json.json", 3, "json_invalido"),
            ("lista.json", 1, "tipo_invalido"),
            ("nada.json", 1, "campo_obrigatorio"),
            ("vazio.json", 1, "json_invalido"),
        ]
    );
}

/// It was imported in silence, as one of 0 rules.
#[test]
fn a_bundle_without_rules_is_refused() {
    let table = json!({"colunas": ["rule_code"], "linhas": []});
    for lists in [
        json!({}),
        json!({"regras": []}),
        json!({"regras": null, "tabelas": null}),
        json!({"tabelas": []}),
        json!({"regras": [], "tabelas": [table]}),
        json!({"tabelas": [table, table]}),
    ] {
        let source = with(&json!({"pacote": "p", "versao": "1", "descricao": "d"}), &lists).to_string();
        let faults = refused(&[file("a.json", &source)]);
        let [fault] = faults.as_slice() else { panic!("{lists}: {faults:?}") };
        assert_eq!((fault.path.as_str(), fault.codigo.as_str()), ("", "campo_obrigatorio"), "{lists}");
        assert!(fault.detail.contains("ao menos uma em `regras`, ou uma linha em `tabelas`"), "{}", fault.detail);
    }
    // Beside other faults, but not beside those of the lists, which may be why no rule was found.
    let paths = |source: &str| refused(&[file("a.json", source)]).into_iter().map(|f| f.path).collect::<Vec<_>>();
    assert_eq!(paths(r#"{"versao": "1", "descricao": "d", "regras": []}"#), ["pacote", ""]);
    assert_eq!(paths(r#"{"pacote": "p", "versao": "1", "descricao": "d", "regras": {}}"#), ["regras"]);
    // A table with examples only, beside rules.
    let good = bundle(&[rule("boa", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]);
    let good = with(&good, &json!({"tabelas": [table]})).to_string();
    assert_eq!(import(&engine(0), &[file("a.json", &good)], false).unwrap().publicadas.len(), 1);
}

#[test]
fn the_mark_that_some_editors_write_first_is_passed_over_and_moves_no_line() {
    let marked = |text: &str| vec![file("a.json", &format!("\u{feff}{text}"))];
    assert_eq!(refused(&marked(FAULTY)), refused(&[file("a.json", FAULTY)]));
    assert_eq!(refused(&marked("{,}"))[0].detail, refused(&[file("a.json", "{,}")])[0].detail);
    let good = bundle(&[rule("boa", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]).to_string();
    assert_eq!(import(&engine(0), &marked(&good), false).unwrap().publicadas.len(), 1);
}

#[test]
fn malformed_json_inside_a_rule_is_reported_alone_with_its_place() {
    for (wrong, detail) in [
        (r#""aliquota": 1e999"#, "número grande demais"),
        (r#""aliquota": "\ud800""#, "erro de sintaxe"),
        (&format!(r#""aliquota": {}{}"#, "[".repeat(200), "]".repeat(200)), "o documento está aninhado demais"),
        (r#""aliquota" "18.00""#, "erro de sintaxe"),
    ] {
        // The rule before it is faulty in another way, and good in another file.
        let good = rule("boa", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}));
        let source = format!(
            "{{\"pacote\": \"p\", \"versao\": \"1\", \"descricao\": \"d\", \"regras\": [\n{},\n{{\"conteudo\": {{\n{wrong}}}}}]}}",
            with(&good, &json!({"tributo": "x"}))
        );
        let faults = refused(&[file("a.json", &source), file("boa.json", &bundle(&[good]).to_string())]);
        let [fault] = faults.as_slice() else { panic!("{wrong}: {faults:?}") };
        assert_eq!((fault.line, fault.path.as_str(), fault.codigo.as_str()), (4, "", "json_invalido"), "{wrong}");
        assert!(fault.detail.contains(detail), "{wrong}: {}", fault.detail);
    }
}

#[test]
fn repeated_keys_are_reported_before_all_other_faults() {
    let source = r#"{"pacote": "p", "versao": "1", "descricao": "d", "nada": 1, "descricao": "e",
      "regras": [{"rule_code": "x", "versao": "1.0"}, {"versao": "1.0", "versao": "1.1"}],
      "tabelas": [{"colunas": ["a"], "linhas": [[{"b": 1, "b": 2}]], "linhas": []}]}"#;
    let faults = refused(&[file("a.json", source)]);
    let repeated = faults.iter().take_while(|f| f.codigo.as_str() == "chave_duplicada");
    let paths: Vec<&str> = repeated.map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["descricao", "regras[1].versao", "tabelas[0].linhas[0][0].b", "tabelas[0].linhas"]);
    let later = &faults[paths.len()..];
    assert!(later.iter().all(|f| f.codigo.as_str() != "chave_duplicada"), "{faults:?}");
    assert!(later.iter().any(|f| f.path == "nada") && later.iter().any(|f| f.path == "regras[0].escopo"));
}

//! Which versions of official tables the installed bundles follow, and how old they are.

use serde_json::{Value, json};
use taxd_base::value::{Clock, Timestamp};
use taxd_core::engine::{BundleFault, Engine, TableAge, canonical_texts};

use crate::support::{built_in_engine, engine, file, import, rule};

fn bundle(pacote: &str, code: &str, tables: &Value) -> Value {
    let own =
        rule(code, "icms", &json!({"uf": "SP", "ncm": [code.trim_start_matches("r-")]}), &json!({"aliquota": "18.00"}));
    json!({"pacote": pacote, "versao": "1", "descricao": "Um pacote", "tabelas_oficiais": tables, "regras": [own]})
}

fn load(engine: &Engine, bundles: &[Value]) -> Result<(), Vec<BundleFault>> {
    let files: Vec<_> = bundles.iter().map(|bundle| file("pacote.json", &bundle.to_string())).collect();
    import(engine, &files, false).map(drop)
}

/// The tables of bundles, without those of the files of codes.
fn of_bundles(engine: &Engine) -> Vec<TableAge> {
    let is_file = |by: &String| by.starts_with("tabelas/");
    engine.official_tables().unwrap().into_iter().filter(|table| !table.pacotes.iter().any(is_file)).collect()
}

fn on(day: &str) -> Engine {
    let now = Timestamp::parse(&format!("{day}T12:00:00.000Z")).unwrap();
    engine(0).with_clock(Clock::new(move || now))
}

#[test]
fn the_last_publication_of_a_bundle_says_which_version_it_follows() {
    let engine = on("2026-11-25");
    let first = json!([{"nome": "PMPF", "versao": "Ato 20", "data": "2026-08-01", "vigente_ate": "2026-08-16"}]);
    load(&engine, &[bundle("a", "r-2203", &first), bundle("b", "r-2204", &first)]).unwrap();
    let tables = of_bundles(&engine);
    let [table] = tables.as_slice() else { panic!("{tables:?}") };
    assert_eq!((table.idade_dias, table.pacotes.join(" ")), (116, "a b".to_owned()));
    assert!(table.has_ended(engine.now().day()));
    // The bundle b moves on; a stays where it was.
    let second =
        json!([{"nome": "PMPF", "versao": "Ato 30", "data": "2026-11-20", "mudancas": ["24/11/2026: saiu o Ato 31."]}]);
    load(&engine, &[bundle("b", "r-2205", &second)]).unwrap();
    let tables = of_bundles(&engine);
    let shown: Vec<_> = tables.iter().map(|t| (t.tabela.versao.as_str(), t.idade_dias, t.pacotes.join(" "))).collect();
    assert_eq!(shown, [("Ato 20", 116, "a".to_owned()), ("Ato 30", 5, "b".to_owned())]);
    assert_eq!(tables[1].tabela.mudancas, ["24/11/2026: saiu o Ato 31."]);
    // A bundle that no longer names a table follows none.
    load(&engine, &[bundle("b", "r-2206", &json!([]))]).unwrap();
    assert_eq!(of_bundles(&engine).len(), 1);
}

#[test]
fn a_faulty_table_is_refused_at_its_place() {
    let paths = |tables: Value| -> Vec<String> {
        let faults = load(&engine(0), &[bundle("a", "r-2203", &tables)]).expect_err("it was taken");
        faults.into_iter().map(|fault| fault.path).collect()
    };
    let tipi = json!({"nome": "TIPI", "versao": "1", "data": "2026-01-01"});
    assert_eq!(paths(json!([tipi, tipi])), ["tabelas_oficiais[1].nome"]);
    assert_eq!(
        paths(json!([{"nome": "TIPI", "data": "2026-13-01"}])),
        ["tabelas_oficiais[0].versao", "tabelas_oficiais[0].data"]
    );
    assert_eq!(
        paths(json!([{"nome": "TIPI", "versao": "1", "data": "2026-01-01", "dia": 1}])),
        ["tabelas_oficiais[0].dia"]
    );
    let ended = json!([{"nome": "TIPI", "versao": "1", "data": "2026-01-01", "vigente_ate": "2026-01-01"}]);
    assert_eq!(paths(ended), ["tabelas_oficiais[0].vigente_ate"]);
}

#[test]
fn the_canonical_form_has_the_tables_after_the_description() {
    let own = bundle("a", "r-2203", &json!([{"nome": "TIPI", "versao": "1", "data": "2026-01-01"}]));
    let texts = canonical_texts(&[file("a.json", &own.to_string())]).unwrap();
    let lines: Vec<&str> = texts[0].lines().collect();
    assert_eq!(
        &lines[3..6],
        [
            "  \"descricao\": \"Um pacote\",",
            "  \"tabelas_oficiais\": [",
            "    {\"nome\": \"TIPI\", \"versao\": \"1\", \"data\": \"2026-01-01\"}"
        ]
    );
}

#[test]
fn the_built_in_rules_say_what_they_follow_and_what_changed_since() {
    let tables = built_in_engine().official_tables().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table.tabela.nome.as_str()).collect();
    for name in ["NCM", "PMPF", "TIPI", "cClassTrib"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let ncm = tables.iter().find(|table| table.tabela.nome == "NCM").unwrap();
    assert_eq!(ncm.tabela.data.to_string(), "2026-08-13");
    assert!(ncm.tabela.mudancas[0].contains("3913.90.50"), "{ncm:?}");
    // Every State with prices of fuels says by which act.
    let pmpf =
        tables.iter().filter(|table| table.tabela.nome == "PMPF").map(|table| table.pacotes.len()).sum::<usize>();
    assert_eq!(pmpf, 26, "all UFs but MG");
}

//! Engines, bundles and answers, as the tests write them.

use std::sync::OnceLock;

use serde_json::{Value, json};
use taxd_base::problem::Problem;
use taxd_base::value::Date;
use taxd_core::engine::{BundleFault, BundleFile, Engine, ImportError, ImportOptions, ImportReport};
use taxd_core::store::Store;

/// The instant at which tests publish.
pub const PUBLISHED_AT: &str = "2026-11-21T00:00:00.000Z";

pub fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

/// An empty engine that remembers `cached` answers.
pub fn engine(cached: usize) -> Engine {
    Engine::new(Store::in_memory().unwrap(), cached)
}

/// An engine without cache that holds these rules.
pub fn engine_with(rules: &[Value]) -> Engine {
    let engine = engine(0);
    if let Err(faults) = publish(&engine, rules) {
        panic!("the rules were refused: {faults:#?}\n{}", serde_json::to_string_pretty(rules).unwrap());
    }
    engine
}

/// A bundle of these rules.
pub fn bundle(rules: &[Value]) -> Value {
    json!({"pacote": "teste", "versao": "1", "descricao": "Regras de teste", "regras": rules})
}

/// A rule of version 1.0, in force from 2020 on.
pub fn rule(code: &str, tributo: &str, escopo: &Value, conteudo: &Value) -> Value {
    json!({
        "rule_code": code, "versao": "1.0", "tributo": tributo, "escopo": escopo, "vigente_de": "2020-01-01",
        "citacao_legal": format!("Lei de {code}"), "motivo": "Figura não conferida.", "conteudo": conteudo,
    })
}

/// The same rule with other members.
pub fn with(rule: &Value, members: &Value) -> Value {
    let mut rule = rule.clone();
    for (name, value) in members.as_object().unwrap() {
        rule[name] = value.clone();
    }
    rule
}

/// The built-in bundles.
pub fn built_in_files() -> Vec<BundleFile> {
    taxd_core::rulesets::files().map(|(name, text)| BundleFile::unsigned(name, text)).collect()
}

/// The built-in rules, imported once for all tests, and the report of that import. Tests only read them.
pub fn built_in() -> &'static (Engine, ImportReport) {
    static BUILT_IN: OnceLock<(Engine, ImportReport)> = OnceLock::new();
    BUILT_IN.get_or_init(|| {
        let engine = engine(0);
        let report = import(&engine, &built_in_files(), false).unwrap_or_else(|faults| panic!("{faults:#?}"));
        (engine, report)
    })
}

/// Asserts that a file of the repository is this text; with `TAXD_REWRITE_GOLDEN=1`, writes it.
#[track_caller]
pub fn assert_golden(path: &str, text: &str) {
    let file = std::path::Path::new(crate::ROOT).join(path);
    if std::env::var_os("TAXD_REWRITE_GOLDEN").is_some() {
        return std::fs::write(file, text).unwrap();
    }
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let different = written.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(written == text, "{path} differs ({different:?}); run this test with TAXD_REWRITE_GOLDEN=1 to write it");
}

/// The engine of [`built_in`].
pub fn built_in_engine() -> &'static Engine {
    &built_in().0
}

pub fn file(name: &str, text: &str) -> BundleFile {
    BundleFile::unsigned(name, text.as_bytes())
}

pub fn import(engine: &Engine, files: &[BundleFile], dry_run: bool) -> Result<ImportReport, Vec<BundleFault>> {
    let options = ImportOptions { dry_run, ..ImportOptions::default() };
    engine.import(files, taxd_base::value::Timestamp::parse(PUBLISHED_AT).unwrap(), options).map_err(
        |error| match error {
            ImportError::Faults(faults) => faults,
            other => panic!("{other:?}"),
        },
    )
}

pub fn publish(engine: &Engine, rules: &[Value]) -> Result<ImportReport, Vec<BundleFault>> {
    import(engine, &[file("teste.json", &bundle(rules).to_string())], false)
}

/// The envelope of the answer.
pub fn calculate(engine: &Engine, payload: &Value) -> Result<Value, Box<Problem>> {
    let answer = engine.calculate(payload.to_string().as_bytes(), false)?;
    Ok(serde_json::from_slice(&answer.to_json()).unwrap())
}

/// The first difference between what is wanted and what is there; members that are not
/// wanted do not matter.
pub fn difference(wanted: &Value, got: &Value, name: &str) -> Option<String> {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => wanted.iter().find_map(|(member, value)| {
            difference(value, got.get(member).unwrap_or(&Value::Null), &format!("{name}.{member}"))
        }),
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => wanted
            .iter()
            .zip(got)
            .enumerate()
            .find_map(|(i, (value, found))| difference(value, found, &format!("{name}[{i}]"))),
        _ => (wanted != got).then(|| format!("{name}: expected {wanted}, got {got}")),
    }
}

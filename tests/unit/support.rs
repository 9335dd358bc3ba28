//! Engines, bundles and answers, as the tests write them.

use std::convert::Infallible;
use std::sync::OnceLock;

use serde_json::{Value, json};
use taxd::base::problem::Problem;
use taxd::base::value::Date;
use taxd::core::engine::{BundleFault, BundleFile, Engine, ImportError, ImportOptions, ImportReport};
use taxd::core::store::Store;
use taxd::features::audit::{AuditLine, Input, Inputs, NamedFile, Payloads, Run, SegregatedMonth, Surface};
use taxd::law::nfe::payloads::EnginePayload;
use taxd::law::rule::RuleResult;
use taxd::law::tax::TaxAnswer;

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
    taxd::core::rulesets::files().map(|(name, text)| BundleFile::unsigned(name, text)).collect()
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
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
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
    engine.import(files, taxd::base::value::Timestamp::parse(PUBLISHED_AT).unwrap(), options).map_err(|error| {
        match error {
            ImportError::Faults(faults) => faults,
            other => panic!("{other:?}"),
        }
    })
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

/// What a run of the audit found, and the questions that it asked.
#[derive(Default)]
pub struct Found {
    pub lines: Vec<AuditLine>,
    pub months: Vec<SegregatedMonth>,
    pub asked: Payloads,
}

/// A run of the audit whose questions are answered so.
pub fn found_by(run: &Run, files: &[NamedFile<'_>], answer: impl Fn(&EnginePayload) -> RuleResult<TaxAnswer>) -> Found {
    let mut answered = AnsweredRun { found: Found::default(), answer };
    let Ok(()) = run.over(files, &mut answered);
    answered.found
}

/// The lines of such a run.
pub fn audited_by(
    run: &Run,
    files: &[NamedFile<'_>],
    answer: impl Fn(&EnginePayload) -> RuleResult<TaxAnswer>,
) -> Vec<AuditLine> {
    found_by(run, files, answer).lines
}

struct AnsweredRun<A> {
    found: Found,
    answer: A,
}

impl<A: Fn(&EnginePayload) -> RuleResult<TaxAnswer>> Surface for AnsweredRun<A> {
    type Stop = Infallible;
    type Held = ();
    const BATCH: (usize, usize) = (4, 1024 * 1024);

    fn begin(&mut self, _: &mut [Input]) -> Result<Option<()>, Infallible> {
        Ok(None)
    }

    fn admit(&mut self, _: bool) -> Result<(), Infallible> {
        Ok(())
    }

    fn ask(&mut self, payloads: Payloads, _: bool) -> Result<Vec<RuleResult<TaxAnswer>>, Infallible> {
        let answers = payloads.iter().map(|payload| (self.answer)(payload)).collect();
        self.found.asked.extend(payloads);
        Ok(answers)
    }

    fn line(&mut self, line: AuditLine) -> Result<(), Infallible> {
        self.found.lines.push(line);
        Ok(())
    }

    fn segregated(&mut self, month: SegregatedMonth) -> Result<(), Infallible> {
        self.found.months.push(month);
        Ok(())
    }

    fn progress(&mut self, _: Option<&Inputs<'_>>) -> Result<(), Infallible> {
        Ok(())
    }
}

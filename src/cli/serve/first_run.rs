//! The first start makes rules, an account and a key; every start greets the operator.

use std::path::Path;

use crate::admin::{AdminError, OverrideChanges, create_account, create_key};
use crate::cli::output;
use crate::engine::Engine;
use crate::rulesets;
use crate::service::Service;
use crate::tax;

/// What the first start made.
pub(super) struct FirstRun {
    rules: usize,
    key: Option<String>,
}

/// Loads the built-in rules if there are none, and makes an account if there is none. Makes no account if its key
/// would not be `shown` to the operator, but kept by the journal of a service manager.
pub(super) fn first_run(service: &Service, shown: bool) -> Result<Option<FirstRun>, AdminError> {
    let engine = service.engine();
    let mut first = FirstRun { rules: 0, key: None };
    if engine.rule_count()? == 0 {
        first.rules = rulesets::load(engine)?;
        service.deliveries().wake();
    }
    let nobody_calls = engine.store().accounts()?.is_empty();
    if nobody_calls && !shown {
        tracing::info!("there is no account yet; make one with taxd account create, and a key with taxd key create");
    } else if nobody_calls {
        let made = create_account(service, "Primeira conta", "growth", OverrideChanges::default())?;
        first.key = Some(create_key(service, &made.account.client_id, "test", None)?.key);
    }
    Ok((first.rules > 0 || first.key.is_some()).then_some(first))
}

/// Prints the address and, on the first start, the key and a call to try.
pub(super) fn greet(url: &str, data: &Path, engine: &Engine, first: Option<&FirstRun>) -> Result<(), AdminError> {
    output::line(&format!("taxd {} on {url}", env!("CARGO_PKG_VERSION")))?;
    output::line(&format!("  sandbox  {url}/sandbox"))?;
    output::line(&format!("  data     {}, {} rule versions", data.display(), engine.rule_count()?))?;
    let Some(key) = first.and_then(|f| f.key.as_deref()) else { return Ok(()) };
    let example = tax::find("icms").map(|e| e.exemplo).unwrap_or_default();
    output::line("")?;
    output::line("First run. This is your sandbox key; it is not shown again:")?;
    output::line(&format!("  {key}"))?;
    output::line("")?;
    output::line("Try it:")?;
    output::line(&format!(
        "curl -s {url}/v1/calculate -H 'X-API-Key: {key}' -H 'Content-Type: application/json' -d '{}'",
        one_line(example)
    ))
}

/// A payload written on one line.
fn one_line(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

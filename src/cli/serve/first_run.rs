//! The first start makes rules, an account and its two keys; every start greets the operator.

use std::path::Path;

use crate::cli::output;
use crate::core::calls::SANDBOX_CALLS_A_MONTH;
use crate::core::engine::Engine;
use crate::core::rulesets;
use crate::core::service::Service;
use crate::features::AdminError;
use crate::features::accounts::{OverrideChanges, create as create_account};
use crate::features::keys::create as create_key;
use crate::law::tax;

pub(super) struct FirstRun {
    rules: usize,
    keys: Option<FirstKeys>,
}

struct FirstKeys {
    sandbox: String,
    live: String,
}

/// Loads the built-in rules if there are none, and makes an account if there is none. Makes no account if its keys
/// would not be `shown` to the operator, but kept by the journal of a service manager.
pub(super) fn first_run(service: &Service, shown: bool) -> Result<Option<FirstRun>, AdminError> {
    let engine = service.engine();
    let mut first = FirstRun { rules: 0, keys: None };
    if engine.rule_count()? == 0 {
        first.rules = rulesets::load(engine)?;
        service.deliveries().wake();
    }
    let nobody_calls = engine.store().accounts()?.is_empty();
    if nobody_calls && !shown {
        tracing::info!("there is no account yet; make one with taxd account create, and a key with taxd key create");
    } else if nobody_calls {
        let made = create_account(service, "Primeira conta", "growth", OverrideChanges::default())?;
        let key = |kind| Ok::<_, AdminError>(create_key(service, &made.account.client_id, kind, None)?.key);
        first.keys = Some(FirstKeys { sandbox: key("test")?, live: key("live")? });
    }
    Ok((first.rules > 0 || first.keys.is_some()).then_some(first))
}

/// Prints the address and, on the first start, the keys and a call to try.
pub(super) fn greet(url: &str, data: &Path, engine: &Engine, first: Option<&FirstRun>) -> Result<(), AdminError> {
    output::line(&format!("taxd {} on {url}", env!("CARGO_PKG_VERSION")))?;
    output::line(&format!("  sandbox  {url}/sandbox"))?;
    output::line(&format!("  data     {}, {} rule versions", data.display(), engine.rule_count()?))?;
    let Some(FirstKeys { sandbox, live }) = first.and_then(|f| f.keys.as_ref()) else { return Ok(()) };
    let example = tax::find("icms").map(|e| e.exemplo).unwrap_or_default();
    output::line("")?;
    output::line("First run. These are the keys of your first account; they are not shown again:")?;
    output::line(&format!("  sandbox key, for trials ({SANDBOX_CALLS_A_MONTH} calls a month):"))?;
    output::line(&format!("    {sandbox}"))?;
    output::line("  live key, for daily work (the quota of the account):")?;
    output::line(&format!("    {live}"))?;
    output::line("")?;
    output::line("Try it:")?;
    output::line(&format!(
        "curl -s {url}/v1/calculate -H 'X-API-Key: {sandbox}' -H 'Content-Type: application/json' -d '{}'",
        one_line(example)
    ))
}

fn one_line(json: &str) -> String {
    json.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

//! `taxd check`: verifies pages, tables and worked examples of a file.

use std::path::Path;
use std::sync::TryLockError;

use serde_json::{Value, json};

use super::{AdminError, Command, Progress, Stage, Step, control, data_dir, signature};
use crate::calls;
use crate::defect::caught;
use crate::engine::{self, Examples};
use crate::service::Service;
use crate::store::{Area, Audit, Checker, Contents, Finding, Findings, Store, StoreError, StoreResult};

/// Rows between two reports of progress.
const EVERY: u64 = 5_000;

/// The result of a check.
pub(super) struct Report {
    contents: Contents,
    findings: Findings,
    examples: Examples,
}

impl Report {
    /// True if nothing is wrong.
    pub(super) fn is_whole(&self) -> bool {
        self.findings.total() == 0
    }

    /// True if nothing is wrong with the rules.
    pub(super) fn is_sound(&self) -> bool {
        self.findings.total_of(Area::Pages) == 0 && self.findings.total_of(Area::Rules) == 0
    }

    /// The listed findings, without those of worked examples.
    pub(super) fn listed_but_examples(&self) -> Vec<Value> {
        self.findings.listed().iter().filter(|finding| finding.area != Area::Examples).map(told).collect()
    }

    /// Number of findings, without those of worked examples.
    pub(super) fn total_but_examples(&self) -> u64 {
        self.findings.total() - self.failing_examples()
    }

    /// Number of worked examples that do not hold.
    pub(super) fn failing_examples(&self) -> u64 {
        self.findings.total_of(Area::Examples)
    }

    /// Rows of a table.
    pub(super) fn rows_of(&self, table: &str) -> u64 {
        self.contents.rows_of(table)
    }

    /// Results of the worked examples.
    pub(super) fn examples(&self) -> Examples {
        self.examples
    }

    fn value(&self, pages_verified: bool) -> Value {
        json!({
            "whole": self.is_whole(),
            "schema_version": self.contents.schema_version,
            "checked_at": self.contents.taken_at,
            "pages_verified": pages_verified,
            "rows": self.contents.total(),
            "rules": self.rows_of("versions"),
            "publications": self.rows_of("publications"),
            "events": self.rows_of("events"),
            "accounts": self.rows_of("accounts"),
            "keys": self.rows_of("keys"),
            "deliveries": self.rows_of("outbox"),
            "examples": self.examples,
            "findings": self.findings.listed().iter().map(told).collect::<Vec<Value>>(),
            "findings_total": self.findings.total(),
        })
    }
}

fn told(finding: &Finding) -> Value {
    json!({"area": finding.area, "finding": finding.what, "advice": finding.area.advice()})
}

/// Checks the file that the service has open, until the caller is gone. Its pages are not verified: that needs the file
/// alone.
pub(super) fn run(service: &Service, is_gone: &dyn Fn() -> bool, progress: Progress<'_>) -> Result<Value, AdminError> {
    let alone = service.checking().try_lock();
    if matches!(alone, Err(TryLockError::WouldBlock)) {
        return Err(AdminError::new("the server is running another check; try again when it is done"));
    }
    let report = report(service.store(), &|| service.is_stopping() || is_gone(), progress)?;
    tracing::info!(findings = report.findings.total(), rules = report.rows_of("versions"), "check");
    Ok(report.value(false))
}

/// Checks a `file`, or the data of a directory, in its server if one is running. Nothing is written to either.
pub fn check_file(dir: &Path, file: Option<&Path>, progress: Progress<'_>) -> Result<Value, AdminError> {
    let inspected = match file {
        Some(file) => data_dir::inspect(file).map_err(|e| AdminError::new(format!("{}: {e}", file.display())))?,
        None => {
            if let Some(answer) = control::call(dir, &Command::Check, &mut *progress) {
                return answer;
            }
            match data_dir::inspect_or_ask(dir, || control::call(dir, &Command::Check, &mut *progress))? {
                data_dir::Reached::File(inspected) => inspected,
                data_dir::Reached::Server(answer) => return answer,
            }
        }
    };
    match inspected {
        Ok(store) => Ok(report(&store, &|| false, progress)?.value(true)),
        Err(error) => {
            let finding = Finding { area: Area::Pages, what: error.to_string() };
            Ok(json!({"whole": false, "pages_verified": true, "findings": [told(&finding)], "findings_total": 1}))
        }
    }
}

/// Checks an open file. Fails with [`StoreError::Ending`] once `is_ending`.
pub(super) fn report(
    store: &Store,
    is_ending: &dyn Fn() -> bool,
    progress: Progress<'_>,
) -> Result<Report, AdminError> {
    let audit = store.audit()?;
    let total = audit.contents().total();
    let short = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let mut done = 0;
    let mut on_progress = |rows: u64| {
        if is_ending() {
            return Err(StoreError::Ending);
        }
        let before = done / EVERY;
        done += rows;
        if done / EVERY > before {
            progress(Step { stage: Stage::Checking, done: short(done.min(total)), total: short(total) });
        }
        Ok(())
    };
    let mut checker = Checker::new(&mut on_progress);
    let mut examples = Examples::default();
    let unreadable = match caught(|| check_all(&audit, &mut examples, &mut checker)) {
        Ok(Ok(())) => None,
        Ok(Err(StoreError::Ending)) => return Err(StoreError::Ending.into()),
        Ok(Err(error)) => Some(error.to_string()),
        // redb panics on a page that is not as it wrote it.
        Err(defect) => Some(format!("a page is not as it was written ({defect})")),
    };
    if let Some(why) = unreadable {
        checker.add(Area::Pages, format!("the file could not be read to its end: {why}"));
    }
    Ok(Report { contents: audit.contents().clone(), findings: checker.into_findings(), examples })
}

fn check_all(audit: &Audit, examples: &mut Examples, checker: &mut Checker<'_>) -> StoreResult<()> {
    *examples = engine::check_rules(audit, checker)?;
    audit.check_accounts_and_deliveries(checker)?;
    calls::check(audit, checker)?;
    for (name, key) in audit.trusted_keys()? {
        checker.rows(1)?;
        if let Err(error) = signature::read_public(&key) {
            checker.add(Area::Settings, format!("the trusted key \"{name}\": {error}"));
        }
    }
    Ok(())
}

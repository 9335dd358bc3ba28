//! `taxd check`: verifies pages, tables and worked examples of a file.

mod accounts;
pub(crate) mod command;
mod deliveries;
mod finding;
mod kept_lists;
pub(super) mod rules;

use std::sync::TryLockError;

use redb::ReadTransaction;
use serde::{Deserialize, Serialize};

use self::finding::{Area, Checker, Findings};
use self::rules::Examples;
use super::error::AdminError;
use super::trust::signature;
use crate::base::value::Timestamp;
use crate::core::engine::{Progress, Stage, Step};
use crate::core::service::Service;
use crate::core::store::file::contents;
use crate::core::store::settings::trusted_keys;
use crate::core::store::{Contents, Store, StoreError, StoreResult, read_whole};

pub use self::finding::Finding;

/// Rows between two progress steps.
const EVERY: u64 = 5_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    pub whole: bool,
    /// Version of the schema; `None` if the file cannot be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u64>,
    /// The instant whose state was checked; `None` if the file cannot be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<Timestamp>,
    /// False if a server has the file open, so that its pages could not be verified.
    pub pages_verified: bool,
    /// Rows of the file; `None` if it cannot be opened.
    #[serde(flatten)]
    pub counts: Option<CheckedRows>,
    /// What is wrong; at most the first 200 findings.
    pub findings: Vec<Finding>,
    pub findings_total: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedRows {
    /// Rows of all tables.
    pub rows: u64,
    pub rules: u64,
    pub publications: u64,
    pub events: u64,
    pub accounts: u64,
    pub keys: u64,
    pub deliveries: u64,
    pub examples: Examples,
}

/// The whole file at one instant.
struct Audit {
    txn: ReadTransaction,
    contents: Contents,
}

pub(super) struct Checked {
    pub(super) contents: Contents,
    findings: Findings,
    /// The worked examples that were calculated.
    pub(super) examples: Examples,
}

impl Checked {
    /// True if nothing is wrong with the data that calculations use.
    pub(super) fn is_sound(&self) -> bool {
        self.findings.total_of(Area::Pages) == 0 && self.findings.total_of(Area::Rules) == 0
    }

    /// The listed findings, without those of worked examples.
    pub(super) fn listed_but_examples(&self) -> Vec<Finding> {
        self.findings.listed().iter().filter(|finding| finding.area != Area::Examples).cloned().collect()
    }

    /// How many findings there are, without those of worked examples.
    pub(super) fn total_but_examples(&self) -> u64 {
        self.findings.total() - self.failing_examples()
    }

    pub(super) fn failing_examples(&self) -> u64 {
        self.findings.total_of(Area::Examples)
    }

    fn into_report(self, pages_verified: bool) -> CheckReport {
        let rows_of = |table| self.contents.rows_of(table);
        CheckReport {
            whole: self.findings.total() == 0,
            schema_version: Some(self.contents.schema_version),
            checked_at: Some(self.contents.taken_at),
            pages_verified,
            counts: Some(CheckedRows {
                rows: self.contents.total(),
                rules: rows_of("versions"),
                publications: rows_of("publications"),
                events: rows_of("events"),
                accounts: rows_of("accounts"),
                keys: rows_of("keys"),
                deliveries: rows_of("outbox"),
                examples: self.examples,
            }),
            findings: self.findings.listed().to_vec(),
            findings_total: self.findings.total(),
        }
    }
}

/// Checks the file that the service has open. Its pages are not verified: that needs exclusive access.
/// Fails if another check is running, if the service stops, or if `is_gone` becomes true.
pub fn check(service: &Service, is_gone: &dyn Fn() -> bool, progress: Progress<'_>) -> Result<CheckReport, AdminError> {
    let alone = service.checking().try_lock();
    if matches!(alone, Err(TryLockError::WouldBlock)) {
        return Err(AdminError::new("the server is running another check; try again when it is done"));
    }
    let checked = check_store(service.store(), &|| service.is_stopping() || is_gone(), progress)?;
    tracing::info!(findings = checked.findings.total(), rules = checked.contents.rows_of("versions"), "check");
    Ok(checked.into_report(false))
}

/// Checks a file that this process opened with verified pages, or reports why it could not be opened.
pub(super) fn report(opened: Result<Store, StoreError>, progress: Progress<'_>) -> Result<CheckReport, AdminError> {
    match opened {
        Ok(store) => Ok(check_store(&store, &|| false, progress)?.into_report(true)),
        Err(error) => Ok(CheckReport {
            whole: false,
            schema_version: None,
            checked_at: None,
            pages_verified: true,
            counts: None,
            findings: vec![Finding::new(Area::Pages, error.to_string())],
            findings_total: 1,
        }),
    }
}

/// Checks an open file. Fails if `is_ending` becomes true.
pub(super) fn check_store(
    store: &Store,
    is_ending: &dyn Fn() -> bool,
    progress: Progress<'_>,
) -> Result<Checked, AdminError> {
    let txn = store.begin_read()?;
    let audit = Audit { contents: contents(&txn, Timestamp::now())?, txn };
    let total = audit.contents.total();
    let mut done = 0;
    let mut on_progress = |rows: u64| {
        if is_ending() {
            return Err(StoreError::Ending);
        }
        let before = done / EVERY;
        done += rows;
        if done / EVERY > before {
            progress(Step { stage: Stage::Checking, done: done.min(total), total });
        }
        Ok(())
    };
    let mut checker = Checker::new(&mut on_progress);
    let mut examples = Examples::default();
    match read_whole(|| check_all(&audit, &mut examples, &mut checker)) {
        Ok(()) => {}
        Err(StoreError::Ending) => return Err(StoreError::Ending.into()),
        Err(why) => checker.add(Area::Pages, format!("the file could not be read to its end: {why}")),
    }
    Ok(Checked { contents: audit.contents, findings: checker.into_findings(), examples })
}

fn check_all(audit: &Audit, examples: &mut Examples, checker: &mut Checker<'_>) -> StoreResult<()> {
    *examples = rules::check(audit, checker)?;
    let accounts = accounts::check(&audit.txn, checker)?;
    deliveries::check(&audit.txn, checker)?;
    accounts::check_calls(&audit.txn, &accounts, checker)?;
    accounts::check_corrections(&audit.txn, &accounts, checker)?;
    kept_lists::check(&audit.txn, &accounts, checker)?;
    for (name, key) in trusted_keys(&audit.txn)? {
        checker.rows(1)?;
        if let Err(error) = signature::read_public(&key) {
            checker.add(Area::Settings, format!("the trusted key \"{name}\": {error}"));
        }
    }
    Ok(())
}

/// What a data file holds, in words.
pub(super) fn holdings(rules: u64, publications: u64, accounts: u64) -> String {
    format!("{rules} rule versions of {publications} publications, {accounts} accounts")
}

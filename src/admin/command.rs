//! What the operator can ask, and doing it.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::accounts::{self, Exceptions};
use super::import::{self, ImportCommand, ImportFile, Told};
use super::outbox::{self, OutboxCommand};
use super::rules::{self, RulesQuery};
use super::signature::TrustedKey;
use super::subscriptions::{self, SubscriptionCommand};
use super::{Progress, calc, check, keys, plans, status};
use crate::engine::ImportError;
use crate::service::Service;
use crate::store::{Limit, StoreError};
use crate::value::RandomFailed;

/// A command of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Publish bundles.
    Import(ImportCommand),
    /// Trust a key's bundles.
    Trust(TrustedKey),
    /// Trust them no longer.
    Distrust {
        /// The key's name.
        name: String,
    },
    /// List the trusted keys.
    TrustList,
    /// Make signatures compulsory, or no longer.
    RequireSignature {
        /// Whether they are.
        required: bool,
    },
    /// List rules.
    RulesList(RulesQuery),
    /// All versions of a code, with what changed between them.
    RulesHistory {
        /// The code.
        rule_code: String,
    },
    /// What the rules answer, by tax, place and kind.
    RulesCoverage {
        /// On this day; absent for today.
        vigente_em: Option<String>,
    },
    /// Calculate payloads.
    Calc {
        /// Their bytes, whatever they are.
        payloads: Vec<Vec<u8>>,
        /// Add the calculation memory.
        memoria: bool,
    },
    /// Make an account.
    AccountCreate {
        /// Its name.
        nome: String,
        /// Its plan.
        plan: String,
        /// Its exceptions from the plan.
        exceptions: Exceptions,
    },
    /// List accounts.
    AccountList,
    /// An account, its keys and its consumption.
    AccountShow {
        /// Its id or name.
        client_id: String,
        /// How many of its latest calls.
        recent: usize,
    },
    /// Change an account.
    AccountSet {
        /// Its id or name.
        client_id: String,
        /// Its new name.
        nome: Option<String>,
        /// Its new plan.
        plan: Option<String>,
        /// Its exceptions from the plan.
        exceptions: Exceptions,
    },
    /// Refuse an account's calls.
    AccountSuspend {
        /// Its id or name.
        client_id: String,
    },
    /// Answer an account's calls again.
    AccountResume {
        /// Its id or name.
        client_id: String,
    },
    /// List the plans.
    PlanList,
    /// Change a plan, or make one.
    PlanSet {
        /// Its name.
        name: String,
        /// Calls in any 60 seconds.
        rate_limit: Option<u32>,
        /// Production calls in a month.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
        monthly_quota: Option<Limit>,
        /// Webhook endpoints.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
        webhook_endpoints: Option<Limit>,
    },
    /// Make a key.
    KeyCreate {
        /// Account it belongs to, by id or name.
        account: String,
        /// `live` or `test`.
        kind: String,
    },
    /// List keys.
    KeyList {
        /// Of this account alone, by id or name.
        account: Option<String>,
    },
    /// Make a key in the place of another.
    KeyRotate {
        /// The other's id.
        key_id: String,
        /// How long the other goes on working, in milliseconds.
        grace_ms: u64,
    },
    /// Have a key open nothing.
    KeyRevoke {
        /// Its id.
        key_id: String,
    },
    /// The file as it is now, for a backup.
    Snapshot,
    /// Look whether the file is whole.
    Check,
    /// How the service does.
    Status,
    /// The same as metrics.
    Metrics,
    /// Whether the service does well.
    Health,
    /// Webhook subscriptions.
    Subscription(SubscriptionCommand),
    /// Deliveries to them.
    Outbox(OutboxCommand),
}

impl Command {
    /// True for a command that may be the first on a data directory; for any other an empty
    /// one is more likely a mistyped name.
    #[must_use]
    pub fn may_begin(&self) -> bool {
        matches!(self, Command::Import(_) | Command::AccountCreate { .. } | Command::Trust(_))
    }

    /// The files that come with it.
    pub(super) fn files(&self) -> &[ImportFile] {
        match self {
            Command::Import(import) => &import.files,
            _ => &[],
        }
    }

    /// The same, for their texts to be filled in.
    pub(super) fn files_mut(&mut self) -> &mut [ImportFile] {
        match self {
            Command::Import(import) => &mut import.files,
            _ => &mut [],
        }
    }

    /// The account that it names, by its id or by its name.
    fn account_mut(&mut self) -> Option<&mut String> {
        match self {
            Command::AccountShow { client_id, .. }
            | Command::AccountSet { client_id, .. }
            | Command::AccountSuspend { client_id }
            | Command::AccountResume { client_id } => Some(client_id),
            Command::KeyCreate { account, .. } => Some(account),
            Command::Subscription(SubscriptionCommand::Create(new)) => Some(&mut new.account),
            Command::KeyList { account } | Command::Subscription(SubscriptionCommand::List { account }) => {
                account.as_mut()
            }
            _ => None,
        }
    }

    /// True for a command that shows what would be and writes nothing.
    #[must_use]
    pub fn only_shows(&self) -> bool {
        matches!(self, Command::Import(ImportCommand { dry_run: true, .. }))
    }
}

/// Why a command was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminError {
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// Each fault of a document, where a document was at fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Value>,
}

impl AdminError {
    /// A refusal without a list of faults.
    pub fn new(message: impl Into<String>) -> AdminError {
        AdminError { message: message.into(), faults: Vec::new() }
    }
}

impl std::fmt::Display for AdminError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<RandomFailed> for AdminError {
    fn from(_: RandomFailed) -> Self {
        AdminError::new("the system's random generator refused; nothing was made")
    }
}

impl From<StoreError> for AdminError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt(_) | StoreError::Database(_) | StoreError::Disk(_) => {
                AdminError::new(format!("the data file: {error}"))
            }
            sentence => AdminError::new(sentence.to_string()),
        }
    }
}

impl From<ImportError> for AdminError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Store(error) => error.into(),
            ImportError::Clock(behind) => AdminError::new(behind.to_string()),
            ImportError::Faults(faults) => AdminError {
                message: format!(
                    "{} fault{} in the bundles; nothing was imported",
                    faults.len(),
                    if faults.len() == 1 { "" } else { "s" }
                ),
                faults: faults
                    .iter()
                    .map(|fault| {
                        json!({"file": fault.file, "line": fault.line, "path": fault.path,
                        "codigo": fault.codigo, "detail": fault.detail})
                    })
                    .collect(),
            },
        }
    }
}

/// Does the command; the value is the one JSON document that `--json` prints.
pub fn execute(service: &Service, mut command: Command, progress: Progress<'_>) -> Result<Value, AdminError> {
    let engine = service.engine();
    if let Some(account) = command.account_mut() {
        *account = accounts::id_of(service, account)?;
    }
    match command {
        Command::Import(command) => to_value(&import(service, command, progress)?),
        Command::Trust(key) => import::trust(engine.store(), &key),
        Command::Distrust { name } => import::distrust(engine.store(), &name),
        Command::TrustList => import::list_trust(engine.store()),
        Command::RequireSignature { required } => import::require(engine.store(), required),
        Command::RulesList(query) => rules::list(engine, &query),
        Command::RulesHistory { rule_code } => rules::history(engine, &rule_code),
        Command::RulesCoverage { vigente_em } => to_value(&rules::coverage(engine, vigente_em.as_deref())?),
        Command::Calc { payloads, memoria } => {
            let lines = calc::calc_lines(engine, &payloads, memoria);
            let answers: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
            Ok(json!({ "answers": answers }))
        }
        Command::AccountCreate { nome, plan, exceptions } => accounts::create(service, &nome, &plan, exceptions),
        Command::AccountList => accounts::list(service),
        Command::AccountShow { client_id, recent } => accounts::show(service, &client_id, recent),
        Command::AccountSet { client_id, nome, plan, exceptions } => {
            accounts::set(service, &client_id, nome.as_deref(), plan.as_deref(), exceptions)
        }
        Command::AccountSuspend { client_id } => accounts::suspend(service, &client_id),
        Command::AccountResume { client_id } => accounts::resume(service, &client_id),
        Command::PlanList => plans::list(service),
        Command::PlanSet { name, rate_limit, monthly_quota, webhook_endpoints } => {
            plans::set(service, &name, rate_limit, monthly_quota, webhook_endpoints)
        }
        Command::KeyCreate { account, kind } => keys::create(service, &account, &kind),
        Command::KeyList { account } => keys::list(service, account.as_deref()),
        Command::KeyRotate { key_id, grace_ms } => keys::rotate(service, &key_id, grace_ms),
        Command::KeyRevoke { key_id } => keys::revoke(service, &key_id),
        // Sent in parts, by whoever has the file: its answer is no document.
        Command::Snapshot => Err(AdminError::new("a snapshot is taken with `taxd backup`")),
        Command::Check => check::run(service, &|| false, progress),
        Command::Status => status::status(service),
        Command::Metrics => status::prometheus(service),
        Command::Health => status::health(service),
        Command::Subscription(command) => subscriptions::run(service, command),
        Command::Outbox(command) => outbox::run(service, command),
    }
}

/// The document that [`execute`] answers, not yet written out: that of an import may be long.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Document {
    /// Of an import.
    Import(Told),
    /// Of any other command.
    Short(Value),
}

/// Does the command, as [`execute`] does.
pub(super) fn perform(service: &Service, command: Command, progress: Progress<'_>) -> Result<Document, AdminError> {
    match command {
        Command::Import(command) => import(service, command, progress).map(Document::Import),
        other => execute(service, other, progress).map(Document::Short),
    }
}

/// Does the command, as [`execute`] does; the text of the document.
pub fn execute_as_text(
    service: &Service,
    command: Command,
    progress: Progress<'_>,
) -> Result<Box<RawValue>, AdminError> {
    to_raw_value(&perform(service, command, progress)?).map_err(|e| AdminError::new(e.to_string()))
}

fn import(service: &Service, command: ImportCommand, progress: Progress<'_>) -> Result<Told, AdminError> {
    let told = import::run(service.engine(), command, progress)?;
    service.deliveries().wake();
    Ok(told)
}

pub(super) fn to_value<T: Serialize>(value: &T) -> Result<Value, AdminError> {
    serde_json::to_value(value).map_err(|e| AdminError::new(e.to_string()))
}

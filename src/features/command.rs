//! What the operator can ask, what each command answers, and the dispatch between them.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::accounts::{self, AccountCommand};
use super::changes::ChangesQuery;
use super::error::AdminError;
use super::impact::{self, ImpactCommand};
use super::import::{self, ImportCommand, ImportFile};
use super::kept_lists::{self, KeptListCommand};
use super::keys::{self, KeyCommand};
use super::office_rules::{self, OfficeRuleCommand};
use super::outbox::{self, OutboxCommand};
use super::plans::{self, PlanCommand};
use super::rules::{self, RulesCommand};
use super::status;
use super::subscriptions::{self, SubscriptionCommand};
use super::trust::{self, TrustCommand};
use crate::base::value::Timestamp;
use crate::core::engine::{Engine, Progress};
use crate::core::service::Service;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    Import(ImportCommand),
    /// Compare the logged calls by the rules before and after a publication.
    Impact(ImpactCommand),
    /// Keys whose bundles are trusted.
    Trust(TrustCommand),
    /// Write a rule of the office, as a checked bundle.
    OfficeRule(OfficeRuleCommand),
    Rules(RulesCommand),
    /// Answers about this instant are final from now on: see [`data_dir::settle`](super::control::data_dir::settle).
    Settle(Timestamp),
    /// What the publications since a day changed.
    Changes(ChangesQuery),
    Account(AccountCommand),
    Key(KeyCommand),
    Plan(PlanCommand),
    Subscription(SubscriptionCommand),
    Outbox(OutboxCommand),
    /// Payloads that an account keeps, and what publications change in them.
    List(KeptListCommand),
    Status,
    /// The same figures as Prometheus reads them.
    Metrics,
    /// Whether the service is in order.
    Health,
}

impl Command {
    /// The texts that follow the command on the control socket.
    pub(super) fn texts(&self) -> Vec<&[u8]> {
        match self {
            Command::Import(import) => import.files.iter().map(|file| file.text.as_bytes()).collect(),
            Command::Impact(impact) => impact.files.iter().map(|file| file.text.as_bytes()).collect(),
            Command::List(KeptListCommand::Put(put)) => vec![put.text.as_bytes()],
            _ => Vec::new(),
        }
    }

    /// The same texts, to fill in.
    pub(super) fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Command::Import(import) => texts_of(&mut import.files),
            Command::Impact(impact) => texts_of(&mut impact.files),
            Command::List(KeptListCommand::Put(put)) => vec![&mut put.text],
            _ => Vec::new(),
        }
    }

    /// True for a command that may create the data file. For any other, an empty directory is more
    /// likely a mistyped name.
    pub fn may_begin(&self) -> bool {
        matches!(
            self,
            Command::Import(_)
                | Command::Account(AccountCommand::Create { .. })
                | Command::Trust(TrustCommand::Add { .. })
        )
    }

    /// True for a command that writes nothing, whatever is in the data file.
    pub fn only_shows(&self) -> bool {
        matches!(self, Command::Import(ImportCommand { dry_run: true, .. }) | Command::OfficeRule(_))
    }
}

fn texts_of(files: &mut [ImportFile]) -> Vec<&mut String> {
    files.iter_mut().map(|file| &mut file.text).collect()
}

/// The answer to a command, in JSON: `--json` prints it as it comes over the socket, and a caller that reads it names
/// the type that the command's function returns.
pub type Reply = Box<RawValue>;

/// Runs the command. Fails if the command is refused, or if the data file cannot be used.
pub fn execute(service: &Service, command: Command, progress: Progress<'_>) -> Result<Reply, AdminError> {
    match command {
        Command::Import(command) => reply(&import::import(service, command, progress)?),
        Command::Impact(command) => reply(&impact::impact(service, command, progress)?),
        Command::OfficeRule(command) => reply(&office_rules::office_rule(service.engine(), &command)?),
        Command::Trust(command) => trust(service, command),
        Command::Rules(command) => about_rules(service.engine(), command),
        Command::Settle(instant) => {
            service.engine().settle(instant);
            reply(&())
        }
        Command::Changes(query) => reply(&rules::changes(service.engine(), &query)?),
        Command::Account(command) => account(service, command),
        Command::Key(command) => key(service, command),
        Command::Plan(PlanCommand::List) => reply(&service.store().plans()?),
        Command::Plan(PlanCommand::Set { name, limits }) => reply(&plans::set(service, &name, limits)?),
        Command::Subscription(command) => subscription(service, command),
        Command::Outbox(command) => outbox(service, command),
        Command::List(KeptListCommand::Put(put)) => reply(&kept_lists::put(service, &put)?),
        Command::List(KeptListCommand::Show(asked)) => reply(&kept_lists::show(service, &asked)?),
        Command::List(KeptListCommand::Remove(of)) => reply(&kept_lists::remove(service, of)?),
        Command::Status => reply(&status::status(service)?),
        Command::Metrics => reply(&status::prometheus(service)?),
        Command::Health => reply(&service.health()?),
    }
}

fn reply(answer: &impl Serialize) -> Result<Reply, AdminError> {
    Ok(to_raw_value(answer)?)
}

/// Runs a command that only reads the rules.
pub(crate) fn about_rules(engine: &Engine, command: RulesCommand) -> Result<Reply, AdminError> {
    match command {
        RulesCommand::List(query) => reply(&rules::list(engine, &query)?),
        RulesCommand::Show { rule } => reply(&rules::show(engine, &rule)?),
        RulesCommand::History { rule_code } => reply(&rules::history(engine, rule_code)?),
        RulesCommand::Coverage(query) => reply(&rules::coverage(engine, &query)?),
        RulesCommand::Upcoming(query) => reply(&rules::upcoming(engine, &query)?),
    }
}

fn trust(service: &Service, command: TrustCommand) -> Result<Reply, AdminError> {
    let store = service.store();
    match command {
        TrustCommand::Add { name, public_key, .. } => reply(&trust::add(store, &name, &public_key)?),
        TrustCommand::Remove { name } => reply(&trust::remove(store, name)?),
        TrustCommand::List => reply(&trust::list(store)?),
        TrustCommand::Require { state } => reply(&trust::require(store, state == "on")?),
    }
}

fn account(service: &Service, command: AccountCommand) -> Result<Reply, AdminError> {
    match command {
        AccountCommand::Create { nome, plan, limits } => reply(&accounts::create(service, &nome, &plan, limits)?),
        AccountCommand::List => reply(&accounts::list(service)?),
        AccountCommand::Show { account, recent } => reply(&accounts::show(service, &account, recent.into())?),
        AccountCommand::Set(change) => reply(&accounts::set(service, change)?),
        AccountCommand::Suspend { account } => reply(&accounts::suspend(service, &account)?),
        AccountCommand::Resume { account } => reply(&accounts::resume(service, &account)?),
    }
}

fn key(service: &Service, command: KeyCommand) -> Result<Reply, AdminError> {
    match command {
        KeyCommand::Create { account, kind, name } => reply(&keys::create(service, &account, &kind, name.as_deref())?),
        KeyCommand::List { account } => reply(&keys::list(service, account.as_deref())?),
        KeyCommand::Rotate { key_id, grace_ms } => reply(&keys::rotate(service, &key_id, grace_ms)?),
        KeyCommand::Revoke { key_id } => reply(&keys::revoke(service, &key_id)?),
    }
}

fn subscription(service: &Service, command: SubscriptionCommand) -> Result<Reply, AdminError> {
    match command {
        SubscriptionCommand::Create(request) => reply(&subscriptions::create(service, request)?),
        SubscriptionCommand::List { account } => reply(&subscriptions::list(service, account.as_deref())?),
        SubscriptionCommand::Remove { id } => reply(&subscriptions::remove(service, id)?),
        SubscriptionCommand::RotateSecret { id, secret, overlap_ms, .. } => {
            reply(&subscriptions::rotate_secret(service, id, secret, overlap_ms)?)
        }
        SubscriptionCommand::Test { id, webhook_ca, .. } => {
            reply(&subscriptions::test(service, id, webhook_ca.as_deref())?)
        }
    }
}

fn outbox(service: &Service, command: OutboxCommand) -> Result<Reply, AdminError> {
    match command {
        OutboxCommand::List(query) => reply(&outbox::list(service.store(), &query)?),
        OutboxCommand::Replay(asked) => reply(&outbox::replay(service, &asked)?),
    }
}

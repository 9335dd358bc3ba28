//! What the operator can ask, what each command answers, and the dispatch between them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::accounts::{self, AccountCommand, AccountDetails, ShownAccount};
use super::api_keys::{self, KeyCommand, NewKey, ShownKey};
use super::calc::{self, CalcAnswers, CalcCommand};
use super::error::AdminError;
use super::impact::{self, ImpactCommand, ImpactReport};
use super::import::{self, ImportCommand, ImportFile, ImportOutcome};
use super::outbox::{self, DeliveryList, OutboxCommand, Replayed};
use super::plans::{self, PlanCommand};
use super::rules::{self, ChangesQuery, ListedRule, RuleHistory, RuleList, RulesCommand};
use super::status::{self, MetricsText, ServiceStatus};
use super::subscriptions::{
    self, ListedSubscription, NewSubscription, RemovedSubscription, RotatedSecret, SampleSent, SubscriptionCommand,
};
use super::trust::{self, RemovedKey, SignaturePolicy, TrustCommand, TrustList, TrustedKeyId};
use super::verify::{self, VerifiedAnswers, VerifyCommand};
use crate::engine::Progress;
use crate::engine::changes::Changes;
use crate::engine::coverage::Coverage;
use crate::engine::upcoming::Upcoming;
use crate::service::{Health, Service};
use crate::store::{KeyRecord, Plan};

/// A command of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Publish bundles.
    Import(ImportCommand),
    /// Compare the logged calls by the rules before and after a publication.
    Impact(ImpactCommand),
    /// Keys whose bundles are trusted.
    Trust(TrustCommand),
    /// Rules.
    Rules(RulesCommand),
    /// What the publications since a day changed.
    Changes(ChangesQuery),
    /// Calculate payloads.
    Calc(CalcCommand),
    /// Calculate the payloads of stored answers again, and compare.
    Verify(VerifyCommand),
    /// Accounts.
    Account(AccountCommand),
    /// API keys.
    Key(KeyCommand),
    /// Plans.
    Plan(PlanCommand),
    /// Webhook subscriptions.
    Subscription(SubscriptionCommand),
    /// Webhook deliveries.
    Outbox(OutboxCommand),
    /// The figures of the service.
    Status,
    /// The same figures as Prometheus reads them.
    Metrics,
    /// Whether the service is in order.
    Health,
}

impl Command {
    /// The bundles that belong to the command.
    pub(super) fn files(&self) -> &[ImportFile] {
        match self {
            Command::Import(import) => &import.files,
            Command::Impact(ImpactCommand::Bundles(files)) => files,
            _ => &[],
        }
    }

    /// The same bundles, to fill in their texts.
    pub(super) fn files_mut(&mut self) -> &mut [ImportFile] {
        match self {
            Command::Import(import) => &mut import.files,
            Command::Impact(ImpactCommand::Bundles(files)) => files,
            _ => &mut [],
        }
    }

    /// True for a command that may create the data file. For any other, an empty directory is more
    /// likely a mistyped name.
    #[must_use]
    pub fn may_begin(&self) -> bool {
        matches!(
            self,
            Command::Import(_) | Command::Account(AccountCommand::Create { .. }) | Command::Trust(TrustCommand::Add(_))
        )
    }

    /// True for a command that writes nothing, whatever is in the data file.
    #[must_use]
    pub fn only_shows(&self) -> bool {
        matches!(self, Command::Import(ImportCommand { dry_run: true, .. }))
    }
}

/// The answer to a command. It is written without its variant's name: `--json` prints the answer as
/// it comes over the socket, and a caller that reads it names the type that it expects.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Reply {
    Import(Box<ImportOutcome>),
    Impact(ImpactReport),
    TrustedKey(TrustedKeyId),
    RemovedKey(RemovedKey),
    TrustList(TrustList),
    SignaturePolicy(SignaturePolicy),
    RuleList(RuleList<Box<RawValue>>),
    RuleHistory(RuleHistory<ListedRule>),
    Coverage(Coverage),
    Upcoming(Upcoming),
    Changes(Changes),
    CalcAnswers(CalcAnswers),
    VerifiedAnswers(VerifiedAnswers),
    Account(ShownAccount),
    Accounts(Vec<ShownAccount>),
    AccountDetails(AccountDetails),
    NewKey(NewKey),
    Key(KeyRecord),
    Keys(Vec<ShownKey>),
    Plan(Plan),
    Plans(Vec<Plan>),
    NewSubscription(NewSubscription),
    Subscriptions(Vec<ListedSubscription>),
    RemovedSubscription(RemovedSubscription),
    RotatedSecret(RotatedSecret),
    SampleSent(SampleSent),
    DeliveryList(DeliveryList),
    Replayed(Replayed),
    Status(ServiceStatus),
    Metrics(MetricsText),
    Health(Health),
}

/// Runs the command. Fails if the command is refused, or if the data file cannot be used.
pub fn execute(service: &Service, command: Command, progress: Progress<'_>) -> Result<Reply, AdminError> {
    Ok(match command {
        Command::Import(command) => Reply::Import(Box::new(import::import(service, command, progress)?)),
        Command::Impact(command) => Reply::Impact(impact::impact(service, command, progress)?),
        Command::Trust(command) => trust(service, command)?,
        Command::Rules(RulesCommand::List(query)) => Reply::RuleList(rules::list(service.engine(), &query)?),
        Command::Rules(RulesCommand::Show { rule }) => Reply::RuleList(rules::show(service.engine(), &rule)?),
        Command::Rules(RulesCommand::History { rule_code }) => {
            Reply::RuleHistory(rules::history(service.engine(), rule_code)?)
        }
        Command::Rules(RulesCommand::Coverage { vigente_em }) => {
            Reply::Coverage(rules::coverage(service.engine(), vigente_em.as_deref())?)
        }
        Command::Rules(RulesCommand::Upcoming { desde, dias }) => {
            Reply::Upcoming(rules::upcoming(service.engine(), desde.as_deref(), dias)?)
        }
        Command::Changes(query) => Reply::Changes(rules::changes(service.engine(), &query)?),
        Command::Calc(command) => Reply::CalcAnswers(calc::calculate(service.engine(), &command)),
        Command::Verify(command) => Reply::VerifiedAnswers(verify::verify(service.engine(), &command)?),
        Command::Account(command) => account(service, command)?,
        Command::Key(command) => key(service, command)?,
        Command::Plan(PlanCommand::List) => Reply::Plans(service.store().plans()?),
        Command::Plan(PlanCommand::Set { name, limits }) => Reply::Plan(plans::set(service, &name, limits)?),
        Command::Subscription(command) => subscription(service, command)?,
        Command::Outbox(command) => outbox(service, command)?,
        Command::Status => Reply::Status(status::status(service)?),
        Command::Metrics => Reply::Metrics(status::prometheus(service)?),
        Command::Health => Reply::Health(service.health()?),
    })
}

fn trust(service: &Service, command: TrustCommand) -> Result<Reply, AdminError> {
    let store = service.store();
    Ok(match command {
        TrustCommand::Add(key) => Reply::TrustedKey(trust::add(store, &key)?),
        TrustCommand::Remove { name } => Reply::RemovedKey(trust::remove(store, name)?),
        TrustCommand::List => Reply::TrustList(trust::list(store)?),
        TrustCommand::Require { required } => Reply::SignaturePolicy(trust::require(store, required)?),
    })
}

fn account(service: &Service, command: AccountCommand) -> Result<Reply, AdminError> {
    Ok(match command {
        AccountCommand::Create { nome, plan, limits } => {
            Reply::Account(accounts::create(service, &nome, &plan, limits)?)
        }
        AccountCommand::List => Reply::Accounts(accounts::list(service)?),
        AccountCommand::Show { account, recent } => Reply::AccountDetails(accounts::show(service, &account, recent)?),
        AccountCommand::Set(change) => Reply::Account(accounts::set(service, change)?),
        AccountCommand::Suspend { account } => Reply::Account(accounts::suspend(service, &account)?),
        AccountCommand::Resume { account } => Reply::Account(accounts::resume(service, &account)?),
    })
}

fn key(service: &Service, command: KeyCommand) -> Result<Reply, AdminError> {
    Ok(match command {
        KeyCommand::Create { account, kind, name } => {
            Reply::NewKey(api_keys::create(service, &account, &kind, name.as_deref())?)
        }
        KeyCommand::List { account } => Reply::Keys(api_keys::list(service, account.as_deref())?),
        KeyCommand::Rotate { key_id, grace_ms } => Reply::NewKey(api_keys::rotate(service, &key_id, grace_ms)?),
        KeyCommand::Revoke { key_id } => Reply::Key(api_keys::revoke(service, &key_id)?),
    })
}

fn subscription(service: &Service, command: SubscriptionCommand) -> Result<Reply, AdminError> {
    Ok(match command {
        SubscriptionCommand::Create(request) => Reply::NewSubscription(subscriptions::create(service, request)?),
        SubscriptionCommand::List { account } => {
            Reply::Subscriptions(subscriptions::list(service, account.as_deref())?)
        }
        SubscriptionCommand::Remove { id } => Reply::RemovedSubscription(subscriptions::remove(service, id)?),
        SubscriptionCommand::RotateSecret { id, secret, overlap_ms } => {
            Reply::RotatedSecret(subscriptions::rotate_secret(service, id, secret, overlap_ms)?)
        }
        SubscriptionCommand::Test { id, webhook_ca } => {
            Reply::SampleSent(subscriptions::test(service, id, webhook_ca.as_deref())?)
        }
    })
}

fn outbox(service: &Service, command: OutboxCommand) -> Result<Reply, AdminError> {
    Ok(match command {
        OutboxCommand::List(query) => Reply::DeliveryList(outbox::list(service.store(), &query)?),
        OutboxCommand::Replay { id } => Reply::Replayed(outbox::replay(service, &id)?),
        OutboxCommand::ReplayFailed { subscription, since } => {
            Reply::Replayed(outbox::replay_failed(service, &subscription, &since)?)
        }
    })
}

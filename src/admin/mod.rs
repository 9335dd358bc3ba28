//! Administration: every command is one serialisable value, and [`execute`] runs it.
//!
//! redb allows one process per file, so a command runs in the process that has the file open: in the
//! server, through the control socket of the data directory, or in the calling process if no server
//! is running. The answer is the same either way. This module prints nothing: the CLI does.

#![expect(
    missing_docs,
    reason = "a member of a command or an answer is documented if its name does not say what it is"
)]

mod account_names;
mod accounts;
mod api_keys;
mod backup;
mod calc;
mod check;
mod command;
pub mod control;
pub mod data_dir;
mod error;
mod impact;
mod import;
mod office_rule;
mod outbox;
mod plans;
mod restore;
mod rules;
pub mod signature;
mod status;
mod subscriptions;
mod trust;
mod verify;
mod wire;

pub use accounts::{
    AccountChange, AccountCommand, AccountDetails, OverrideChange, OverrideChanges, ShownAccount,
    create as create_account,
};
pub use api_keys::{KeyCommand, KeyState, NewKey, ShownKey, create as create_key};
pub use backup::{BackupReport, backup};
pub use calc::{CalcAnswers, CalcCommand, calc_lines, in_parallel, lines_by};
pub use check::{CheckReport, CheckedRows, ShownFinding, check};
pub use command::{Command, Reply, execute};
pub use error::{AdminError, InputFault};
pub use impact::{ImpactCalls, ImpactCommand, ImpactLine, ImpactReport, ImpactTotal, ImpactTotals};
pub use import::{ImportCommand, ImportFile, ImportOutcome, ListTotals, ListedImport};
pub use office_rule::{OfficeRule, OfficeRuleCommand, QUESTION, office_rule};
pub use outbox::{DeliveryList, OutboxCommand, OutboxQuery, Replayed, ShownDelivery};
pub use plans::PlanCommand;
pub use restore::{RestoreReport, restore};
pub use rules::{ChangesQuery, HistoricVersion, ListedRule, RuleHistory, RuleList, RulesCommand, RulesQuery};
pub use status::{MetricsText, ServiceStatus};
pub use subscriptions::{
    ListedSubscription, NewSubscription, RemovedSubscription, RotatedSecret, SampleSent, ShownSubscription,
    SubscriptionCommand, SubscriptionRequest,
};
pub use trust::{RemovedKey, SignaturePolicy, TrustCommand, TrustList, TrustedKeyId};
pub use verify::{
    AnswerDifference, VerifiedAnswer, VerifiedAnswers, VerifyCommand, VerifyVerdict, known_instant, verify,
};

pub use crate::engine::{Progress, Stage, Step};

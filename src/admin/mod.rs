//! Administration: every command is one serialisable value with one [`execute`].
//!
//! redb admits one process, so a command runs where the file is open: in the server, reached
//! through the control socket of the data directory, or in the calling process where no
//! server is up. The result is the same value either way; the CLI only shows it.

mod accounts;
mod backup;
mod calc;
mod check;
mod command;
pub mod control;
pub mod data_dir;
mod import;
mod keys;
mod outbox;
mod plans;
mod restore;
mod rules;
pub mod signature;
mod status;
mod subscriptions;
mod wire;

pub use accounts::{Exception, Exceptions};
pub use backup::backup;
pub use calc::{calc_lines, lines_by};
pub use check::check_file;
pub use command::{AdminError, Command, execute, execute_as_text};
pub use import::{ImportCommand, ImportFile};
pub use outbox::{OutboxCommand, OutboxQuery};
pub use restore::restore;
pub use rules::RulesQuery;
pub use subscriptions::{NewSubscription, SubscriptionCommand};

pub use crate::engine::{Progress, Stage, Step};

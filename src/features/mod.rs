//! What taxd does for people, a folder a feature: its question and answer as types (`mod.rs`), its command
//! (`command.rs`), and its part of the page (`page.rs`, its script and style).
//!
//! An operator's command is one serialisable value, and [`execute`] runs it. One process writes to the
//! file, so it runs in the server, through the control socket of the data directory ([`control`]), or in the calling process
//! if no server is running. The answer is the same either way. What only calculates or copies reads the file itself.

mod account_names;
pub mod accounts;
pub mod audit;
pub mod backup;
pub mod bundle;
pub mod calc;
pub mod calendar;
pub mod changes;
pub mod check;
pub mod codes;
mod command;
pub mod control;
pub mod corrections;
pub mod coverage;
mod error;
pub mod following;
pub mod impact;
pub mod import;
mod instants;
pub mod kept_lists;
pub mod keys;
pub mod lists;
pub(crate) mod mcp;
pub mod office_rules;
pub mod operation;
pub mod outbox;
pub mod plans;
pub mod rule_sheets;
pub mod rules;
pub mod sources;
pub mod status;
pub mod subscriptions;
pub mod tratamento;
pub mod trust;
pub(crate) mod typed;
pub mod verify;

pub(crate) use command::about_rules;
pub use command::{Command, Reply, execute};
pub use error::{AdminError, InputFault};

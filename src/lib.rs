//! **taxd**: a rule-based tax engine for Brazil.
//!
//! A request becomes a typed payload, the payload finds its rule, the rule and the payload
//! make the amount; the answer carries the rule, its citation and its validity.
//!
//! | module | what it is | knows of |
//! |---|---|---|
//! | [`value`], [`document`], [`problem`], [`defect`] | the base: values parsed once, documents into values, what a caller is told, panics | one another |
//! | [`rule`] | scopes, validity, succession of versions, bundles; pure | the base |
//! | [`tax`] | the twelve taxes: payload, lookup order, content, calculation; pure | `rule` |
//! | [`store`] | the one redb file: tables, encodings, transactions | `rule` |
//! | [`webhook`] | the outbox: who hears of a publication, and telling them, signed | `store` |
//! | [`engine`] | resolve, calculate, cache, publish | `webhook`, `store`, `tax` |
//! | [`calls`] | who calls: keys, limits, the call log, consumption | `store`, `tax` |
//! | [`rulesets`] | the bundles compiled in | `engine` |
//! | [`service`] | what one process shares | `engine`, `calls`, `webhook` |
//! | [`admin`] | administration: one command, one `execute`, here or in the server | `service`, `rulesets` |
//! | [`http`] | the public surface | `service` |
//! | [`cli`] | the command line | all of them |
//!
//! The arrows point one way; `tests/unit/house` checks it.

#![warn(missing_docs)]

pub mod admin;
pub mod calls;
pub mod cli;
pub mod defect;
pub mod document;
pub mod engine;
pub mod http;
pub mod problem;
pub mod rule;
pub mod rulesets;
pub mod service;
pub mod store;
pub mod tax;
pub mod value;
pub mod webhook;

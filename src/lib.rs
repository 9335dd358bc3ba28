//! **taxd**: a rule-based tax engine for Brazil.
//!
//! A request is parsed into a typed payload, the payload selects its rule, and the two give the amount. The answer
//! cites the rule, its legal ground and its validity.
//!
//! | module | contents | depends on |
//! |---|---|---|
//! | [`value`], [`document`], [`problem`], [`defect`] | the base: parsed values, documents of values, refusals of callers, panics | one another |
//! | [`rule`] | scopes, validity, succession of versions, bundles; pure | the base |
//! | [`tax`] | the twelve taxes: payload, lookup order, contents, calculation; pure | `rule` |
//! | [`store`] | the one redb file: tables, encodings, transactions | `rule` |
//! | [`webhook`] | the outbox: which subscription receives a publication, and its signed delivery | `store` |
//! | [`engine`] | resolves rules, calculates, caches, publishes | `webhook`, `store`, `tax` |
//! | [`calls`] | accounts, keys, limits, the call log, consumption | `store`, `tax` |
//! | [`rulesets`] | the bundles in the binary | `engine` |
//! | [`service`] | the shared parts of one process, and its threads | `engine`, `calls`, `webhook` |
//! | [`admin`] | administration: one command, one `execute`, here or in the server | `service`, `rulesets` |
//! | [`http`] | the public surface | `service` |
//! | [`cli`] | the command line | all of them |
//!
//! Dependencies point one way; `tests/unit/house` checks it.
//!
//! Nouns of the law and of the public contract are Portuguese (`Regra`, `Chave`, `Aliquota`, `vigente_de`);
//! everything else is English: verbs, containers, mechanisms, errors, time.

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

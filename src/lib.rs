//! **taxd**: a rule-based tax engine for Brazil.
//!
//! A request is parsed into a typed payload, the payload selects its rule, and the two give the amount. The answer
//! cites the rule, its legal ground and its validity.
//!
//! | module | contents | depends on |
//! |---|---|---|
//! | [`value`], [`document`], [`problem`], [`defect`] | the base: parsed values, documents of values, refusals of callers, panics | one another |
//! | [`codes`] | official tables of codes with their texts, finding a code by words, and dates of duties; pure | the base |
//! | [`rule`] | scopes, validity, succession of versions, bundles; pure | the base |
//! | [`tax`] | the taxes, the contract's twelve and one more: payload, lookup order, contents, calculation; pure | `rule` |
//! | [`operation`] | the taxes of one operation, each feeding the next; pure | `tax`, `rule` |
//! | [`sheet`] | tables as CSV and XLSX, with no tax in them | the base |
//! | [`rule_sheet`] | rules as the rows of a table, and back | `rule`, `tax`, `sheet` |
//! | [`sources`] | official tables that the State publishes, as bundles | `rule`, `sheet` |
//! | [`lists`] | tables of which each row is a payload or an operation, and the same with their results; pure | `tax`, `operation`, `sheet` |
//! | [`nfe`] | fiscal documents as facts, and as payloads; pure | the base |
//! | [`audit`] | what documents declare against what the rules answer; pure | `nfe`, `tax`, `sheet` |
//! | [`store`] | the one redb file: tables, encodings, transactions | `rule` |
//! | [`webhook`] | the outbox: which subscription receives a publication, and its signed delivery | `store` |
//! | [`engine`] | resolves rules, calculates, caches, publishes | `webhook`, `store`, `tax`, `codes` |
//! | [`calls`] | accounts, keys, limits, the call log, consumption | `store`, `operation` |
//! | [`rulesets`] | the bundles in the binary | `engine` |
//! | [`service`] | the shared parts of one process, and its threads | `engine`, `calls`, `webhook` |
//! | [`admin`] | administration: one command, one `execute`, here or in the server | `service`, `rulesets`, `operation`, `rule_sheet` |
//! | [`http`] | the public surface | `service`, `admin`, `lists`, `operation`, `audit`, `codes`, `rule_sheet` |
//! | [`cli`] | the command line | all of them |
//!
//! Dependencies point one way; `tests/unit/house` checks it.
//!
//! Nouns of the law and of the public contract are Portuguese (`Regra`, `Chave`, `Aliquota`, `vigente_de`);
//! everything else is English: verbs, containers, mechanisms, errors, time.
//!
//! # Design
//!
//! - A tax is one module of `src/tax`; `icms`, `icms_st`, `icms_consumidor_final`, `ipva` and `cbs_ibs` have parts in a
//!   folder, `pis_cofins` and `cbs_ibs` serve two taxes each. Its declarations read payloads and bundles, and make the
//!   form of the page, the filters of listings, the API description and the help.
//! - Amounts are exact rationals of 256 bits until they are shown (`src/value/exact.rs`).
//! - The data file is described in `src/store/schema.rs`. A rule is stored under each key of its scope and its first
//!   day, so a lookup is a range read whose cost does not grow with the number of rules. Readers use a snapshot and
//!   never wait for a writer.
//! - Keys and limits are in memory (`src/calls`): a call is admitted and counted without reading the file. One thread
//!   writes the call log.
//! - The result cache is exact: an answer remembers the scope keys that it looked up, and a publication drops exactly
//!   the answers that looked up a key it changes.
//! - A publication writes its webhook deliveries in the same transaction, about sixty bytes each. The body is made when
//!   it is sent. What to send next, what an outcome changes and how a body is signed are pure functions, which a
//!   simulation of days of failures tests.
//! - An answer depends on the payload and the published rules alone: no clock, no order of calls, no machine. Servers
//!   with the same bundles give the same bytes, but for `cached`.
//! - `tests/contract` is a client that knows only the public contract. Its tests change only if the contract does.
//!
//! # How to add a tax
//!
//! Write one file in `src/tax`, and its lines in `src/tax/mod.rs` and `src/tax/registry.rs`. `src/tax/ipi.rs` is the
//! shortest model. The file declares:
//!
//! 1. the payload, with `document!`: each field with its type, its default and its meaning in Portuguese, and the
//!    fields that another one makes required;
//! 2. the content of a rule, in the same way, with the checks that a bundle must pass;
//! 3. the dimensions of scope that distinguish its rules;
//! 4. the calculation: the order in which the rule is looked up, and the formula (`src/tax/formula.rs`), with each step
//!    noted for `memoria`;
//! 5. the components of its result, with `components!`;
//! 6. an example payload that a built-in rule answers.
//!
//! Then add a bundle in `rulesets` with worked examples, a second, naive implementation in `tests/unit/tax/naive`, and
//! cases in `tests/golden/cases.json`. Record the new API description with
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test http openapi`. Record the published rules, the coverage and the table of the
//! handbook (a marked section in `rulesets/README.md`) with
//! `TAXD_REWRITE_GOLDEN=1 cargo test --test unit -- published rulesets handbook`, and the instruction counts with
//! `cargo bench --profile dist --bench instructions -- --record`. The route and the envelope of answers do not change.

#![warn(missing_docs)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

pub mod admin;
pub mod audit;
pub mod calls;
pub mod cli;
pub mod codes;
pub mod defect;
pub mod document;
pub mod engine;
pub mod http;
pub mod lists;
pub mod nfe;
pub mod operation;
pub mod problem;
pub mod rule;
pub mod rule_sheet;
pub mod rulesets;
pub mod service;
pub mod sheet;
pub mod sources;
pub mod store;
pub mod tax;
pub mod value;
pub mod webhook;

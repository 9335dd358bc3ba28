//! Tests of `sheet` and `features`, in their folders, and of what the guides and the coverage of the rules list.
//!
//! | file or folder | what must hold |
//! |---|---|
//! | `sheet`, `lists`, `rule_sheet`, `sources`, `audit`, `tratamento`, `admin` | the modules of the same name |
//! | `engine`, `store` | what a feature makes of the engine and of the data file |
//! | `damaged` | everything that is read, with a few bytes changed, is read or refused |
//! | `defects` | what a panic costs |
//! | `coverage`, `ruleset_handbook` | what the coverage and the handbook of the rules show |
//! | `guides` | the README and the guides: what they list is what the code has, and their links lead somewhere |
//! | `serve_options` | the table of options in the operator's guide is that of the code |

#![allow(missing_docs, reason = "a test is named for what must hold")]

mod admin;
mod audit;
mod audit_run;
mod coverage;
mod damaged;
mod defects;
mod engine;
#[path = "../../fuzz/bytes.rs"]
mod fuzz;
mod guides;
mod lists;
#[allow(dead_code, reason = "the tests of `core` use the rest")]
#[path = "../core/operation/rules.rs"]
mod operation_rules;
#[path = "../core/property.rs"]
mod property;
#[path = "../../fuzz/readers.rs"]
mod readers;
mod rule_sheet;
mod ruleset_handbook;
mod serve_options;
mod sheet;
mod sources;
mod store;
#[allow(dead_code, reason = "the tests of `core` use the rest")]
#[path = "../core/support.rs"]
mod support;
mod tratamento;

/// The repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

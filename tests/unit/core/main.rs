//! Tests of `base`, `law` and `core`, in their folders.
//!
//! | file or folder | what must hold |
//! |---|---|
//! | `value`, `document`, `codes`, `rule`, `tax`, `store`, `webhook`, `engine`, `calls`, `service`, `operation`, `nfe` | the modules of the same name |
//! | `panics` | what the log says about a panic |
//! | `rulesets`, `ruleset_lints` | the built-in rules: they import, and every one keeps the lints |
//! | `ruleset_laws` | what the answers by the built-in rules keep, whatever a rule says |
//! | `ruleset_texts` | the texts of the built-in rules speak to an accountant |
//! | `ruleset_turn_of_2027` | what the built-in rules answered in 2026 is not a 404 in 2027 |
//! | `ruleset_turn_of_2029` | ICMS and ISS at the share of each year, and extinct from 2033 on |
//! | `published_rules` | the built-in rules that stay as they are |
//! | `ordinary_questions` | how many ordinary questions the built-in rules answer, and which |

#![allow(missing_docs, reason = "a test is named for what must hold")]

#[path = "../../bench/amounts.rs"]
mod amounts;
mod calls;
mod codes;
mod document;
mod engine;
#[path = "../../fuzz/faulty.rs"]
mod faulty;
mod faulty_payloads;
#[allow(dead_code, reason = "the tests of `features` use the rest")]
#[path = "../../fuzz/bytes.rs"]
mod fuzz;
mod nfe;
mod operation;
mod ordinary_questions;
mod panics;
mod property;
mod published_rules;
mod rule;
mod ruleset_laws;
mod ruleset_lints;
mod ruleset_texts;
mod ruleset_turn_of_2027;
mod ruleset_turn_of_2029;
mod rulesets;
mod sentence;
mod service;
mod store;
mod support;
mod tax;
mod value;
mod webhook;
#[path = "../../bench/worked_examples.rs"]
mod worked_examples;

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

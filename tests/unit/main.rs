//! Tests of everything beneath HTTP, in the folders of `src`, and the rules that the sources keep.
//!
//! | file or folder | what must hold |
//! |---|---|
//! | `value`, `document`, `codes`, `rule`, `tax`, `store`, `webhook`, `engine`, `calls`, `service`, `sheet`, `lists`, `rule_sheet`, `sources`, `operation`, `nfe`, `audit`, `admin` | the modules of the same name |
//! | `damaged` | everything that is read, with a few bytes changed, is read or refused |
//! | `defects`, `panics` | what a panic costs, and what the log says about it |
//! | `tratamento` | the treatment of a product says what the engine answers |
//! | `rulesets`, `ruleset_lints` | the built-in rules: they import, and every one keeps the lints |
//! | `ruleset_laws` | what the answers by the built-in rules keep, whatever a rule says |
//! | `ruleset_texts` | the texts of the built-in rules speak to an accountant |
//! | `ruleset_turn_of_2027` | what the built-in rules answered in 2026 is not a 404 in 2027 |
//! | `ruleset_turn_of_2029` | ICMS and ISS at the share of each year, and extinct from 2033 on |
//! | `ruleset_handbook` | what the handbook of the rules shows |
//! | `published_rules` | the built-in rules that stay as they are |
//! | `ordinary_questions` | how many ordinary questions the built-in rules answer, and which |
//! | `house` | the rules that the sources keep |
//! | `guides` | the README and the guides: what they list is what the code has, and their links lead somewhere |
//! | `serve_options` | the table of options in the operator's guide is that of the code |

#![allow(missing_docs, reason = "a test is named for what must hold")]

mod admin;
#[path = "../bench/amounts.rs"]
mod amounts;
mod audit;
mod calls;
mod codes;
mod damaged;
mod defects;
mod document;
mod engine;
#[path = "../fuzz/faulty.rs"]
mod faulty;
mod faulty_payloads;
#[path = "../fuzz/bytes.rs"]
mod fuzz;
mod guides;
mod house;
mod lists;
mod nfe;
mod operation;
mod ordinary_questions;
mod panics;
mod published_rules;
#[path = "../fuzz/readers.rs"]
mod readers;
mod rule;
mod rule_sheet;
mod ruleset_handbook;
mod ruleset_laws;
mod ruleset_lints;
mod ruleset_texts;
mod ruleset_turn_of_2027;
mod ruleset_turn_of_2029;
mod rulesets;
mod sentence;
mod serve_options;
mod service;
mod sheet;
mod sources;
mod store;
mod support;
mod tax;
mod tratamento;
mod value;
mod webhook;
#[path = "../bench/worked_examples.rs"]
mod worked_examples;

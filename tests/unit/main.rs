//! Tests of everything beneath HTTP: values, rules, taxes, publication, cache, and the house rules.
//!
//! | file | what it holds |
//! |---|---|
//! | `golden` | cases worked by others (`tests/golden/cases.json`) |
//! | `naive` | a second, naive implementation of every tax, against random rules and payloads |
//! | `decimal`, `calendar`, `codes`, `municipality`, `api_key`, `exact` | the value types |
//! | `bundle`, `bundle_faults`, `bundle_conflicts`, `rulesets` | what an import takes and refuses |
//! | `examples` | worked examples of bundles, and when they hold |
//! | `lacking` | rules that need another rule which is missing |
//! | `ruleset_lints` | what must hold of every built-in rule |
//! | `components` | what results show, as the taxes declare it |
//! | `lookup` | which of several rules answers |
//! | `icms_st` | what ICMS-ST says beside the amount: other rules, CESTs to choose from |
//! | `history` | which version answers on which day |
//! | `gaps` | what a report says of scopes that are left without a rule |
//! | `histories` | two hundred random publication histories, on every day and at every past instant |
//! | `instants` | when publications are dated, and that what was answered of the past is final |
//! | `cache` | what a publication leaves in memory and what it forgets |
//! | `visible` | that a publication which was seen is in every later answer |
//! | `calls` | limits, allowances, what is kept of a call, consumption over days |
//! | `control` | the control socket and its bounds |
//! | `drafts` | a data file in the making |
//! | `faults` | a disk that refuses, and power that is cut, at every operation of a server's work |
//! | `defects` | what a panic costs, and what a slow listing does not |
//! | `places` | which connection gives way, and memory for what is in flight |
//! | `panics` | what the log tells of a panic |
//! | `webhook` | who hears of a publication, and days of telling them, simulated |
//! | `house` | the rules that the sources keep |
//! | `readme_options` | the README's table of options, made from the code |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets the unexpected is to fail on the spot"
)]
#![allow(missing_docs, reason = "a test is named for what must hold")]

mod api_key;
mod bundle;
mod bundle_conflicts;
mod bundle_faults;
mod cache;
mod calendar;
mod calls;
mod codes;
mod components;
mod control;
mod decimal;
mod defects;
mod drafts;
mod exact;
mod examples;
mod faults;
mod gaps;
mod golden;
mod histories;
mod history;
mod house;
mod icms_st;
mod instants;
mod lacking;
mod lookup;
mod municipality;
mod naive;
mod panics;
mod places;
mod readme_options;
mod ruleset_lints;
mod rulesets;
mod schema;
mod service_manager;
mod support;
mod visible;
mod webhook;

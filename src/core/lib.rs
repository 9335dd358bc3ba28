//! The service without a surface: the data file, the engine, webhooks, calls, kept lists, and the parts of one process. It knows no
//! feature, no command and no page.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic ends a call; only a test is meant to panic, at the place where it fails"
)]

pub mod calls;
pub mod engine;
pub mod rulesets;
pub mod service;
pub mod store;
pub mod watch;
pub mod webhook;

use taxd_base as base;
use taxd_law as law;

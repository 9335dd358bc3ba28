//! The service without a surface: the data file, the engine, webhooks, calls, kept lists, and the parts of one process. It knows no
//! feature, no command and no page.

pub mod calls;
pub mod engine;
pub mod rulesets;
pub mod service;
pub mod store;
pub mod watch;
pub mod webhook;

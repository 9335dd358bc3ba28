//! A client that knows only the contract of the service: every row of its sections 2 to 9.
//!
//! The contract is the interface specification that integrators receive: payloads, envelope, events, errors, limits. The
//! modules follow its sections, and each test names the section it comes from. Figures come from `rules.json`, which
//! is made for these tests, so that every amount can be checked by hand. If the contract is silent, these tests assert
//! nothing more than the class of a status; `decided` has what the project decided there.
//!
//! The server, accounts and receivers of webhooks are started by the support of the tests over HTTP. Everything else
//! is done here, as a client would do it.

mod api;
mod attempts;
mod beyond_limits;
mod changelog;
mod decided;
mod endpoints;
mod envelope;
mod errors;
mod keys;
mod order;
mod readings;
mod rows;
mod service;
#[path = "../http/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the tests over HTTP, which need more of it")]
mod support;
mod taxes;
mod usage;
mod validity;
mod webhook;
mod years;

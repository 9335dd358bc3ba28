//! Rule-change webhooks (contract, sections 2.7, 4.6, 6.1): a publication leaves one small row
//! in the outbox for each subscription that wants to hear of it, in its own transaction; a
//! running server posts them, signed, until each has arrived or has failed for good.
//!
//! | part | what it is |
//! |---|---|
//! | `filter` | which subscriptions a published version concerns; pure |
//! | `payload` | the body that is sent, made from the version's record; pure |
//! | `signature` | the headers that sign it; pure |
//! | `retry` | what an attempt's outcome leads to; pure |
//! | `address` | which addresses may be posted to, and what of them may be shown; pure |
//! | `scheduler` | which delivery goes out next, so that no endpoint holds up another; pure |
//! | `transport`, `sample` | one attempt over HTTPS; one on request |
//! | `dispatcher` | between the outbox and the lanes: what is due, what came of it |
//! | `workers` | the threads |
//! | `summary` | how it stands, in figures |
//!
//! The network, the clock and the random numbers can be replaced. It must never follow a
//! redirect, never wait for an endpoint longer than the contract's ten seconds, and never log
//! a secret or what of an address may be one.

mod address;
mod dispatcher;
mod filter;
mod payload;
mod retry;
mod sample;
mod scheduler;
mod signature;
mod summary;
mod transport;
mod workers;

pub use address::{check_url, shown_url};
pub use dispatcher::{Dispatcher, FinishedAttempt, SchedulerUpdate};
pub use filter::{PublishedVersion, enqueue, wants};
pub use payload::Message;
pub use retry::{AttemptOutcome, MAX_ATTEMPTS, Next, decide};
pub use sample::{Sample, send_sample};
pub use scheduler::{Job, QueuedDelivery, Scheduler};
pub use signature::{SIGNING_HEADERS, SignatureHeaders, message_id, sign};
pub use summary::{FailingEndpoint, OutboxSummary, summary};
pub use transport::{ATTEMPT_TIMEOUT, Https, Post, Transport};
pub use workers::{Deliveries, Workers};

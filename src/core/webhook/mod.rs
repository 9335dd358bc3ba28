//! Rule-change webhooks (contract, sections 2.7, 4.6, 6.1).
//!
//! The transaction that publishes a rule version also writes one small row for each subscription whose
//! filter the version passes: the **outbox**. From there a running server delivers:
//!
//! ```text
//!   publication ──► outbox ──► dispatcher ──► scheduler ──► worker ──► endpoint
//!   (enqueue)         ▲         one thread     in memory    1 to 64        │
//!                     │             │                       threads        │
//!                     └── record ───┘◄────────── outcome ◄─────────────────┘
//! ```
//!
//! The **dispatcher** reads what is due in pages and queues it in the **scheduler**, which decides whose
//! delivery goes out next. A **worker** takes that delivery, signs the body, and makes one attempt. The
//! dispatcher collects the outcomes and writes many of them in one transaction: delivered, failed for
//! good, or due again later, as `retry` decides. Nobody polls: every thread sleeps until there is work.
//!
//! A delivery is made at least once. The row leaves the outbox only after its outcome is written, so a
//! process that is killed repeats what it had not written. The body is made from the stored version, so
//! every attempt and every replay sends the same bytes under the same message id.
//!
//! `recipients`, `payload`, `signature`, `retry`, `address` and `scheduler` are pure; the network, the clock
//! and the random numbers are passed in. This module must never follow a redirect, wait for an endpoint
//! longer than the contract's ten seconds, or log a secret or the part of a URL that may be one.

mod address;
mod dispatcher;
mod dispatcher_thread;
mod payload;
mod recipients;
mod retry;
mod sample;
mod scheduler;
mod signature;
mod summary;
mod threads;
mod transport;
mod workers;

pub use address::{check_url, shown_url};
pub use dispatcher::{Dispatcher, FinishedAttempt, SchedulerUpdate};
pub use payload::Message;
pub use recipients::{PublishedVersion, enqueue, recipients_of_lists, wants};
pub use retry::{AttemptOutcome, MAX_ATTEMPTS, Next, decide};
pub use sample::{Sample, send_sample};
pub use scheduler::{Job, QueuedDelivery, Scheduler};
pub use signature::{SIGNING_HEADERS, SignatureHeaders, message_id, sign};
pub use summary::{FailingEndpoint, OutboxSummary, summary};
pub use threads::{Deliveries, Workers};
pub use transport::{ATTEMPT_TIMEOUT, Https, Post, Transport};

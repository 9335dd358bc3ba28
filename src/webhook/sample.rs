//! A sample, posted now: what an operator tries an endpoint out with.

use std::time::{Duration, Instant};

use super::payload::Message;
use super::retry::AttemptOutcome;
use super::signature::{SignatureHeaders, message_id, sign};
use super::transport::{Post, Transport};
use crate::store::{StoreResult, Subscription};
use crate::value::Timestamp;

/// What was sent, and what came back.
#[derive(Debug)]
pub struct Sample {
    /// The exact bytes of the body, which are UTF-8.
    pub body: String,
    /// The headers that sign it.
    pub headers: SignatureHeaders,
    /// What the attempt came to.
    pub outcome: AttemptOutcome,
    /// How long it took.
    pub took: Duration,
}

/// Posts a message that tells of no rule. It is no delivery: nothing is kept of it, and it is
/// not tried again.
pub fn send_sample(transport: &dyn Transport, subscription: &Subscription, now: Timestamp) -> StoreResult<Sample> {
    let message = Message::sample()?;
    // Another id each time, so that a receiver that remembers ids takes it.
    let id = message_id(&subscription.id(), &format!("{} {now}", message.rule_id));
    let headers = sign(subscription, &id, &message.body, now);
    let began = Instant::now();
    let outcome = transport.post(&Post { url: &subscription.url, headers: &headers, body: &message.body });
    let body = String::from_utf8_lossy(&message.body).into_owned();
    Ok(Sample { body, headers, outcome, took: began.elapsed() })
}

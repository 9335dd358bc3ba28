//! A sample: one message posted at once, for an operator who tests an endpoint.

use std::time::{Duration, Instant};

use super::payload::Message;
use super::retry::AttemptOutcome;
use super::signature::{SignatureHeaders, message_id, sign};
use super::transport::{Post, Transport};
use crate::base::value::Timestamp;
use crate::store::{StoreResult, Subscription};

/// The posted message and its outcome.
#[derive(Debug)]
pub struct Sample {
    /// The exact bytes of the body, which are UTF-8.
    pub body: String,
    /// The headers with its signatures.
    pub headers: SignatureHeaders,
    pub outcome: AttemptOutcome,
    pub took: Duration,
}

/// Posts a message without a rule. Unlike a delivery, it is not stored and not tried again.
pub fn send_sample(transport: &dyn Transport, subscription: &Subscription, now: Timestamp) -> StoreResult<Sample> {
    let message = Message::sample()?;
    // A new id each time: a receiver that drops repeated ids would drop the second sample.
    let id = message_id(&subscription.id(), &format!("{} {now}", message.rule_id));
    let headers = sign(subscription, &id, &message.body, now);
    let began = Instant::now();
    let outcome = transport.post(&Post { url: &subscription.url, headers: &headers, body: &message.body });
    let body = String::from_utf8_lossy(&message.body).into_owned();
    Ok(Sample { body, headers, outcome, took: began.elapsed() })
}

//! The headers that sign a delivery: the contract's own (section 5) and those of Standard
//! Webhooks 1.0.0, so that its libraries work.

use data_encoding::{BASE64, HEXLOWER};
use ring::digest::{SHA256, digest};
use ring::hmac;

use crate::store::Subscription;
use crate::value::Timestamp;

/// Hexadecimal digits of a message id.
const ID_DIGITS: usize = 32;

/// The headers that sign: the contract's own, and those of Standard Webhooks.
pub const SIGNING_HEADERS: [&str; 4] = ["X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"];

/// Name and value of each header that signs.
pub type SignatureHeaders = [(&'static str, String); 4];

/// The headers of a body that is sent now. While a secret is being replaced, both sign in
/// `webhook-signature`, and the previous one goes on signing `X-Service-Signature`, which has
/// room for one: a receiver that has not been told the new secret yet goes on working.
#[must_use]
pub fn sign(subscription: &Subscription, id: &str, body: &[u8], now: Timestamp) -> SignatureHeaders {
    let previous = subscription.previous_at(now);
    let own = hmac_sha256(previous.unwrap_or(&subscription.secret).bytes(), &[body]);
    let timestamp = (now.millis() / 1_000).to_string();
    let parts = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body];
    let standard = [Some(&subscription.secret), previous].into_iter().flatten();
    let standard = standard.map(|secret| {
        let tag = hmac_sha256(&secret.standard_bytes(), &parts);
        format!("v1,{}", BASE64.encode(tag.as_ref()))
    });
    let signatures = standard.collect::<Vec<_>>().join(" ");
    let [own_name, id_name, timestamp_name, signature_name] = SIGNING_HEADERS;
    [
        (own_name, HEXLOWER.encode(own.as_ref())),
        (id_name, id.to_owned()),
        (timestamp_name, timestamp),
        (signature_name, signatures),
    ]
}

/// The id of what a subscription is told about a version: the same in every attempt and every
/// replay, without the dots that Standard Webhooks forbids in it.
#[must_use]
pub fn message_id(subscription: &str, about: &str) -> String {
    let digest = HEXLOWER.encode(digest(&SHA256, format!("{subscription} {about}").as_bytes()).as_ref());
    format!("msg_{}", digest.get(..ID_DIGITS).unwrap_or_default())
}

fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for part in parts {
        context.update(part);
    }
    context.sign()
}

//! The signing headers of a delivery: the contract's own (section 5) and those of Standard Webhooks 1.0.0,
//! so that its libraries work; pure.

use data_encoding::{BASE64, HEXLOWER};
use ring::hmac;

use crate::base::value::{Timestamp, sha256_hex};
use crate::store::Subscription;

/// Hexadecimal digits of a message id.
const ID_DIGITS: usize = 32;

/// Names of the signing headers: the contract's own, and those of Standard Webhooks.
pub const SIGNING_HEADERS: [&str; 4] = ["X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"];

/// Name and value of each signing header.
pub type SignatureHeaders = [(&'static str, String); 4];

/// Returns the signing headers of a body that is sent now. While a secret is being replaced,
/// `webhook-signature` has a signature by each of the two. `X-Service-Signature` has room for one only, and is
/// still signed with the previous secret, so that a receiver without the new one keeps working.
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

/// Returns the message id for a subscription and a version: the same in every attempt and every replay,
/// without dots, which Standard Webhooks forbids in it.
pub fn message_id(subscription: &str, about: &str) -> String {
    let digest = sha256_hex(format!("{subscription} {about}").as_bytes());
    format!("msg_{}", digest.get(..ID_DIGITS).unwrap_or_default())
}

fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for part in parts {
        context.update(part);
    }
    context.sign()
}

//! The signatures, against published vectors and against results of other tools.

use taxd_base::value::{Secret, Timestamp};
use taxd_core::store::Subscription;
use taxd_core::webhook::{SignatureHeaders, message_id, sign};

use super::{rotating, subscription};

fn value<'a>(headers: &'a SignatureHeaders, name: &str) -> &'a str {
    &headers.iter().find(|(n, _)| *n == name).unwrap().1
}

#[test]
fn the_contracts_signature_is_hmac_sha256_in_hexadecimal() {
    // printf '{"acao":"publicada"}' | openssl dgst -sha256 -hmac 'um segredo bem guardado'
    let now = Timestamp::from_millis(0).unwrap();
    let headers = sign(&subscription(1), "msg_1", br#"{"acao":"publicada"}"#, now);
    assert_eq!(
        value(&headers, "X-Service-Signature"),
        "6dfe6469d34784d8be305056423fc4a692ff15a1d5fa95674a164e3867558656"
    );
}

#[test]
fn the_standard_signature_is_that_of_the_published_example() {
    // The example of the reference libraries of Standard Webhooks.
    let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let subscription = Subscription { secret, ..subscription(1) };
    let now = Timestamp::from_millis(1_614_265_330_999).unwrap();
    let headers = sign(&subscription, "msg_p5jXN8AQM9LWM0D4loKWxJek", br#"{"test": 2432232314}"#, now);
    assert_eq!(value(&headers, "webhook-id"), "msg_p5jXN8AQM9LWM0D4loKWxJek");
    assert_eq!(value(&headers, "webhook-timestamp"), "1614265330");
    assert_eq!(value(&headers, "webhook-signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn while_a_secret_is_replaced_both_sign_and_the_contracts_header_keeps_the_old_one() {
    let until = 1_000_000;
    let (new, both) = (subscription(1), rotating(1, "o segredo que vai embora", until));
    let old = Subscription { secret: both.previous.clone().unwrap().secret, ..subscription(1) };
    for (now, expected) in [(0, true), (until - 1, true), (until, false), (until + 1, false)] {
        let at = Timestamp::from_millis(now).unwrap();
        let signed = |s: &Subscription| sign(s, "msg_1", b"{}", at);
        let (by_new, by_old, by_both) = (signed(&new), signed(&old), signed(&both));
        let standard = |headers: &SignatureHeaders| value(headers, "webhook-signature").to_owned();
        if expected {
            assert_eq!(standard(&by_both), format!("{} {}", standard(&by_new), standard(&by_old)), "at {now}");
            assert_eq!(value(&by_both, "X-Service-Signature"), value(&by_old, "X-Service-Signature"), "at {now}");
        } else {
            assert_eq!(by_both, by_new, "at {now}");
        }
    }
}

#[test]
fn an_id_names_one_event_of_one_subscription_without_a_dot() {
    let ids = [message_id("sub_1", "a-v1.0"), message_id("sub_1", "a-v1.1"), message_id("sub_2", "a-v1.0")];
    assert!(ids.iter().all(|id| id.starts_with("msg_") && id.len() == 36 && !id.contains('.')), "{ids:?}");
    assert!(ids[0] != ids[1] && ids[0] != ids[2]);
    assert_eq!(ids[0], message_id("sub_1", "a-v1.0"), "the same for ever");
}

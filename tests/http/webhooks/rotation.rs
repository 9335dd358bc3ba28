//! A secret is replaced without a delivery that the receiver cannot verify.

use super::delivery::{decoded, own_signature, standard_signature};
use crate::support::receiver::Receiver;
use crate::support::taxd;
use crate::support::webhooks::{Webhooks, ipi};

#[test]
fn during_the_overlap_both_secrets_sign_and_then_the_new_one_alone() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    let old = hooks.subscribe(&receiver.url(), &[]);
    let _server = hooks.serve();
    let rotated = hooks.run(&["subscription", "rotate-secret", &old.id, "--overlap", "2h"]);
    let new = rotated["secret"].as_str().unwrap();
    assert_ne!(new, old.secret);
    assert_eq!(hooks.listed(&old.id)["old_secret_until"], rotated["old_secret_until"]);
    hooks.own.publish(&[ipi(1)]);
    let request = receiver.wait_for(1).pop().unwrap();
    let both = [new, &old.secret].map(|secret| standard_signature(&request, &decoded(secret))).join(" ");
    assert_eq!(request.header("webhook-signature"), both);
    assert_eq!(request.header("x-service-signature"), own_signature(&request, &old.secret));

    let third = taxd(&hooks.own.dir, ["subscription", "rotate-secret", &old.id]);
    assert_eq!(third.code, 1);
    assert!(third.stderr.contains("--overlap 0s"), "{}", third.stderr);

    let at_once = hooks.run(&["subscription", "rotate-secret", &old.id, "--overlap", "0s"]);
    assert!(at_once["old_secret_until"].is_null(), "{at_once}");
    hooks.own.publish(&[ipi(2)]);
    let request = receiver.wait_for(2).pop().unwrap();
    let newest = at_once["secret"].as_str().unwrap();
    assert_eq!(request.header("webhook-signature"), standard_signature(&request, &decoded(newest)));
    assert_eq!(request.header("x-service-signature"), own_signature(&request, newest));
}

#[test]
fn the_old_secret_stops_signing_when_the_overlap_ends() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    let old = hooks.subscribe(&receiver.url(), &[]);
    let _server = hooks.serve();
    let rotated = hooks.run(&["subscription", "rotate-secret", &old.id, "--overlap", "1s"]);
    let until: jiff::Timestamp = rotated["old_secret_until"].as_str().unwrap().parse().unwrap();
    let left = until.duration_since(jiff::Timestamp::now());
    std::thread::sleep(std::time::Duration::try_from(left).unwrap_or_default());
    hooks.own.publish(&[ipi(1)]);
    let request = receiver.wait_for(1).pop().unwrap();
    let new = rotated["secret"].as_str().unwrap();
    assert_eq!(request.header("webhook-signature"), standard_signature(&request, &decoded(new)));
    assert_eq!(request.header("x-service-signature"), own_signature(&request, new));
}

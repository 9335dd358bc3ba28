//! `taxd outbox`: the states of deliveries, and replaying them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use serde_json::Value;

use crate::support::receiver::{Answer, Receiver};
use crate::support::taxd;
use crate::support::webhooks::{Webhooks, ipi};

/// A receiver whose status the test changes.
fn changing(status: u16) -> (Receiver, Arc<AtomicU16>) {
    let says = Arc::new(AtomicU16::new(status));
    let said = Arc::clone(&says);
    (Receiver::start(move |_, _| Answer::Status(said.load(Ordering::SeqCst))), says)
}

fn rules(deliveries: &[Value]) -> Vec<&str> {
    deliveries.iter().map(|d| d["rule_id"].as_str().unwrap()).collect()
}

#[test]
fn deliveries_are_listed_by_state_endpoint_and_rule() {
    let hooks = Webhooks::new();
    let (good, bad) = (Receiver::answering(200), Receiver::answering(400));
    let (one, two) = (hooks.subscribe(&good.url(), &[]), hooks.subscribe(&bad.url(), &[]));
    let server = hooks.serve();
    hooks.own.publish(&[ipi(1), ipi(2)]);
    hooks.wait_for_state("delivered", 2);
    hooks.wait_for_state("failed", 2);
    drop(server);
    hooks.own.publish(&[ipi(3)]);
    assert_eq!(hooks.outbox(&[]).len(), 6);
    assert_eq!(rules(&hooks.outbox(&["--state", "pending"])), ["w-ipi-00003-v1.0"; 2]);
    let of_one = hooks.outbox(&["--subscription", &one.id, "--state", "delivered"]);
    assert_eq!(rules(&of_one), ["w-ipi-00002-v1.0", "w-ipi-00001-v1.0"], "the latest first");
    assert!(hooks.outbox(&["--subscription", &one.id, "--state", "failed"]).is_empty());
    let of_rule = hooks.outbox(&["--rule", "w-ipi-00001-v1.0"]);
    assert_eq!(rules(&of_rule), ["w-ipi-00001-v1.0"; 2]);
    let both = hooks.outbox(&["--rule", "w-ipi-00001-v1.0", "--subscription", &two.id, "--state", "failed"]);
    assert_eq!(both.len(), 1);
    assert_eq!(both[0]["outcome"], "HTTP 400");
    assert!(both[0]["ended_at"].is_string() && both[0]["due_at"].is_null(), "{}", both[0]);
    let cut = hooks.run(&["outbox", "list", "--limit", "5"]);
    assert_eq!((cut["deliveries"].as_array().unwrap().len(), &cut["more"]), (5, &true.into()));
    let text = taxd(&hooks.own.dir, ["outbox", "list", "--limit", "1"]).ok().stdout;
    assert!(text.contains("LAST ATTEMPT") && text.contains("and more"), "{text}");
    for (args, reason) in [
        (["--rule", "no-such-v1.0"], "taxd rules list"),
        (["--rule", "nonsense"], "taxd rules list"),
        (["--subscription", "sub_7"], "taxd subscription list"),
    ] {
        let done = taxd(&hooks.own.dir, ["outbox", "list"].iter().chain(&args));
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.stderr.contains(reason), "{done:?}");
    }
}

#[test]
fn all_that_failed_since_is_sent_again() {
    let hooks = Webhooks::new();
    let (receiver, says) = changing(404);
    let (other, _) = changing(404);
    let made = hooks.subscribe(&receiver.url(), &[]);
    hooks.subscribe(&other.url(), &[]);
    let _server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    hooks.wait_for_state("failed", 2);
    let before = jiff::Timestamp::now().to_string();
    hooks.own.publish(&[ipi(2), ipi(3)]);
    hooks.wait_for_state("failed", 6);
    says.store(200, Ordering::SeqCst);
    let told = hooks.run(&["outbox", "replay", "--subscription", &made.id, "--failed-since", &before]);
    assert_eq!(told["replayed"], 2);
    let mut again = hooks.wait_for_state("delivered", 2);
    again.reverse();
    assert_eq!(rules(&again), ["w-ipi-00002-v1.0", "w-ipi-00003-v1.0"]);
    assert!(again.iter().all(|d| d["attempts"] == 1), "counted anew: {again:?}");
    let received = receiver.received();
    let of_two: Vec<_> = received.iter().filter(|r| r.rule_id() == "w-ipi-00002-v1.0").collect();
    assert_eq!(of_two.len(), 2);
    assert_eq!(of_two[0].body, of_two[1].body);
    assert_eq!(of_two[0].header("webhook-id"), of_two[1].header("webhook-id"), "the same event");
    let day = hooks.run(&["outbox", "replay", "--subscription", &made.id, "--failed-since", "2020-01-01"]);
    assert_eq!(day["replayed"], 1, "the first one");
    hooks.wait_for_state("delivered", 3);
    assert_eq!(other.count(), 3, "the other endpoint was not asked for");
}

#[test]
fn one_delivery_is_sent_again_whatever_it_came_to() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    hooks.subscribe(&receiver.url(), &[]);
    let server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    let delivered = hooks.wait_for_state("delivered", 1);
    let id = delivered[0]["id"].as_str().unwrap();
    drop(server);
    assert_eq!(hooks.run(&["outbox", "replay", id])["replayed"], 1);
    let refused = taxd(&hooks.own.dir, ["outbox", "replay", id]);
    assert!(refused.code == 1 && refused.stderr.contains("pending already"), "{refused:?}");
    let _server = hooks.serve();
    let received = receiver.wait_for(2);
    assert_eq!(received[0].body, received[1].body);
    for wrong in ["sub_1-999", "sub_1", "1-1", "sub_2-2", "x"] {
        let done = taxd(&hooks.own.dir, ["outbox", "replay", wrong]);
        assert!(done.code == 1 && done.stderr.contains("taxd outbox list"), "{wrong}: {done:?}");
    }
    for wrong in [&["outbox", "replay"] as &[&str], &["outbox", "replay", "--subscription", "sub_1"]] {
        assert_eq!(taxd(&hooks.own.dir, wrong).code, 2, "{wrong:?}");
    }
    let done = taxd(&hooks.own.dir, ["outbox", "replay", "--subscription", "sub_1", "--failed-since", "ontem"]);
    assert!(done.code == 1 && done.stderr.contains("2026-01-31T12:00:00Z"), "{done:?}");
}

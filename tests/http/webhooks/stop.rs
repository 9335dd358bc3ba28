//! Stopping while deliveries are under way.

use std::time::{Duration, Instant};

use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};

#[test]
fn an_attempt_that_a_stop_cuts_is_not_counted_and_made_again() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, n| if n == 0 { Answer::Silence } else { Answer::Status(200) });
    hooks.subscribe(&receiver.url(), &[]);
    let mut server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    receiver.wait_for(1);
    let began = Instant::now();
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(hooks.outbox(&["--state", "pending"])[0]["attempts"], 0);
    let _server = hooks.serve();
    receiver.wait_for(2);
    assert_eq!(hooks.wait_for_state("delivered", 1)[0]["attempts"], 1);
}

#[test]
fn what_was_answered_before_the_stop_is_written() {
    let hooks = Webhooks::new();
    let receiver = Receiver::answering(200);
    hooks.subscribe(&receiver.url(), &[]);
    let mut server = hooks.serve();
    hooks.own.publish(&(1..40).map(ipi).collect::<Vec<_>>());
    receiver.wait_for(39);
    assert_eq!(server.stop("TERM").code(), Some(0));
    assert_eq!(receiver.count(), 39);
    // At most the four attempts under way are repeated: the server may not have seen their answers.
    let delivered = hooks.outbox(&["--state", "delivered"]).len();
    assert!(delivered >= 35, "{delivered}");
    let _server = hooks.serve();
    hooks.wait_for_state("delivered", 39);
}

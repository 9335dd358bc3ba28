//! Which failures are tried again, and what the operator sees of them.

use std::time::{Duration, Instant};

use crate::support::receiver::{Answer, Received, Receiver};
use crate::support::taxd;
use crate::support::webhooks::{Webhooks, ipi};

/// Wait before the second attempt: five seconds with 50 % jitter.
const FIRST_WAIT: std::ops::Range<Duration> = Duration::from_millis(2_500)..Duration::from_millis(8_500);

fn between(received: &[Received]) -> Duration {
    received[1].at.duration_since(received[0].at)
}

#[test]
fn a_5xx_is_tried_again_with_the_same_body_and_the_endpoint_is_seen_to_fail_and_recover() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, n| Answer::Status(if n == 0 { 503 } else { 200 }));
    let made = hooks.subscribe(&receiver.url(), &[]);
    let server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    receiver.wait_for(1);
    server.wait_for_log("a webhook endpoint takes no deliveries");
    let failing = hooks.listed(&made.id);
    assert_eq!(failing["last_error"], "HTTP 503", "{failing}");
    assert!(failing["failing_since"].is_string(), "{failing}");
    let status = hooks.run(&["status"]);
    let shown = &status["outbox"]["failing"][0];
    assert_eq!((&shown["id"], &shown["last_error"]), (&made.id.clone().into(), &"HTTP 503".into()), "{status}");
    assert_eq!((&status["outbox"]["pending"], &status["outbox"]["endpoints"]), (&1.into(), &1.into()), "{status}");
    let text = taxd(&hooks.own.dir, ["status"]).ok().stdout;
    assert!(text.contains("takes nothing since") && !text.contains("/webhook"), "{text}");
    let pending = &hooks.outbox(&["--state", "pending"])[0];
    assert_eq!((&pending["attempts"], &pending["outcome"]), (&1.into(), &"HTTP 503".into()), "{pending}");
    let received = receiver.wait_for(2);
    assert!(FIRST_WAIT.contains(&between(&received)), "{:?}", between(&received));
    server.wait_for_log("a webhook endpoint takes deliveries again");
    let delivered = &hooks.wait_for_state("delivered", 1)[0];
    assert_eq!(delivered["attempts"], 2);
    assert!(hooks.listed(&made.id)["failing_since"].is_null());
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    let log = server.log();
    assert_eq!(log.matches("takes no deliveries").count(), 1, "{log}");
    assert!(!log.contains("/webhook") && !log.contains(&made.secret), "a secret in the log");
}

#[test]
fn a_4xx_and_a_redirect_are_final() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|request, _| match request.head.split(' ').nth(1) {
        Some("/redirect") => Answer::Redirect("https://localhost/elsewhere".to_owned()),
        Some(path) => Answer::Status(path.trim_start_matches('/').parse().unwrap()),
        None => Answer::Close,
    });
    let cases = ["400", "401", "404", "410", "429", "redirect"];
    for path in cases {
        hooks.subscribe(&format!("https://localhost:{}/{path}", receiver.port), &[]);
    }
    let _server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    for failed in hooks.wait_for_state("failed", cases.len()) {
        assert_eq!(failed["attempts"], 1, "{failed}");
        assert!(failed["outcome"].as_str().unwrap().starts_with("HTTP "), "{failed}");
    }
    assert_eq!(receiver.count(), cases.len());
}

#[test]
fn an_endpoint_that_says_nothing_has_ten_seconds() {
    let hooks = Webhooks::new();
    let mute = Receiver::mute();
    let made = hooks.subscribe(&mute.url(), &[]);
    let _server = hooks.serve();
    let began = Instant::now();
    let sample = taxd(&hooks.own.dir, ["subscription", "test", &made.id, "--json"]);
    assert_eq!((sample.code, &sample.json()["outcome"]), (1, &"no answer in time".into()));
    let took = began.elapsed();
    assert!((Duration::from_secs(10)..Duration::from_secs(12)).contains(&took), "{took:?}");
}

#[test]
fn the_schedule_of_a_retry_survives_a_restart() {
    let hooks = Webhooks::new();
    let receiver = Receiver::start(|_, n| Answer::Status(if n == 0 { 500 } else { 200 }));
    hooks.subscribe(&receiver.url(), &[]);
    let mut server = hooks.serve();
    hooks.own.publish(&[ipi(1)]);
    receiver.wait_for(1);
    server.wait_for_log("a webhook endpoint takes no deliveries");
    assert_eq!(server.stop("TERM").code(), Some(0));
    let pending = hooks.outbox(&["--state", "pending"]);
    assert_eq!(pending[0]["attempts"], 1, "{pending:?}");
    let _server = hooks.serve();
    let received = receiver.wait_for(2);
    assert!(FIRST_WAIT.contains(&between(&received)), "{:?}", between(&received));
    assert_eq!(hooks.wait_for_state("delivered", 1)[0]["attempts"], 2);
}

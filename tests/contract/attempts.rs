//! Section 6.1: which deliveries are tried again, how often, and for how long each may take.
//!
//! All cases share one publication, because three attempts take half a minute.

use std::time::Duration;

use serde_json::json;

use crate::service::Service;
use crate::support::receiver::{Answer, Received, Receiver};
use crate::webhook::{Subscriber, product};

/// Time of one attempt.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether a receiver's answer is final, and how many attempts it gets.
const CASES: [(&str, usize); 9] = [
    ("200", 1),
    ("204", 1),
    ("400", 1),
    ("401", 1),
    ("404", 1),
    ("410", 1),
    ("500", 3),
    ("503-then-200", 2),
    ("cut", 3),
];

fn answer(request: &Received, earlier: usize) -> Answer {
    match request.path() {
        "/503-then-200" => Answer::Status(if earlier == 0 { 503 } else { 200 }),
        "/cut" => Answer::Close,
        "/silent" => Answer::Silence,
        status => Answer::Status(status.trim_start_matches('/').parse().unwrap()),
    }
}

impl Received {
    fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

#[test]
fn transient_failures_have_three_attempts_and_all_other_answers_one() {
    let service = Service::that_delivers();
    let subscriber = Subscriber::new(&service, "enterprise");
    let receivers = CASES.map(|(path, _)| {
        let receiver = Receiver::start(answer);
        subscriber.subscribe(&format!("https://localhost:{}/{path}", receiver.port), &[]);
        receiver
    });
    let silent = Receiver::start(answer);
    subscriber.subscribe(&format!("https://localhost:{}/silent", silent.port), &[]);
    service.publish(&[product("ipi-a", "22030000")]);

    // An attempt without an answer ends after ten seconds, and is tried again.
    let waited = silent.wait_for(2);
    assert!(waited[1].at - waited[0].at >= TIMEOUT, "an attempt has ten seconds");
    assert!(waited[1].at - waited[0].at < TIMEOUT * 2, "the timeout ends the first attempt");

    for (receiver, (path, attempts)) in receivers.iter().zip(CASES) {
        let received = receiver.wait_for(attempts);
        for request in &received {
            assert_eq!(request.body, received[0].body, "{path}: the same event, by its rule_id");
            assert_eq!(request.json()["rule_id"], json!("ipi-a-v1.0"));
        }
        if let [first, second, third] = &received[..] {
            // Exponential backoff: the second wait is longer, with any jitter.
            assert!(third.at - second.at > second.at - first.at, "{path}: {received:?}");
        }
    }
    // Nothing is tried a fourth time, nor a final answer a second time.
    service.wait_for_deliveries("failed", 6);
    service.wait_for_deliveries("delivered", 3);
    for (receiver, (path, attempts)) in receivers.iter().zip(CASES) {
        assert_eq!(receiver.count(), attempts, "{path}");
    }
}

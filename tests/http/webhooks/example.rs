//! `examples/receiver.rs`, unchanged, accepts what taxd sends and nothing else.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde_json::Value;

use crate::support::receiver::{authority, hmac_hex};
use crate::support::webhooks::{Webhooks, ipi};

#[path = "../../../examples/receiver.rs"]
#[allow(dead_code, reason = "its main is for whoever runs the example")]
mod receiver;

use receiver::Receiver;

#[test]
fn the_example_takes_each_publication_once() {
    let hooks = Webhooks::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    let made = hooks.subscribe(&url, &[]);
    let (work, events) = mpsc::channel();
    let example = Arc::new(Receiver::new(["an older secret", &made.secret].into_iter(), work));
    runtime.spawn(receiver::serve(listener, Arc::clone(&authority().config), example));
    let _server = hooks.serve();
    let sample = hooks.run(&["subscription", "test", &made.id]);
    assert_eq!(sample["outcome"], "HTTP 204", "an action that it does not know: {sample}");
    hooks.own.publish(&[ipi(1), ipi(2)]);
    let heard = [(); 2].map(|()| events.recv_timeout(Duration::from_mins(1)).unwrap());
    let id = |event: &Value| event["rule_id"].as_str().unwrap().to_owned();
    assert_eq!(heard.each_ref().map(id), ["w-ipi-00001-v1.0", "w-ipi-00002-v1.0"]);
    hooks.wait_for_state("delivered", 2);
    let first = &hooks.outbox(&["--rule", "w-ipi-00001-v1.0"])[0];
    hooks.run(&["outbox", "replay", first["id"].as_str().unwrap()]);
    hooks.own.publish(&[ipi(3)]);
    assert_eq!(id(&events.recv_timeout(Duration::from_mins(1)).unwrap()), "w-ipi-00003-v1.0", "not the replayed one");
    hooks.wait_for_state("delivered", 3);
    assert_eq!(events.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout));
}

#[test]
fn the_example_refuses_what_is_not_signed_by_a_secret_it_knows() {
    let (work, events) = mpsc::channel();
    let example = Receiver::new(["um segredo bem guardado"].into_iter(), work);
    let body = br#"{"acao":"publicada","rule_id":"a-b-v1.0","novidade":1}"#;
    let good = hmac_hex(b"um segredo bem guardado", body);
    let status = |signature: Option<&str>, body: &[u8]| example.receive(signature, body).as_u16();
    let upper = good.to_uppercase();
    let wrong = [None, Some(""), Some("zz"), Some("é"), Some(&good[..32]), Some(&good[1..])];
    for signature in wrong {
        assert_eq!(status(signature, body), 401, "{signature:?}");
    }
    assert_eq!(status(Some(&good), b"{}"), 401, "another body");
    assert_eq!(status(Some(&hmac_hex(b"outro segredo", body)), body), 401);
    assert_eq!(status(Some(&good), body), 204);
    assert_eq!(status(Some(&upper), body), 204, "again");
    assert_eq!(events.try_iter().count(), 1);
    let later = br#"{"acao":"anulada","rule_id":"c-d-v1.0"}"#;
    assert_eq!(status(Some(&hmac_hex(b"um segredo bem guardado", later)), later), 204, "an action to come");
    assert_eq!(events.try_iter().count(), 0);
    drop(events);
    let another = br#"{"acao":"publicada","rule_id":"e-f-v1.0"}"#;
    let signed = hmac_hex(b"um segredo bem guardado", another);
    assert_eq!(status(Some(&signed), another), 503, "nobody could do the work");
}

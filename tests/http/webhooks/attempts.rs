//! One attempt against every kind of endpoint: its outcome, and that it never exceeds its time limit.

use std::thread;
use std::time::{Duration, Instant};

use taxd::core::webhook::{AttemptOutcome, Https, Post, Transport};

use crate::support::receiver::{Answer, Receiver, authority, self_signed};

/// Time limit of these attempts; the service's own is ten seconds.
const TIMEOUT: Duration = Duration::from_secs(1);
/// How much longer a slow machine may take.
const SLACK: Duration = Duration::from_millis(900);

fn https() -> Https {
    Https::new(Some(&authority().pem), TIMEOUT).unwrap()
}

fn post(transport: &Https, url: &str) -> AttemptOutcome {
    let headers = [("X-Service-Signature", "00".to_owned())];
    transport.post(&Post { url, headers: &headers, body: b"{}" })
}

fn timed(url: &str) -> (AttemptOutcome, Duration) {
    let began = Instant::now();
    (post(&https(), url), began.elapsed())
}

#[test]
fn a_status_is_what_the_endpoint_answered() {
    for status in [200, 201, 204, 400, 404, 410, 429, 500, 503] {
        assert_eq!(post(&https(), &Receiver::answering(status).url()), AttemptOutcome::Answered(status));
    }
}

#[test]
fn the_whole_attempt_is_over_in_time_however_the_endpoint_stalls() {
    let stalling: [(&str, Receiver); 5] = [
        ("accepts and says nothing", Receiver::mute()),
        ("drips its TLS", Receiver::dripping_tls()),
        ("takes the request and says nothing", Receiver::start(|_, _| Answer::Silence)),
        ("drips its head", Receiver::start(|_, _| Answer::DripHead)),
        ("answers too late", Receiver::start(|_, _| Answer::After(TIMEOUT * 3, 200))),
    ];
    thread::scope(|scope| {
        for (place, receiver) in &stalling {
            scope.spawn(move || {
                let (outcome, took) = timed(&receiver.url());
                assert_eq!(outcome, AttemptOutcome::TimedOut, "{place}");
                assert!((TIMEOUT..TIMEOUT + SLACK).contains(&took), "{place}: {took:?}");
            });
        }
        scope.spawn(|| {
            let dripping = Receiver::start(|_, _| Answer::DripBody);
            let (outcome, took) = timed(&dripping.url());
            assert_eq!(outcome, AttemptOutcome::Answered(200), "the status had been said");
            assert!(took < TIMEOUT + SLACK, "{took:?}");
        });
    });
}

#[test]
fn a_connection_that_fails_says_why() {
    let refused = |port: u16| format!("https://localhost:{port}/");
    let cases: [(&str, String, &str); 4] = [
        ("nobody listens", refused(Receiver::down()), "refused"),
        ("no such name", "https://name.invalid/".to_owned(), ""),
        ("closes the connection", Receiver::start(|_, _| Answer::Close).url(), ""),
        ("speaks no HTTP", Receiver::start(|_, _| Answer::Garbage).url(), ""),
    ];
    for (place, url, reason) in cases {
        match post(&https(), &url) {
            AttemptOutcome::NotConnected(why) => assert!(why.contains(reason) && why.len() > 4, "{place}: {why}"),
            other => panic!("{place}: {other:?}"),
        }
    }
}

#[test]
fn a_certificate_of_an_unknown_authority_is_not_trusted() {
    let receiver = Receiver::answering(200);
    let stranger = Https::new(None, TIMEOUT).unwrap();
    match post(&stranger, &receiver.url()) {
        AttemptOutcome::NotConnected(why) => assert!(why.contains("certificate"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(receiver.count(), 0, "nothing was sent to it");
}

#[test]
fn a_certificate_that_is_not_an_authority_may_vouch_for_itself() {
    let outcome = |is_authority: bool| {
        let own = self_signed(is_authority);
        let receiver = Receiver::start_as(own.config, |_, _| Answer::Status(200));
        post(&Https::new(Some(&own.pem), TIMEOUT).unwrap(), &receiver.url())
    };
    assert_eq!(outcome(false), AttemptOutcome::Answered(200));
    match outcome(true) {
        AttemptOutcome::NotConnected(why) => assert!(why.contains("basicConstraints=CA:FALSE"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Receiver::answering(200);
    let to = other.url();
    let receiver = Receiver::start(move |_, _| Answer::Redirect(to.clone()));
    assert_eq!(post(&https(), &receiver.url()), AttemptOutcome::Answered(301));
    assert_eq!((receiver.count(), other.count()), (1, 0));
}

#[test]
fn connections_are_used_again_also_after_an_answer_with_a_body() {
    let receiver = Receiver::start(|_, n| if n == 3 { Answer::Long(4_000) } else { Answer::Status(200) });
    let transport = https();
    for _ in 0..8 {
        assert_eq!(post(&transport, &receiver.url()), AttemptOutcome::Answered(200));
    }
    assert!(receiver.received().iter().all(|request| request.connection == 0), "one connection for all");
}

#[test]
fn an_answer_that_is_too_long_costs_only_its_connection() {
    let receiver = Receiver::start(|_, n| if n == 0 { Answer::Long(50_000_000) } else { Answer::Status(200) });
    let transport = https();
    let began = Instant::now();
    assert_eq!(post(&transport, &receiver.url()), AttemptOutcome::Answered(200));
    assert_eq!(post(&transport, &receiver.url()), AttemptOutcome::Answered(200));
    assert!(began.elapsed() < TIMEOUT, "the rest was not waited for");
    assert_eq!(receiver.received()[1].connection, 1);
}

#[test]
fn a_shut_down_cuts_what_is_under_way_and_refuses_what_comes_after() {
    let receiver = Receiver::start(|_, _| Answer::Silence);
    let transport = Https::new(Some(&authority().pem), Duration::from_secs(30)).unwrap();
    thread::scope(|scope| {
        let began = Instant::now();
        let waiting = scope.spawn(|| post(&transport, &receiver.url()));
        receiver.wait_for(1);
        transport.shut_down();
        assert!(matches!(waiting.join().unwrap(), AttemptOutcome::NotConnected(_)));
        assert!(matches!(post(&transport, &receiver.url()), AttemptOutcome::NotConnected(_)));
        assert!(began.elapsed() < Duration::from_secs(10));
    });
    assert_eq!(receiver.count(), 1);
}

#[test]
fn a_file_that_is_not_a_list_of_roots_is_refused() {
    let key = "-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n";
    for (text, why) in [("", "no certificate"), ("nothing", "no certificate"), (key, "other than certificates")] {
        let refused = Https::new(Some(text), TIMEOUT).err().unwrap_or_else(|| panic!("taken: {text}"));
        assert!(refused.contains(why), "{refused}");
    }
}

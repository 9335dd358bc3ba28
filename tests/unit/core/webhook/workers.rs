//! The threads, with a fake network.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use taxd_base::value::{Clock, Timestamp};
use taxd_core::store::{DeliveryState, Store};
use taxd_core::webhook::{AttemptOutcome, Deliveries, Post, Transport, Workers};

use super::subscription;
use crate::support::{engine, publish, rule};

const PATIENCE: Duration = Duration::from_secs(30);
const KEEP: Duration = Duration::from_hours(24);

/// A transport that answers by `answer`, and counts the posts.
struct Fake<F> {
    answer: F,
    posts: Mutex<usize>,
    grown: Condvar,
    cut: AtomicBool,
}

impl<F: Fn(usize, &str) -> AttemptOutcome + Send + Sync + 'static> Fake<F> {
    fn new(answer: F) -> Arc<Fake<F>> {
        Arc::new(Fake { answer, posts: Mutex::default(), grown: Condvar::new(), cut: AtomicBool::new(false) })
    }

    fn wait_for(&self, count: usize) {
        let posts = self.posts.lock().unwrap();
        let waited = self.grown.wait_timeout_while(posts, PATIENCE, |posts| *posts < count).unwrap();
        assert!(!waited.1.timed_out(), "{} of {count} posts", *waited.0);
    }
}

impl<F: Fn(usize, &str) -> AttemptOutcome + Send + Sync> Transport for Fake<F> {
    fn post(&self, post: &Post<'_>) -> AttemptOutcome {
        let before = {
            let mut posts = self.posts.lock().unwrap();
            *posts += 1;
            *posts - 1
        };
        self.grown.notify_all();
        (self.answer)(before, post.url)
    }

    fn shut_down(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }
}

/// A store with that many subscriptions, and one pending delivery for each.
fn store(subscriptions: u32) -> Arc<Store> {
    let engine = engine(0);
    let put = |n| engine.store().write_outbox(|outbox| outbox.put_subscription(&subscription(n)));
    (1..=subscriptions).for_each(|n| put(n).unwrap());
    let conteudo = json!({"situacao": "tributado", "aliquota": "5.00", "tabela_versao": "TIPI de teste"});
    publish(&engine, &[rule("c-ipi-1", "ipi", &json!({"ncm": "10000000"}), &conteudo)]).unwrap();
    Arc::clone(engine.store())
}

fn start(store: &Arc<Store>, clock: Clock, transport: Arc<dyn Transport>) -> (Deliveries, Workers) {
    let deliveries = Deliveries::new(Arc::clone(store), clock);
    let workers = deliveries.start(transport, KEEP, Box::new(|| 0)).unwrap();
    (deliveries, workers)
}

fn state(store: &Store, number: u32) -> (DeliveryState, u8, String) {
    let delivery = store.read_outbox().unwrap().delivery(number, 1).unwrap().unwrap();
    (delivery.state, delivery.attempts, delivery.outcome)
}

#[test]
fn a_transport_that_panics_costs_an_attempt_and_neither_the_delivery_nor_the_thread() {
    let store = store(2);
    let transport = Fake::new(|_, url| {
        assert!(!url.contains("receiver-1"), "a defect of the transport");
        AttemptOutcome::Answered(200)
    });
    let (_, workers) = start(&store, Clock::system(), Arc::clone(&transport) as Arc<dyn Transport>);
    transport.wait_for(2);
    workers.stop();
    assert_eq!(state(&store, 2), (DeliveryState::Delivered, 1, "HTTP 200".to_owned()));
    let (state, attempts, outcome) = state(&store, 1);
    // The stop may come before the thread has unwound.
    assert!(state == DeliveryState::Pending && attempts <= 1, "{state:?} {attempts} {outcome}");
}

#[test]
fn a_retry_is_due_by_the_clock_that_was_given() {
    let store = store(1);
    let now = Arc::new(AtomicUsize::new(usize::try_from(Timestamp::now().millis()).unwrap()));
    let told = Arc::clone(&now);
    let clock = Clock::new(move || Timestamp::from_millis(told.load(Ordering::SeqCst) as u64).unwrap());
    let transport =
        Fake::new(|before, _| if before == 0 { AttemptOutcome::TimedOut } else { AttemptOutcome::Answered(204) });
    let (deliveries, workers) = start(&store, clock, Arc::clone(&transport) as Arc<dyn Transport>);
    // Writes of the store cannot be waited for, so it is polled.
    let began = Instant::now();
    while state(&store, 1).1 == 0 {
        assert!(began.elapsed() < PATIENCE, "the first attempt is not written");
        std::thread::yield_now();
    }
    // An hour passes at once.
    now.fetch_add(3_600_000, Ordering::SeqCst);
    deliveries.wake();
    transport.wait_for(2);
    workers.stop();
    assert_eq!(state(&store, 1), (DeliveryState::Delivered, 2, "HTTP 204".to_owned()));
}

#[test]
fn what_fails_because_of_the_stop_was_not_tried() {
    let store = store(1);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let opened = Arc::clone(&gate);
    let transport = Fake::new(move |_, _| {
        let open = opened.0.lock().unwrap();
        drop(opened.1.wait_timeout_while(open, PATIENCE, |open| !*open).unwrap());
        AttemptOutcome::not_connected("cut")
    });
    let (_, workers) = start(&store, Clock::system(), Arc::clone(&transport) as Arc<dyn Transport>);
    transport.wait_for(1);
    let stopping = std::thread::spawn(move || workers.stop());
    while !transport.cut.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    stopping.join().unwrap();
    assert_eq!(state(&store, 1), (DeliveryState::Pending, 0, String::new()));
}

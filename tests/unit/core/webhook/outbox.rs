//! The stored outbox, and what the dispatcher reads from it and writes to it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use taxd_base::value::Timestamp;
use taxd_core::store::{Delivery, DeliveryState, Store, StoreError};
use taxd_core::webhook::{AttemptOutcome, Dispatcher, FinishedAttempt, Scheduler, summary};

use super::subscription;

fn store(subscriptions: u32) -> Arc<Store> {
    let store = Store::in_memory().unwrap();
    write(&store, |outbox| (1..=subscriptions).try_for_each(|n| outbox.put_subscription(&subscription(n))));
    Arc::new(store)
}

fn write(store: &Store, work: impl FnOnce(&mut taxd_core::store::OutboxWriter<'_>) -> Result<(), StoreError>) {
    store.write_outbox(work).unwrap();
}

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

fn dispatcher(store: &Arc<Store>) -> Dispatcher {
    Dispatcher::new(Arc::clone(store), Box::new(|| 0))
}

fn delivery(store: &Store, version: u64) -> Delivery {
    store.read_outbox().unwrap().delivery(1, version).unwrap().unwrap()
}

#[test]
fn what_is_due_comes_in_order_and_in_pages() {
    let store = store(1);
    write(&store, |outbox| {
        outbox.enqueue(1, 7, 2_000)?;
        (1..=5).try_for_each(|version| outbox.enqueue(1, version, 1_000))
    });
    let outbox = store.read_outbox().unwrap();
    let due = |until, held: &[u64], limit| {
        let held: HashSet<u64> = held.iter().copied().collect();
        let due = outbox.due(1, until, &held, limit).unwrap();
        (due.now.iter().map(|d| d.version).collect::<Vec<_>>(), due.more, due.next_ms)
    };
    assert_eq!(due(1_000, &[], 10), (vec![1, 2, 3, 4, 5], false, Some(2_000)));
    assert_eq!(due(1_000, &[2, 4], 2), (vec![1, 3], true, None));
    assert_eq!(due(1_000, &[2, 4], 3), (vec![1, 3, 5], false, Some(2_000)));
    assert_eq!(due(2_000, &[1, 2, 3, 4, 5], 10), (vec![7], false, None));
    assert_eq!(due(999, &[], 10), (vec![], false, Some(1_000)));
    assert_eq!(outbox.first_due_ms(1).unwrap(), Some(1_000));
    assert_eq!(outbox.first_due_ms(2).unwrap(), None);
}

#[test]
fn counts_follow_every_change() {
    let store = store(2);
    write(&store, |outbox| (1..=6).try_for_each(|version| outbox.enqueue(1, version, 0)));
    write(&store, |outbox| {
        for (version, state) in [(1, DeliveryState::Delivered), (2, DeliveryState::Failed), (3, DeliveryState::Failed)]
        {
            let known = outbox.delivery(1, version)?.unwrap();
            outbox.put(&Delivery { state, at_ms: 50, outcome: "HTTP 400".to_owned(), ..known })?;
        }
        outbox.enqueue(1, 3, 60)?;
        outbox.forget(1, &[1])?;
        outbox.enqueue(2, 1, 0)
    });
    let endpoint = store.read_outbox().unwrap().endpoint(1).unwrap();
    assert_eq!((endpoint.pending, endpoint.delivered, endpoint.failed), (4, 0, 1));
    let told = summary(&store, at(100)).unwrap();
    assert_eq!((told.endpoints, told.pending, told.failed, told.overdue_ms), (2, 5, 1, Some(100)));
    write(&store, |outbox| outbox.remove_subscription(1).map(|dropped| assert_eq!(dropped, 4)));
    let told = summary(&store, at(100)).unwrap();
    assert_eq!((told.endpoints, told.pending, told.failed), (1, 1, 0));
    assert_eq!(store.read_outbox().unwrap().delivery(1, 5).unwrap(), None);
    assert_eq!(store.read_outbox().unwrap().first_due_ms(1).unwrap(), None);
}

#[test]
fn an_outcome_is_written_for_what_is_pending_and_for_nothing_else() {
    let store = store(1);
    write(&store, |outbox| (1..=2).try_for_each(|version| outbox.enqueue(1, version, 0)));
    let mut dispatcher = dispatcher(&store);
    let finished =
        |subscription, version, outcome| FinishedAttempt { subscription, version, attempts: 1, outcome, at: at(500) };
    dispatcher
        .record(&[
            finished(1, 1, AttemptOutcome::Answered(200)),
            finished(1, 2, AttemptOutcome::TimedOut),
            finished(1, 9, AttemptOutcome::Answered(200)),
            finished(7, 1, AttemptOutcome::Answered(200)),
        ])
        .unwrap();
    let one = delivery(&store, 1);
    assert_eq!(
        (one.state, one.attempts, one.at_ms, one.outcome.as_str()),
        (DeliveryState::Delivered, 1, 500, "HTTP 200")
    );
    let two = delivery(&store, 2);
    assert_eq!((two.state, two.attempts, two.at_ms), (DeliveryState::Pending, 1, 3_000));
    // A second outcome for a delivery that has ended, as from a process that was thought dead.
    dispatcher.record(&[finished(1, 1, AttemptOutcome::Answered(500))]).unwrap();
    assert_eq!(delivery(&store, 1), one);
    assert_eq!(store.read_outbox().unwrap().endpoint(7).unwrap(), taxd_core::store::Endpoint::default());
}

#[test]
fn an_endpoint_fails_when_it_takes_nothing_and_until_it_takes_something() {
    let store = store(1);
    write(&store, |outbox| (1..=6).try_for_each(|version| outbox.enqueue(1, version, 0)));
    let mut dispatcher = dispatcher(&store);
    let mut told = |outcomes: &[(u64, u16)], now| {
        let finished = |(version, status): &(u64, u16)| FinishedAttempt {
            subscription: 1,
            version: *version,
            attempts: 1,
            outcome: AttemptOutcome::Answered(*status),
            at: at(now),
        };
        dispatcher.record(&outcomes.iter().map(finished).collect::<Vec<_>>()).unwrap();
        let failing = summary(&store, at(now)).unwrap().failing;
        failing.first().map(|f| (f.since.unwrap().millis(), f.last_error.clone(), f.url.clone()))
    };
    assert_eq!(told(&[(1, 200), (2, 500)], 10), None, "it took one of two");
    let url = "https://receiver-1.example/…".to_owned();
    assert_eq!(told(&[(3, 500)], 20), Some((20, "HTTP 500".to_owned(), url.clone())), "without what may be a token");
    assert_eq!(told(&[(4, 404), (5, 404)], 30), Some((20, "HTTP 404".to_owned(), url)));
    assert_eq!(told(&[(6, 204)], 40), None);
}

#[test]
fn ended_deliveries_are_forgotten_when_they_are_old_enough_and_pending_ones_never() {
    let store = store(2);
    write(&store, |outbox| {
        for version in 1..=3_000 {
            let state = DeliveryState::ENDED[usize::from(version % 2 == 0)];
            let (attempts, outcome) = (1, String::new());
            outbox.put(&Delivery { subscription: 1, version, state, attempts, at_ms: version, outcome })?;
        }
        outbox.enqueue(2, 1, 0)
    });
    let mut dispatcher = dispatcher(&store);
    assert!(dispatcher.forget_ended(2_500).unwrap(), "more than one transaction's worth");
    assert!(!dispatcher.forget_ended(2_500).unwrap());
    let told = summary(&store, at(0)).unwrap();
    assert_eq!((told.pending, told.delivered + told.failed), (1, 500));
    assert_eq!(store.read_outbox().unwrap().delivery(1, 2_500).unwrap(), None);
    assert_eq!(delivery(&store, 2_501).at_ms, 2_501);
}

#[test]
fn a_clock_that_was_set_back_holds_nothing_up() {
    let store = store(1);
    let day = 24 * 3_600 * 1_000;
    write(&store, |outbox| outbox.enqueue(1, 1, 10 * day));
    let (mut dispatcher, mut scheduler) = (dispatcher(&store), Scheduler::default());
    let low = dispatcher.needing_refill(&scheduler);
    dispatcher.load(at(9 * day), &low, true).unwrap().apply(&mut scheduler);
    assert_eq!(scheduler.take(Duration::ZERO).map(|job| job.version), Some(1));
    let retry = FinishedAttempt {
        subscription: 1,
        version: 1,
        attempts: 1,
        outcome: AttemptOutcome::TimedOut,
        at: at(9 * day),
    };
    dispatcher.record(&[retry]).unwrap();
    let low = dispatcher.needing_refill(&scheduler);
    dispatcher.load(at(9 * day), &low, false).unwrap().apply(&mut scheduler);
    assert!(scheduler.take(Duration::ZERO).is_none(), "a retry waits its time");
    assert_eq!(dispatcher.next_due_ms(&scheduler), Some(9 * day + 2_500));
}

#[test]
fn a_retry_that_the_clock_was_set_back_from_is_not_waited_for() {
    let store = store(1);
    let hour = 3_600 * 1_000;
    write(&store, |outbox| outbox.enqueue(1, 1, hour));
    let (mut dispatcher, mut scheduler) = (dispatcher(&store), Scheduler::default());
    let low = dispatcher.needing_refill(&scheduler);
    dispatcher.load(at(hour), &low, true).unwrap().apply(&mut scheduler);
    scheduler.take(Duration::ZERO).unwrap();
    scheduler.done(1, Duration::ZERO, Duration::ZERO, true);
    dispatcher
        .record(&[FinishedAttempt {
            subscription: 1,
            version: 1,
            attempts: 1,
            outcome: AttemptOutcome::TimedOut,
            at: at(hour),
        }])
        .unwrap();
    assert!(!dispatcher.has_work(&scheduler, at(hour)), "its time has not come");
    assert!(dispatcher.has_work(&scheduler, at(hour / 2)), "and would not for half an hour");
    let low = dispatcher.needing_refill(&scheduler);
    dispatcher.load(at(hour / 2), &low, false).unwrap().apply(&mut scheduler);
    assert_eq!(scheduler.take(Duration::ZERO).map(|job| (job.version, job.attempts)), Some((1, 1)));
}

//! Whose delivery goes out next.

use std::sync::Arc;
use std::time::Duration;

use taxd_core::store::Subscription;
use taxd_core::webhook::{Job, QueuedDelivery, Scheduler};

use super::subscription;

const FAST: Duration = Duration::from_millis(20);
/// When attempts end, and when every pause after them has ended.
const NOW: Duration = Duration::from_secs(100);
const LONG_AFTER: Duration = Duration::from_secs(200);
const LATE: Duration = Duration::from_secs(9);

fn scheduler(count: u32, waiting: u64) -> Scheduler {
    let subscriptions: Vec<Arc<Subscription>> = (1..=count).map(|n| Arc::new(subscription(n))).collect();
    let mut scheduler = Scheduler::default();
    scheduler.set_subscriptions(&subscriptions);
    for number in 1..=count {
        scheduler.enqueue_all(number, (1..=waiting).map(|version| QueuedDelivery { version, attempts: 0 }));
    }
    scheduler
}

fn take_all(scheduler: &mut Scheduler) -> Vec<Job> {
    std::iter::from_fn(|| scheduler.take(LONG_AFTER)).collect()
}

fn numbers(jobs: &[Job]) -> Vec<u32> {
    jobs.iter().map(|job| job.subscription.number).collect()
}

#[test]
fn endpoints_take_turns_and_each_keeps_its_order() {
    let mut scheduler = scheduler(3, 4);
    let mut seen = Vec::new();
    while let Some(job) = scheduler.take(LONG_AFTER) {
        scheduler.done(job.subscription.number, NOW, FAST, true);
        seen.push((job.subscription.number, job.version));
    }
    let expected: Vec<(u32, u64)> = (1..=4).flat_map(|v| (1..=3).map(move |n| (n, v))).collect();
    assert_eq!(seen, expected);
}

#[test]
fn an_endpoint_gets_more_attempts_at_once_with_good_answers_and_one_after_a_bad_one() {
    let mut scheduler = scheduler(1, 1_000);
    let mut widths = Vec::new();
    for _ in 0..6 {
        let jobs = take_all(&mut scheduler);
        widths.push(jobs.len());
        assert_eq!(scheduler.in_flight(), jobs.len());
        for _ in &jobs {
            scheduler.done(1, NOW, FAST, true);
        }
    }
    assert_eq!(widths, [1, 2, 4, 4, 4, 4]);
    let jobs = take_all(&mut scheduler);
    scheduler.done(1, NOW, FAST, true);
    scheduler.done(1, NOW, LATE, true);
    assert_eq!(take_all(&mut scheduler).len(), 2, "a slow delivery is a delivery");
    for _ in &jobs {
        scheduler.done(1, NOW, FAST, false);
    }
    assert_eq!((scheduler.in_flight(), take_all(&mut scheduler).len()), (0, 1), "one at a time after a failure");
}

/// Eighty new endpoints that hung took all 64 attempts, and every other endpoint waited ten seconds.
#[test]
fn however_many_new_endpoints_begin_at_once_a_good_one_is_attempted() {
    let mut scheduler = scheduler(1, 1_000);
    for _ in 0..3 {
        let good = scheduler.take(NOW).unwrap();
        scheduler.done(good.subscription.number, NOW, FAST, true);
    }
    let all: Vec<Arc<Subscription>> = (1..=81).map(|n| Arc::new(subscription(n))).collect();
    scheduler.set_subscriptions(&all);
    for number in 2..=81 {
        scheduler.enqueue_all(number, [QueuedDelivery { version: 1, attempts: 0 }]);
    }
    let under_way = take_all(&mut scheduler);
    let of_good = numbers(&under_way).iter().filter(|n| **n == 1).count();
    assert_eq!((of_good, under_way.len() - of_good), (4, 48));
    scheduler.done(1, NOW, FAST, true);
    assert_eq!(scheduler.take(LONG_AFTER).unwrap().subscription.number, 1, "the new ones get no more attempts");
}

#[test]
fn however_many_endpoints_hang_a_good_one_is_attempted_at_once() {
    let mut scheduler = scheduler(201, 1_000);
    // All but the last one fail slowly.
    let mut failed = 0;
    while failed < 400 {
        for job in take_all(&mut scheduler) {
            let good = job.subscription.number == 201;
            scheduler.done(job.subscription.number, NOW, if good { FAST } else { LATE }, good);
            failed += usize::from(!good);
        }
    }
    let under_way = take_all(&mut scheduler);
    let of_good = numbers(&under_way).iter().filter(|n| **n == 201).count();
    assert_eq!(of_good, 4, "{:?}", numbers(&under_way));
    assert_eq!(under_way.len() - of_good, 48, "the slow ones take no more than their part");
    for _ in 0..100 {
        scheduler.done(201, NOW, FAST, true);
        let next = scheduler.take(LONG_AFTER).unwrap();
        assert_eq!(next.subscription.number, 201, "the attempts of the others are under way");
    }
}

#[test]
fn failing_endpoints_take_turns_among_themselves() {
    let mut scheduler = scheduler(100, 10);
    let mut served = vec![0; 101];
    let mut under_way = std::collections::VecDeque::new();
    for _ in 0..400 {
        under_way.extend(take_all(&mut scheduler));
        let job: Job = under_way.pop_front().unwrap();
        scheduler.done(job.subscription.number, NOW, LATE, false);
        served[job.subscription.number as usize] += 1;
    }
    let (least, most) = (served[1..].iter().min().unwrap(), served[1..].iter().max().unwrap());
    assert!(most - least <= 1, "{served:?}");
}

#[test]
fn a_removed_subscription_ends_with_what_is_under_way() {
    let mut scheduler = scheduler(2, 5);
    let jobs = take_all(&mut scheduler);
    assert_eq!(numbers(&jobs), [1, 2]);
    scheduler.set_subscriptions(&[Arc::new(subscription(2))]);
    assert_eq!((scheduler.waiting(1), scheduler.in_flight()), (0, 2));
    scheduler.enqueue_all(1, [QueuedDelivery { version: 9, attempts: 0 }]);
    scheduler.done(1, NOW, FAST, true);
    scheduler.done(2, NOW, FAST, true);
    assert_eq!(scheduler.in_flight(), 0);
    assert!(numbers(&take_all(&mut scheduler)).iter().all(|n| *n == 2));
}

#[test]
fn a_changed_subscription_is_posted_to_as_it_is_now() {
    let mut scheduler = scheduler(1, 2);
    let url = "https://moved.example/".to_owned();
    scheduler.set_subscriptions(&[Arc::new(Subscription { url: url.clone(), ..subscription(1) })]);
    assert_eq!(scheduler.take(LONG_AFTER).unwrap().subscription.url, url);
}

#[test]
fn an_endpoint_pauses_after_failures_and_no_other_does() {
    let mut scheduler = scheduler(2, 1_000);
    let mut at = NOW;
    let mut pauses = Vec::new();
    for _ in 0..6 {
        let jobs: Vec<Job> = std::iter::from_fn(|| scheduler.take(at)).collect();
        for job in jobs {
            scheduler.done(job.subscription.number, at, FAST, job.subscription.number == 2);
        }
        let resumes = scheduler.next_resume(at).unwrap();
        let others: Vec<Job> =
            std::iter::from_fn(|| scheduler.take(resumes.saturating_sub(Duration::from_millis(1)))).collect();
        assert!(!others.is_empty() && numbers(&others).iter().all(|n| *n == 2), "{:?}", numbers(&others));
        for _ in others {
            scheduler.done(2, at, FAST, true);
        }
        pauses.push(resumes.saturating_sub(at).as_millis());
        at = resumes;
    }
    assert_eq!(pauses, [100, 200, 400, 800, 1_000, 1_000]);
    let job = std::iter::from_fn(|| scheduler.take(at)).find(|job| job.subscription.number == 1).unwrap();
    scheduler.done(job.subscription.number, at, FAST, true);
    assert_eq!(scheduler.next_resume(at), None, "one that delivers again does not pause");
}

/// Deliveries that were queued when their account was suspended were attempted all the same.
#[test]
fn nothing_goes_out_to_a_suspended_account_and_what_waits_stays_in_its_order() {
    let mut scheduler = scheduler(2, 3);
    let of = |number: u32| Subscription { client_id: format!("acc_{number}"), ..subscription(number) };
    scheduler.set_subscriptions(&[Arc::new(of(1)), Arc::new(of(2))]);
    let first = scheduler.take(NOW).unwrap();
    assert_eq!(first.subscription.number, 1);
    scheduler.set_suspended(["acc_1".to_owned()].into());
    // The attempt under way still ends; it fails.
    scheduler.done(1, NOW, FAST, false);
    assert!(scheduler.is_suspended(1) && !scheduler.is_suspended(2));
    let mut seen = Vec::new();
    while let Some(job) = scheduler.take(LONG_AFTER) {
        scheduler.done(job.subscription.number, LONG_AFTER, FAST, true);
        seen.push((job.subscription.number, job.version));
    }
    assert_eq!(seen, [(2, 1), (2, 2), (2, 3)]);
    assert_eq!((scheduler.is_ready(LONG_AFTER), scheduler.next_resume(NOW), scheduler.waiting(1)), (false, None, 2));
    scheduler.set_suspended([].into());
    assert_eq!(take_all(&mut scheduler).iter().map(|job| job.version).collect::<Vec<_>>(), [2], "one after a failure");
    assert_eq!(scheduler.waiting(1), 1);
}

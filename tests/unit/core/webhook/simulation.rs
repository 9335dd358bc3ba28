//! Days of deliveries to endpoints of every kind, in virtual time: the real outbox, dispatcher, scheduler
//! and decisions, with a network and a clock that are simulated from a seed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use std::time::Duration;

use taxd_base::value::Timestamp;
use taxd_core::store::{Account, DeliveryState, LimitOverrides, Store, StoreError, Subscription};
use taxd_core::webhook::{AttemptOutcome, Dispatcher, FinishedAttempt, Job, MAX_ATTEMPTS, Scheduler, summary};

use super::subscription;

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;
/// How long outcomes wait to be written together.
const LINGER: u64 = 100;

/// A small pseudo-random generator: the same numbers for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// How an endpoint behaves.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Good,
    /// Answers 200 after nine seconds.
    Slow,
    /// Never answers.
    Silent,
    /// Refuses connections.
    Down,
    /// 404.
    Gone,
    /// Anything, at random.
    Flaky,
    /// Down for the first half of the time.
    Recovering,
}

const KINDS: [Kind; 7] = [Kind::Good, Kind::Slow, Kind::Silent, Kind::Down, Kind::Gone, Kind::Flaky, Kind::Recovering];

fn respond(kind: Kind, now: u64, end: u64, random: &mut Random) -> (u64, AttemptOutcome) {
    let refused = || AttemptOutcome::not_connected("refused");
    match kind {
        Kind::Good => (5 + random.below(40), AttemptOutcome::Answered(200)),
        Kind::Slow => (9_000, AttemptOutcome::Answered(200)),
        Kind::Silent => (10_000, AttemptOutcome::TimedOut),
        Kind::Down => (1, refused()),
        Kind::Gone => (20, AttemptOutcome::Answered(404)),
        Kind::Recovering if now < end / 2 => (1, refused()),
        Kind::Recovering => (10, AttemptOutcome::Answered(200)),
        Kind::Flaky => match random.below(6) {
            0 => (10_000, AttemptOutcome::TimedOut),
            1 => (3, refused()),
            2 => (30, AttemptOutcome::Answered(503)),
            3 => (30, AttemptOutcome::Answered(400)),
            _ => (30, AttemptOutcome::Answered(200)),
        },
    }
}

/// An attempt that was made.
#[derive(Debug, Clone)]
struct Made {
    at: u64,
    outcome: AttemptOutcome,
}

struct World {
    store: Arc<Store>,
    dispatcher: Dispatcher,
    scheduler: Scheduler,
    random: Random,
    now: u64,
    /// When each attempt under way ends, and its number.
    under_way: BinaryHeap<Reverse<(u64, u64)>>,
    jobs: BTreeMap<u64, (Job, u64, AttemptOutcome)>,
    /// Number of attempts so far; the next attempt has this number.
    begun: u64,
    unwritten: Vec<FinishedAttempt>,
    write_at: Option<u64>,
    made: BTreeMap<(u32, u64), Vec<Made>>,
}

impl World {
    fn new(seed: u64, subscriptions: u32) -> World {
        let store = Arc::new(Store::in_memory().unwrap());
        let put = |number| store.write_outbox(|o| o.put_subscription(&of_own_account(number)));
        (1..=subscriptions).for_each(|number| put(number).unwrap());
        let dispatcher = dispatcher(&store, seed);
        World {
            store,
            dispatcher,
            scheduler: Scheduler::default(),
            random: Random(seed),
            now: 0,
            under_way: BinaryHeap::new(),
            jobs: BTreeMap::new(),
            begun: 0,
            unwritten: Vec::new(),
            write_at: None,
            made: BTreeMap::new(),
        }
    }

    fn instant(&self) -> Timestamp {
        Timestamp::from_millis(self.now).unwrap()
    }

    fn refill(&mut self, news: bool) {
        let low = self.dispatcher.needing_refill(&self.scheduler);
        self.dispatcher.load(self.instant(), &low, news).unwrap().apply(&mut self.scheduler);
    }

    fn publish(&mut self, versions: std::ops::Range<u64>, subscriptions: u32) {
        let now = self.now;
        self.store
            .write_outbox(|outbox| {
                for number in 1..=subscriptions {
                    versions.clone().try_for_each(|version| outbox.enqueue(number, version, now))?;
                }
                Ok::<_, StoreError>(())
            })
            .unwrap();
        self.refill(true);
    }

    /// Suspends the accounts of those subscriptions, and resumes all others.
    fn suspend(&mut self, subscriptions: &[u32]) {
        for number in 1..=u32::try_from(self.store.subscriptions().unwrap().len()).unwrap() {
            let suspended_at = subscriptions.contains(&number).then(|| self.instant());
            self.store.put_account(&account(number, suspended_at)).unwrap();
        }
        self.scheduler.set_suspended(self.store.suspended_accounts().unwrap());
        self.refill(true);
    }

    /// Kills the process: everything but the store is lost.
    fn kill(&mut self) {
        self.dispatcher = dispatcher(&self.store, self.now);
        self.scheduler = Scheduler::default();
        self.scheduler.set_suspended(self.store.suspended_accounts().unwrap());
        self.under_way.clear();
        self.jobs.clear();
        self.unwritten.clear();
        self.write_at = None;
        self.refill(true);
    }

    /// Runs until the instant.
    fn run(&mut self, until: u64, end: u64, kind_of: &dyn Fn(u32) -> Kind) {
        loop {
            if self.dispatcher.has_work(&self.scheduler, self.instant()) {
                self.refill(false);
            }
            while let Some(job) = self.scheduler.take(Duration::from_millis(self.now)) {
                let account = self.store.account(&job.subscription.client_id).unwrap();
                assert!(account.is_none_or(|a| a.suspended_at.is_none()), "tried while suspended: {job:?}");
                let (took, outcome) = respond(kind_of(job.subscription.number), self.now, end, &mut self.random);
                let key = self.begun;
                self.begun += 1;
                self.under_way.push(Reverse((self.now + took, key)));
                self.jobs.insert(key, (job, took, outcome));
            }
            let over = self.under_way.peek().map(|Reverse((at, _))| *at);
            let due = self.dispatcher.next_due_ms(&self.scheduler).map(|due| due.max(self.now));
            let resume = self.scheduler.next_resume(Duration::from_millis(self.now));
            let resume = resume.map(|at| u64::try_from(at.as_millis()).unwrap());
            let next = [over, due, resume, self.write_at].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= until) else {
                self.now = until;
                return;
            };
            self.now = next;
            if over == Some(next) {
                self.finish();
            }
            if self.write_at.is_some_and(|at| at <= self.now) || self.unwritten.len() >= 256 {
                self.dispatcher.record(&std::mem::take(&mut self.unwritten)).unwrap();
                self.write_at = None;
            }
        }
    }

    fn finish(&mut self) {
        let Some(Reverse((_, key))) = self.under_way.pop() else { return };
        let (job, took, outcome) = self.jobs.remove(&key).unwrap();
        let subscription = job.subscription.number;
        let (now, took) = (Duration::from_millis(self.now), Duration::from_millis(took));
        self.scheduler.done(subscription, now, took, outcome.is_delivered());
        self.made.entry((subscription, job.version)).or_default().push(Made { at: self.now, outcome: outcome.clone() });
        let at = self.instant();
        self.unwritten.push(FinishedAttempt {
            subscription,
            version: job.version,
            attempts: job.attempts + 1,
            outcome,
            at,
        });
        self.write_at.get_or_insert(self.now + LINGER);
    }

    fn state(&self, subscription: u32, version: u64) -> DeliveryState {
        self.store.read_outbox().unwrap().delivery(subscription, version).unwrap().unwrap().state
    }
}

fn dispatcher(store: &Arc<Store>, seed: u64) -> Dispatcher {
    let mut random = Random(!seed);
    Dispatcher::new(Arc::clone(store), Box::new(move || u32::try_from(random.next()).unwrap() << 1))
}

fn of_own_account(number: u32) -> Subscription {
    Subscription { client_id: account(number, None).client_id, ..subscription(number) }
}

fn account(number: u32, suspended_at: Option<Timestamp>) -> Account {
    let created_at = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let (client_id, nome, plan) = (format!("acc_{number}"), "Conta".to_owned(), "scale".to_owned());
    Account { client_id, nome, plan, created_at, suspended_at, overrides: LimitOverrides::default() }
}

fn kind_of(number: u32) -> Kind {
    KINDS[(number as usize - 1) % KINDS.len()]
}

#[test]
fn three_days_of_failures_end_with_every_delivery_made_or_failed_after_three_attempts() {
    for seed in 0..10 {
        let (subscriptions, end) = (14, 3 * DAY);
        let mut world = World::new(seed, subscriptions);
        let mut versions = 1;
        while world.now < end {
            let count = 1 + world.random.below(4);
            world.publish(versions..versions + count, subscriptions);
            versions += count;
            let pause = world.random.below(6 * 60 * MINUTE);
            world.run((world.now + pause).min(end), end, &kind_of);
        }
        check_end(&mut world, seed, end, subscriptions, versions);
    }
}

/// Runs the world to its end, and checks every delivery.
fn check_end(world: &mut World, seed: u64, end: u64, subscriptions: u32, versions: u64) {
    world.run(end + DAY, end, &kind_of);
    assert_eq!(summary(&world.store, world.instant()).unwrap().pending, 0, "seed {seed}: all has ended");
    for number in 1..=subscriptions {
        for version in 1..versions {
            let made = &world.made[&(number, version)];
            check(made, world.state(number, version), &format!("seed {seed}: {version} to {:?}", kind_of(number)));
        }
    }
}

/// Checks a delivery whose process was not killed.
fn check(made: &[Made], state: DeliveryState, place: &str) {
    assert!((1..=usize::from(MAX_ATTEMPTS)).contains(&made.len()), "{place}: {made:?}");
    let (last, before) = made.split_last().unwrap();
    let is_transient = |m: &Made| !matches!(m.outcome, AttemptOutcome::Answered(0..=499));
    assert!(before.iter().all(is_transient), "{place}: a final answer was followed by an attempt: {made:?}");
    let delivered = last.outcome.is_delivered();
    let expected = if delivered { DeliveryState::Delivered } else { DeliveryState::Failed };
    assert_eq!(state, expected, "{place}: {made:?}");
    assert!(delivered || !is_transient(last) || made.len() == 3, "{place}: given up early: {made:?}");
    for (pair, least) in made.windows(2).zip([2_500, 15_000]) {
        assert!(pair[1].at - pair[0].at >= least, "{place}: tried again too soon: {made:?}");
    }
}

/// A delivery that was pending when its account was suspended was attempted all the same, and failed.
#[test]
fn accounts_suspended_at_random_are_not_tried_meanwhile_and_end_like_all_others_when_they_are_resumed() {
    for seed in 0..4 {
        let (subscriptions, end) = (7, DAY);
        let mut world = World::new(seed, subscriptions);
        let mut versions = 1;
        while world.now < end {
            let count = 1 + world.random.below(12);
            world.publish(versions..versions + count, subscriptions);
            versions += count;
            for _ in 0..3 {
                let pause = world.random.below(40_000);
                world.run(world.now + pause, end, &kind_of);
                let suspended: Vec<u32> = (1..=subscriptions).filter(|_| world.random.below(3) == 0).collect();
                world.suspend(&suspended);
            }
            let pause = world.random.below(3 * 60 * MINUTE);
            world.run((world.now + pause).min(end), end, &kind_of);
        }
        let late = summary(&world.store, world.instant()).unwrap().overdue_ms.unwrap_or_default();
        assert!(late < 60 * MINUTE, "seed {seed}: what waits for a suspended account is not late: {late} ms");
        world.suspend(&[]);
        check_end(&mut world, seed, end, subscriptions, versions);
    }
}

#[test]
fn a_good_endpoint_does_not_feel_the_others() {
    let alone = ms_to_deliver(1, &|_| Kind::Good);
    let bad = [Kind::Silent, Kind::Slow, Kind::Down, Kind::Silent, Kind::Slow];
    let crowd = ms_to_deliver(120, &|number| if number == 1 { Kind::Good } else { bad[number as usize % bad.len()] });
    assert!(crowd <= alone + alone / 10, "alone {alone} ms, among 119 bad ones {crowd} ms");
}

/// Returns how long a thousand deliveries to the first subscription take, in milliseconds.
fn ms_to_deliver(subscriptions: u32, kind_of: &dyn Fn(u32) -> Kind) -> u64 {
    let mut world = World::new(7, subscriptions);
    // The other endpoints are known to be bad before the measurement begins.
    world.publish(1..3, subscriptions);
    world.run(MINUTE, DAY, kind_of);
    let began = world.now;
    world.publish(3..1_003, subscriptions);
    while world.store.read_outbox().unwrap().endpoint(1).unwrap().pending > 0 {
        world.run(world.now + 100, DAY, kind_of);
    }
    world.now - began
}

#[test]
fn whatever_is_killed_when_nothing_is_lost() {
    for seed in 0..10 {
        let (subscriptions, end) = (7, DAY);
        let mut world = World::new(seed, subscriptions);
        let mut versions = 1;
        while world.now < end {
            world.publish(versions..versions + 3, subscriptions);
            versions += 3;
            for _ in 0..3 {
                let pause = world.random.below(20_000);
                world.run(world.now + pause, end, &kind_of);
                world.kill();
            }
            let pause = world.random.below(2 * 60 * MINUTE);
            world.run(world.now + pause, end, &kind_of);
        }
        world.run(end + DAY, end, &kind_of);
        for number in 1..=subscriptions {
            for version in 1..versions {
                let made = world.made.get(&(number, version)).unwrap_or_else(|| panic!("seed {seed}: never tried"));
                let state = world.state(number, version);
                let arrived = made.iter().any(|m| m.outcome.is_delivered());
                assert_ne!(state, DeliveryState::Pending, "seed {seed}");
                assert!(arrived || state == DeliveryState::Failed, "seed {seed}: told to have arrived: {made:?}");
                let always_good = matches!(kind_of(number), Kind::Good | Kind::Slow);
                assert!(!always_good || state == DeliveryState::Delivered, "seed {seed}: {made:?}");
            }
        }
    }
}

#[test]
fn a_long_queue_outlives_a_restart_of_its_receiver() {
    let mut world = World::new(3, 1);
    world.publish(1..5_001, 1);
    // Down for five minutes of ten.
    world.run(60 * MINUTE, 10 * MINUTE, &|_| Kind::Recovering);
    let told = summary(&world.store, world.instant()).unwrap();
    assert_eq!((told.delivered, told.failed, told.pending), (5_000, 0, 0));
}

//! Consumption over days: equal to a count of all calls, at every step of a clock that the
//! test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::Value;
use taxd_base::value::{ApiKey, Clock, KeyKind, Timestamp};
use taxd_core::calls::{Calls, KnownKey, MIN_KEPT_DAYS, RECENT, usage};
use taxd_core::store::{Account, KeyRecord, LimitOverrides, Store};

use super::call;

const HOUR_MS: u64 = 60 * 60 * 1_000;
const DAY_MS: u64 = 24 * HOUR_MS;
const KEEP: Duration = Duration::from_millis(MIN_KEPT_DAYS * DAY_MS);
const START_MS: u64 = 1_795_000_000_000;

/// A store with one account, the service on it, and the instants of all calls ever made.
struct World {
    store: Store,
    calls: Calls,
    key: ApiKey,
    clock_ms: Arc<AtomicU64>,
    /// How far the time of day is ahead of that clock.
    ahead_ms: Arc<AtomicU64>,
    made: Vec<u64>,
    /// Calls that the log was asked to write.
    written: usize,
}

fn open(store: &Store, clock_ms: &Arc<AtomicU64>, ahead_ms: &Arc<AtomicU64>) -> Calls {
    let (uptime_ms, clock_ms, ahead_ms) = (Arc::clone(clock_ms), Arc::clone(clock_ms), Arc::clone(ahead_ms));
    let now_ms = move || clock_ms.load(Ordering::SeqCst) + ahead_ms.load(Ordering::SeqCst);
    let clock = Clock::new(move || Timestamp::from_millis(now_ms()).unwrap())
        .with_uptime(move || uptime_ms.load(Ordering::SeqCst));
    let calls = Calls::open(store, clock).unwrap();
    // From here on a run of the log writes what there is and comes back.
    calls.stop_log();
    calls
}

impl World {
    fn new(store: Store) -> World {
        let (clock_ms, ahead_ms) = (Arc::new(AtomicU64::new(START_MS)), Arc::default());
        let key = ApiKey::generate(KeyKind::Live).unwrap();
        let created_at = Timestamp::from_millis(START_MS).unwrap();
        let account = Account {
            client_id: "acc_1".to_owned(),
            nome: "Um".to_owned(),
            plan: "growth".to_owned(),
            created_at,
            suspended_at: None,
            overrides: LimitOverrides::default(),
        };
        let record = KeyRecord {
            key_id: "key_1".to_owned(),
            client_id: "acc_1".to_owned(),
            name: None,
            kind: KeyKind::Live,
            created_at,
            lineage: "key_1".to_owned(),
            rotated_to: None,
            expires_at: None,
            revoked_at: None,
        };
        store.put_account(&account).unwrap();
        store.put_key(&key.digest(), &record).unwrap();
        let calls = open(&store, &clock_ms, &ahead_ms);
        World { store, calls, key, clock_ms, ahead_ms, made: Vec::new(), written: 0 }
    }

    fn now_ms(&self) -> u64 {
        self.clock_ms.load(Ordering::SeqCst)
    }

    fn make(&mut self, calls: usize, gap_ms: u64) {
        let (caller, good) =
            self.calls.identify(self.key.reveal().as_bytes(), &mut KnownKey::default(), self.calls.now());
        assert!(good);
        for _ in 0..calls {
            self.clock_ms.fetch_add(gap_ms, Ordering::SeqCst);
            self.made.push(self.now_ms());
            self.calls.record(caller.as_ref().unwrap(), call(self.now_ms(), 200, 1_000));
            // The service writes every half second: what waits is never a day old.
            if self.now_ms() - self.made[self.written] > HOUR_MS {
                self.write();
            }
        }
    }

    fn write(&mut self) {
        self.calls.run_log(&self.store, KEEP);
        let state = self.calls.log_state();
        assert_eq!((state.pending, state.lost, state.failing), (0, 0, false));
        self.written = self.made.len();
    }

    /// Goes on as a new process would, with what the store kept.
    fn restart(&mut self) {
        self.write();
        self.calls = open(&self.store, &self.clock_ms, &self.ahead_ms);
    }

    fn usage(&self) -> Value {
        let client = self.calls.client("acc_1").unwrap();
        serde_json::to_value(usage(&self.store, &client, None, self.calls.now(), RECENT).unwrap()).unwrap()
    }

    /// The log's figures are those of the list.
    #[track_caller]
    fn check(&self) {
        let (usage, now_ms) = (self.usage(), self.now_ms());
        let since = |age_ms: u64| self.made.iter().filter(|at| **at >= now_ms - age_ms).count();
        assert_eq!(usage["total_chamadas"], self.made.len(), "{usage}");
        assert_eq!(usage["chamadas_24h"], since(DAY_MS), "of {} at {}", self.made.len(), self.calls.now());
        let recent: Vec<u64> = usage["recentes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| Timestamp::parse(call["created_at"].as_str().unwrap()).unwrap().millis())
            .collect();
        let latest: Vec<u64> = self.made.iter().rev().take(recent.len()).copied().collect();
        assert_eq!(recent, latest);
        let kept = since(MIN_KEPT_DAYS * DAY_MS).min(RECENT);
        assert!(recent.len() >= kept, "{} of the latest calls, of {kept} that are kept", recent.len());
    }
}

#[derive(Debug, Clone)]
enum Step {
    Calls(usize, u64),
    Idle(u64),
    Write,
    Prune,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..700_usize, 0..20_000_u64).prop_map(|(calls, gap_ms)| Step::Calls(calls, gap_ms)),
        3 => (1..40_usize, 60_000..2 * HOUR_MS).prop_map(|(calls, gap_ms)| Step::Calls(calls, gap_ms)),
        2 => (1..60 * HOUR_MS).prop_map(Step::Idle),
        1 => (DAY_MS - 2..DAY_MS + 3).prop_map(Step::Idle),
        2 => Just(Step::Write),
        2 => Just(Step::Prune),
        2 => Just(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn consumption_is_a_count_of_all_calls_whatever_becomes_of_the_log(
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let mut world = World::new(Store::in_memory().unwrap());
        for step in steps {
            match step {
                Step::Calls(calls, gap_ms) => world.make(calls, gap_ms),
                Step::Idle(ms) => {
                    world.write();
                    world.clock_ms.fetch_add(ms, Ordering::SeqCst);
                }
                Step::Write => world.write(),
                Step::Prune => while world.calls.prune_log(&world.store, KEEP).unwrap() {},
                Step::Restart => world.restart(),
            }
            world.check();
        }
    }
}

#[test]
fn the_last_24_hours_end_to_the_millisecond() {
    let mut world = World::new(Store::in_memory().unwrap());
    world.make(600, 1_000);
    world.write();
    let first = world.made[0];
    for (i, at) in [(600, first + DAY_MS), (599, first + DAY_MS + 1), (599, first + DAY_MS + 1_000)] {
        world.clock_ms.store(at, Ordering::SeqCst);
        assert_eq!(world.usage()["chamadas_24h"], i, "at {}", world.calls.now());
    }
}

#[test]
fn what_is_older_than_is_kept_leaves_the_log_and_not_the_totals() {
    let mut world = World::new(Store::in_memory().unwrap());
    world.make(300, 1_000);
    world.restart();
    assert_eq!(world.usage()["recentes"].as_array().unwrap().len(), RECENT);
    world.clock_ms.fetch_add(MIN_KEPT_DAYS * DAY_MS + 1, Ordering::SeqCst);
    world.calls.prune_log(&world.store, KEEP).unwrap();
    world.restart();
    let usage = world.usage();
    assert_eq!(usage["recentes"].as_array().unwrap().len(), 0);
    assert_eq!((&usage["total_chamadas"], &usage["status"]["sucesso_2xx"]), (&300.into(), &300.into()));
    world.make(3, 1_000);
    world.check();
    assert_eq!(world.usage()["recentes"].as_array().unwrap().len(), 3);
}

#[test]
fn more_than_one_round_takes_away_is_taken_away_in_several() {
    let mut world = World::new(Store::in_memory().unwrap());
    // Blocks are filled up, so only many calls make many blocks.
    for _ in 0..6 {
        world.make(100_000, 0);
        world.write();
    }
    world.clock_ms.fetch_add(MIN_KEPT_DAYS * DAY_MS + 1, Ordering::SeqCst);
    assert!(world.calls.prune_log(&world.store, KEEP).unwrap(), "there is more to take away");
    world.check();
    assert!(!world.calls.prune_log(&world.store, KEEP).unwrap());
    world.restart();
    world.check();
    assert_eq!(world.usage()["recentes"].as_array().unwrap().len(), 0);
}

#[test]
fn consumption_is_the_same_after_the_file_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = World::new(Store::open(dir.path()).unwrap());
    world.make(700, 200_000);
    world.write();
    let before = world.usage();
    let World { store, calls, key, clock_ms, ahead_ms, made, written } = world;
    drop((store, calls));
    let store = Store::open(dir.path()).unwrap();
    let calls = open(&store, &clock_ms, &ahead_ms);
    let mut world = World { store, calls, key, clock_ms, ahead_ms, made, written };
    assert_eq!(world.usage(), before);
    world.check();
    world.make(300, 200_000);
    world.check();
}

#[test]
fn a_clock_that_was_ahead_and_is_set_right_loses_no_call() {
    let mut world = World::new(Store::in_memory().unwrap());
    world.make(10, 1_000);
    world.write();
    let right = world.now_ms();
    // An hour ahead for a while, then right again.
    world.clock_ms.store(right + HOUR_MS, Ordering::SeqCst);
    world.make(300, 100);
    world.write();
    world.clock_ms.store(right + 60_000, Ordering::SeqCst);
    world.make(300, 1_000);
    world.write();
    world.make(300, 1_000);
    world.check();
    world.restart();
    world.check();
    // A day after the first of them, and a day after the last.
    world.clock_ms.store(right + DAY_MS + 2 * HOUR_MS, Ordering::SeqCst);
    world.check();
    world.make(5, 1_000);
    world.check();
}

#[test]
fn a_clock_that_is_set_years_ahead_makes_no_logged_call_old() {
    let mut world = World::new(Store::in_memory().unwrap());
    let kept = |world: &mut World| {
        world.calls.prune_log(&world.store, KEEP).unwrap();
        world.restart();
        world.usage()["recentes"].as_array().unwrap().len()
    };
    world.make(300, 1_000);
    world.write();
    world.ahead_ms.store(3_650 * DAY_MS, Ordering::SeqCst);
    assert_eq!(kept(&mut world), RECENT, "while the process runs");
    assert_eq!(kept(&mut world), RECENT, "in a process that begins with the clock ahead");
    world.clock_ms.fetch_add(MIN_KEPT_DAYS * DAY_MS + 1, Ordering::SeqCst);
    assert_eq!(kept(&mut world), 0, "the time that a process runs counts");
}

/// Once a call of a future instant was logged, a restart took that instant for the time of the log, and pruning removed
/// every call; and all blocks after it were as late, so that none was pruned for years.
#[test]
fn calls_that_are_made_while_the_clock_is_years_ahead_neither_empty_the_log_nor_keep_it_for_years() {
    let mut world = World::new(Store::in_memory().unwrap());
    let shown = |world: &World| world.usage()["recentes"].as_array().unwrap().len();
    world.make(300, 1_000);
    world.write();
    world.ahead_ms.store(3_650 * DAY_MS, Ordering::SeqCst);
    let (caller, _) = world.calls.identify(world.key.reveal().as_bytes(), &mut KnownKey::default(), world.calls.now());
    for _ in 0..10 {
        let at_ms = world.now_ms() + 3_650 * DAY_MS;
        world.calls.record(caller.as_ref().unwrap(), call(at_ms, 200, 1_000));
    }
    for _ in 0..2 {
        world.restart();
        world.calls.prune_log(&world.store, KEEP).unwrap();
        world.restart();
        assert_eq!(shown(&world), RECENT, "the clock is still ahead");
    }
    // It is set right, and calls go on.
    world.ahead_ms.store(0, Ordering::SeqCst);
    world.restart();
    world.make(600, 1_000);
    world.restart();
    assert_eq!(shown(&world), RECENT);
    world.clock_ms.fetch_add(MIN_KEPT_DAYS * DAY_MS + 1, Ordering::SeqCst);
    world.calls.prune_log(&world.store, KEEP).unwrap();
    world.restart();
    assert_eq!(shown(&world), 0, "every call is older than the log keeps");
}

/// A key of a data file that was written before keys had names.
#[test]
fn a_key_that_was_stored_without_a_name_is_read() {
    let stored = r#"{"key_id":"key_1","client_id":"acc_1","kind":"live","created_at":"2026-03-10T12:00:00.000Z","line":"key_1"}"#;
    let key: KeyRecord = serde_json::from_str(stored).unwrap();
    assert_eq!((key.name.as_deref(), key.key_id.as_str()), (None, "key_1"));
    assert_eq!(serde_json::to_string(&key).unwrap(), stored, "and written as it was");
}

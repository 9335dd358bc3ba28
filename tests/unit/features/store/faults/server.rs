//! A server's threads while the disk refuses everything, and afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use taxd_base::problem::ErrorCode;
use taxd_base::value::Timestamp;
use taxd_core::calls::KnownKey;
use taxd_core::engine::Engine;
use taxd_core::service::{Health, HealthState, Service};
use taxd_core::store::{Block, CallWriter, Outage, Store};
use taxd_core::webhook::{AttemptOutcome, Post, Transport};

use super::disk::{Disk, Fault};
use super::script::{World, import, open, payload, set_up};

const PATIENCE: Duration = Duration::from_mins(1);
const KEEP: Duration = Duration::from_hours(48);

/// Nobody subscribes to what these tests publish.
struct Nowhere;

impl Transport for Nowhere {
    fn post(&self, _: &Post<'_>) -> AttemptOutcome {
        AttemptOutcome::TimedOut
    }

    fn shut_down(&self) {}
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start(disk: &Disk) -> (Arc<Service>, taxd_core::service::Running) {
    start_service(open(disk).unwrap())
}

fn start_service(service: Service) -> (Arc<Service>, taxd_core::service::Running) {
    let service = Arc::new(service);
    let running = service.start(KEEP, Arc::new(Nowhere), KEEP).unwrap();
    (service, running)
}

#[test]
fn a_server_answers_from_memory_and_recovers_by_itself_with_every_call_logged() {
    let (image, key, done) = set_up();
    let disk = Disk::of(&image);
    let (service, running) = start(&disk);
    let calculate = |n| service.engine().calculate(&payload(n), false);
    assert!(!calculate(1).unwrap().cached);
    disk.set_dead(true);
    assert!(!service.reads_its_data(Duration::ZERO) && service.reads_its_data(PATIENCE));
    assert!(calculate(1).unwrap().cached, "what is in memory is answered");
    let health = service.health().unwrap();
    assert_eq!((health.state, &*health.troubles[0].name), (HealthState::Degraded, "data_file_failing"));
    assert!(health.to_string().contains("Input/output error"), "{health}");
    let (caller, _) = service.calls().identify(key.as_bytes(), &mut KnownKey::default(), service.calls().now());
    service.calls().record(&caller.unwrap(), World::call());
    wait_until("the log notices", || service.calls().log_state().failing);
    let refused = service.store().write_outbox(|_| Ok::<_, taxd_core::store::StoreError>(())).unwrap_err();
    assert!(refused.is_outage() && refused.to_string().contains("Check the disk"), "{refused}");
    disk.set_dead(false);
    wait_until("the file is open again", || service.store().outage().is_none());
    wait_until("the call is logged", || service.calls().log_state().pending == 0);
    // The log says so once its thread has gone on from the commit.
    wait_until("all is well", || service.health().unwrap().state == HealthState::Ok);
    assert!(!running.stop().failing);
    drop(service);
    let mut done = done;
    done.expect_logged(1);
    World::new(open(&Disk::of(&disk.image())).unwrap(), &key, &done).check("after the stop");
}

/// The database used to be read past its first failure only where a page was in memory by chance.
#[test]
fn a_calculation_that_needs_the_file_is_refused_with_503_until_it_is_open_again() {
    let (image, key, done) = set_up();
    let disk = Disk::of(&image);
    let world = World::new(open(&disk).unwrap(), &key, &done);
    // More than the database keeps in memory; read twice, it leaves no room for rules.
    let write = |writer: &mut CallWriter<'_>| {
        let block = |n| Block { last_ms: n, last_seq: n, bytes: vec![0; 3_000] };
        (1..=16_000).try_for_each(|n| writer.put_block("acc_1", &block(n)))
    };
    world.service.store().write_calls(true, write).unwrap();
    for _ in 0..2 {
        world.service.store().read_calls().unwrap().blocks_back("acc_1", |_| Ok(true)).unwrap();
    }
    disk.set_dead(true);
    let refused = world.service.engine().calculate(&payload(1), false).unwrap_err();
    assert_eq!((refused.codigo, refused.cause), (ErrorCode::Indisponivel, None));
    assert!(world.service.reopen().is_err() && world.service.store().outage().is_some());
    disk.set_dead(false);
    world.service.reopen().unwrap();
    world.calculate(1).unwrap();
}

#[test]
fn an_outage_is_a_failure_only_once_a_restart_may_help() {
    let state = |age_s| {
        let since = Instant::now().checked_sub(Duration::from_secs(age_s)).unwrap();
        Health::of_outage(&Outage { since, cause: "a sync failed: Input/output error".to_owned() }).state
    };
    assert_eq!((state(1), state(31)), (HealthState::Degraded, HealthState::Failing));
}

#[test]
fn a_stop_that_cannot_write_the_log_says_so() {
    let (image, key, _) = set_up();
    let disk = Disk::of(&image);
    let (service, running) = start(&disk);
    disk.set_dead(true);
    let (caller, _) = service.calls().identify(key.as_bytes(), &mut KnownKey::default(), service.calls().now());
    (0..5).for_each(|_| service.calls().record(caller.as_ref().unwrap(), World::call()));
    let log = running.stop();
    assert_eq!((log.failing, log.pending), (true, 5));
}

/// The stop used to give up what the last try of the log's thread could not write.
#[test]
fn a_stop_after_the_disk_is_well_again_writes_what_waits() {
    let (image, key, mut done) = set_up();
    let disk = Disk::of(&image);
    let service = open(&disk).unwrap();
    let (caller, _) = service.calls().identify(key.as_bytes(), &mut KnownKey::default(), service.calls().now());
    service.calls().record(caller.as_ref().unwrap(), World::call());
    disk.set_dead(true);
    assert!(service.store().probe().is_err());
    disk.set_dead(false);
    // Nothing else opens the file again here.
    service.calls().stop_log();
    service.calls().run_log(service.store(), KEEP);
    assert_eq!((service.calls().log_state().failing, service.calls().log_state().pending), (false, 0));
    done.expect_logged(1);
    World::new(service, &key, &done).check("after the stop");
}

/// A publication whose commit failed can be in the file all the same. Answers for a past instant were given
/// without it until the file was open again, and with it from then on.
#[test]
fn what_is_answered_for_a_past_instant_during_an_outage_stays_true() {
    let (image, ..) = set_up();
    let (mut refused, mut found) = (0, 0);
    for at in 1.. {
        let disk = Disk::of(&image);
        let service = open(&disk).unwrap();
        let engine = service.engine();
        disk.fail_at(disk.operations() + at, 1, Fault::Error(Errno::IO));
        if import(engine, 2).is_ok() {
            break;
        }
        let asked = Timestamp::now();
        let known = || engine.calculate_at(&payload(2), false, Some(asked)).map(drop).map_err(|problem| problem.codigo);
        let events = || engine.changelog(None, None, 10).map(|page| page.items.len());
        let (known_before, events_before) = (known(), events());
        service.reopen().unwrap();
        let (known_after, events_after) = (known(), events().unwrap());
        assert!(known_before == known_after || known_before == Err(ErrorCode::Indisponivel), "operation {at}");
        assert!(events_before.is_err_and(|error| error.is_outage()), "operation {at}");
        assert_eq!(events_after, 1 + usize::from(known_after.is_ok()), "operation {at}");
        assert_eq!(engine.calculate(&payload(2), false).is_ok(), known_after.is_ok(), "operation {at}");
        refused += 1;
        found += usize::from(known_after.is_ok());
    }
    assert!(refused > found && found > 0, "{found} of {refused} publications that failed are in the file");
}

/// The thread that opens the file again used to wait for another outage after a panic, which never came.
#[test]
fn a_panic_while_the_file_is_opened_again_is_followed_by_another_try() {
    let (image, ..) = set_up();
    let disk = Disk::of(&image);
    let (opener, panics) = (disk.opener(), Arc::new(AtomicBool::new(false)));
    let once = Arc::clone(&panics);
    let open = move || {
        assert!(!once.swap(false, Ordering::SeqCst), "a damaged file");
        opener()
    };
    let store = Store::on_storage(Box::new(open)).unwrap();
    let (service, running) = start_service(Service::open(Engine::new(store, 64)).unwrap());
    panics.store(true, Ordering::SeqCst);
    disk.set_dead(true);
    assert!(service.store().probe().is_err());
    disk.set_dead(false);
    wait_until("the file is open again", || service.store().outage().is_none());
    assert!(!panics.load(Ordering::SeqCst), "it panicked");
    assert!(!running.stop().failing);
}

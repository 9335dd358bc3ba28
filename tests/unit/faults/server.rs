//! A server's threads while the disk refuses everything, and afterwards.

use std::sync::Arc;
use std::time::{Duration, Instant};

use taxd::problem::Codigo;
use taxd::service::{FAILING, Health, Service};
use taxd::store::{Block, CallWriter, Outage};
use taxd::webhook::{Outcome, Post, Transport};

use super::disk::Disk;
use super::script::{World, open, payload, set_up};

const PATIENCE: Duration = Duration::from_mins(1);
const KEEP: Duration = Duration::from_hours(48);

/// Nobody subscribes to what these tests publish.
struct Nowhere;

impl Transport for Nowhere {
    fn post(&self, _: &Post<'_>) -> Outcome {
        Outcome::TimedOut
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

fn start(disk: &Disk) -> (Arc<Service>, taxd::service::Running) {
    let service = Arc::new(open(disk).unwrap());
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
    assert_eq!((health.state, health.troubles[0].name), ("degraded", "data_file_failing"));
    assert!(health.to_string().contains("Input/output error"), "{health}");
    let (caller, _) = service.calls().identify(&key);
    service.calls().record(&caller.unwrap(), World::call());
    wait_until("the log notices", || service.calls().log_state().failing);
    let refused = service.store().write_outbox(|_| Ok::<_, taxd::store::StoreError>(())).unwrap_err();
    assert!(refused.is_outage() && refused.to_string().contains("Look at the disk"), "{refused}");
    disk.set_dead(false);
    wait_until("the file is open again", || service.store().outage().is_none());
    wait_until("the call is logged", || service.calls().log_state().pending == 0);
    assert_eq!(service.health().unwrap().state, "ok");
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
    assert_eq!((refused.codigo, refused.cause), (Codigo::Indisponivel, None));
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
    assert_eq!((state(1), state(31)), ("degraded", FAILING));
}

#[test]
fn a_stop_that_cannot_write_the_log_says_so() {
    let (image, key, _) = set_up();
    let disk = Disk::of(&image);
    let (service, running) = start(&disk);
    disk.set_dead(true);
    let (caller, _) = service.calls().identify(&key);
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
    let (caller, _) = service.calls().identify(&key);
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

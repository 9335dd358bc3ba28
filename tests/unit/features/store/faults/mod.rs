//! A disk that refuses a read, a write or a sync, at every operation of a server's work, and power that
//! is cut at every one.
//!
//! One refusal used to leave the database closed until a restart: every command and most calculations
//! failed for ever, and the calls of that time were dropped.

mod disk;
mod script;
mod server;

use rustix::io::Errno;

use disk::{Disk, Fault, Unsynced};
use script::{World, open, set_up};

/// Operations that fail one after the other, where the disk stays ill for a while.
const WHILE: usize = 40;
/// Tries to open the file again until the disk must be well.
const TRIES: usize = 2 * WHILE;

/// How many operations the whole work takes.
fn operations(image: &[u8], key: &str, done: &script::Done) -> usize {
    let disk = Disk::of(image);
    let mut world = World::new(open(&disk).unwrap(), key, done);
    assert!(world.run(|_, error| panic!("{error}")));
    world.check("without a fault");
    disk.operations()
}

/// Does the work with a fault at every operation in turn; the service goes on without a restart.
fn sweep(fault: Fault, count: usize) {
    let (image, key, done) = set_up();
    let operations = operations(&image, &key, &done);
    assert!(operations > 100, "{operations} operations");
    for at in 1..=operations {
        let name = format!("{fault:?} x {count} at {at} of {operations}");
        let disk = Disk::of(&image);
        disk.fail_at(at, count, fault);
        // A start that fails is a start that is tried again.
        let service = (0..TRIES).find_map(|_| open(&disk).ok());
        let mut world = World::new(service.expect(&name), &key, &done);
        let ran = world.run(|world, error| {
            let store = world.service.store();
            assert!(store.outage().is_some(), "{name}: {error}, and no outage");
            assert!(store.probe().is_err() && !world.service.reads_its_data(std::time::Duration::ZERO));
            assert!((0..TRIES).any(|_| world.service.reopen().is_ok()), "{name}: {error}, and not open again");
            true
        });
        assert!(ran && disk.has_failed(), "{name}");
        // The last reads may have met the fault, too.
        while world.service.store().outage().is_some() {
            let _ = world.service.reopen();
        }
        let durable = disk.image_after_cut(Unsynced::Dropped);
        world.check(&name);
        let done = world.done.clone();
        drop(world);
        World::new(open(&Disk::of(&durable)).expect(&name), &key, &done).check(&format!("{name}, then a power cut"));
    }
}

#[test]
fn the_service_goes_on_after_an_error_at_any_operation() {
    sweep(Fault::Error(Errno::IO), 1);
}

#[test]
fn the_service_goes_on_after_a_disk_that_was_ill_for_a_while() {
    sweep(Fault::Error(Errno::DQUOT), WHILE);
}

#[test]
fn the_service_goes_on_after_a_write_that_was_cut_short() {
    sweep(Fault::Short, 1);
}

#[test]
fn the_service_goes_on_after_a_sync_that_lost_what_was_written() {
    sweep(Fault::Reverting, 1);
}

#[test]
fn all_that_was_confirmed_is_there_after_a_power_cut_at_any_operation() {
    let (image, key, done) = set_up();
    for at in 1..=operations(&image, &key, &done) {
        let disk = Disk::of(&image);
        disk.fail_at(at, 1, Fault::PowerCut);
        let mut confirmed = done.clone();
        if let Ok(service) = open(&disk) {
            let mut world = World::new(service, &key, &done);
            assert!(!world.run(|_, _| false), "the power was cut at {at}");
            confirmed = world.done.clone();
        }
        for unsynced in [Unsynced::Dropped, Unsynced::Kept, Unsynced::Torn] {
            let name = format!("power cut at {at}, what was not synced {unsynced:?}");
            let service = open(&Disk::of(&disk.image_after_cut(unsynced))).expect(&name);
            World::new(service, &key, &confirmed).check(&name);
        }
    }
}

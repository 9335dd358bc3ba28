//! The log when the disk refuses: calls go on being answered and counted, and once there is
//! room nothing is missing.

use super::kept;
use super::ledger::Ledger;
use crate::support::large::{bundle_of_new, sale};
use crate::support::{DataDir, OwnRules, SmallDisk, taxd};

/// Room for the file, and the 64 MiB that taxd leaves free.
const MIB: usize = 192;

#[test]
fn a_full_disk_stops_no_call_and_costs_none() {
    let dir = DataDir::empty();
    let Some(disk) = SmallDisk::at(dir.path(), MIB) else { return };
    let own = OwnRules::in_dir(dir);
    let account = own.dir.account("Um", &[]);
    let mut server = own.serve();
    let mut ledger = Ledger::new(&server, &account.live.key);
    let call = |ledger: &mut Ledger<'_>| {
        for i in 0..100 {
            assert_eq!(ledger.get("/v1/changelog?limit=1").status, 200, "call {i}");
        }
    };
    call(&mut ledger);

    // Less than the reserve is left, and then nothing at all.
    for left in [60 << 20, 0] {
        // taxd leaves room before it writes, not while: the disk is filled between two writings.
        own.dir.wait_until_logged();
        disk.fill(left);
        call(&mut ledger);
        let log = own.dir.wait_for_log(|log| log["failing"] == true);
        assert_eq!(log["lost"], 0, "{log}");
        assert!(log["pending"].as_u64() >= Some(100), "{log}");
        assert!(taxd(&own.dir, ["status"]).ok().stdout.contains("FAILING"));
        ledger.check();
        disk.make_room();
        let log = own.dir.wait_for_log(|log| log["failing"] == false && log["pending"] == 0);
        assert_eq!(log["lost"], 0, "{log}");
        ledger.check();
    }
    server.wait_for_log("the call log cannot be written");
    server.wait_for_log("the call log can be written again");

    let rows = ledger.rows();
    assert!(server.stop("TERM").success());
    assert_eq!(kept(&own.dir, &account.client_id).len(), rows.len(), "every call is in the log");
    let server = own.serve();
    Ledger::resume(&server, &account.live.key, rows).check();
}

#[test]
fn a_change_without_room_on_the_disk_is_refused_and_costs_nothing() {
    let dir = DataDir::empty();
    let Some(disk) = SmallDisk::at(dir.path(), MIB) else { return };
    let own = OwnRules::in_dir(dir);
    own.import(&own.dir.write("first.json", bundle_of_new(1)), &[]).ok();
    let rules = own.dir.write("rules.json", bundle_of_new(20_000));
    let account = own.dir.account("Um", &[]);
    let spare = own.dir.new_key(&account.client_id, "test");
    let server = own.serve();
    let mut ledger = Ledger::new(&server, &account.live.key);
    for left in [0, 60 << 20] {
        own.dir.wait_until_logged();
        disk.fill(left);
        let import = own.import(&rules, &[]);
        // A small change is still made while there is a little: a key must be revocable.
        let key = taxd(&own.dir, ["key", "revoke", &spare.key_id]);
        assert_eq!(key.code, i32::from(left == 0), "{left}: {key:?}");
        for refused in [Some(import), Some(key).filter(|key| key.code != 0)].into_iter().flatten() {
            assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{left}: {refused:?}");
            assert!(refused.stderr.contains("free some room"), "{left}: {refused:?}");
        }
        assert_eq!(ledger.calculate(&sale(0)).status, 200, "{left}");
        assert_eq!(ledger.calculate(&sale(19_999)).status, 404, "{left}: nothing of the import is there");
        ledger.check();
        disk.make_room();
    }
    own.import(&rules, &[]).ok();
    assert_eq!(ledger.calculate(&sale(19_999)).status, 200);
    ledger.check();
}

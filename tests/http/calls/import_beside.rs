//! Calls beside a large import: none is lost to the log.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::kept;
use super::ledger::Ledger;
use crate::support::large::{bundle_of_new, sale};
use crate::support::{OwnRules, taxd};

const RULES: usize = 100_000;

#[test]
fn no_call_is_lost_while_a_hundred_thousand_rules_are_imported() {
    let own = OwnRules::none();
    // The first of them is there already, so that the server does not begin with the built-in rules.
    own.import(&own.dir.write("first.json", bundle_of_new(1)), &[]).ok();
    let file = own.dir.write("large.json", bundle_of_new(RULES));
    let account = own.dir.account("Um", &["--rate-limit", "1000000"]);
    let mut server = own.serve();
    let done = AtomicBool::new(false);
    let (rows, during) = thread::scope(|scope| {
        let import = scope.spawn(|| {
            let import = taxd(&own.dir, [OsStr::new("import"), file.as_os_str()]);
            done.store(true, Ordering::SeqCst);
            import
        });
        let mut ledger = Ledger::new(&server, &account.live.key);
        let mut i = 0;
        while !done.load(Ordering::SeqCst) {
            ledger.calculate(&sale(i % RULES));
            ledger.get("/v1/nada");
            i += 1;
        }
        import.join().unwrap().ok();
        let during = ledger.calls();
        ledger.calculate(&sale(RULES - 1));
        ledger.check();
        (ledger.rows(), during)
    });
    assert!(during > 200, "calls went on during the import: {during}");
    own.dir.wait_until_logged();
    server.stop("KILL");
    // Nothing is in memory any more: what is shown was written.
    let shown = own.dir.shown(&account.client_id);
    let server = own.serve();
    let ledger = Ledger::resume(&server, &account.live.key, rows);
    ledger.check_shown(&shown["usage"]);
    assert_eq!(shown["keys"][0]["calls"], ledger.calls());
    drop(server);
    let mut numbers: Vec<u64> = kept(&own.dir, &account.client_id).iter().map(|call| call.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=during as u64 + 2).collect::<Vec<u64>>(), "every call is in the log");
}

//! A server that is killed at any moment of publication and delivery: every event arrives, and repeated
//! deliveries are identical.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::receiver::{Answer, Receiver};
use crate::support::webhooks::{Webhooks, ipi};
use crate::support::{bundle, program};

const ROUNDS: usize = 14;
/// Rules of each round's publication.
const RULES: usize = 60;

/// When the kill comes: from the first moments of the import to the middle of the deliveries, later in each
/// round.
fn moment(round: usize) -> Duration {
    Duration::from_millis(3 + 29 * u64::try_from(round).unwrap())
}

#[test]
fn whatever_is_killed_when_every_event_arrives_and_duplicates_are_the_same() {
    let hooks = Webhooks::new();
    let receiver =
        Receiver::start(|_, n| if n % 50 == 0 { Answer::Close } else { Answer::After(Duration::from_millis(2), 200) });
    hooks.subscribe(&receiver.url(), &[]);
    let mut interrupted = 0;
    for round in 0..ROUNDS {
        let rules: Vec<_> = (1..=RULES).map(|i| ipi(round * RULES + i)).collect();
        let file = hooks.own.dir.write(&format!("round-{round}.json"), bundle(&rules));
        let mut server = hooks.serve();
        let mut import = Command::new(program())
            .env_clear()
            .arg("import")
            .arg("--data")
            .arg(hooks.own.dir.path())
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(moment(round));
        assert_eq!(server.stop("KILL").code(), None);
        let told_done = import.wait().unwrap().success();
        let arrived = receiver.count();
        let ahead = hooks.outbox(&["--state", "pending"]).len();
        interrupted += usize::from(!told_done || ahead > 0 || arrived < (round + 1) * RULES);
        // Publishes again, in case the kill came before the commit; else nothing changes.
        hooks.own.import(&file, &[]).ok();
    }
    let _server = hooks.serve();
    hooks.wait_for_state("delivered", ROUNDS * RULES);
    assert!(interrupted > ROUNDS / 2, "the kills fell into the work: {interrupted} of {ROUNDS}");
    let mut bodies: BTreeMap<String, Vec<(Vec<u8>, String)>> = BTreeMap::new();
    for request in receiver.received() {
        let entry = (request.body.clone(), request.header("webhook-id").to_owned());
        bodies.entry(request.rule_id()).or_default().push(entry);
    }
    assert_eq!(bodies.len(), ROUNDS * RULES, "every event");
    for (rule_id, copies) in &bodies {
        assert!(copies.iter().all(|copy| *copy == copies[0]), "{rule_id}: {copies:?}");
    }
    let duplicates: usize = bodies.values().map(|copies| copies.len() - 1).sum();
    println!("{interrupted} of {ROUNDS} kills fell into the work; {duplicates} duplicates");
}

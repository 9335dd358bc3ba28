//! A large import beside calculations.

use std::ffi::OsStr;
use std::thread;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::support::large::{EARLIER, LARGE, earlier_bundle, large_bundle, sale};
use crate::support::{OwnRules, taxd};

/// What was answered at an instant while the import ran.
struct Seen {
    /// Before the request was sent.
    asked: Timestamp,
    valor: String,
}

#[test]
fn what_was_answered_while_a_large_import_ran_is_what_was_known_then() {
    let own = OwnRules::none();
    own.import(&own.dir.write("earlier.json", earlier_bundle()), &[]).ok();
    let file = own.dir.write("large.json", large_bundle());
    let server = own.serve();
    let payload = sale(EARLIER / 2);
    let ask = || {
        let asked = Timestamp::now();
        let valor = server.calculate(&payload).envelope()["valor"].as_str().unwrap().to_owned();
        Seen { asked, valor }
    };
    let seen = thread::scope(|scope| {
        let import = scope.spawn(|| taxd(&own.dir, [OsStr::new("import"), file.as_os_str(), OsStr::new("--json")]));
        let mut seen = vec![ask()];
        while !import.is_finished() {
            seen.push(ask());
        }
        let report = import.join().unwrap().ok().json();
        assert_eq!(report["publicadas"].as_array().map(Vec::len), Some(LARGE));
        assert_eq!(report["substituidas"].as_array().map(Vec::len), Some(EARLIER));
        seen
    });
    assert_eq!(ask().valor, "2.00");
    let old = seen.iter().filter(|s| s.valor == "1.00").count();
    assert!(old > 20, "calculations went on during the import: {old} of {}", seen.len());
    assert!(seen[old..].iter().all(|s| s.valor == "2.00"), "first the one, then the other");
    // The service answered 1.00 after that instant: so that was what it knew at it. A publication
    // is dated when all but its commit is done; what was asked while that ran is left out.
    let newest = server.get_own("/v1/changelog?limit=1").json()[0]["publicado_em"].as_str().unwrap().to_owned();
    let before: Vec<&Seen> = seen[..old].iter().filter(|s| format!("{:.3}", s.asked) < newest).collect();
    assert!(before.len() > 20, "most of the import lies before its instant: {} of {old}", before.len());
    let step = (before.len() / 20).max(1);
    for Seen { asked, .. } in before.into_iter().rev().step_by(step) {
        let path = format!("/v1/calculate?conhecido_em={asked:.3}");
        let then: Value = server.post(&path, payload.to_string()).envelope();
        assert_eq!(then["valor"], json!("1.00"), "as known at {asked:.3}");
    }
}

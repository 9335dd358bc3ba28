//! What the changelog shows, calculations and listings answer by at once.
//!
//! A publication becomes visible before its import returns. Until the import had swept the cache and
//! renewed the listing, remembered answers from before it still came as `cached: true`, and
//! `/v1/regras` did not list it.

use std::thread;

use crate::support::large::{EARLIER, earlier_bundle, large_bundle, sale};
use crate::support::{OwnRules, Server, ids};

/// Products whose answers are remembered and whose rules the import supersedes.
const REMEMBERED: usize = 2_000;

fn last_event(server: &Server) -> String {
    server.get_own("/v1/changelog?limit=1").text()
}

#[test]
fn what_the_changelog_shows_of_a_large_import_is_calculated_with_and_listed_at_once() {
    let own = OwnRules::none();
    own.import(&own.dir.write("earlier.json", earlier_bundle()), &[]).ok();
    let file = own.dir.write("large.json", large_bundle());
    let server = own.serve();
    for i in 0..REMEMBERED {
        assert_eq!(server.calculate(&sale(i)).envelope()["valor"], "1.00");
    }
    let before = last_event(&server);
    thread::scope(|scope| {
        let import = scope.spawn(|| own.import(&file, &[]).ok());
        while last_event(&server) == before {
            let over = import.is_finished() && last_event(&server) == before;
            assert!(!over, "the import ended and the changelog shows nothing");
        }
        for i in [0, REMEMBERED / 2, REMEMBERED - 1] {
            let answer = server.calculate(&sale(i)).envelope();
            assert_eq!((answer["valor"].as_str(), answer["cached"].as_bool()), (Some("2.00"), Some(false)), "{i}");
        }
        let listed = server.regras(&format!("rule_code=t-ipi-{:05}", EARLIER - 1));
        assert_eq!(ids(&listed).len(), 2, "both versions: {listed:?}");
    });
    assert_eq!(server.calculate(&sale(0)).envelope()["valor"], "2.00");
}

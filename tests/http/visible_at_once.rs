//! What the changelog shows, calculations and listings answer by at once, and so does what an import
//! found already published.
//!
//! A publication becomes visible before its import returns. Until the import had swept the cache and
//! renewed the listing, remembered answers from before it still came as `cached: true`, and
//! `/v1/regras` did not list it.

use std::thread;

use crate::support::large::{EARLIER, bundle_of_new, earlier_bundle, large_bundle, sale};
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

#[test]
fn an_import_that_found_all_published_by_another_leaves_it_listed() {
    const RULES: usize = 10_000;
    let own = OwnRules::none();
    own.import(&own.dir.write("first.json", bundle_of_new(1)), &[]).ok();
    let file = own.dir.write("many.json", bundle_of_new(RULES));
    let server = own.serve();
    assert_eq!(server.regras("").len(), 1, "the listing is made");
    let import_and_list = || {
        let told = own.import(&file, &[]).ok().stdout;
        let listed = server.regras(&format!("rule_code=t-ipi-{:05}", RULES - 1));
        (told, ids(&listed).len())
    };
    let both = thread::scope(|scope| {
        let imports = [scope.spawn(import_and_list), scope.spawn(import_and_list)];
        imports.map(|import| import.join().unwrap())
    });
    let unchanged = both.iter().filter(|(told, _)| told.contains(&format!("0 new, 0 superseded, {RULES} already")));
    assert_eq!(unchanged.count(), 1, "{both:?}");
    assert!(both.iter().all(|(_, listed)| *listed == 1), "{both:?}");
}

//! Calculations while hundreds of connections of another account list without a pause.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use taxd::core::service::lower_priority;

use super::{Fixture, Row, Subject};
use crate::fixture::Home;
use crate::load::{Mix, Outcome, Until, closed_loop, open_loop};
use crate::table::{Wanted, number};

/// Connections that list.
const CROWD: usize = 400;
/// Calculations a second at the same time.
const CALLS_PER_SECOND: f64 = 500.0;
/// Time limit of one crowd.
const PATIENCE: Duration = Duration::from_mins(5);
/// Time for all connections to be made before counting starts.
const GATHERING: Duration = Duration::from_secs(2);

const LISTED: &[&str] = &["/v1/regras?limit=500", "/v1/usage?recentes=50", "/v1/changelog?limit=500"];

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let home = fixture.copy(fixture.builtin(), "crowd");
    let other = Home::of_new_account(home.dir.clone());
    let subject = Subject::serve(fixture, &home, true);
    let round = || open_loop(subject.address, &subject.mix, CALLS_PER_SECOND, Duration::from_secs(4));
    let p99 = |outcome: &Outcome| outcome.latency_ms(0.99);
    let alone = p99(&round());
    LISTED
        .iter()
        .map(|path| {
            let (until, listings) = (Until::after(PATIENCE), Mix::get(path, &other.key));
            let (outcomes, crowd) = thread::scope(|scope| {
                let crowd = scope.spawn(|| {
                    // Real callers run on other machines: they take no processor time from the server.
                    lower_priority();
                    closed_loop(subject.address, &listings, &Arc::clone(&until), CROWD)
                });
                thread::sleep(GATHERING);
                let outcomes: Vec<Outcome> = (0..fixture.either(5, 2)).map(|_| round()).collect();
                until.stop();
                (outcomes, crowd.join().expect("the crowd"))
            });
            let detail = format!("{} ms without them; they get {} answers/s", number(alone), number(crowd.rate()));
            let name = format!("p99 beside {CROWD} connections of `{path}`");
            Row::new(&name, Wanted::AtMost(50.0), "ms", outcomes.iter().map(p99).collect(), detail)
        })
        .collect()
}

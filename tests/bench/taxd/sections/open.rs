//! p99.9 of calls that arrive at a fixed rate.

use std::time::Duration;

use super::{Fixture, Row, Subject, middle, ratios};
use crate::load::{Outcome, open_loop};
use crate::table::{Wanted, number};

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let builtin = fixture.builtin();
    let full = Subject::serve(fixture, &fixture.copy(builtin, "open-full"), true);
    let cached = Subject::serve(fixture, &fixture.copy(builtin, "open-cached"), false);
    let bare = Subject::bare(&full);
    // One rate for all subjects: half of the throughput of taxd with every payload new.
    let rate = full.saturate(Duration::from_secs(fixture.either(5, 1))).rate() / 2.0;
    cached.saturate(Duration::from_secs(1));
    let subjects = [&bare, &cached, &full];
    let mut all: [Vec<Outcome>; 3] = [const { Vec::new() }; 3];
    for _ in 0..fixture.either(5, 2) {
        for (subject, of_subject) in subjects.iter().zip(&mut all) {
            let time = Duration::from_secs(fixture.either(8, 2));
            of_subject.push(open_loop(subject.address, &subject.mix, rate, time));
        }
    }
    let [bare, cached, full] = all;
    let tail = |name: &str, of: &[Outcome]| {
        let p999 = |outcome: &Outcome| outcome.latency_ms(0.999);
        let detail = format!(
            "{} against {} ms, at {} calls/s",
            number(middle(of, p999)),
            number(middle(&bare, p999)),
            number(rate)
        );
        Row::new(name, Wanted::AtMost(2.0), "", ratios(of, &bare, p999), detail)
    };
    vec![
        tail("p99.9 at half the saturated rate, payload repeated", &cached),
        tail("p99.9 at half the saturated rate, every payload new", &full),
    ]
}

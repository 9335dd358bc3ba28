//! Time from the start of the process to its first answer.

use std::time::{Duration, Instant};

use super::{Fixture, Row};
use crate::client::Client;
use crate::fixture::Home;
use crate::load::call;
use crate::process::serve;
use crate::table::Wanted;

pub fn run(fixture: &Fixture) -> Vec<Row> {
    let times = |home: &Home| -> Vec<f64> {
        (0..fixture.either(15, 5)).map(|_| first_answer(fixture, home).as_secs_f64() * 1e3).collect()
    };
    let row = |name: &str, bound, home| {
        Row::new(name, Wanted::AtMost(bound), "ms", times(home), "the data file in the system's cache".to_owned())
    };
    vec![
        row("start to first answer, built-in rules", 50.0, fixture.builtin()),
        row("start to first answer, 1,000,000 rules more", 300.0, &fixture.million().home),
    ]
}

fn first_answer(fixture: &Fixture, home: &Home) -> Duration {
    let request = call(&fixture.templates()[0].json, &home.key);
    let started = Instant::now();
    let (server, address) = serve(&home.dir);
    let reply = Client::connect(address).call(&request);
    let took = started.elapsed();
    assert_eq!(reply.status, 200);
    server.stop();
    took
}

//! Thousands of damaged payloads, and the largest requests that are read: each is answered with a result or
//! with a refusal.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{examples, still_well};
use crate::fuzz::{Input, damaged, large, queries};
use crate::support::{DataDir, Reply, Server};

/// Largest answer to a body of at most 64 KiB: its faults, but not a page for each byte.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// For an input that is answered in a few milliseconds; that it is, a count of instructions holds
/// (`cargo bench --bench instructions`).
const MAX_TIME: Duration = Duration::from_secs(4);

/// The answer, of the form that answers have.
#[track_caller]
fn answer(server: &Server, input: &Input) -> Reply {
    let answer = server.raw().send(input.request(&server.key)).reply();
    match answer.status {
        200 => drop(answer.json()),
        400 | 404 | 422 => {
            let codigo = answer.json()["codigo"].as_str().unwrap_or_else(|| panic!("{}", input.name)).to_owned();
            answer.problem(answer.status, &codigo);
        }
        status => panic!("{status} answers {}", input.name),
    }
    answer
}

#[test]
fn damaged_payloads_are_answered_with_a_result_or_a_refusal() {
    let mut server = DataDir::served();
    let payloads: Vec<Vec<u8>> = examples(&server).iter().map(|e| e.to_string().into_bytes()).collect();
    let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
    for input in damaged(&payloads) {
        let answer = answer(&server, &input);
        if answer.status == 200 {
            answer.envelope();
        }
        *seen.entry(answer.status).or_default() += 1;
    }
    let rounds: usize = seen.values().sum();
    for status in [200, 400, 422] {
        assert!(seen.get(&status).is_some_and(|n| *n > rounds / 100), "the damage is one-sided: {seen:?}");
    }
    still_well(&server);
    server.stop("TERM");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn the_largest_requests_have_short_answers_in_a_short_time() {
    let mut server = DataDir::served();
    for input in large(&examples(&server)).into_iter().chain(queries()) {
        let size = input.body.as_ref().map_or(0, Vec::len);
        assert!(size <= 64 * 1024, "{}: {size} bytes", input.name);
        let begin = Instant::now();
        let answer = answer(&server, &input);
        assert!(begin.elapsed() < MAX_TIME, "{}: {:?}", input.name, begin.elapsed());
        let long = input.body.is_some() && answer.body.len() > MAX_ANSWER_BYTES;
        assert!(!long, "{} bytes answer {}", answer.body.len(), input.name);
    }
    still_well(&server);
    server.stop("TERM");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

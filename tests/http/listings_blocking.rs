//! Listings, consumption and the changelog are answered on blocking threads, and never delay calculations.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Client, Crowd, DataDir, Raw, Server};

/// The longest page of rules: milliseconds of work.
const PAGE: &str = "/v1/regras?limit=500";

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Opens so many connections and sends the same request on each.
fn ask_at_once(server: &Server, connections: usize, key: &str, method: &str) -> Vec<Raw> {
    let mut all: Vec<Raw> = (0..connections).map(|_| server.raw()).collect();
    let request = format!("{method} {PAGE} HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\n\r\n");
    for raw in &mut all {
        raw.send(&request);
    }
    all
}

/// Asks for a page with this key, and checks that most of the crowd is answered after it.
fn assert_answered_before(crowd: &Crowd, server: &Server, key: &str) {
    let before = crowd.answered();
    assert_eq!(server.get_as(key, PAGE).status, 200);
    let overtook = crowd.answered() - before;
    assert!(overtook < 100, "{overtook} of the crowd were answered first");
}

#[test]
fn listings_take_a_few_threads_at_a_lower_priority_than_those_that_serve() {
    // Each listing had a thread of its own, at the same priority: 200 of them delayed a calculation of another
    // account by 1.7 seconds.
    let server = DataDir::served();
    let before = server.niceness();
    // That of the process: the tests may run under `nice`.
    let own = *before.iter().min().unwrap();
    let lower = |niceness: &[i32]| niceness.iter().filter(|nice| **nice > own).count();
    // One for each core, for the rows of lists; and those of the call log, of the corrections and of the kept lists.
    let idle = cores()..=cores() + 3;
    assert!(idle.contains(&lower(&before)), "{before:?}");
    let crowd = Crowd::gather(&server, 200, &server.key, PAGE);
    for _ in 0..20 {
        crowd.wait_for(5);
        let niceness = server.niceness();
        let lower = lower(&niceness);
        // As many threads as cores, plus those that are starting or ending; not one for each listing.
        let most = cores() + 16;
        assert!(
            lower >= idle.start() + 2 && lower <= idle.end() + most && niceness.len() <= before.len() + most,
            "{niceness:?}"
        );
    }
}

#[test]
fn one_listing_does_not_wait_for_the_hundreds_of_another_account() {
    let dir = DataDir::ready();
    let other = dir.account("Outra", &["--plan", "enterprise"]).live.key;
    let server = dir.serve(&[]);
    let crowd = Crowd::gather(&server, 200, &server.key, PAGE);
    crowd.wait_for(200);
    for _ in 0..5 {
        // In one queue for all, the 200 that wait would have been answered before it.
        assert_answered_before(&crowd, &server, &other);
    }
}

#[test]
fn listings_whose_callers_have_left_are_not_begun() {
    let dir = DataDir::ready();
    let other = dir.account("Outra", &["--plan", "enterprise"]).live.key;
    let server = dir.serve(&[]);
    let crowd = Crowd::gather(&server, 20, &other, PAGE);
    crowd.wait_for(20);
    drop(ask_at_once(&server, 200, &server.key, "GET"));
    // The accounts take turns: after the 200, this one would have had to wait for as many of the crowd.
    assert_answered_before(&crowd, &server, &server.key);
}

#[test]
fn an_account_waits_for_512_listings_at_most() {
    let dir = DataDir::ready();
    let other = dir.account("Outra", &["--plan", "enterprise"]).live.key;
    let server = dir.serve(&[]);
    // Heads, because an answer that nobody reads for half a minute is cut, and these are read one after another.
    let mut asked = ask_at_once(&server, 800, &server.key, "HEAD");
    assert_eq!(server.get_as(&other, "/v1/changelog").status, 200, "another account has its own bound");
    let refused = asked.iter_mut().map(Raw::reply).filter(|answer| answer.status != 200).inspect(|answer| {
        assert!(answer.status == 503 && answer.header("retry-after").is_some());
    });
    let refused = refused.count();
    assert!((1..=800 - 512).contains(&refused), "{refused} of 800 were refused");
}

/// Returns the 99th percentile of the times of new calculations.
fn p99(client: &Client, key: &str, number: &mut u32) -> Duration {
    let mut raw = client.raw();
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            *number += 1;
            let payload = json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP",
                                 "valor_produto": format!("{number}.00"), "data_operacao": "2026-03-10"});
            let body = payload.to_string();
            let head = format!(
                "POST /v1/calculate HTTP/1.1\r\nHost: taxd\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n",
                body.len()
            );
            let sent = Instant::now();
            raw.send(head + &body).reply().envelope();
            sent.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

#[test]
fn four_hundred_connections_of_listings_leave_calculations_quick() {
    const BOUND: Duration = Duration::from_millis(50);
    let dir = DataDir::ready();
    let other = dir.account("Outra", &["--plan", "enterprise"]).live.key;
    let server = dir.serve(&[]);
    let mut number = 0;
    for path in [PAGE, "/v1/usage?recentes=50", "/v1/changelog?limit=500"] {
        let crowd = Crowd::gather(&server, 400, &other, path);
        crowd.wait_for(400);
        // Other tests run on the same cores, so one undisturbed round of many is enough.
        let least = (0..20).map(|_| p99(&server, &server.key, &mut number)).find(|p99| *p99 <= BOUND);
        assert!(least.is_some(), "{path}: over {BOUND:?} in every round");
    }
}

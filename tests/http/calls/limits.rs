//! The rate limit: exact under many callers at once, and `Retry-After` right to the second.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use taxd::features::accounts::{OverrideChange, OverrideChanges};

use super::good;
use crate::support::{DataDir, InProcess, Reply, Server};

const CALLERS: usize = 64;

/// As many calls on one connection, with one key.
fn call(server: &Server, key: &str, calls: usize) -> Vec<Reply> {
    let body = good().to_string();
    let head = server.head(&format!("Content-Length: {}\r\n\r\n", body.len())).replace(&server.key, key);
    let mut raw = server.raw();
    (0..calls).map(|_| raw.send(&head).send(&body).reply()).collect()
}

fn limited(rate_limit: u32) -> OverrideChanges {
    OverrideChanges { rate_limit: Some(OverrideChange::Set(rate_limit)), ..OverrideChanges::default() }
}

#[test]
fn of_64_callers_exactly_as_many_calls_pass_as_are_allowed_and_no_other_account_waits_for_it() {
    const LIMIT: usize = 1_000;
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let runaway = dir.account("Laço", &["--rate-limit", &LIMIT.to_string()]);
    let other = dir.account("Outra", &["--rate-limit", "1000"]);
    let start = Instant::now();
    let (replies, others) = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..CALLERS).map(|_| scope.spawn(|| call(&server, &runaway.live.key, 2 * LIMIT / CALLERS))).collect();
        let others = call(&server, &other.live.key, 300);
        let replies: Vec<Reply> = threads.into_iter().flat_map(|t| t.join().unwrap()).collect();
        (replies, others)
    });
    assert!(start.elapsed() < Duration::from_secs(50), "this machine is too slow to tell: {:?}", start.elapsed());
    let passed: Vec<&Reply> = replies.iter().filter(|r| r.status == 200).collect();
    assert!(passed.len() <= LIMIT, "{} passed", passed.len());
    assert!(passed.len() * 100 >= LIMIT * 99, "{} passed", passed.len());
    let left: BTreeSet<u64> = passed.iter().map(|r| r.limits()[1]).collect();
    assert_eq!(left.len(), passed.len(), "each call is told how many are left after it");
    for reply in replies.iter().filter(|r| r.status != 200) {
        assert!((1..=60).contains(&reply.retry_after("limite_excedido")));
    }
    for (i, reply) in others.iter().enumerate() {
        assert_eq!((reply.status, reply.limits()[1]), (200, 999 - i as u64), "{}", reply.text());
    }
    let usage = server.usage(&other.live.key, 1);
    assert_eq!(usage["total_chamadas"], 300);
}

#[test]
fn all_keys_of_an_account_share_its_limit() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    server.except(limited(3));
    let keys = [server.new_key("live").key, server.new_key("test").key];
    for (left, key) in [&server.key, &keys[0], &keys[1]].into_iter().enumerate() {
        let reply = server.get_as(key, "/v1/regras");
        assert_eq!((reply.status, reply.limits()[..2].to_vec()), (200, vec![3, 2 - left as u64]));
    }
    for key in keys.iter().chain([&server.key]) {
        assert_eq!(server.get_as(key, "/v1/regras").retry_after("limite_excedido"), 60);
    }
}

#[test]
fn a_caller_that_waits_for_retry_after_is_admitted_and_a_second_sooner_is_not() {
    // Times between the calls, and between the last of them and the refused one.
    for (gaps_ms, wait_ms, retry_after) in [
        ([0, 0, 0], 0, 60),
        ([0, 0, 0], 1, 60),
        ([0, 0, 0], 999, 60),
        ([0, 0, 0], 1_000, 59),
        ([0, 20_000, 15_500], 4_000, 21),
        ([0, 20_000, 15_500], 4_500, 20),
        ([0, 58_000, 999], 1, 1),
        ([0, 30_000, 29_999], 0, 1),
    ] {
        let server = InProcess::start("2026-11-21T10:00:00Z");
        server.except(limited(3));
        for gap in gaps_ms {
            server.pass(Duration::from_millis(gap));
            assert_eq!(server.get_own("/v1/regras").status, 200);
        }
        server.pass(Duration::from_millis(wait_ms));
        let told = server.get_own("/v1/regras").retry_after("limite_excedido");
        assert_eq!(told, retry_after, "{gaps_ms:?} {wait_ms}");
        server.pass(Duration::from_secs(told - 1));
        server.get_own("/v1/regras").retry_after("limite_excedido");
        server.pass(Duration::from_secs(1));
        assert_eq!(server.get_own("/v1/regras").status, 200, "{gaps_ms:?} {wait_ms}: told {told} s");
    }
}

#[test]
fn a_refused_call_holds_no_place_however_often_it_is_repeated() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    server.except(limited(2));
    for minute in 0..3 {
        for _ in 0..2 {
            assert_eq!(server.get_own("/v1/regras").status, 200, "minute {minute}");
        }
        for _ in 0..20 {
            server.get_own("/v1/regras").retry_after("limite_excedido");
            server.pass(Duration::from_secs(2));
        }
        server.pass(Duration::from_secs(20));
    }
}

#[test]
fn a_clock_that_is_set_neither_opens_nor_closes_the_door() {
    let server = InProcess::start("2026-11-21T10:00:00Z");
    server.except(limited(2));
    for _ in 0..2 {
        assert_eq!(server.get_own("/v1/regras").status, 200);
    }
    for at in ["2026-11-21T12:00:00Z", "2026-11-20T12:00:00Z"] {
        server.set_clock(at);
        assert_eq!(server.get_own("/v1/regras").retry_after("limite_excedido"), 60, "{at}");
    }
    server.pass(Duration::from_mins(1));
    assert_eq!(server.get_own("/v1/regras").status, 200);
}

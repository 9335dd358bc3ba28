//! Consumption after the server was stopped, or killed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use super::good;
use super::ledger::Ledger;
use crate::support::{DataDir, examples, taxd};

#[test]
fn it_is_the_same_after_a_clean_stop_and_after_a_kill_once_the_log_is_written() {
    for signal in ["TERM", "KILL"] {
        let dir = DataDir::ready();
        let mut server = dir.serve(&[]);
        let account = dir.account("Um", &[]);
        let rows = {
            let mut ledger = Ledger::new(&server, &account.live.key);
            for example in examples(&server) {
                ledger.calculate(&example);
                ledger.get("/v1/nada");
            }
            // More than a block of the log holds, so that one is filled and one is open.
            for _ in 0..300 {
                ledger.get("/v1/changelog?limit=1");
            }
            ledger.check();
            for example in examples(&server) {
                ledger.calculate(&example);
            }
            if signal == "KILL" {
                dir.wait_until_logged();
            }
            ledger.rows()
        };
        let before = dir.shown(&account.client_id);
        server.stop(signal);
        let stopped = dir.shown(&account.client_id);
        assert_eq!(stopped, before, "{signal}: read from the file");
        let server = dir.serve(&[]);
        assert_eq!(dir.shown(&account.client_id), before, "{signal}: and by the next server");
        let mut ledger = Ledger::resume(&server, &account.live.key, rows);
        ledger.check();
        ledger.get("/v1/nada");
        ledger.check();
    }
}

#[test]
fn a_kill_loses_no_call_that_was_written_and_totals_and_log_agree() {
    let dir = DataDir::ready();
    let mut server = dir.serve(&[]);
    let account = dir.account("Um", &["--rate-limit", "1000000"]);
    let (answered, stop) = (Mutex::new(0_u64), AtomicBool::new(false));
    // While calls go on: how many had been answered when the log was asked, and was written.
    let written = thread::scope(|scope| {
        scope.spawn(|| {
            let body = good().to_string();
            let head = server.head(&format!("Content-Length: {}\r\n\r\n", body.len()));
            let request = head.replace(&server.key, &account.live.key) + &body;
            let mut raw = server.raw();
            while !stop.load(Ordering::SeqCst) {
                assert_eq!(raw.send(&request).reply().status, 200);
                *answered.lock().unwrap() += 1;
            }
        });
        let mut written = 0;
        for _ in 0..2 {
            while *answered.lock().unwrap() < written + 200 {
                thread::yield_now();
            }
            // No call is answered while the lock is held: so it is written, all of it.
            let held = answered.lock().unwrap();
            dir.wait_until_logged();
            written = *held;
        }
        stop.store(true, Ordering::SeqCst);
        written
    });
    server.stop("KILL");
    let answered = answered.into_inner().unwrap();
    let usage = dir.shown(&account.client_id)["usage"].take();
    let total = usage["total_chamadas"].as_u64().unwrap();
    assert!(
        written > 0 && total >= written && total <= answered + 1,
        "{written} written, {total}, {answered} answered"
    );
    assert_eq!(usage["status"]["sucesso_2xx"], total);
    assert_eq!(usage["recentes"].as_array().map(Vec::len), Some(50.min(usize::try_from(total).unwrap())));
}

#[test]
fn the_operator_sees_the_same_figures_as_the_account() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let account = dir.account("Um", &[]);
    let examples = examples(&server);
    for example in &examples {
        server.post_as(&account.live.key, "/v1/calculate", example.to_string());
    }
    let mut own = server.usage(&account.live.key, 50);
    // That call is used up of the quota when it is answered, and counted as a call afterwards.
    let shown: Value = dir.shown(&account.client_id);
    let call = &shown["usage"]["recentes"][0];
    assert_eq!(call["resumo"], "GET /v1/usage");
    for (member, more) in [("/total_chamadas", 1), ("/chamadas_24h", 1), ("/status/sucesso_2xx", 1)] {
        let count = own.pointer_mut(member).unwrap();
        *count = (count.as_u64().unwrap() + more).into();
    }
    own["recentes"].as_array_mut().unwrap().insert(0, call.clone());
    own["latencia"] = shown["usage"]["latencia"].clone();
    assert!(own.as_object_mut().unwrap().remove("chave").is_some(), "the operator asks with no key");
    assert_eq!(shown["usage"], own);
    let text = taxd(&dir, ["account", "show", &account.client_id]).ok().stdout;
    let all = examples.len() + 1;
    let counted = [format!("{all} in all"), format!("{all} in the last 24 hours"), format!("2xx {all}")];
    for part in counted.into_iter().chain(["GET /v1/usage".to_owned(), account.live.key_id.clone()]) {
        assert!(text.contains(&part), "{part}: {text}");
    }
}

//! A defect (a panic) costs the one answer that it met, and is reported as an internal failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use taxd::features::accounts::{OverrideChanges, create as create_account};
use taxd::features::calc::{CalcCommand, calc_answers};
use taxd::features::keys::create as create_key;
use taxd::http::{ConnectionLimits, Server};
use taxd_base::value::{Clock, Timestamp};
use taxd_core::service::Service;

use crate::support::{engine, publish, rule};

#[test]
fn every_payload_has_its_line_also_beside_one_whose_answer_panics() {
    let asked = AtomicUsize::new(0);
    let engine = engine(0).with_clock(Clock::new(move || {
        assert!(asked.fetch_add(1, Ordering::Relaxed) % 10 != 7, "a defect");
        Timestamp::now()
    }));
    // An answer for an instant reads the clock.
    let (payloads, conhecido_em) = (vec![b"{}".to_vec(); 100], Timestamp::from_millis(1));
    let lines = calc_answers(&engine, &CalcCommand { payloads, conhecido_em, ..CalcCommand::default() });
    let codes = lines.iter().map(|line| serde_json::from_slice::<Value>(&line.json).unwrap()["codigo"].clone());
    let (failed, refused): (Vec<Value>, Vec<Value>) = codes.partition(|codigo| codigo == "erro_interno");
    assert_eq!((failed.len(), refused.len()), (10, 90));
    assert!(refused.iter().all(|codigo| codigo == "campo_obrigatorio"), "{refused:?}");
}

/// A server whose connections are all served by one thread. On any other thread its time is that of `clock`.
/// Returns its port and a key.
fn one_thread_server(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> (u16, String) {
    let (ready, listening) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let serving = thread::current().id();
        let engine = engine(0)
            .with_clock(Clock::new(move || if thread::current().id() == serving { Timestamp::now() } else { clock() }));
        publish(&engine, &[rule("geral", "icms", &json!({"uf": "SP"}), &json!({"aliquota": "18.00"}))]).unwrap();
        let service = Arc::new(Service::open(engine).unwrap());
        let made = create_account(&service, "Conta", "growth", OverrideChanges::default()).unwrap();
        let key = create_key(&service, &made.account.client_id, "live", None).unwrap().key;
        let limit = Duration::from_secs(30);
        let limits = ConnectionLimits { header_timeout: limit, body_timeout: limit, max_connections: 16 };
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let address = "127.0.0.1:0".parse().unwrap();
            let server = Server::bind(address, service, limits, "teste".to_owned()).await.unwrap();
            ready.send((server.local_addr().unwrap().port(), key)).unwrap();
            server.serve(std::future::pending()).await;
        });
    });
    listening.recv().unwrap()
}

/// Status and body.
fn get(port: u16, key: &str, path: &str) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.get(format!("http://127.0.0.1:{port}{path}")).header("X-API-Key", key).call().unwrap();
    (answer.status().as_u16(), serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap())
}

#[test]
fn a_listing_that_takes_its_time_holds_up_no_other_request() {
    let (reached, listing) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (reached, held) = (std::sync::Mutex::new(reached), std::sync::Mutex::new(held));
    let (port, key) = one_thread_server(move || {
        reached.lock().unwrap().send(()).unwrap();
        held.lock().unwrap().recv().unwrap();
        Timestamp::now()
    });
    thread::scope(|scope| {
        let slow = scope.spawn(|| get(port, &key, "/v1/regras"));
        listing.recv_timeout(Duration::from_secs(30)).expect("the listing runs on the thread that serves connections");
        assert_eq!(get(port, &key, "/sandbox/tributos.json").0, 200);
        release.send(()).unwrap();
        let (status, page) = slow.join().unwrap();
        assert_eq!((status, &page["regras"][0]["rule_id"]), (200, &json!("geral-v1.0")));
    });
}

#[test]
fn a_defect_in_a_listing_is_a_500_and_the_next_one_is_answered() {
    let first = std::sync::atomic::AtomicBool::new(true);
    let (port, key) = one_thread_server(move || {
        assert!(!first.swap(false, std::sync::atomic::Ordering::SeqCst), "a defect");
        Timestamp::now()
    });
    let (status, document) = get(port, &key, "/v1/regras");
    assert_eq!((status, &document["codigo"]), (500, &json!("erro_interno")), "{document}");
    assert!(document["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{document}");
    assert_eq!(get(port, &key, "/v1/regras").0, 200);
}

//! What publications corrected in given answers, against a naive count over all calls, with kills and restarts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxd::features::accounts::{OverrideChanges, create as create_account};
use taxd::features::corrections::{self, CorrectedAnswer, proven, work_off};
use taxd::features::keys::create as create_key;
use taxd_base::value::{Clock, Timestamp};
use taxd_core::calls::{Call, CallPayload, KnownKey};
use taxd_core::engine::{BundleFile, Engine, ImportOptions};
use taxd_core::service::Service;
use taxd_core::store::Store;

use super::scoped_rules::{Seen, change, dated, naive, version};
use crate::property::cases;
use crate::support::{PUBLISHED_AT, bundle, file};

const HOUR_MS: u64 = 60 * 60 * 1_000;

#[derive(Debug, Clone)]
enum Step {
    Publish {
        scope: usize,
        month: u32,
        rate: usize,
    },
    Call {
        key: usize,
        payload: usize,
        times: usize,
    },
    /// The work goes on for so many pauses, and the process is killed then.
    Killed(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..10usize, 1..13u32, 1..40usize).prop_map(|(scope, month, rate)| Step::Publish { scope, month, rate }),
        (0..3usize, 0..100usize, 1..200usize).prop_map(|(key, payload, times)| Step::Call { key, payload, times }),
        (0..3usize, 0..100usize, 1..200usize).prop_map(|(key, payload, times)| Step::Call { key, payload, times }),
        (0..6usize).prop_map(Step::Killed),
    ];
    proptest::collection::vec(step, 4..40)
}

/// A call, and what it was answered.
struct Made {
    key: usize,
    numero: u64,
    payload: usize,
    seen: Seen,
}

/// Account, publication, number of the call, change, amounts before and after.
type Listed = (usize, u64, u64, String, Option<String>, Option<String>);

struct World {
    dir: tempfile::TempDir,
    now_ms: Arc<AtomicU64>,
    service: Service,
    /// Two accounts, and of the second one a test key too.
    keys: Vec<String>,
    payloads: Vec<Value>,
    made: Vec<Made>,
    wanted: Vec<Listed>,
    publications: u64,
    counts: [u64; 2],
}

fn open(dir: &tempfile::TempDir, now_ms: &Arc<AtomicU64>) -> Service {
    let (now_ms, uptime_ms) = (Arc::clone(now_ms), Arc::clone(now_ms));
    let clock = Clock::new(move || Timestamp::from_millis(now_ms.load(Ordering::SeqCst)).unwrap())
        .with_uptime(move || uptime_ms.load(Ordering::SeqCst));
    let service = Service::open(Engine::new(Store::open(dir.path()).unwrap(), 0).with_clock(clock)).unwrap();
    // From here on a run of the log writes what there is and comes back.
    service.calls().stop_log();
    service
}

impl World {
    fn new() -> World {
        let dir = tempfile::TempDir::new().unwrap();
        let now_ms = Arc::new(AtomicU64::new(Timestamp::parse(PUBLISHED_AT).unwrap().millis()));
        let service = open(&dir, &now_ms);
        let mut keys = Vec::new();
        for (name, kinds) in [("Um", &["live"][..]), ("Dois", &["live", "test"])] {
            create_account(&service, name, "growth", OverrideChanges::default()).unwrap();
            keys.extend(kinds.iter().map(|kind| create_key(&service, name, kind, None).unwrap().key));
        }
        let mut payloads = dated();
        // One of a day that is still to come.
        payloads.push(json!({"tributo": "icms", "uf_origem": "SP", "uf_destino": "SP", "valor_produto": "100.00",
            "data_operacao": "2026-12-15"}));
        let mut world = World {
            dir,
            now_ms,
            service,
            keys,
            payloads,
            made: Vec::new(),
            wanted: Vec::new(),
            publications: 0,
            counts: [0; 2],
        };
        world.publish(version(0, 0, 1, 18));
        world
    }

    fn pass(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms.fetch_add(HOUR_MS, Ordering::SeqCst) + HOUR_MS).unwrap()
    }

    fn all_seen(&self) -> Vec<Seen> {
        self.payloads.iter().map(|payload| naive(self.service.engine(), payload)).collect()
    }

    fn publish(&mut self, rule: Value) {
        let (at, before) = (self.pass(), self.all_seen());
        let files: [BundleFile; 1] = [file("teste.json", &bundle(&[rule]).to_string())];
        if self.service.engine().import(&files, at, ImportOptions::default()).is_err() {
            return;
        }
        self.publications += 1;
        let after = self.all_seen();
        for Made { key, numero, payload, seen } in self.made.iter().filter(|made| made.key < 2) {
            let (before, after) = (&before[*payload], &after[*payload]);
            let (Some(_), Some(changed)) = (change(before, after), change(seen, after)) else { continue };
            if self.payloads[*payload]["data_operacao"] == "2026-12-15" {
                continue;
            }
            let (old, new) = (seen.0.clone().ok(), after.0.clone().ok());
            self.wanted.push((*key, self.publications, *numero, changed.to_string(), old, new));
        }
    }

    fn call(&mut self, key: usize, payload: usize, times: usize) {
        let calls = self.service.calls();
        let (caller, _) = calls.identify(self.keys[key].as_bytes(), &mut KnownKey::default(), calls.now());
        let (at, caller, payload) = (self.pass(), caller.unwrap(), payload % self.payloads.len());
        let (text, seen) = (self.payloads[payload].to_string(), naive(self.service.engine(), &self.payloads[payload]));
        let status = match &seen.0 {
            Ok(_) => 200,
            Err(codigo) => taxd_base::problem::ErrorCode::from_name(codigo).unwrap().status(),
        };
        for _ in 0..times {
            calls.record(
                &caller,
                Call {
                    seq: 0,
                    at,
                    key_id: Arc::clone(&caller.key_id),
                    method: "POST",
                    path: "/v1/calculate".into(),
                    status,
                    latency_us: 100,
                    cached: false,
                    rule_id: seen.1.as_deref().map(Arc::from),
                    payload: CallPayload::Sent(text.as_bytes().into()),
                },
            );
            // Two keys of one account count together.
            let account = usize::from(key > 0);
            self.counts[account] += 1;
            self.made.push(Made { key, numero: self.counts[account], payload, seen: seen.clone() });
        }
        calls.run_log(self.service.store(), Duration::from_hours(10_000));
    }

    fn work(&mut self, pauses: usize) {
        let mut left = pauses;
        let mut pause = |_| {
            left = left.saturating_sub(1);
            left > 0
        };
        work_off(&self.service, &mut pause).unwrap();
    }

    /// Ends the process, and opens the file again.
    fn restart(self) -> World {
        let World { dir, now_ms, service, keys, payloads, made, wanted, publications, counts } = self;
        drop(service);
        let service = open(&dir, &now_ms);
        World { dir, now_ms, service, keys, payloads, made, wanted, publications, counts }
    }

    fn listed(&self) -> Vec<Listed> {
        let calls = self.service.calls();
        let mut listed = Vec::new();
        for account in 0..2 {
            let (caller, _) = calls.identify(self.keys[account].as_bytes(), &mut KnownKey::default(), calls.now());
            let client = Arc::clone(&caller.unwrap().client);
            let page = corrections::page(self.service.store(), &client, None, None).unwrap();
            assert_eq!((page.pendentes, page.fora_do_registro), (0, 0));
            for one in page.correcoes.iter().rev() {
                assert_eq!(one.chamadas.fora_do_registro, 0);
                let found = corrections::calls(self.service.store(), &client, one.publicacao, 0, usize::MAX).unwrap();
                assert_eq!((one.total.chamadas, one.chamadas.guardadas), (found.len() as u64, found.len() as u64));
                assert_eq!(one.meses.iter().map(|mes| mes.somas.chamadas).sum::<u64>(), one.total.chamadas);
                if let Some(first) = found.first() {
                    let shown = proven(self.service.engine(), one, first.clone()).unwrap();
                    let valor = |value: &Value| value["valor"].as_str().map(str::to_owned);
                    let of = [&shown.antes.resposta, &shown.depois.resposta].map(valor);
                    let CorrectedAnswer { valor_antes, valor_depois, .. } = first.corrected;
                    let wanted = [valor_antes, valor_depois].map(|valor| valor.map(|v| v.to_string()));
                    assert_eq!(of, wanted, "the proofs are of the listed answers");
                }
                for call in found.into_iter().map(|call| call.corrected) {
                    let text = |valor: Option<taxd_law::tax::Money>| valor.map(|valor| valor.to_string());
                    let (old, new) = (text(call.valor_antes), text(call.valor_depois));
                    listed.push((account, one.publicacao, call.numero, call.mudanca.situacao.to_string(), old, new));
                }
            }
        }
        listed
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn corrections_are_what_a_naive_count_of_all_calls_finds(steps in steps()) {
        let mut world = World::new();
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Publish { scope, month, rate } => world.publish(version(scope, number + 1, month, rate)),
                Step::Call { key, payload, times } => world.call(key, payload, times),
                Step::Killed(pauses) => {
                    world.work(pauses);
                    world = world.restart();
                }
            }
        }
        world.work(usize::MAX);
        let mut wanted = std::mem::take(&mut world.wanted);
        wanted.sort();
        let mut listed = world.listed();
        listed.sort();
        prop_assert_eq!(listed, wanted);
        world.work(usize::MAX);
    }
}

/// A refusal that becomes an answer, an answer that becomes a refusal, and the calls that the log lost.
#[test]
fn calls_that_the_log_no_longer_has_are_counted() {
    let mut world = World::new();
    world.call(0, 0, 300);
    world.now_ms.fetch_add(40 * 24 * HOUR_MS, Ordering::SeqCst);
    world.call(0, 0, 5);
    let keep = Duration::from_hours(30 * 24);
    world.service.calls().prune_log(world.service.store(), keep).unwrap();
    world.publish(version(0, 1, 1, 19));
    world.work(usize::MAX);
    let client = world.service.calls().clients().into_iter().find(|client| client.account.nome == "Um").unwrap();
    let page = corrections::page(world.service.store(), &client, None, None).unwrap();
    let gone = page.fora_do_registro;
    assert_eq!((gone, page.correcoes.len()), (256, 1), "{page:?}");
    let calls = &page.correcoes[0].chamadas;
    assert_eq!((calls.fora_do_registro, calls.registro.alteradas), (gone, 305 - gone));
    assert_eq!(page.correcoes[0].total.diferenca.to_string(), format!("{}.00", 305 - gone));
}

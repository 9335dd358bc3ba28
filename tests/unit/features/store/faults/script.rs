//! What a server does, step by step, and what must be there afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use taxd::features::accounts::{OverrideChanges, ShownAccount, create as create_account};
use taxd::features::check::check;
use taxd::features::keys::create as create_key;
use taxd::features::subscriptions::{SubscriptionCommand, SubscriptionRequest};
use taxd::features::{AdminError, Command, execute};
use taxd_base::value::Timestamp;
use taxd_core::calls::{Call, CallPayload, KnownKey, decode_block};
use taxd_core::engine::{BundleFile, Engine, ImportOptions};
use taxd_core::service::Service;
use taxd_core::store::{DeliveryState, Store, StoreResult};
use taxd_core::webhook::{AttemptOutcome, Dispatcher, FinishedAttempt};

use super::disk::Disk;
use crate::support::{bundle, rule, with};

const KEEP: Duration = Duration::from_hours(48);
/// Calls that one step logs: a full block, and some.
const CALLS: u64 = 260;

/// What a server does. Each step writes, or reads what only the file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Account(&'static str),
    Key,
    Import(u32),
    Log,
    Deliver(u64),
    Calculate(u32),
    Listings,
}

const STEPS: &[Step] = &[
    Step::Calculate(1),
    Step::Log,
    Step::Account("second"),
    Step::Key,
    Step::Import(2),
    Step::Calculate(2),
    Step::Log,
    Step::Deliver(2),
    Step::Import(3),
    Step::Account("third"),
    Step::Calculate(3),
    Step::Listings,
    Step::Log,
];

/// What was confirmed.
#[derive(Debug, Clone, Default)]
pub struct Done {
    accounts: Vec<&'static str>,
    keys: usize,
    /// Rules of the bundles that were imported, the first one included.
    rules: u64,
    logged: u64,
    delivered: Vec<u64>,
}

impl Done {
    pub fn expect_logged(&mut self, calls: u64) {
        self.logged += calls;
    }
}

/// The rule of that number, and how much it makes of 100.00.
fn ipi(n: u32) -> Value {
    let conteudo = json!({"situacao": "tributado", "aliquota": format!("{n}.00"), "tabela_versao": "TIPI de teste"});
    let rule = rule(&format!("c-ipi-{n}"), "ipi", &json!({"ncm": format!("100000{n:02}")}), &conteudo);
    with(&rule, &json!({"fonte": "x".repeat(2_000)}))
}

pub fn payload(n: u32) -> Vec<u8> {
    json!({"tributo": "ipi", "ncm": format!("100000{n:02}"), "valor_produto": "100.00", "data_operacao": "2026-03-10"})
        .to_string()
        .into_bytes()
}

pub fn import(engine: &Engine, n: u32) -> Result<(), String> {
    let file = BundleFile::unsigned("b.json", bundle(&[ipi(n)]).to_string().as_bytes());
    engine.import(&[file], Timestamp::now(), ImportOptions::default()).map(drop).map_err(|e| format!("{e:?}"))
}

/// A server's service on a store.
pub struct World {
    pub service: Service,
    /// Calls are made with it.
    key: String,
    pub done: Done,
}

/// The file of a server that was set up: an account with a key, a subscription, a rule.
pub fn set_up() -> (Vec<u8>, String, Done) {
    let disk = Disk::default();
    let service = open(&disk).unwrap();
    let client_id = create(&service, "first").unwrap().account.client_id;
    let key = create_key(&service, &client_id, "live", None).unwrap().key;
    let request = SubscriptionRequest {
        account: client_id,
        url: "https://erp.example/taxd".to_owned(),
        tributo: None,
        uf_origem: None,
        uf_destino: None,
        listas: false,
        secret_file: None,
        secret: None,
    };
    execute(&service, Command::Subscription(SubscriptionCommand::Create(request)), &mut |_| {}).unwrap();
    import(service.engine(), 1).unwrap();
    drop(service);
    (disk.image(), key, Done { accounts: vec!["first"], keys: 1, rules: 1, ..Done::default() })
}

fn create(service: &Service, nome: &str) -> Result<ShownAccount, AdminError> {
    create_account(service, nome, "growth", OverrideChanges::default())
}

pub fn open(disk: &Disk) -> StoreResult<Service> {
    Service::open(Engine::new(Store::on_storage(disk.opener())?, 64))
}

impl World {
    pub fn new(service: Service, key: &str, done: &Done) -> World {
        World { service, key: key.to_owned(), done: done.clone() }
    }

    /// Runs every step. After a failure it calls `mended` and repeats the step if that returns true.
    pub fn run(&mut self, mut mended: impl FnMut(&World, &str) -> bool) -> bool {
        for step in STEPS {
            while let Err(error) = self.step(*step) {
                if !mended(self, &format!("{step:?}: {error}")) {
                    return false;
                }
            }
        }
        true
    }

    fn step(&mut self, step: Step) -> Result<(), String> {
        let store = self.service.store();
        match step {
            Step::Account(nome) => {
                // As an operator does after a refusal: looks whether it was done.
                if !store.accounts().map_err(|e| e.to_string())?.iter().any(|account| account.nome == nome) {
                    create(&self.service, nome).map_err(|e| e.to_string())?;
                }
                self.done.accounts.push(nome);
            }
            Step::Key => {
                if store.keys().map_err(|e| e.to_string())?.len() < 2 {
                    let client_id = store.accounts().map_err(|e| e.to_string())?[0].client_id.clone();
                    create_key(&self.service, &client_id, "test", None).map_err(|e| e.to_string())?;
                }
                self.done.keys = 2;
            }
            Step::Import(n) => {
                import(self.service.engine(), n)?;
                self.done.rules = u64::from(n);
            }
            Step::Log => self.log()?,
            Step::Deliver(version) => {
                let mut dispatcher = Dispatcher::new(Arc::clone(self.service.engine().store()), Box::new(|| 0));
                let outcome = AttemptOutcome::Answered(200);
                let finished = FinishedAttempt { subscription: 1, version, attempts: 1, outcome, at: Timestamp::now() };
                dispatcher.record(&[finished]).map_err(|e| e.to_string())?;
                self.done.delivered.push(version);
            }
            Step::Calculate(n) => self.calculate(n)?,
            Step::Listings => {
                let page = self.service.engine().changelog(None, None, 10).map_err(|e| e.to_string())?;
                assert_eq!(page.items.len() as u64, self.done.rules);
            }
        }
        Ok(())
    }

    /// A call that is over.
    pub fn call() -> Call {
        Call {
            seq: 0,
            at: Timestamp::now(),
            key_id: Arc::from("key_1"),
            method: "POST",
            path: "/v1/calculate".into(),
            status: 200,
            latency_us: 1_000,
            cached: false,
            rule_id: None,
            payload: CallPayload::Sent(Box::from(payload(1))),
        }
    }

    /// Records some calls, once, and has the log written.
    fn log(&mut self) -> Result<(), String> {
        let calls = self.service.calls();
        let (caller, good) = calls.identify(self.key.as_bytes(), &mut KnownKey::default(), calls.now());
        assert!(good);
        for _ in 0..CALLS {
            calls.record(caller.as_ref().unwrap(), World::call());
        }
        // Writes what there is and comes back.
        calls.stop_log();
        calls.run_log(self.service.store(), KEEP);
        let state = calls.log_state();
        if state.failing {
            // Like a stop, it dropped them and says so: no answer promised that they are logged.
            return Err(format!("{} calls are not logged", state.pending));
        }
        self.done.logged += CALLS;
        Ok(())
    }

    pub fn calculate(&self, n: u32) -> Result<(), String> {
        let answer = self.service.engine().calculate(&payload(n), false);
        let answer = answer.map_err(|problem| format!("{} {}", problem.codigo.status(), problem.detail))?;
        let document: Value = serde_json::from_slice(&answer.to_json()).unwrap();
        assert_eq!(document["valor"], format!("{n}.00"), "{document}");
        Ok(())
    }

    /// Everything that was confirmed is there, once, and nothing is half.
    pub fn check(&self, at: &str) {
        let (store, done) = (self.service.store(), &self.done);
        let accounts = store.accounts().unwrap();
        for nome in &done.accounts {
            assert_eq!(accounts.iter().filter(|account| account.nome == *nome).count(), 1, "{at}: {nome}");
        }
        assert!(store.keys().unwrap().len() >= done.keys, "{at}");
        let rules = store.read_rules().unwrap().count().unwrap();
        assert!(rules == done.rules || rules == done.rules + 1, "{at}: {rules} rules, {} confirmed", done.rules);
        (1..=rules).for_each(|n| self.calculate(u32::try_from(n).unwrap()).unwrap());
        for version in &done.delivered {
            let delivery = store.read_outbox().unwrap().delivery(1, *version).unwrap().unwrap();
            assert_eq!(delivery.state, DeliveryState::Delivered, "{at}");
        }
        let logged = self.logged();
        let each: BTreeSet<u64> = logged.iter().copied().collect();
        assert_eq!(each.len(), logged.len(), "{at}: a call is logged twice: {logged:?}");
        assert!(each.len() as u64 >= done.logged, "{at}: {logged:?} of {}", done.logged);
        let report = check(&self.service, &|| false, &mut |_| {}).unwrap();
        assert!(report.whole, "{at}: {report:?}");
    }

    fn logged(&self) -> Vec<u64> {
        let mut logged = Vec::new();
        let accounts = self.service.store().accounts().unwrap();
        let client_id = &accounts.iter().find(|account| account.nome == "first").unwrap().client_id;
        let read = self.service.store().read_calls().unwrap().blocks_back(client_id, |block| {
            logged.extend(decode_block(&block.bytes)?.iter().map(|call| call.seq));
            Ok(true)
        });
        read.unwrap();
        logged
    }
}

//! Accounts and keys in memory: what one change reads of the store, and that it shows what the store has.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use taxd_base::value::{ApiKey, Clock, KeyKind, Timestamp};
use taxd_core::calls::{Calls, KnownKey};
use taxd_core::store::{Account, KeyRecord, LimitOverrides, Store};

const NAMES: [&str; 4] = ["Padaria", "PADARIA", "Órgão", "órgão 2"];
const PLANS: [&str; 2] = ["growth", "scale"];

fn account(client_id: &str, nome: &str) -> Account {
    Account {
        client_id: client_id.to_owned(),
        nome: nome.to_owned(),
        plan: "growth".to_owned(),
        created_at: Timestamp::from_millis(0).unwrap(),
        suspended_at: None,
        overrides: LimitOverrides::default(),
    }
}

fn key_of(client_id: &str, key_id: &str, name: Option<&str>) -> KeyRecord {
    KeyRecord {
        key_id: key_id.to_owned(),
        client_id: client_id.to_owned(),
        name: name.map(str::to_owned),
        kind: KeyKind::Live,
        created_at: Timestamp::from_millis(0).unwrap(),
        lineage: key_id.to_owned(),
        rotated_to: None,
        expires_at: None,
        revoked_at: None,
    }
}

fn open(store: &Store) -> Calls {
    Calls::open(store, Clock::new(|| Timestamp::from_millis(1_000).unwrap())).unwrap()
}

/// Each account and key once cost a reading of all of them: twice the work at 2,000 accounts, 0.3 s at 100,000.
#[test]
fn a_new_account_or_key_reads_no_other() {
    let store = Store::in_memory().unwrap();
    let calls = open(&store);
    // A reading of all keys fails at this one, which has no account.
    store.put_key(&ApiKey::digest_of("another"), &key_of("acc_nobody", "key_0", None)).unwrap();
    assert!(calls.reload(&store).is_err());

    store.put_account(&account("acc_1", "Um")).unwrap();
    calls.reload_account(&store, "acc_1", None).unwrap();
    let key = ApiKey::generate(KeyKind::Live).unwrap();
    store.put_key(&key.digest(), &key_of("acc_1", "key_1", Some("ERP"))).unwrap();
    calls.reload_account(&store, "acc_1", Some(key.digest())).unwrap();
    assert_eq!(calls.client("acc_1").unwrap().key_names["key_1"], "ERP");
    assert_eq!(calls.named("um").len(), 1);
    assert!(calls.identify(key.reveal().as_bytes(), &mut KnownKey::default(), calls.now()).1);

    store.update_key(&key.digest(), |key| key.revoked_at = Timestamp::from_millis(1)).unwrap();
    calls.reload_account(&store, "acc_1", None).unwrap();
    assert!(!calls.identify(key.reveal().as_bytes(), &mut KnownKey::default(), calls.now()).1);
}

/// A change that an operator makes.
#[derive(Debug, Clone, Copy)]
enum Change {
    Create,
    Rename(usize, usize),
    Plan(usize, usize),
    Suspend(usize),
    Key(usize, bool),
    Revoke(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => Just(Change::Create),
        2 => (0..9_usize, 0..NAMES.len()).prop_map(|(of, name)| Change::Rename(of, name)),
        1 => (0..9_usize, 0..PLANS.len()).prop_map(|(of, plan)| Change::Plan(of, plan)),
        1 => (0..9_usize).prop_map(Change::Suspend),
        3 => (0..9_usize, any::<bool>()).prop_map(|(of, named)| Change::Key(of, named)),
        1 => (0..9_usize).prop_map(Change::Revoke),
    ]
}

/// A store, the accounts in memory, and all that was made.
struct World {
    store: Store,
    calls: Calls,
    accounts: Vec<String>,
    /// Keys, their accounts, and a connection on which each is sent.
    keys: Vec<(ApiKey, String, KnownKey)>,
}

impl World {
    fn apply(&mut self, change: Change) {
        let of = |index: usize| self.accounts.get(index % self.accounts.len().max(1)).cloned();
        let (changed, new_key) = match change {
            Change::Create => {
                let client_id = format!("acc_{}", self.accounts.len());
                self.store.put_account(&account(&client_id, NAMES[self.accounts.len() % NAMES.len()])).unwrap();
                self.accounts.push(client_id.clone());
                (Some(client_id), None)
            }
            Change::Rename(index, name) => {
                (of(index).inspect(|id| self.update(id, |a| a.nome = NAMES[name].into())), None)
            }
            Change::Plan(index, plan) => {
                (of(index).inspect(|id| self.update(id, |a| a.plan = PLANS[plan].into())), None)
            }
            Change::Suspend(index) => {
                (of(index).inspect(|id| self.update(id, |a| a.suspended_at = Timestamp::from_millis(5))), None)
            }
            Change::Key(index, named) => {
                let Some(client_id) = of(index) else { return };
                let key = ApiKey::generate(KeyKind::Live).unwrap();
                let key_id = format!("key_{}", self.keys.len());
                self.store.put_key(&key.digest(), &key_of(&client_id, &key_id, named.then_some("ERP"))).unwrap();
                let digest = key.digest();
                self.keys.push((key, client_id.clone(), KnownKey::default()));
                (Some(client_id), Some(digest))
            }
            Change::Revoke(index) => {
                let Some((key, client_id, _)) = self.keys.get(index % self.keys.len().max(1)) else { return };
                self.store.update_key(&key.digest(), |key| key.revoked_at = Timestamp::from_millis(5)).unwrap();
                (Some(client_id.clone()), None)
            }
        };
        if let Some(client_id) = changed {
            self.calls.reload_account(&self.store, &client_id, new_key).unwrap();
        }
    }

    /// Sends each key on its connection, and on the one of another key.
    fn call(&mut self) {
        let now = self.calls.now();
        for at in 0..self.keys.len() {
            let next = (at + 1) % self.keys.len();
            for connection in [at, at, next] {
                let sent = self.keys[at].0.reveal().to_owned();
                let (fresh, good) = self.calls.identify(sent.as_bytes(), &mut KnownKey::default(), now);
                let (caller, still_good) = self.calls.identify(sent.as_bytes(), &mut self.keys[connection].2, now);
                assert_eq!(still_good, good);
                assert!(Arc::ptr_eq(&caller.unwrap(), &fresh.unwrap()));
            }
        }
    }

    fn update(&self, client_id: &str, change: impl FnOnce(&mut Account)) {
        self.store.update_account(client_id, change).unwrap().unwrap();
    }

    /// All that a call or a command can find.
    fn shown(&self, calls: &Calls) -> String {
        let accounts: BTreeMap<Arc<str>, String> = calls
            .clients()
            .into_iter()
            .map(|c| {
                let names: BTreeMap<&String, &String> = c.key_names.iter().collect();
                (Arc::clone(&c.client_id), format!("{:?} {:?} {names:?}", c.account, c.limits))
            })
            .collect();
        let keys = self.keys.iter().map(|(key, ..)| {
            let (caller, good) = calls.identify(key.reveal().as_bytes(), &mut KnownKey::default(), calls.now());
            let caller = caller.unwrap();
            assert!(Arc::ptr_eq(&caller.client, &calls.client(&caller.key.client_id).unwrap()));
            format!("{:?} {good}", caller.key)
        });
        format!("{accounts:#?} {:#?} {:?}", keys.collect::<Vec<_>>(), NAMES.map(|name| calls.named(name)))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn after_any_changes_it_is_what_a_reading_of_the_whole_store_gives_also_on_open_connections(
        changes in prop::collection::vec(change(), 1..40),
    ) {
        let store = Store::in_memory().unwrap();
        let calls = open(&store);
        let mut world = World { store, calls, accounts: Vec::new(), keys: Vec::new() };
        for change in changes {
            world.apply(change);
            world.call();
        }
        let meters: Vec<_> = world.calls.clients().iter().map(|c| (c.client_id.clone(), Arc::clone(&c.meter))).collect();
        prop_assert_eq!(world.shown(&world.calls), world.shown(&open(&world.store)));
        world.calls.reload(&world.store).unwrap();
        prop_assert_eq!(world.shown(&world.calls), world.shown(&open(&world.store)));
        for (client_id, meter) in meters {
            prop_assert!(Arc::ptr_eq(&meter, &world.calls.client(&client_id).unwrap().meter), "counts go on");
        }
    }
}

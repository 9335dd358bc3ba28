//! Each fault that `taxd check` looks for, made on purpose in a file that is whole, and found.

use redb::{Database, ReadableTable, TableDefinition, WriteTransaction};
use serde_json::{Value, json};

use crate::support::{DataDir, golden, taxd};

type Bytes = &'static [u8];
type State = (u32, u32, u32, u64, u32, u64);
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
const VERSIONS: TableDefinition<u64, Bytes> = TableDefinition::new("versions");
const CODES: TableDefinition<Bytes, u64> = TableDefinition::new("codes");
const STATES: TableDefinition<u64, State> = TableDefinition::new("states");
const LOOKUP: TableDefinition<Bytes, Bytes> = TableDefinition::new("lookup");
const HISTORY: TableDefinition<Bytes, ()> = TableDefinition::new("history");
const EVENTS: TableDefinition<u64, Bytes> = TableDefinition::new("events");
const PUBLICATIONS: TableDefinition<u64, Bytes> = TableDefinition::new("publications");
const INSTANTS: TableDefinition<u64, u64> = TableDefinition::new("instants");
const ACCOUNTS: TableDefinition<&str, Bytes> = TableDefinition::new("accounts");
const PLANS: TableDefinition<&str, Bytes> = TableDefinition::new("plans");
const KEYS: TableDefinition<Bytes, Bytes> = TableDefinition::new("keys");
const CALLS: TableDefinition<(&str, u64, u64), Bytes> = TableDefinition::new("calls");
const METERS: TableDefinition<&str, Bytes> = TableDefinition::new("meters");
const TRUST: TableDefinition<&str, &str> = TableDefinition::new("trust");
const SUBSCRIPTIONS: TableDefinition<u32, Bytes> = TableDefinition::new("subscriptions");
const ENDPOINTS: TableDefinition<u32, Bytes> = TableDefinition::new("endpoints");
const OUTBOX: TableDefinition<(u32, u64), Bytes> = TableDefinition::new("outbox");
const ORDER: TableDefinition<(u32, u8, u64, u64), ()> = TableDefinition::new("outbox_order");

/// A data directory with the damage done.
fn damaged(damage: impl FnOnce(&WriteTransaction)) -> DataDir {
    let dir = golden::current().in_dir();
    let db = Database::open(dir.file()).unwrap();
    let txn = db.begin_write().unwrap();
    damage(&txn);
    txn.commit().unwrap();
    dir
}

/// Does the damage, and comes back with the findings; the exit status must say that there are some.
#[track_caller]
fn found(damage: impl FnOnce(&WriteTransaction)) -> Vec<(String, String)> {
    let dir = damaged(damage);
    let done = taxd(&dir, ["check", "--json"]);
    let report = done.json();
    assert_eq!((done.code, &report["whole"]), (1, &json!(false)), "{report}");
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(report["findings_total"], findings.len(), "{report}");
    let text = |finding: &Value, member: &str| finding[member].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(finding, "area"), text(finding, "finding"))).collect()
}

/// The damage must lead to a finding of the area that says this.
#[track_caller]
fn finds(area: &str, says: &str, damage: impl FnOnce(&WriteTransaction)) {
    let all = found(damage);
    assert!(all.iter().any(|(of, what)| of == area && what.contains(says)), "not told: {area}: {says}\n{all:#?}");
}

/// Rewrites the JSON record at a key of a table.
macro_rules! rewrite {
    ($txn:expr, $table:expr, $key:expr, $change:expr) => {{
        let key = $key;
        let mut table = $txn.open_table($table).unwrap();
        let mut record: Value = serde_json::from_slice(table.get(key).unwrap().unwrap().value()).unwrap();
        let change: fn(&mut Value) = $change;
        change(&mut record);
        table.insert(key, record.to_string().as_bytes()).unwrap();
    }};
}

/// The first key of a table, in a form that is kept.
macro_rules! first {
    ($txn:expr, $table:expr) => {
        $txn.open_table($table).unwrap().first().unwrap().unwrap().0.value().to_owned()
    };
}

/// The last key of a table.
macro_rules! last {
    ($txn:expr, $table:expr) => {
        $txn.open_table($table).unwrap().last().unwrap().unwrap().0.value().to_owned()
    };
}

/// Takes the row at a key away.
macro_rules! remove {
    ($txn:expr, $table:expr, $key:expr) => {{
        let key = $key;
        assert!($txn.open_table($table).unwrap().remove(key).unwrap().is_some());
    }};
}

/// The number of the first event that is, or is not, a publication.
fn event(txn: &WriteTransaction, publication: bool) -> u64 {
    let events = txn.open_table(EVENTS).unwrap();
    let is = |record: &[u8]| String::from_utf8_lossy(record).contains(r#""tipo":"publicacao""#);
    let found = events.iter().unwrap().map(Result::unwrap).find(|(_, record)| is(record.value()) == publication);
    found.unwrap().0.value()
}

#[test]
fn versions_and_their_states() {
    let state = |txn: &WriteTransaction, change: fn(&mut State)| {
        let mut states = txn.open_table(STATES).unwrap();
        let mut state = states.get(1).unwrap().unwrap().value();
        change(&mut state);
        states.insert(1, state).unwrap();
    };
    finds("rules", "and by the versions that followed it should", |txn| state(txn, |state| state.1 = 20_250_101));
    finds("rules", "does not name the version that last moved its end", |txn| state(txn, |state| state.5 = 0));
    finds("rules", "another validity in its state than in its record", |txn| state(txn, |state| state.2 = 20_300_101));
    finds("rules", "day 20251399", |txn| state(txn, |state| state.1 = 20_251_399));
    finds("rules", "belongs to publication 77", |txn| state(txn, |state| state.3 = 77));
    finds("rules", "an earlier publication than the version before", |txn| state(txn, |state| state.3 = 3));
    finds("rules", "names a bundle that its publication does not have", |txn| state(txn, |state| state.4 = 9));
    finds("rules", "has no state", |txn| remove!(txn, STATES, 2));
    finds("rules", "version 3:", |txn| {
        txn.open_table(VERSIONS).unwrap().insert(3, b"{}".as_slice()).unwrap();
    });
    finds("rules", "version 3 is missing", |txn| remove!(txn, VERSIONS, 3));
    finds("rules", "is not found by its code and version", |txn| {
        let code = first!(txn, CODES);
        remove!(txn, CODES, code.as_slice());
    });
    finds("rules", "table codes has 10 entries", |txn| {
        let key = [b"outra\0".as_slice(), &[0; 8]].concat();
        txn.open_table(CODES).unwrap().insert(key.as_slice(), 1).unwrap();
    });
    finds("rules", "table codes has 10 entries", |txn| {
        txn.open_table(CODES).unwrap().insert(b"x".as_slice(), 1).unwrap();
    });
}

#[test]
fn what_a_lookup_finds() {
    finds("rules", "is not found by a lookup, and should answer", |txn| {
        let key = first!(txn, LOOKUP);
        remove!(txn, LOOKUP, key.as_slice());
    });
    let entries = |txn: &WriteTransaction, key: &[u8], change: fn(&mut Vec<u8>)| {
        let mut lookup = txn.open_table(LOOKUP).unwrap();
        let mut entries = lookup.get(key).unwrap().map(|value| value.value().to_vec()).unwrap_or_default();
        change(&mut entries);
        lookup.insert(key, entries.as_slice()).unwrap();
    };
    finds("rules", "for the same day", |txn| {
        let key = first!(txn, LOOKUP);
        entries(txn, &key, |entries| {
            // The same days again, for another version.
            let mut again = entries.last_chunk::<16>().unwrap().to_owned();
            again[15] ^= 1;
            entries.extend_from_slice(&again);
        });
    });
    finds("rules", "names no version", |txn| entries(txn, b"nobody", Vec::clear));
    finds("rules", "table lookup has", |txn| {
        let one = [20_200_101_u32.to_be_bytes().as_slice(), &[0; 4], &1_u64.to_be_bytes()].concat();
        txn.open_table(LOOKUP).unwrap().insert(b"nobody".as_slice(), one.as_slice()).unwrap();
    });
    finds("rules", "entries of a row of table lookup", |txn| entries(txn, b"nobody", |entries| entries.push(1)));
    finds("rules", "is missing from table history", |txn| {
        let key = first!(txn, HISTORY);
        remove!(txn, HISTORY, key.as_slice());
    });
    finds("rules", "table history has", |txn| {
        txn.open_table(HISTORY).unwrap().insert(b"nobody".as_slice(), ()).unwrap();
    });
}

#[test]
fn events_and_publications() {
    finds("rules", "it should be the publicacao of ouro-ipi-v1.0", |txn| remove!(txn, EVENTS, event(txn, true)));
    finds("rules", "it should be the substituicao of", |txn| remove!(txn, EVENTS, event(txn, false)));
    finds("rules", "has no event in the changelog", |txn| remove!(txn, EVENTS, last!(txn, EVENTS)));
    for publication in [true, false] {
        finds("rules", "which was not published", |txn| {
            let number = event(txn, publication);
            let mut events = txn.open_table(EVENTS).unwrap();
            let again = events.get(number).unwrap().unwrap().value().to_vec();
            events.insert(999, again.as_slice()).unwrap();
        });
    }
    finds("rules", "event 1 cannot be read", |txn| {
        txn.open_table(EVENTS).unwrap().insert(1, b"x".as_slice()).unwrap();
    });
    finds("rules", "has \"2020-01-02\" as its `vigente_de`", |txn| {
        rewrite!(txn, EVENTS, event(txn, true), |event| event["vigente_de"] = json!("2020-01-02"));
    });
    finds("rules", "as its `publicado_em`", |txn| {
        rewrite!(txn, EVENTS, event(txn, false), |event| event["publicado_em"] = json!("2020-01-02T00:00:00.000Z"));
    });
    finds("rules", "as its `vigente_ate`", |txn| {
        rewrite!(txn, EVENTS, event(txn, false), |event| event["vigente_ate"] = json!("2020-01-02"));
    });
    finds("rules", "publication 2 cannot be read", |txn| {
        txn.open_table(PUBLICATIONS).unwrap().insert(2, b"{}".as_slice()).unwrap();
    });
    finds("rules", "publication 2 is missing", |txn| remove!(txn, PUBLICATIONS, 2));
    finds("rules", "table instants has another one", |txn| remove!(txn, INSTANTS, first!(txn, INSTANTS)));
    finds("rules", "more instants than publications", |txn| {
        txn.open_table(INSTANTS).unwrap().insert(u64::MAX, 5).unwrap();
    });
}

#[test]
fn worked_examples() {
    // The figure of a rule that answers, and of one that a later publication has closed.
    for number in [1, 9] {
        finds("examples", "O exemplo espera", |txn| {
            rewrite!(txn, VERSIONS, number, |rule| rule["conteudo"]["aliquota"] = json!("7.77"));
        });
    }
}

#[test]
fn accounts_keys_and_subscriptions() {
    finds("accounts", "belongs to account", |txn| {
        let account = first!(txn, ACCOUNTS);
        remove!(txn, ACCOUNTS, account.as_str());
    });
    finds("accounts", "has plan \"scale\", which does not exist", |txn| remove!(txn, PLANS, "scale"));
    finds("accounts", "the record of plan scale has the name escala", |txn| {
        rewrite!(txn, PLANS, "scale", |plan| plan["plan"] = json!("escala"));
    });
    finds("accounts", "has the id acc_x", |txn| {
        let account = first!(txn, ACCOUNTS);
        rewrite!(txn, ACCOUNTS, account.as_str(), |account| account["client_id"] = json!("acc_x"));
    });
    finds("accounts", "damaged: account", |txn| {
        let account = first!(txn, ACCOUNTS);
        txn.open_table(ACCOUNTS).unwrap().insert(account.as_str(), b"{".as_slice()).unwrap();
    });
    finds("accounts", "under an index that is not a SHA-256 hash", |txn| {
        txn.open_table(KEYS).unwrap().insert(b"short".as_slice(), b"{".as_slice()).unwrap();
    });
    finds("accounts", "two keys have the id", |txn| {
        let mut keys = txn.open_table(KEYS).unwrap();
        let record = keys.first().unwrap().unwrap().1.value().to_vec();
        keys.insert([7; 32].as_slice(), record.as_slice()).unwrap();
    });
    finds("accounts", "a new subscription could get the id of sub_", |txn| {
        txn.open_table(META).unwrap().insert("last_subscription", 1).unwrap();
    });
    finds("accounts", "the record of sub_1 has the id sub_9", |txn| {
        rewrite!(txn, SUBSCRIPTIONS, 1, |subscription| subscription["number"] = json!(9));
    });
    finds("settings", "Escritório", |txn| {
        txn.open_table(TRUST).unwrap().insert("Escritório", "no key").unwrap();
    });
}

#[test]
fn deliveries() {
    finds("deliveries", "deliveries to sub_1, which does not exist", |txn| remove!(txn, SUBSCRIPTIONS, 1));
    finds("deliveries", "of version 99, which does not exist", |txn| {
        let mut outbox = txn.open_table(OUTBOX).unwrap();
        let row = outbox.first().unwrap().unwrap().1.value().to_vec();
        outbox.insert((1, 99), row.as_slice()).unwrap();
    });
    finds("deliveries", "is missing from table outbox_order and is never sent", |txn| {
        remove!(txn, ORDER, first!(txn, ORDER));
    });
    finds("deliveries", "table outbox_order has", |txn| {
        txn.open_table(ORDER).unwrap().insert((1, 0, 1, 1), ()).unwrap();
    });
    finds("deliveries", "delivery of version", |txn| {
        let key = first!(txn, OUTBOX);
        txn.open_table(OUTBOX).unwrap().insert(key, b"".as_slice()).unwrap();
    });
    finds("deliveries", "and its deliveries are", |txn| {
        rewrite!(txn, ENDPOINTS, 1, |endpoint| endpoint["pending"] = json!(50));
    });
    finds("deliveries", "there are counts of sub_44, which does not exist", |txn| {
        txn.open_table(ENDPOINTS).unwrap().insert(44, b"{}".as_slice()).unwrap();
    });
}

#[test]
fn calls() {
    finds("calls", "cannot be read", |txn| {
        let account = first!(txn, METERS);
        txn.open_table(METERS).unwrap().insert(account.as_str(), b"\xff".as_slice()).unwrap();
    });
    let block = |txn: &WriteTransaction, key: (&str, u64, u64), change: fn(&mut Vec<u8>)| {
        let mut calls = txn.open_table(CALLS).unwrap();
        let mut bytes = calls.first().unwrap().unwrap().1.value().to_vec();
        change(&mut bytes);
        calls.insert(key, bytes.as_slice()).unwrap();
    };
    finds("calls", "the log has calls of account acc_x, which does not exist", |txn| {
        block(txn, ("acc_x", 1, 1), |_| {});
    });
    finds("calls", "the counts of account acc_x remain", |txn| {
        txn.open_table(METERS).unwrap().insert("acc_x", b"\xff".as_slice()).unwrap();
    });
    finds("calls", "do not fit the key of their block", |txn| block(txn, ("acc_x", 1, 1), |_| {}));
    finds("calls", "cannot be read", |txn| block(txn, ("acc_x", 1, 1), |bytes| bytes.truncate(bytes.len() / 2)));
}

#[test]
fn a_restore_is_refused_for_rules_and_reports_everything_else() {
    let restore = |damage: fn(&WriteTransaction), more: &[&str]| {
        let (from, to) = (damaged(damage), DataDir::empty());
        let file = from.file();
        let done = taxd(&to, ["restore", file.to_str().unwrap()].iter().chain(more));
        assert_eq!(to.file().exists(), done.code == 0, "{done:?}");
        done
    };
    let refused = restore(|txn| remove!(txn, VERSIONS, 3), &[]);
    assert!(refused.code == 1 && refused.stderr.contains("is damaged, and nothing was restored"), "{refused:?}");
    let done = restore(|txn| remove!(txn, PLANS, "scale"), &["--json"]).ok().json();
    assert_eq!((&done["findings"][0]["area"], &done["examples_failing"]), (&json!("accounts"), &json!(0)), "{done}");
    assert_eq!(done["findings_total"], done["findings"].as_array().unwrap().len(), "{done}");
    let told = restore(|txn| remove!(txn, ORDER, first!(txn, ORDER)), &[]).ok().stderr;
    assert!(told.contains("warning: deliveries: ") && told.contains("is never sent"), "{told}");
}

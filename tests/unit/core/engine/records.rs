//! The records of versions and events are those that this taxd and earlier ones wrote, byte for byte.

use std::ops::ControlFlow;

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use taxd_base::document::{Node, parse_payload};
use taxd_core::store::{SCHEMA_VERSION, Store};
use taxd_law::rule::record::{ChangelogRecord, VersionRecord};

fn version_reads_back(record: &[u8]) {
    let read = VersionRecord::read(record).unwrap();
    assert_eq!(serde_json::to_vec(&read).unwrap(), record, "{}", String::from_utf8_lossy(record));
    assert_eq!(parse_payload(record), Node::parse(record));
    assert!(taxd_base::value::RuleId::parse(&read.rule_id_text()).is_some(), "{}", read.rule_id_text());
}

fn event_reads_back(record: &[u8]) {
    let read: ChangelogRecord<'_> = serde_json::from_slice(record).unwrap();
    assert_eq!(serde_json::to_vec(&read).unwrap(), record, "{}", String::from_utf8_lossy(record));
}

/// Every record of the store is declared whole: written again, it has the same bytes.
pub fn read_back(store: &Store) {
    let journal = store.read_journal().unwrap();
    journal.each_version(1, |_, record, _| version_reads_back(record)).unwrap();
    for event in journal.events_before(u64::MAX, |_| Ok(ControlFlow::Continue(true))).unwrap() {
        event_reads_back(&event.record);
    }
}

#[test]
fn the_records_of_the_golden_files_read_back() {
    let records = |db: &Database, name: &str| -> Vec<Vec<u8>> {
        let table = TableDefinition::<u64, &[u8]>::new(name);
        let table = db.begin_read().unwrap().open_table(table).unwrap();
        table.iter().unwrap().map(|entry| entry.unwrap().1.value().to_vec()).collect()
    };
    for version in 2..=SCHEMA_VERSION {
        let path = format!("{}/tests/golden/store/schema-{version}.redb.zst", crate::ROOT);
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("taxd.redb");
        std::fs::write(&file, zstd::stream::decode_all(std::fs::File::open(path).unwrap()).unwrap()).unwrap();
        let db = Database::open(file).unwrap();
        let (versions, events) = (records(&db, "versions"), records(&db, "events"));
        assert!(versions.len() > 5 && events.len() > versions.len(), "{}, {}", versions.len(), events.len());
        for record in versions {
            version_reads_back(&record);
        }
        for record in events {
            event_reads_back(&record);
        }
    }
}

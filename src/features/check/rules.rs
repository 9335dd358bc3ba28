//! `taxd check` on the rules of a file. What a publication derives from its versions (codes, states, lookups, history,
//! events, instants) is derived once more and compared with the tables, and the worked examples are run again.
//!
//! Only what is being compared is in memory, so a check needs little of it, however many rules there are.

mod examples;
mod versions;

use redb::{ReadableTable, TableDefinition};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

pub use self::examples::Examples;
use super::Audit;
use super::finding::{Area, Checker};
use crate::base::value::Timestamp;
use crate::core::store::lookup_row::{LookupEntry, LookupRow};
use crate::core::store::{StoreResult, schema};

/// Checks everything that the file has of rules. Fails only if the file cannot be read on, or the check is ended.
pub(super) fn check(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<Examples> {
    let publications = check_publications(audit, checker)?;
    let expected = versions::check(audit, &publications, checker)?;
    let lookups = check_lookups(audit, checker)?;
    let rows = |table| audit.contents.rows_of(table);
    checker.rows(rows("history") + rows("states") + rows("codes"))?;
    let counts = [
        ("lookup", lookups, expected.lookups),
        ("history", rows("history"), expected.history),
        ("codes", rows("codes"), expected.versions),
        ("states", rows("states"), expected.versions),
    ];
    for (table, found, due) in counts {
        if found != due {
            checker.add(
                Area::Rules,
                format!("table {table} has {found} entries, and by the versions it should have {due}"),
            );
        }
    }
    Ok(expected.examples)
}

/// The rows of a table of numbered records, in order.
fn numbered(
    audit: &Audit,
    table: TableDefinition<'_, u64, &'static [u8]>,
) -> StoreResult<impl Iterator<Item = StoreResult<(u64, Vec<u8>)>> + use<>> {
    Ok(audit.txn.open_table(table)?.range::<u64>(..)?.map(|row| {
        let (number, record) = row?;
        Ok((number.value(), record.value().to_vec()))
    }))
}

/// Checks that each lookup names versions, in the order of their days. Returns how many entries there are.
fn check_lookups(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<u64> {
    let mut total = 0;
    for row in audit.txn.open_table(schema::LOOKUP)?.iter()? {
        let (chave, value) = row?;
        checker.rows(1)?;
        let mut add = |what: String| {
            let key = String::from_utf8_lossy(chave.value()).replace(char::is_control, " ");
            checker.add(Area::Rules, format!("the lookup of {key} {what}"));
        };
        let entries: StoreResult<_> = LookupRow::read(value.value()).and_then(|row| row.entries().collect());
        let entries: Vec<LookupEntry> = match entries {
            Ok(entries) => entries,
            Err(error) => {
                add(format!("cannot be read: {error}"));
                continue;
            }
        };
        total += entries.len() as u64;
        if entries.is_empty() {
            add("names no version".to_owned());
        }
        for pair in entries.windows(2) {
            if let [one, next] = pair
                && one.vigencia.ate.is_none_or(|ate| ate > next.vigencia.de)
            {
                add(format!("names versions {} and {} for the same day", one.number, next.number));
            }
        }
    }
    Ok(total)
}

/// A publication as far as its versions are compared with it.
struct Publication {
    /// When its versions were published.
    at: Timestamp,
    bundles: usize,
}

impl Publication {
    fn read(record: &[u8]) -> Result<Publication, String> {
        #[derive(Deserialize)]
        struct Record {
            publicado_em: String,
            #[serde(default)]
            pacotes: Vec<IgnoredAny>,
        }
        let record: Record = serde_json::from_slice(record).map_err(|error| error.to_string())?;
        Ok(Publication { at: Timestamp::parse(&record.publicado_em)?, bundles: record.pacotes.len() })
    }
}

/// Checks that every publication is there and has its instant. Returns them in their order, the first at 0, and
/// `None` in the place of one that cannot be read.
fn check_publications(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<Vec<Option<Publication>>> {
    let instants = audit.txn.open_table(schema::INSTANTS)?;
    let instants = instants.iter()?.map(|row| row.map(|(instant, number)| (instant.value(), number.value())));
    let instants: Vec<(u64, u64)> = instants.collect::<Result<_, _>>()?;
    checker.rows(instants.len() as u64)?;
    let mut publications = Vec::new();
    for row in numbered(audit, schema::PUBLICATIONS)? {
        let (number, record) = row?;
        checker.rows(1)?;
        while (publications.len() as u64) + 1 < number {
            checker.add(Area::Rules, format!("publication {} is missing", publications.len() + 1));
            publications.push(None);
        }
        let read = Publication::read(&record);
        if let Err(error) = &read {
            checker.add(Area::Rules, format!("publication {number} cannot be read: {error}"));
        }
        // Instants grow with the numbers, so both tables have the same order.
        if let Ok(Publication { at, .. }) = &read
            && instants.get(publications.len()) != Some(&(at.millis(), number))
        {
            let what = format!(
                "publication {number} is of {at}, and table instants has another one: `conhecido_em` may answer wrongly"
            );
            checker.add(Area::Rules, what);
        }
        publications.push(read.ok());
    }
    if instants.len() > publications.len() {
        checker.add(Area::Rules, "there are more instants than publications");
    }
    Ok(publications)
}

/// The events that are still to be compared, in order.
struct Events {
    rest: Box<dyn Iterator<Item = StoreResult<(u64, Vec<u8>)>>>,
    /// True once an event was not the one that the versions lead to: those after it cannot be matched.
    lost: bool,
}

impl Events {
    fn of(audit: &Audit) -> StoreResult<Events> {
        Ok(Events { rest: Box::new(numbered(audit, schema::EVENTS)?), lost: false })
    }

    /// Compares the next events with those that are `due`.
    fn compare(&mut self, due: &[Value], checker: &mut Checker<'_>) -> StoreResult<()> {
        for due in due {
            if self.lost {
                return Ok(());
            }
            let Some((number, record)) = self.rest.next().transpose()? else {
                checker.add(Area::Rules, format!("{} has no event in the changelog", announced(due)));
                continue;
            };
            checker.rows(1)?;
            let found: Value = match serde_json::from_slice(&record) {
                Ok(found) => found,
                Err(error) => {
                    checker.add(Area::Rules, format!("event {number} cannot be read: {error}"));
                    continue;
                }
            };
            self.lost = ["tipo", "rule_id"].iter().any(|name| due.get(name) != found.get(name));
            let different = due
                .as_object()
                .into_iter()
                .flatten()
                .find(|(name, due)| found.get(name).unwrap_or(&Value::Null) != *due);
            let what = match different {
                _ if self.lost => format!(
                    "event {number} is {}, and by the versions it should be {}; later events were not checked",
                    announced(&found),
                    announced(due)
                ),
                Some((name, due)) => format!(
                    "event {number}, {}, has {} as its `{name}`, and by the versions it should be {due}",
                    announced(&found),
                    found.get(name).unwrap_or(&Value::Null)
                ),
                None => continue,
            };
            checker.add(Area::Rules, what);
        }
        Ok(())
    }

    /// Reports every event after those of the last version.
    fn finish(mut self, checker: &mut Checker<'_>) -> StoreResult<()> {
        while let Some((number, record)) = self.rest.next().transpose()? {
            checker.rows(1)?;
            if !self.lost {
                let record = serde_json::from_slice(&record).unwrap_or_default();
                let what = format!("event {number} is {}, which was not published", announced(&record));
                checker.add(Area::Rules, what);
            }
        }
        Ok(())
    }
}

/// Type and rule of an event, in words.
fn announced(event: &Value) -> String {
    let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or("?");
    format!("the {} of {}", text("tipo"), text("rule_id"))
}

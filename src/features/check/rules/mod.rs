//! `taxd check` on the rules of a file. What a publication derives from its versions (codes, states, lookups, history,
//! events, instants) is derived once more and compared with the tables, and the worked examples are run again.
//!
//! Only what is being compared is in memory, so a check needs little of it, however many rules there are.

mod events;
mod publications;
mod versions;

use serde::{Deserialize, Serialize};

use crate::core::store::{LookupEntry, StoreResult};
use crate::features::check::file::{Area, Audit, Checker};

/// The worked examples of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// Those that hold by the rules as they are.
    pub hold: u64,
    /// Those that a later publication has overtaken: they hold by the rules as they were known when
    /// their version was published.
    pub overtaken: u64,
}

/// Checks everything that the file has of rules. Fails only if the file cannot be read on, or the check is ended.
pub fn check(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<Examples> {
    let publications = publications::check(audit, checker)?;
    let expected = versions::check(audit, &publications, checker)?;
    let lookups = check_lookups(audit, checker)?;
    let rows = |table| audit.contents().rows_of(table);
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

/// Checks that each lookup names versions, in the order of their days. Returns how many entries there are.
fn check_lookups(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<u64> {
    let mut total = 0;
    for row in audit.lookups()? {
        let (chave, entries) = row?;
        checker.rows(1)?;
        let mut add = |what: String| {
            let key = String::from_utf8_lossy(&chave).replace(char::is_control, " ");
            checker.add(Area::Rules, format!("the lookup of {key} {what}"));
        };
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

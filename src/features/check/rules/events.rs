//! The changelog events, compared with those that the versions lead to.

use serde_json::Value;

use crate::core::store::{EventRecord, StoreResult};
use crate::features::check::file::{Area, Audit, Checker};

/// The events that are still to be compared, in order.
pub(super) struct Events {
    rest: Box<dyn Iterator<Item = StoreResult<EventRecord>>>,
    /// True once an event was not the one that the versions lead to: those after it cannot be matched.
    lost: bool,
}

impl Events {
    pub(super) fn of(audit: &Audit) -> StoreResult<Events> {
        Ok(Events { rest: Box::new(audit.events()?), lost: false })
    }

    /// Compares the next events with those that are `due`.
    pub(super) fn compare(&mut self, due: &[Value], checker: &mut Checker<'_>) -> StoreResult<()> {
        for due in due {
            if self.lost {
                return Ok(());
            }
            let Some(EventRecord { number, record }) = self.rest.next().transpose()? else {
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
    pub(super) fn finish(mut self, checker: &mut Checker<'_>) -> StoreResult<()> {
        while let Some(event) = self.rest.next().transpose()? {
            checker.rows(1)?;
            if !self.lost {
                let record = serde_json::from_slice(&event.record).unwrap_or_default();
                let what = format!("event {} is {}, which was not published", event.number, announced(&record));
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

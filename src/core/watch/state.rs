//! How far the work on the kept lists is, for the operator.

use serde::{Deserialize, Serialize};

use super::AHEAD_DAYS;
use crate::base::value::{Date, Timestamp};
use crate::engine::Engine;
use crate::store::StoreResult;

/// The kept lists of all accounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptListsState {
    pub lists: u64,
    pub lines: u64,
    /// Publications whose changes are not written yet.
    pub pending: u64,
    /// For how long the first of them, or the first day that came within reach, has waited, in milliseconds.
    pub overdue_ms: Option<u64>,
    /// True if the last work failed.
    pub failing: bool,
}

impl KeptListsState {
    pub fn read(engine: &Engine) -> StoreResult<KeptListsState> {
        let reader = engine.store().read_watched()?;
        let (lists, lines) = reader.counts()?;
        if lists == 0 {
            return Ok(KeptListsState::default());
        }
        let cursor = reader.cursor()?;
        let pending = engine.store().read_journal()?.last_publication()?.saturating_sub(cursor.publication);
        let published = if pending == 0 { None } else { engine.published_at(cursor.publication + 1)? };
        // None before the first work.
        let next = Date::from_ordinal(cursor.until).map(|until| until.minus_days(AHEAD_DAYS - 1));
        let reached = next.map(Timestamp::start_of).filter(|since| *since <= engine.now());
        let waiting = published.into_iter().chain(reached).min();
        let overdue_ms = waiting.map(|since| engine.now().millis().saturating_sub(since.millis()));
        Ok(KeptListsState { lists, lines, pending, overdue_ms, failing: false })
    }
}

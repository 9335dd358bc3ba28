//! `taxd check` on the call log and on what was counted of calls.

use std::collections::BTreeSet;

use crate::core::calls::block;
use crate::core::calls::meter::Meter;
use crate::core::store::{Block, StoreResult};
use crate::features::check::file::{Area, Audit, Checker};

/// Checks every block of calls and every meter.
pub fn check(audit: &Audit, checker: &mut Checker<'_>) -> StoreResult<()> {
    let clients: BTreeSet<String> = audit.client_ids()?.into_iter().collect();
    for row in audit.blocks()? {
        let (client_id, block) = row?;
        checker.rows(1)?;
        let mut add = |what: &str| checker.add(Area::Calls, format!("the log has calls of account {client_id}{what}"));
        if !clients.contains(&client_id) {
            add(", which does not exist");
        }
        let last_seq = block.last_seq;
        match fits_its_key(&block) {
            Ok(true) => {}
            Ok(false) => add(&format!(" up to number {last_seq} that do not fit the key of their block")),
            Err(error) => add(&format!(" up to number {last_seq} that cannot be read: {error}")),
        }
    }
    for (client_id, meter) in audit.meters()? {
        checker.rows(1)?;
        let mut add = |what: &str| checker.add(Area::Calls, format!("the counts of account {client_id} {what}"));
        if !clients.contains(&client_id) {
            add("remain, and the account does not exist");
        }
        if let Err(error) = Meter::new(Some(&meter)) {
            add(&format!("cannot be read: {error}"));
        }
    }
    Ok(())
}

/// True if the calls of a block are in order, and its key has the number of the last one and no earlier instant.
fn fits_its_key(block: &Block) -> StoreResult<bool> {
    let calls = block::decode(&block.bytes)?;
    let in_order = calls.windows(2).all(|pair| matches!(pair, [a, b] if a.seq < b.seq));
    let latest_ms = calls.iter().map(|call| call.at_ms).max();
    let is_last = calls.last().is_some_and(|call| call.seq == block.last_seq);
    Ok(in_order && is_last && latest_ms.is_some_and(|ms| ms <= block.last_ms))
}

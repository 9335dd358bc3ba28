//! Whether the call log and what was counted of calls can be read.

use std::collections::BTreeSet;

use super::block;
use super::meter::Meter;
use crate::store::{Area, Audit, Findings, GoOn, StoreResult};

/// Looks at every block of calls and every meter.
pub fn audit(audit: &Audit, findings: &mut Findings, go_on: GoOn<'_>) -> StoreResult<()> {
    let clients: BTreeSet<String> = audit.client_ids()?.into_iter().collect();
    audit.each_block(|client_id, kept| {
        go_on(1)?;
        let mut add = |what: &str| findings.add(Area::Calls, format!("calls of account {client_id} {what}"));
        if !clients.contains(client_id) {
            add("are logged, which is not there");
        }
        match block::decode(&kept.bytes) {
            Ok(calls) => {
                let in_order = calls.windows(2).all(|pair| matches!(pair, [a, b] if a.seq < b.seq));
                let latest = calls.iter().map(|call| call.at_ms).max();
                if !in_order
                    || calls.last().map(|call| call.seq) != Some(kept.last_seq)
                    || latest.is_none_or(|ms| ms > kept.last_ms)
                {
                    add(&format!("up to number {} are not those that their block is kept under", kept.last_seq));
                }
            }
            Err(error) => add(&format!("up to number {} cannot be read: {error}", kept.last_seq)),
        }
        Ok(())
    })?;
    for (client_id, meter) in audit.meters()? {
        go_on(1)?;
        if !clients.contains(&client_id) {
            findings.add(Area::Calls, format!("calls of account {client_id} are counted, which is not there"));
        }
        if let Err(error) = Meter::new(Some(&meter)) {
            findings.add(Area::Calls, format!("what was counted of account {client_id} cannot be read: {error}"));
        }
    }
    Ok(())
}

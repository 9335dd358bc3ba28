//! Who calls: keys, limits, the call log and consumption (contract, sections 2.5, 4.4, 5 and 8),
//! over HTTP. What depends on time runs on a clock that the test moves.

mod disk_full;
mod headers;
mod import_beside;
mod keys;
mod ledger;
mod limits;
mod limits_changed;
mod quota;
mod rotation;
mod secrets;
mod usage;
mod usage_kept;

use serde_json::{Value, json};
use taxd::core::calls::{LoggedCall, decode_block};
use taxd::core::store::{Block, Store};

use crate::support::DataDir;

/// A payload that the built-in rules answer.
fn good() -> Value {
    json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}

/// All logged calls of an account, as they are kept; no server may be running.
fn kept(dir: &DataDir, client_id: &str) -> Vec<LoggedCall> {
    let (store, mut calls) = (Store::open(&dir.path()).unwrap(), Vec::new());
    let each = |block: Block| {
        calls.extend(decode_block(&block.bytes)?);
        Ok(true)
    };
    store.read_calls().unwrap().blocks_back(client_id, each).unwrap();
    calls
}

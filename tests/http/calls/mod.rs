//! Who calls: keys, limits, the call log and consumption (contract, sections 2.5, 4.4, 5 and 8),
//! over HTTP. What depends on time runs on a clock that the test moves.

mod headers;
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

/// A payload that the built-in rules answer.
fn good() -> Value {
    json!({"tributo": "ipi", "ncm": "22030000", "valor_produto": "100.00", "data_operacao": "2026-03-10"})
}

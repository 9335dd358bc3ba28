//! Records in JSON, so that fields may be added.

use serde::{Deserialize, Serialize};

use super::{StoreError, StoreResult};

/// Reads a record. Fails with `what` in the message.
pub(super) fn decode<T: for<'de> Deserialize<'de>>(what: &str, bytes: &[u8]) -> StoreResult<T> {
    serde_json::from_slice(bytes).map_err(|e| StoreError::Corrupt(format!("{what}: {e}")))
}

/// Writes a record.
pub(super) fn encode<T: Serialize>(value: &T) -> StoreResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| StoreError::Corrupt(e.to_string()))
}

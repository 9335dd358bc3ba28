//! The encoding of logged calls: blocks of calls of one account, each compressed as a whole.
//!
//! A call has some two hundred bytes. Compressed with its neighbours, which repeat its fields, rules and paths, it
//! takes a fifth of that.

use serde::{Deserialize, Serialize};

use crate::store::{StoreError, StoreResult};

/// Most calls in a block.
pub const MAX_CALLS: usize = 256;
/// Largest block before compression; the fields of its tax bound the size of a call.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// First byte of a block: the format of the rest.
const FORMAT: u8 = 1;
/// Level of the compression: the fastest one.
const LEVEL: i32 = 1;

/// A call in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCall {
    /// Its number among the calls of its account, from 1.
    pub seq: u64,
    /// When it began, in milliseconds since 1970.
    pub at_ms: u64,
    /// Its key.
    pub key_id: String,
    /// HTTP method.
    pub method: String,
    /// Path without query.
    pub path: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// From the head of the request to the answer, in microseconds.
    pub latency_us: u32,
    /// Whether the answer came from the result cache.
    pub cached: bool,
    /// The rule that answered or refused; empty if none did.
    pub rule_id: String,
    /// The sanitised subset of the payload, a JSON object.
    pub request: String,
}

/// The fields of a [`LoggedCall`], borrowed and in the same order: `postcard` encodes both alike.
#[derive(Clone, Copy, Serialize)]
pub struct CallRow<'a> {
    pub(super) seq: u64,
    pub(super) at_ms: u64,
    pub(super) key_id: &'a str,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) status: u16,
    pub(super) latency_us: u32,
    pub(super) cached: bool,
    pub(super) rule_id: &'a str,
    pub(super) request: &'a str,
}

impl LoggedCall {
    /// The call, for encoding it again.
    #[must_use]
    pub fn row(&self) -> CallRow<'_> {
        CallRow {
            seq: self.seq,
            at_ms: self.at_ms,
            key_id: &self.key_id,
            method: &self.method,
            path: &self.path,
            status: self.status,
            latency_us: self.latency_us,
            cached: self.cached,
            rule_id: &self.rule_id,
            request: &self.request,
        }
    }
}

fn corrupt(what: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("call log: {what}"))
}

/// Encodes a block.
pub fn encode<'a>(rows: impl IntoIterator<Item = CallRow<'a>>) -> StoreResult<Vec<u8>> {
    // Numbers and times as differences from the call before: these are small and similar, and compress well.
    let (mut seq, mut at_ms) = (0, 0);
    let step = |row: CallRow<'a>| {
        let relative = CallRow { seq: row.seq.wrapping_sub(seq), at_ms: zigzag(row.at_ms, at_ms), ..row };
        (seq, at_ms) = (row.seq, row.at_ms);
        relative
    };
    let relative: Vec<CallRow<'_>> = rows.into_iter().map(step).collect();
    let plain = postcard::to_stdvec(&relative).map_err(corrupt)?;
    let packed = zstd::bulk::compress(&plain, LEVEL).map_err(corrupt)?;
    Ok([&[FORMAT], packed.as_slice()].concat())
}

/// Decodes a block.
pub fn decode(bytes: &[u8]) -> StoreResult<Vec<LoggedCall>> {
    let Some((&FORMAT, packed)) = bytes.split_first() else {
        return Err(corrupt("a block of another format"));
    };
    let plain = zstd::bulk::decompress(packed, MAX_BYTES).map_err(corrupt)?;
    let mut calls: Vec<LoggedCall> = postcard::from_bytes(&plain).map_err(corrupt)?;
    let (mut seq, mut at_ms) = (0_u64, 0);
    for call in &mut calls {
        seq = seq.wrapping_add(call.seq);
        at_ms = unzigzag(call.at_ms, at_ms);
        (call.seq, call.at_ms) = (seq, at_ms);
    }
    Ok(calls)
}

/// The difference as an unsigned number that is small if the difference is, whatever its sign.
fn zigzag(now: u64, before: u64) -> u64 {
    let difference = now.wrapping_sub(before).cast_signed();
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn unzigzag(written: u64, before: u64) -> u64 {
    before.wrapping_add((written >> 1) ^ (written & 1).wrapping_neg())
}

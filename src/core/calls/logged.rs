//! What the log holds of a call, and its encoding: blocks of calls of one account, each compressed as a whole.
//!
//! A call has some two hundred bytes. Compressed with its neighbours, which repeat its fields, rules and paths, it
//! takes a fifth of that.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use zstd::bulk::Compressor;

use super::meter::Call;
use crate::store::{StoreError, StoreResult};

pub const MAX_CALLS: usize = 256;
/// Largest block before compression; the fields of its tax bound the size of a call.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// First byte of a block: the format of the rest.
const FORMAT: u8 = 1;
/// Level of the compression: the fastest one.
const LEVEL: i32 = 1;

thread_local! {
    /// Kept, because making one takes as long as compressing a block.
    static COMPRESSOR: RefCell<std::io::Result<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL));
}

/// A call in the log. Its texts are owned, or borrowed in a [`CallRow`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedCall<Text = String> {
    /// Its number among the calls of its account, from 1.
    pub seq: u64,
    /// When it began, in milliseconds since 1970.
    pub at_ms: u64,
    pub key_id: Text,
    pub method: Text,
    /// Path without query.
    pub path: Text,
    pub status: u16,
    /// From the head of the request to the answer, in microseconds.
    pub latency_us: u32,
    /// Whether the answer came from the result cache.
    pub cached: bool,
    /// The rule that answered or refused; empty if none did.
    pub rule_id: Text,
    /// The sanitised subset of the payload, a JSON object.
    pub request: Text,
}

/// A call for encoding.
pub type CallRow<'a> = LoggedCall<&'a str>;

impl<'a> CallRow<'a> {
    /// A call that is over, with its sanitised payload.
    pub(super) fn of(call: &'a Call, request: &'a str) -> CallRow<'a> {
        let Call { seq, at, key_id, method, path, status, latency_us, cached, rule_id, payload: _ } = call;
        CallRow {
            seq: *seq,
            at_ms: at.millis(),
            key_id,
            method,
            path,
            status: *status,
            latency_us: *latency_us,
            cached: *cached,
            rule_id: rule_id.as_deref().unwrap_or_default(),
            request,
        }
    }
}

impl LoggedCall {
    /// The call, for encoding it again.
    pub fn row(&self) -> CallRow<'_> {
        let LoggedCall { seq, at_ms, key_id, method, path, status, latency_us, cached, rule_id, request } = self;
        LoggedCall {
            seq: *seq,
            at_ms: *at_ms,
            key_id,
            method,
            path,
            status: *status,
            latency_us: *latency_us,
            cached: *cached,
            rule_id,
            request,
        }
    }
}

fn corrupt(what: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("call log: {what}"))
}

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
    let packed = COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Ok(compressor) => compressor.compress(&plain).map_err(corrupt),
        Err(error) => Err(corrupt(error)),
    })?;
    Ok([&[FORMAT], packed.as_slice()].concat())
}

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

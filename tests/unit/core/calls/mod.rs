//! Who calls: limits, allowances, what is kept of a call, the log, consumption.
//!
//! `rate_limit` compares the rate limit with a list of all instants, `months` the allowances over
//! the ends of months, `sanitised` what of a payload is kept, `blocks` how calls are written,
//! `percentiles` latencies against a sorted list, `directory` accounts and keys in memory against the store, `log` consumption over days of a clock that
//! the test moves, against a list of all calls.

mod blocks;
mod directory;
mod log;
mod months;
mod percentiles;
mod rate_limit;
mod sanitised;
mod traffic;

use std::sync::Arc;

use taxd_base::value::Timestamp;
use taxd_core::calls::{Call, CallPayload};

/// A call at that instant with that status and latency.
fn call(at_ms: u64, status: u16, latency_us: u32) -> Call {
    Call {
        seq: 0,
        at: Timestamp::from_millis(at_ms).unwrap(),
        key_id: Arc::from("key_1"),
        method: "POST",
        path: "/v1/calculate".into(),
        status,
        latency_us,
        cached: false,
        rule_id: None,
        payload: CallPayload::Sent(Box::default()),
    }
}

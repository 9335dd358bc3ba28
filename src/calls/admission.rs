//! Admission of a call: its account, its rate limit, its monthly quota.

use super::directory::Caller;
use super::quota::SANDBOX_CALLS_A_MONTH;
use super::rate_limit::RateDecision;
use crate::store::Limit;
use crate::value::{KeyKind, Month, Timestamp};

/// The rate limit of a caller, for the `RateLimit-*` headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Calls in any 60 seconds.
    pub limit: u64,
    /// Calls left now.
    pub remaining: u64,
    /// Whole seconds until more are left; for a refused call, until it would be admitted.
    pub reset_s: u64,
}

/// Whether a call consumes the monthly quota. Every call counts against the rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// A call of the API.
    Quota,
    /// A look-up of the page, which is answered even if the quota is used up.
    Free,
}

/// Why a call is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The account is suspended.
    Suspended,
    /// Too many calls in the last 60 seconds.
    RateLimit,
    /// The quota of the month is used up.
    Quota {
        /// The quota.
        calls: u64,
        /// The kind of key that it applies to.
        kind: KeyKind,
    },
}

fn allowance(limit: u32, turn: RateDecision) -> Allowance {
    Allowance { limit: u64::from(limit), remaining: turn.remaining, reset_s: turn.wait_ms.div_ceil(1_000) }
}

/// The allowance of a caller, without counting a call.
pub fn peek(caller: &Caller, uptime_ms: u64) -> Allowance {
    let limit = caller.client.limits.rate_limit;
    allowance(limit, caller.client.meter.lock().window.peek(uptime_ms, limit))
}

/// Admits and counts a call, or returns why it is refused. A refused call is not counted. `uptime_ms` is a monotonic
/// clock.
pub fn admit(caller: &Caller, charge: Charge, now: Timestamp, uptime_ms: u64) -> (Allowance, Result<(), Refusal>) {
    let limit = caller.client.limits.rate_limit;
    let month = Month::of(now);
    let mut counted = caller.client.meter.lock();
    let counted = &mut *counted;
    let allowance = |turn| allowance(limit, turn);
    if caller.client.account.suspended_at.is_some() {
        return (allowance(counted.window.peek(uptime_ms, limit)), Err(Refusal::Suspended));
    }
    let (count, quota) = match caller.key.kind {
        KeyKind::Live => (&mut counted.live, caller.client.limits.monthly_quota),
        KeyKind::Test => (counted.sandbox.entry(caller.key.lineage.clone()).or_default(), SANDBOX_CALLS_A_MONTH),
    };
    if let Limit(Some(calls)) = quota
        && charge == Charge::Quota
        && count.is_used_up(month, quota)
    {
        let reset_s = month.next().start().millis().saturating_sub(now.millis()).div_ceil(1_000);
        let none = Allowance { limit: u64::from(limit), remaining: 0, reset_s };
        return (none, Err(Refusal::Quota { calls, kind: caller.key.kind }));
    }
    let turn = counted.window.take(uptime_ms, limit);
    if !turn.admitted {
        return (allowance(turn), Err(Refusal::RateLimit));
    }
    if charge == Charge::Quota {
        count.add(month);
    }
    (allowance(turn), Ok(()))
}

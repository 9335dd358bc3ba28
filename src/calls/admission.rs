//! Whether a call may pass: the account, its rate limit, its monthly allowance.

use super::directory::Caller;
use super::quota::SANDBOX_CALLS_A_MONTH;
use super::window::RateDecision;
use crate::store::Limit;
use crate::value::{KeyKind, Month, Timestamp};

/// What the limits say, for the `RateLimit-*` headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Calls in any 60 seconds.
    pub limit: u64,
    /// How many of them are left now.
    pub remaining: u64,
    /// Whole seconds until there are more; for a refused call, until it would be admitted.
    pub reset_s: u64,
}

/// Why a call may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Its account is suspended.
    Suspended,
    /// Too many calls in the last 60 seconds.
    RateLimit,
    /// The month's allowance is used up.
    Quota {
        /// The allowance.
        calls: u64,
        /// Whose it is.
        kind: KeyKind,
    },
}

fn allowance(limit: u32, turn: RateDecision) -> Allowance {
    Allowance { limit: u64::from(limit), remaining: turn.remaining, reset_s: turn.wait_ms.div_ceil(1_000) }
}

/// What a call would be told of its rate limit, without counting one.
pub fn look(caller: &Caller, uptime_ms: u64) -> Allowance {
    let limit = caller.client.limits.rate_limit;
    allowance(limit, caller.client.meter.lock().window.look(uptime_ms, limit))
}

/// Lets the call pass, and counts it, or says why not. A refused call counts for nothing.
/// `uptime_ms` is a clock that only runs forward.
pub fn admit(caller: &Caller, now: Timestamp, uptime_ms: u64) -> (Allowance, Result<(), Refusal>) {
    let limit = caller.client.limits.rate_limit;
    let month = Month::of(now);
    let mut counted = caller.client.meter.lock();
    let counted = &mut *counted;
    let allowance = |turn| allowance(limit, turn);
    if caller.client.account.suspended_at.is_some() {
        return (allowance(counted.window.look(uptime_ms, limit)), Err(Refusal::Suspended));
    }
    let (count, ceiling) = match caller.key.kind {
        KeyKind::Live => (&mut counted.live, caller.client.limits.monthly_quota),
        KeyKind::Test => (counted.sandbox.entry(caller.key.lineage.clone()).or_default(), SANDBOX_CALLS_A_MONTH),
    };
    if let Limit(Some(calls)) = ceiling
        && count.is_used_up(month, ceiling)
    {
        let reset_s = month.next().start().millis().saturating_sub(now.millis()).div_ceil(1_000);
        let none = Allowance { limit: u64::from(limit), remaining: 0, reset_s };
        return (none, Err(Refusal::Quota { calls, kind: caller.key.kind }));
    }
    let turn = counted.window.take(uptime_ms, limit);
    if !turn.admitted {
        return (allowance(turn), Err(Refusal::RateLimit));
    }
    count.add(month);
    (allowance(turn), Ok(()))
}

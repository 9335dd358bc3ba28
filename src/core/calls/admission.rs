//! Admission of a call: its account, its rate limit, its monthly quota.

use std::collections::BTreeMap;

use super::Calls;
use super::directory::Caller;
use super::quota::{MonthCount, SANDBOX_CALLS_A_MONTH};
use super::rate_limit::RateDecision;
use crate::base::value::{Date, KeyKind, Month, Timestamp};
use crate::store::Limit;

/// The rate limit of a caller, for the `RateLimit-*` headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Calls in any 60 seconds.
    pub limit: u64,
    pub remaining: u64,
    /// Whole seconds until more are left; for a refused call, until it would be admitted.
    pub reset_s: u64,
}

/// Whether a call consumes the monthly quota. Every call counts against the rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// A call of the API.
    Quota,
    /// A question about the consumption: it consumes the quota like any call, and is answered even if the quota is
    /// used up. Otherwise nobody could ask why calls are refused.
    WhileLeft,
    /// A look-up of the page, which is answered even if the quota is used up.
    Free,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Suspended,
    /// Too many calls in the last 60 seconds.
    RateLimit,
    /// The quota of the month is used up.
    Quota {
        calls: u64,
        /// The kind of key that it applies to.
        kind: KeyKind,
        /// The day on which it begins again (UTC).
        renews_on: Date,
    },
}

fn allowance(limit: u32, turn: RateDecision) -> Allowance {
    Allowance { limit: u64::from(limit), remaining: turn.remaining, reset_s: turn.wait_ms.div_ceil(1_000) }
}

impl Calls {
    /// The allowance of a caller, without counting a call.
    pub fn peek(&self, caller: &Caller) -> Allowance {
        let limit = caller.client.limits.rate_limit;
        allowance(limit, caller.client.meter.lock().window.peek(self.clock.uptime_ms(), limit))
    }

    /// Admits and counts a call that arrived now, or returns why it is refused. A refused call is not counted.
    pub fn admit(&self, caller: &Caller, charge: Charge, now: Timestamp) -> (Allowance, Result<(), Refusal>) {
        let uptime_ms = self.clock.uptime_ms();
        let limit = caller.client.limits.rate_limit;
        let month = Month::of(now);
        let mut counted = caller.client.meter.lock();
        let counted = &mut *counted;
        let allowance = |turn| allowance(limit, turn);
        if caller.client.account.suspended_at.is_some() {
            return (allowance(counted.window.peek(uptime_ms, limit)), Err(Refusal::Suspended));
        }
        let (count, quota) = quota_of(caller, &mut counted.live, &mut counted.sandbox);
        let used_up = used_up(caller, count, quota, month);
        let consumes = charge != Charge::Free && used_up.is_none();
        if let (Charge::Quota, Some(refused)) = (charge, used_up) {
            return (until_next_month(caller, now), Err(refused));
        }
        let turn = counted.window.take(uptime_ms, limit);
        if !turn.admitted {
            return (allowance(turn), Err(Refusal::RateLimit));
        }
        if consumes {
            count.add(month);
        }
        (allowance(turn), Ok(()))
    }

    /// The allowance of a caller whose quota is used up: nothing until the next month.
    pub fn until_next_month(&self, caller: &Caller) -> Allowance {
        until_next_month(caller, self.clock.now())
    }

    /// Uses up one call of the quota without a request of its own: a row of a list, a tax of an operation. The rate
    /// limit does not count it, because the requests that hold many are counted and few.
    pub fn charge(&self, caller: &Caller) -> Result<(), Refusal> {
        let month = Month::of(self.clock.now());
        let mut counted = caller.client.meter.lock();
        let counted = &mut *counted;
        let (count, quota) = quota_of(caller, &mut counted.live, &mut counted.sandbox);
        if let Some(refused) = used_up(caller, count, quota, month) {
            return Err(refused);
        }
        count.add(month);
        Ok(())
    }
}

fn until_next_month(caller: &Caller, now: Timestamp) -> Allowance {
    let reset_s = Month::of(now).next().start().millis().saturating_sub(now.millis()).div_ceil(1_000);
    Allowance { limit: u64::from(caller.client.limits.rate_limit), remaining: 0, reset_s }
}

/// The quota of the caller's key, and its use.
fn quota_of<'c>(
    caller: &Caller,
    live: &'c mut MonthCount,
    sandbox: &'c mut BTreeMap<String, MonthCount>,
) -> (&'c mut MonthCount, Limit) {
    match caller.key.kind {
        KeyKind::Live => (live, caller.client.limits.monthly_quota),
        KeyKind::Test => (sandbox.entry(caller.key.lineage.clone()).or_default(), SANDBOX_CALLS_A_MONTH),
    }
}

fn used_up(caller: &Caller, count: &MonthCount, quota: Limit, month: Month) -> Option<Refusal> {
    let calls = quota.0.filter(|_| count.is_used_up(month, quota))?;
    Some(Refusal::Quota { calls, kind: caller.key.kind, renews_on: month.next().start().day() })
}

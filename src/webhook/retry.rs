//! What an attempt came to, and what follows from it (contract, sections 6.1 and 7).

use std::fmt;
use std::time::Duration;

/// Attempts that a delivery gets in total.
pub const MAX_ATTEMPTS: u8 = 3;
/// Nominal wait before the second and before the third attempt, in milliseconds. The first
/// outlasts a dropped connection or a reload, the second a receiver that is being restarted;
/// what lasts longer is the operator's to replay, and the changelog's to catch up on.
const WAITS_MS: [u64; 2] = [5_000, 30_000];
/// The longest that any retry waits, in milliseconds.
pub(super) const LONGEST_WAIT_MS: u64 = 45_000;
/// Most characters kept of why a connection failed.
const MAX_REASON_CHARS: usize = 160;

/// What one attempt came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The endpoint answered with this HTTP status.
    Answered(u16),
    /// The time for the attempt ran out.
    TimedOut,
    /// No answer was to be had: name, connection, certificate, or no HTTP.
    NotConnected(String),
    /// There was nothing that could be sent.
    Unsendable(String),
}

impl AttemptOutcome {
    /// A failed connection, its reason cut to what is worth keeping.
    #[must_use]
    pub fn not_connected(reason: &str) -> AttemptOutcome {
        AttemptOutcome::NotConnected(reason.chars().take(MAX_REASON_CHARS).collect())
    }

    /// True for any 2xx.
    #[must_use]
    pub fn is_delivered(&self) -> bool {
        matches!(self, AttemptOutcome::Answered(200..=299))
    }
}

impl fmt::Display for AttemptOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttemptOutcome::Answered(status) => write!(f, "HTTP {status}"),
            AttemptOutcome::TimedOut => f.write_str("no answer in time"),
            AttemptOutcome::NotConnected(reason) => write!(f, "no connection: {reason}"),
            AttemptOutcome::Unsendable(reason) => write!(f, "not sent: {reason}"),
        }
    }
}

/// What follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It arrived.
    Delivered,
    /// Another attempt after this wait.
    Retry(Duration),
    /// It never will.
    Failed,
}

/// What follows from the attempt of that number (the first is 1). Only what may pass by itself
/// is tried again: a timeout, a failed connection, a 5xx. A redirect is not followed and, like
/// a 4xx, will not mend itself. `random`, uniform over all of `u32`, spreads the waits from
/// half to one and a half of their nominal length, so that deliveries that failed together
/// do not come back together.
#[must_use]
pub fn decide(attempt: u8, outcome: &AttemptOutcome, random: u32) -> Next {
    let may_pass = match outcome {
        AttemptOutcome::Answered(200..=299) => return Next::Delivered,
        AttemptOutcome::Answered(status) => (500..=599).contains(status),
        AttemptOutcome::TimedOut | AttemptOutcome::NotConnected(_) => true,
        AttemptOutcome::Unsendable(_) => false,
    };
    let wait = attempt.checked_sub(1).and_then(|made| WAITS_MS.get(usize::from(made)));
    match wait {
        Some(nominal) if may_pass => {
            let spread = (nominal * u64::from(random)) >> 32;
            Next::Retry(Duration::from_millis(nominal / 2 + spread))
        }
        _ => Next::Failed,
    }
}

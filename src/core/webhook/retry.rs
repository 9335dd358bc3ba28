//! The outcome of an attempt, and whether the delivery is tried again (contract, sections 6.1 and 7); pure.

use std::fmt;
use std::time::Duration;

/// Attempts that a delivery gets in total.
pub const MAX_ATTEMPTS: u8 = 3;
/// Nominal wait before the second and the third attempt, in milliseconds. The first is longer than a dropped
/// connection or a reload, the second than a restart of the receiver. After a longer outage the operator
/// replays, or the receiver catches up from the changelog.
const WAITS_MS: [u64; 2] = [5_000, 30_000];
/// Longest wait of any retry, jitter included, in milliseconds.
pub(super) const LONGEST_WAIT_MS: u64 = 45_000;
/// Longest stored reason of a failed connection, in characters.
const MAX_REASON_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The endpoint answered with this HTTP status.
    Answered(u16),
    /// The attempt exceeded its time limit.
    TimedOut,
    /// There was no answer: the name, the connection, the certificate or the HTTP failed.
    NotConnected(String),
    /// The message could not be made or sent at all.
    Unsendable(String),
}

impl AttemptOutcome {
    /// Returns the outcome of a failed connection, with its reason shortened.
    pub fn not_connected(reason: &str) -> AttemptOutcome {
        AttemptOutcome::NotConnected(reason.chars().take(MAX_REASON_CHARS).collect())
    }

    /// True for any 2xx.
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

/// What to do after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Delivered,
    /// Try again after this wait.
    Retry(Duration),
    Failed,
}

/// Returns what to do after the attempt of that number (the first is 1). Only failures that may be temporary
/// are tried again: a timeout, a failed connection, a 5xx. A redirect is not followed, and like a 4xx it
/// would be answered again. `random` must be uniform over all of `u32`: it is the jitter of 50 %, so that
/// deliveries that failed together are not repeated together.
pub fn decide(attempt: u8, outcome: &AttemptOutcome, random: u32) -> Next {
    let is_temporary = match outcome {
        AttemptOutcome::Answered(200..=299) => return Next::Delivered,
        AttemptOutcome::Answered(status) => (500..=599).contains(status),
        AttemptOutcome::TimedOut | AttemptOutcome::NotConnected(_) => true,
        AttemptOutcome::Unsendable(_) => false,
    };
    let wait = attempt.checked_sub(1).and_then(|made| WAITS_MS.get(usize::from(made)));
    match wait {
        Some(nominal) if is_temporary => {
            let spread = (nominal * u64::from(random)) >> 32;
            Next::Retry(Duration::from_millis(nominal / 2 + spread))
        }
        _ => Next::Failed,
    }
}

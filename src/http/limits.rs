//! Limits of a connection and of a request. Beyond them a caller is refused or loses its connection. The limits of
//! calls a minute and a month are in `calls`.

use std::time::Duration;

/// Longest body of a request, in bytes: the contract's payloads have a few hundred.
pub(super) const MAX_BODY_BYTES: usize = 64 * 1024;
/// Longest head of a request that is served, in bytes: a call of the contract has a few hundred.
pub(super) const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Longest head of a request that is read at all, in bytes. Larger than [`MAX_HEAD_BYTES`], so that a head
/// between the two is refused with a problem document.
pub(super) const MAX_BUFFERED_HEAD_BYTES: usize = 24 * 1024;
/// Time limit for sending a refusal on a connection that is not served.
pub(super) const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);

/// The rate at which an answer is read is measured over the time for a body, so many times: a caller's system may
/// report what it reads in steps of half a minute.
const READING_WINDOWS: u32 = 2;

/// Limits of the connections of a server, as the operator sets them.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Time for a request's head to arrive; also how long an idle connection is kept.
    pub header_timeout: Duration,
    /// Time for a request's body to arrive. How fast an answer is read is measured over twice that time.
    pub body_timeout: Duration,
    /// Connections served at once. A further one evicts an idle one, or is answered 503.
    pub max_connections: usize,
}

impl ConnectionLimits {
    /// Returns the time over which the reading of an answer is measured.
    pub(super) fn reading_window(&self) -> Duration {
        self.body_timeout * READING_WINDOWS
    }
}

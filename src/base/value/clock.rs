//! The clocks of the service.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::Timestamp;

/// A wall clock, which may be set back, and a monotonic clock. Tests replace both.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    uptime_ms: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl Clock {
    pub fn system() -> Clock {
        Clock::new(Timestamp::now)
    }

    /// A wall clock that reads `now`, with the system's monotonic clock.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Clock {
        let started = Instant::now();
        let uptime_ms = move || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Clock { now: Arc::new(now), uptime_ms: Arc::new(uptime_ms) }
    }

    /// The same wall clock, with a monotonic clock that reads `uptime_ms`.
    pub fn with_uptime(mut self, uptime_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Clock {
        self.uptime_ms = Arc::new(uptime_ms);
        self
    }

    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Milliseconds since some moment in the past; monotonic.
    pub fn uptime_ms(&self) -> u64 {
        (self.uptime_ms)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({}, {} ms)", self.now(), self.uptime_ms())
    }
}

//! Where the time of day comes from.

use std::fmt;
use std::sync::Arc;

use super::Instante;

/// The system's clock, or one that a test moves.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Instante + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Clock {
        Clock(Arc::new(Instante::now))
    }

    /// A clock that tells what `tell` tells.
    #[must_use]
    pub fn new(tell: impl Fn() -> Instante + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(tell))
    }

    /// The instant it is.
    #[must_use]
    pub fn now(&self) -> Instante {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

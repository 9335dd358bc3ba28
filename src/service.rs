//! What one process shares between the public surface and administration.

use crate::engine::Engine;

/// The parts of a running taxd, or of a command that works on the file itself.
pub struct Service {
    engine: Engine,
}

impl Service {
    /// A service of the engine's rules.
    #[must_use]
    pub fn new(engine: Engine) -> Service {
        Service { engine }
    }

    /// The rules, and calculating with them.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

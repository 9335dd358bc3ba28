//! The engine of a command that only calculates.

use super::{Context, DEFAULT_DATA};
use crate::base::value::{Clock, Timestamp};
use crate::core::engine::Engine;
use crate::core::rulesets;
use crate::features::AdminError;
use crate::features::control::data_dir;

/// Payloads calculated together: enough to keep every core busy, few enough to answer a stream without delay and to stay in
/// the processor's cache.
pub(crate) const BATCH: usize = 1_024;
/// Most memory of the rows or lines that are worked on together, in bytes: one may be large. Beside those lines, as many are
/// read.
pub(crate) const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Size of the result cache: none, because the lines of a file seldom repeat.
const CACHED_RESULTS: usize = 0;

impl Context {
    /// An engine on the rules of the data directory as they are now, beside a server if one is running, or on the built-in
    /// ones.
    pub(crate) fn engine(&self) -> Result<Engine, AdminError> {
        let Some(dir) = self.rules_dir()? else {
            tracing::warn!(data = DEFAULT_DATA, "não há pasta de dados: o cálculo é pelas regras embutidas");
            return Ok(rulesets::in_memory(Clock::system())?);
        };
        Ok(Engine::new(data_dir::open_to_read(dir)?, CACHED_RESULTS))
    }

    /// The same, for answers about instants up to now: no publication of a running server is dated at one of them later.
    pub(crate) fn settled_engine(&self) -> Result<Engine, AdminError> {
        if let Some(dir) = self.rules_dir()? {
            data_dir::settle(dir, Timestamp::now())?;
        }
        self.engine()
    }
}

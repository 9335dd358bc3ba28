//! Work that may take long runs at a lower priority than calls.

use rustix::process::setpriority_process;
use rustix::thread::gettid;

/// How much less of the processor, as the system counts niceness, such work gets: calls go on being
/// answered at their usual speed.
const NICENESS: i32 = 5;

/// Lowers the priority of this thread, for good.
pub fn lower_priority() {
    if let Err(error) = setpriority_process(Some(gettid()), NICENESS) {
        tracing::debug!(%error, "long work runs at the priority of calls");
    }
}

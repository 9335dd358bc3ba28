//! A lower priority for long work, so that calls go first.

use rustix::process::setpriority_process;
use rustix::thread::gettid;

/// The niceness of long work: enough that calls are answered at their usual speed beside it.
const NICENESS: i32 = 5;

/// Lowers the priority of this thread permanently.
pub fn lower_priority() {
    if let Err(error) = setpriority_process(Some(gettid()), NICENESS) {
        tracing::debug!(%error, "long work runs at the priority of calls");
    }
}

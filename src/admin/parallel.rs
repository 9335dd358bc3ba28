//! Work on a list, on all cores.

use std::thread;

/// Applies `work` to each, on all cores, and returns the results in the order of the list.
///
/// A panic in `work` continues in the caller's thread, after the other threads have ended.
pub fn in_parallel<T: Sync, U: Send>(all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (share, work) = (all.len().div_ceil(cores).max(1), &work);
    thread::scope(|scope| {
        let parts: Vec<_> =
            all.chunks(share).map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<U>>())).collect();
        let joined = parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}

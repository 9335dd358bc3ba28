//! Answers that take more than a few reads of the store are made aside, so that the threads which
//! serve connections never wait for one.

use super::refusal;
use crate::problem::{Problem, guarded};

/// What `work` comes to, on a thread where it may take its time.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Box<Problem>> + Send + 'static,
) -> Result<T, Box<Problem>> {
    tokio::task::spawn_blocking(move || guarded(work)).await.unwrap_or_else(|error| {
        tracing::error!(%error, "work aside was given up");
        Err(Box::new(refusal::stopping()))
    })
}

//! The progress of long work.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub stage: Stage,
    pub done: u64,
    pub total: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Reading and checking the files.
    Reading,
    Publishing,
    /// Calculating the worked examples.
    Examples,
    Copying,
    Checking,
    /// Calculating logged calls again.
    Replaying,
}

impl Stage {
    /// The name shown to the operator.
    pub const fn label(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Publishing => "publishing",
            Stage::Examples => "worked examples",
            Stage::Copying => "copying",
            Stage::Checking => "checking",
            Stage::Replaying => "replaying calls",
        }
    }
}

/// Receives the reports. Called often; must be fast.
pub type Progress<'a> = &'a mut dyn FnMut(Step);

/// Items between two reports of a stage.
const EVERY: usize = 500;

/// Reports every [`EVERY`] items, and at the end of a stage.
pub(super) fn report(progress: Progress<'_>, stage: Stage, done: usize, total: usize) {
    if done.is_multiple_of(EVERY) || done == total {
        progress(Step { stage, done: done as u64, total: total as u64 });
    }
}

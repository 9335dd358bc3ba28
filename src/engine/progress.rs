//! How far a long piece of work has come.

use serde::{Deserialize, Serialize};

/// A report on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What is being done.
    pub stage: Stage,
    /// How many are done.
    pub done: usize,
    /// Of how many.
    pub total: usize,
}

/// The parts of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Reading and checking the files.
    Reading,
    /// Writing the new versions.
    Publishing,
    /// Calculating the worked examples.
    Examples,
    /// Copying rows of the data file.
    Copying,
    /// Looking whether a data file is whole.
    Checking,
}

impl Stage {
    /// For people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Publishing => "publishing",
            Stage::Examples => "worked examples",
            Stage::Copying => "copying",
            Stage::Checking => "checking",
        }
    }
}

/// Whoever wants to know. Called often; must be quick.
pub type Progress<'a> = &'a mut dyn FnMut(Step);

/// Between two reports of the same stage.
const EVERY: usize = 500;

/// Reports every so often, and at the end of a stage.
pub(super) fn report(progress: Progress<'_>, stage: Stage, done: usize, total: usize) {
    if done.is_multiple_of(EVERY) || done == total {
        progress(Step { stage, done, total });
    }
}

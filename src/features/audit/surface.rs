//! What a run asks of the page or of the command.

use std::sync::Arc;

use super::AuditLine;
use super::input::Inputs;
use super::input::archive::Input;
use super::segregation::SegregatedMonth;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Payloads that are asked together.
pub type Payloads = Vec<Arc<EnginePayload>>;

/// Who asks for a run: gives it time and memory, pays for it, answers it, and takes its lines. Each function may end the
/// run.
pub trait Surface {
    /// Why the run ends before its files.
    type Stop;
    /// What a batch of files has while it is read and its lines are made.
    type Held;
    /// Most files of a batch, which are read on all cores, and its bytes after which it takes no further one.
    const BATCH: (usize, usize);

    /// Lets a batch be read. `Some` if what it is made into must be written before the next one.
    fn begin(&mut self, batch: &mut [Input]) -> Result<Option<Self::Held>, Self::Stop>;

    /// Lets a document be calculated; `asks` is false for one that only has lines.
    fn admit(&mut self, asks: bool) -> Result<(), Self::Stop>;

    /// The answer to each payload, in order. The steps are wanted of the questions of a document, and not of those that
    /// seek what explains a difference.
    fn ask(&mut self, payloads: Payloads, steps: bool) -> Result<Vec<RuleResult<TaxAnswer>>, Self::Stop>;

    fn line(&mut self, line: AuditLine) -> Result<(), Self::Stop>;

    /// Takes the revenue of a company of the Simples in a month, after all lines of a whole run.
    fn segregated(&mut self, month: SegregatedMonth) -> Result<(), Self::Stop>;

    /// Learns how far the run is; `None` while all files are searched for events that cancel a document.
    fn progress(&mut self, inputs: Option<&Inputs<'_>>) -> Result<(), Self::Stop>;
}

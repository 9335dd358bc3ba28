//! Runs of the audit whose questions a test answers.

use std::convert::Infallible;

use taxd::features::audit::{AuditLine, Input, Inputs, NamedFile, Payloads, Run, SegregatedMonth, Surface};
use taxd_law::nfe::payloads::EnginePayload;
use taxd_law::rule::RuleResult;
use taxd_law::tax::TaxAnswer;

/// What a run of the audit found, and the questions that it asked.
#[derive(Default)]
pub struct Found {
    pub lines: Vec<AuditLine>,
    pub months: Vec<SegregatedMonth>,
    pub asked: Payloads,
}

/// A run of the audit whose questions are answered so.
pub fn found_by(run: &Run, files: &[NamedFile<'_>], answer: impl Fn(&EnginePayload) -> RuleResult<TaxAnswer>) -> Found {
    let mut answered = AnsweredRun { found: Found::default(), answer };
    let Ok(()) = run.over(files, &mut answered);
    answered.found
}

/// The lines of such a run.
pub fn audited_by(
    run: &Run,
    files: &[NamedFile<'_>],
    answer: impl Fn(&EnginePayload) -> RuleResult<TaxAnswer>,
) -> Vec<AuditLine> {
    found_by(run, files, answer).lines
}

struct AnsweredRun<A> {
    found: Found,
    answer: A,
}

impl<A: Fn(&EnginePayload) -> RuleResult<TaxAnswer>> Surface for AnsweredRun<A> {
    type Stop = Infallible;
    type Held = ();
    const BATCH: (usize, usize) = (4, 1024 * 1024);

    fn begin(&mut self, _: &mut [Input]) -> Result<Option<()>, Infallible> {
        Ok(None)
    }

    fn admit(&mut self, _: bool) -> Result<(), Infallible> {
        Ok(())
    }

    fn ask(&mut self, payloads: Payloads, _: bool) -> Result<Vec<RuleResult<TaxAnswer>>, Infallible> {
        let answers = payloads.iter().map(|payload| (self.answer)(payload)).collect();
        self.found.asked.extend(payloads);
        Ok(answers)
    }

    fn line(&mut self, line: AuditLine) -> Result<(), Infallible> {
        self.found.lines.push(line);
        Ok(())
    }

    fn segregated(&mut self, month: SegregatedMonth) -> Result<(), Infallible> {
        self.found.months.push(month);
        Ok(())
    }

    fn progress(&mut self, _: Option<&Inputs<'_>>) -> Result<(), Infallible> {
        Ok(())
    }
}

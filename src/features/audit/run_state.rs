//! The documents that a run had, what it learnt of the rules, and the lines on their way from a plan to the report.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::crossing::CrossedRecord;
use super::explain::EXPLAINED;
use super::question::SharedQuestion;
use super::segregation::{DocumentRevenue, Segregation};
use super::surface::{Payloads, Surface};
use super::{AuditLine, AuditPlace, Judged, PlannedLine, explain, has_ncm_table, ncm_probe};
use crate::base::defect::Defect;
use crate::base::value::{Date, sha256_of_parts};
use crate::features::calc::in_parallel;
use crate::law::nfe::XmlFault;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Most lines whose answers are in memory at once: one with its steps has some kilobytes.
const BATCH_LINES: usize = 1_024;
/// Files after which their lines are written.
pub(super) const WRITTEN_FILES: usize = 32;

/// The answers on single-phase goods that the lines have.
type KnownAnswers = HashMap<SharedQuestion, Arc<RuleResult<TaxAnswer>>>;

/// An access key, which is never written, in the bytes that are enough to know it by.
pub(super) type DocumentDigest = [u8; 16];

pub(super) fn document_digest(key: &str) -> DocumentDigest {
    let digest = sha256_of_parts([key.as_bytes()]);
    digest.first_chunk().copied().unwrap_or_default()
}

pub(super) struct PlannedDocument {
    pub(super) key: DocumentDigest,
    pub(super) lines: Vec<PlannedLine>,
    /// Its line if the run had the same key before.
    pub(super) repeated: Option<Box<AuditLine>>,
    /// Its revenue, of a company of the Simples.
    pub(super) revenue: Vec<DocumentRevenue>,
    /// What the digital books are crossed with.
    pub(super) crossed: Vec<CrossedRecord>,
}

impl PlannedDocument {
    /// The only line of a file.
    pub(super) fn line(line: AuditLine) -> PlannedDocument {
        PlannedDocument {
            key: DocumentDigest::default(),
            lines: vec![PlannedLine::Ready(Box::new(line))],
            repeated: None,
            revenue: Vec::new(),
            crossed: Vec::new(),
        }
    }

    /// The line of a file on which this program panicked.
    pub(super) fn defective(name: &str, defect: &Defect) -> PlannedDocument {
        tracing::error!(%defect, "a file could not be audited");
        let detail = "a leitura falhou por um defeito do programa; avise o operador".to_owned();
        PlannedDocument::line(AuditLine::unreadable(name, &XmlFault { line: 1, codigo: "erro_interno", detail }))
    }
}

/// The documents that a run had, and what it learnt of the rules.
#[derive(Default)]
pub(super) struct RunState {
    /// To be answered and written.
    lines: Vec<PlannedLine>,
    /// Access keys of the documents.
    seen: HashSet<DocumentDigest>,
    /// To be crossed.
    pub(super) crossed: Vec<CrossedRecord>,
    /// Files since lines were written last.
    waiting: usize,
    /// Days of issue, and whether the rules have the table of all NCMs on them; without it no NCM can be called extinct.
    ncm_days: HashMap<Date, bool>,
    /// To be asked and added.
    revenue: Vec<DocumentRevenue>,
    pub(super) segregation: Segregation,
    /// The document of the last line, and how many of its differences were explained.
    explained: ((String, u32), usize),
}

impl RunState {
    /// Takes the documents of files, one after the other. True if all lines are written then; `now` asks for that.
    pub(super) fn take<S: Surface>(
        &mut self,
        files: Vec<Vec<PlannedDocument>>,
        now: bool,
        surface: &mut S,
    ) -> Result<bool, S::Stop> {
        self.waiting += files.len();
        for document in files.into_iter().flatten() {
            let document = self.first_only(document);
            surface.admit(document.iter().any(|line| matches!(line, PlannedLine::Question(_))))?;
            self.lines.extend(document);
            if self.lines.len() >= BATCH_LINES {
                self.write(surface)?;
            }
        }
        let is_written = now || self.waiting >= WRITTEN_FILES;
        if is_written {
            self.waiting = 0;
            self.write(surface)?;
        }
        Ok(is_written)
    }

    /// The lines of a document, or the line that says that the run had it before.
    fn first_only(&mut self, document: PlannedDocument) -> Vec<PlannedLine> {
        match document.repeated {
            Some(repeated) if !self.seen.insert(document.key) => vec![PlannedLine::Ready(repeated)],
            _ => {
                self.revenue.extend(document.revenue);
                self.crossed.extend(document.crossed);
                document.lines
            }
        }
    }

    /// Has the lines answered, and gives the results to the surface, in order.
    pub(super) fn write<S: Surface>(&mut self, surface: &mut S) -> Result<(), S::Stop> {
        let mut lines = std::mem::take(&mut self.lines).into_iter();
        let mut single_phase = KnownAnswers::new();
        loop {
            let batch: Vec<PlannedLine> = lines.by_ref().take(BATCH_LINES).collect();
            if batch.is_empty() {
                return self.add_revenue(&single_phase, surface);
            }
            self.learn_ncm_days(&batch, surface)?;
            let question = |line: &PlannedLine| match line {
                PlannedLine::Question(question) => Some(Arc::clone(&question.payload)),
                PlannedLine::Ready(_) => None,
            };
            let payloads: Payloads = batch.iter().filter_map(question).collect();
            let mut answers = if payloads.is_empty() { Vec::new() } else { surface.ask(payloads, true)? }.into_iter();
            let mut answered = Vec::with_capacity(batch.len());
            for mut line in batch {
                let mut answer = None;
                if let PlannedLine::Question(question) = &mut line {
                    question.ncm = question
                        .ncm
                        .take()
                        .filter(|line| line.data.and_then(|day| self.ncm_days.get(&day)) == Some(&true));
                    answer = answers.next().map(Arc::new);
                    if let Some(answer) = answer.as_ref().filter(|_| question.is_about("pis")) {
                        single_phase.insert(SharedQuestion(Arc::clone(&question.payload)), Arc::clone(answer));
                    }
                }
                answered.push((line, answer));
            }
            let judged = in_parallel(answered, |(line, answer)| match (line, answer) {
                (PlannedLine::Ready(line), _) => vec![Judged::ready(*line)],
                (PlannedLine::Question(question), Some(answer)) => question.answered(answer),
                (PlannedLine::Question(_), None) => Vec::new(),
            });
            let judged = judged.into_iter().flatten().collect();
            let lines = explain(self.few_open(judged), |payloads| surface.ask(payloads, false))?;
            lines.into_iter().try_for_each(|line| surface.line(line))?;
        }
    }

    /// Adds the revenue of the documents, with the answers on their products: `known` are those to the questions of lines.
    fn add_revenue<S: Surface>(&mut self, known: &KnownAnswers, surface: &mut S) -> Result<(), S::Stop> {
        let revenue = std::mem::take(&mut self.revenue);
        let questions: Payloads = revenue.iter().flat_map(DocumentRevenue::questions).collect();
        let known = |payload: &Arc<EnginePayload>| known.get(&SharedQuestion(Arc::clone(payload)));
        let payloads: Payloads = questions.iter().filter(|payload| known(payload).is_none()).cloned().collect();
        let mut new = if payloads.is_empty() { Vec::new() } else { surface.ask(payloads, false)? }.into_iter();
        let mut answers = questions.iter().filter_map(|payload| match known(payload) {
            Some(answer) => Some(Arc::clone(answer)),
            None => new.next().map(Arc::new),
        });
        for document in revenue {
            self.segregation.add(document, &mut answers);
        }
        Ok(())
    }

    /// The lines with no more than [`EXPLAINED`] differences of a document to explain.
    fn few_open(&mut self, judged: Vec<Judged>) -> Vec<Judged> {
        let mut one = |judged: Judged| {
            let (AuditPlace { arquivo, documento, .. }, (before, count)) = (&*judged.line.place, &mut self.explained);
            if (&before.0, before.1) != (arquivo, *documento) {
                (*before, *count) = ((arquivo.clone(), *documento), 0);
            }
            self.explained.1 += usize::from(judged.is_open());
            if self.explained.1 > EXPLAINED { judged.unexplained() } else { judged }
        };
        judged.into_iter().map(&mut one).collect()
    }

    /// Asks for each new day of issue whether the rules have the table of all NCMs on it.
    fn learn_ncm_days<S: Surface>(&mut self, lines: &[PlannedLine], surface: &mut S) -> Result<(), S::Stop> {
        let day = |line: &PlannedLine| match line {
            PlannedLine::Question(question) => question.ncm.as_ref().and_then(|line| line.data),
            PlannedLine::Ready(_) => None,
        };
        let days: BTreeSet<Date> = lines.iter().filter_map(day).collect();
        let days: Vec<Date> = days.into_iter().filter(|day| !self.ncm_days.contains_key(day)).collect();
        if !days.is_empty() {
            let answers = surface.ask(days.iter().map(|day| Arc::new(ncm_probe(&day.to_string()))).collect(), false)?;
            self.ncm_days.extend(days.into_iter().zip(answers.iter().map(has_ncm_table)));
        }
        Ok(())
    }
}

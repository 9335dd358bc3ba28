//! One run over many files: what each document is checked with, which ones it had before, and the answers.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::crossing::{CrossedRecord, Crossing};
use super::explain::EXPLAINED;
use super::input::archive::{FileLimits, Input, UnreadFile};
use super::input::{Inputs, NamedFile};
use super::question::SharedQuestion;
use super::segregation::{self, DocumentRevenue, SegregatedMonth, Segregation};
use super::{
    AuditLine, AuditPlace, Companies, Judged, PlannedLine, explain, has_ncm_table, includes, ncm_probe, plan,
    purchases, repeated,
};
use crate::base::defect::{Defect, caught};
use crate::base::value::{Date, sha256_of_parts};
use crate::features::calc::in_parallel;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{self, DocumentStatus, FiscalDocument, XmlFault, XmlLimits};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Most lines whose answers are in memory at once: one with its steps has some kilobytes.
const BATCH_LINES: usize = 1_024;
/// Files after which their lines are written.
const WRITTEN_FILES: usize = 32;

/// Payloads that are asked together.
pub type Payloads = Vec<Arc<EnginePayload>>;

/// What all documents of a run are checked with.
#[derive(Debug, Default)]
pub struct Run {
    /// What is known of the issuers.
    pub companies: Companies,
    /// Only documents issued on this day or later.
    pub desde: Option<Date>,
    /// What each file may have at most.
    pub limits: FileLimits,
}

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

impl Run {
    /// Audits the files. If the surface ends the run, it still takes the lines that were admitted before.
    pub fn over<S: Surface>(&self, files: &[NamedFile<'_>], surface: &mut S) -> Result<(), S::Stop> {
        let (cancelled, crossing) = self.searched(files, surface)?;
        let (mut inputs, mut state) = (Inputs::of(files, self.limits), RunState { crossing, ..RunState::default() });
        let ended = self.each_batch(&mut inputs, &cancelled, &mut state, surface);
        state.write(surface)?;
        ended?;
        let surface = RefCell::new(surface);
        let pause = || surface.borrow_mut().begin(&mut []).map(drop);
        let ask = |payloads| surface.borrow_mut().ask(payloads, false);
        state.crossing.finish(S::BATCH, |line| surface.borrow_mut().line(line), pause, ask)?;
        let surface = surface.into_inner();
        let revenue = std::mem::take(&mut state.segregation);
        for month in segregation::asked(revenue, &self.companies, self.desde, |payloads| surface.ask(payloads, false))?
        {
            surface.segregated(month)?;
        }
        surface.progress(Some(&inputs))
    }

    fn each_batch<S: Surface>(
        &self,
        inputs: &mut Inputs<'_>,
        cancelled: &HashSet<KeyDigest>,
        state: &mut RunState,
        surface: &mut S,
    ) -> Result<(), S::Stop> {
        let mut waiting = 0;
        let mut next = inputs.next_batch(S::BATCH);
        while let Some(mut batch) = next {
            let mut is_written = false;
            next = inputs.next_beside(S::BATCH, || {
                let held = surface.begin(&mut batch)?;
                let planned = in_parallel(&batch, |input| self.planned(input, cancelled, &state.crossing));
                for document in planned.into_iter().flatten() {
                    let document = state.first_only(document);
                    surface.admit(document.iter().any(|line| matches!(line, PlannedLine::Question(_))))?;
                    state.lines.extend(document);
                    if state.lines.len() >= BATCH_LINES {
                        state.write(surface)?;
                    }
                }
                waiting += batch.len();
                is_written = waiting >= WRITTEN_FILES || held.is_some();
                if is_written {
                    waiting = 0;
                    state.write(surface)?;
                }
                Ok(())
            })?;
            if is_written {
                surface.progress(Some(inputs))?;
            }
        }
        Ok(())
    }

    /// Searches all files before the first is audited: an event may come after the document that it cancels, and which
    /// documents are crossed depends on the books.
    fn searched<S: Surface>(
        &self,
        files: &[NamedFile<'_>],
        surface: &mut S,
    ) -> Result<(HashSet<KeyDigest>, Crossing), S::Stop> {
        let limits = FileLimits { with_books: true, ..self.limits };
        let (mut cancelled, mut crossing) = (HashSet::new(), Crossing::default());
        let (mut inputs, mut searched) = (Inputs::of(files, limits), 0);
        let mut next = inputs.next_batch(S::BATCH);
        while let Some(mut batch) = next {
            next = inputs.next_beside(S::BATCH, || {
                let _held = surface.begin(&mut batch)?;
                let keys = in_parallel(&batch, |input| cancelled_in(input, self.limits.xml));
                cancelled.extend(keys.into_iter().flatten().map(|key| key_digest(&key)));
                for Input { name, books, .. } in &mut batch {
                    if let Some(books) = books.take() {
                        crossing.read(name, books, || surface.begin(&mut []).map(drop))?;
                    }
                }
                searched += batch.len();
                if searched >= WRITTEN_FILES {
                    searched = 0;
                    surface.progress(None)?;
                }
                Ok(())
            })?;
        }
        crossing.settle(self.desde);
        Ok((cancelled, crossing))
    }

    /// Reads and plans the documents of a file. A file that cannot be read has one line, which says why.
    fn planned(&self, input: &Input, cancelled: &HashSet<KeyDigest>, crossing: &Crossing) -> Vec<PlannedDocument> {
        caught(|| self.documents(input, cancelled, crossing))
            .unwrap_or_else(|defect| vec![PlannedDocument::defective(&input.name, &defect)])
    }

    fn documents(&self, input: &Input, cancelled: &HashSet<KeyDigest>, crossing: &Crossing) -> Vec<PlannedDocument> {
        let documents = match &input.bytes {
            Ok(bytes) => nfe::read_within(bytes, self.limits.xml),
            Err(UnreadFile::Fault(fault)) => Err(fault.clone()),
            Err(UnreadFile::Other(other)) => {
                return vec![PlannedDocument::line(AuditLine::other_file(&input.name, other))];
            }
        };
        let documents = match documents {
            Ok(documents) => documents,
            Err(fault) => return vec![PlannedDocument::line(AuditLine::unreadable(&input.name, &fault))],
        };
        let numbered = documents.into_iter().zip(1..).filter(|(document, _)| includes(document, self.desde));
        let plan = |(mut document, number): (FiscalDocument, u32)| {
            if cancelled.contains(&key_digest(document.key())) {
                document.set_status(DocumentStatus::Cancelled);
            }
            let company = self.companies.of(document.emitente());
            let mut lines = plan(&input.name, number, &document, &company);
            let mut revenue = segregation::of_document(&document, &company);
            for of in &mut revenue {
                of.share(lines.iter().filter_map(asks_single_phase));
            }
            let known = |cnpj: &str, day| {
                let named = self.companies.named(cnpj).cloned();
                named.or_else(|| crossing.declarant(cnpj, day))
            };
            lines.extend(purchases::of_document(&input.name, number, &document, known));
            let is_document = !document.key().is_empty() && !matches!(document, FiscalDocument::Event(_));
            let repeated = is_document.then(|| Box::new(repeated(&input.name, number, &document)));
            let crossed = crossing.records(&input.name, number, &document);
            PlannedDocument { key: key_digest(document.key()), lines, repeated, revenue, crossed }
        };
        numbered.map(plan).collect()
    }
}

/// The access keys that the events in a file cancel.
fn cancelled_in(input: &Input, limits: XmlLimits) -> Vec<String> {
    // A file on which this panics has its line in the audit itself.
    match &input.bytes {
        Ok(bytes) => caught(|| nfe::cancelled_keys(bytes, limits)).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

/// The payload of a line that asks whether goods are single-phase ones, as the segregation does.
fn asks_single_phase(line: &PlannedLine) -> Option<&Arc<EnginePayload>> {
    match line {
        PlannedLine::Question(question) if question.is_about("pis") => Some(&question.payload),
        _ => None,
    }
}

/// The answers on single-phase goods that the lines have.
type KnownAnswers = HashMap<SharedQuestion, Arc<RuleResult<TaxAnswer>>>;

/// An access key, which is never written, in the bytes that are enough to know it by.
type KeyDigest = [u8; 16];

fn key_digest(key: &str) -> KeyDigest {
    let digest = sha256_of_parts([key.as_bytes()]);
    digest.first_chunk().copied().unwrap_or_default()
}

struct PlannedDocument {
    key: KeyDigest,
    lines: Vec<PlannedLine>,
    /// Its line if the run had the same key before.
    repeated: Option<Box<AuditLine>>,
    /// Its revenue, of a company of the Simples.
    revenue: Vec<DocumentRevenue>,
    /// What the digital books are crossed with.
    crossed: Vec<CrossedRecord>,
}

impl PlannedDocument {
    /// The only line of a file.
    fn line(line: AuditLine) -> PlannedDocument {
        PlannedDocument {
            key: KeyDigest::default(),
            lines: vec![PlannedLine::Ready(Box::new(line))],
            repeated: None,
            revenue: Vec::new(),
            crossed: Vec::new(),
        }
    }

    /// The line of a file on which this program panicked.
    fn defective(name: &str, defect: &Defect) -> PlannedDocument {
        tracing::error!(%defect, "a file could not be audited");
        let detail = "a leitura falhou por um defeito do programa; avise o operador".to_owned();
        PlannedDocument::line(AuditLine::unreadable(name, &XmlFault { line: 1, codigo: "erro_interno", detail }))
    }
}

/// The documents that a run had, and what it learnt of the rules.
#[derive(Default)]
struct RunState {
    /// To be answered and written.
    lines: Vec<PlannedLine>,
    /// Access keys of the documents.
    seen: HashSet<KeyDigest>,
    crossing: Crossing,
    /// Days of issue, and whether the rules have the table of all NCMs on them; without it no NCM can be called extinct.
    ncm_days: HashMap<String, bool>,
    /// To be asked and added.
    revenue: Vec<DocumentRevenue>,
    segregation: Segregation,
    /// The document of the last line, and how many of its differences were explained.
    explained: ((String, u32), usize),
}

impl RunState {
    /// The lines of a document, or the line that says that the run had it before.
    fn first_only(&mut self, document: PlannedDocument) -> Vec<PlannedLine> {
        match document.repeated {
            Some(repeated) if !self.seen.insert(document.key) => vec![PlannedLine::Ready(repeated)],
            _ => {
                self.revenue.extend(document.revenue);
                document.crossed.into_iter().for_each(|record| self.crossing.add(record));
                document.lines
            }
        }
    }

    /// Has the lines answered, and gives the results to the surface, in order.
    fn write<S: Surface>(&mut self, surface: &mut S) -> Result<(), S::Stop> {
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
            let result = |line: PlannedLine| match line {
                PlannedLine::Ready(result) => vec![Judged::ready(*result)],
                PlannedLine::Question(mut question) => {
                    question.ncm = question.ncm.filter(|line| self.ncm_days.get(&line.data) == Some(&true));
                    let Some(answer) = answers.next() else { return Vec::new() };
                    let answer = Arc::new(answer);
                    if question.is_about("pis") {
                        single_phase.insert(SharedQuestion(Arc::clone(&question.payload)), Arc::clone(&answer));
                    }
                    question.answered(answer)
                }
            };
            let judged: Vec<Judged> = batch.into_iter().flat_map(result).collect();
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
            PlannedLine::Question(question) => question.ncm.as_ref().map(|line| line.data.clone()),
            PlannedLine::Ready(_) => None,
        };
        let days: BTreeSet<String> = lines.iter().filter_map(day).collect();
        let days: Vec<String> = days.into_iter().filter(|day| !self.ncm_days.contains_key(day)).collect();
        if !days.is_empty() {
            let answers = surface.ask(days.iter().map(|day| Arc::new(ncm_probe(day))).collect(), false)?;
            self.ncm_days.extend(days.into_iter().zip(answers.iter().map(has_ncm_table)));
        }
        Ok(())
    }
}

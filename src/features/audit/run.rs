//! One run over many files: what each document is checked with, which ones it had before, and the answers.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use super::crossing::Crossing;
use super::input::archive::{FileLimits, Input, UnreadFile};
use super::input::{Inputs, NamedFile};
use super::run_state::{DocumentDigest, PlannedDocument, RunState, WRITTEN_FILES, document_digest};
use super::surface::Surface;
use super::{AuditLine, Companies, PlannedLine, includes, plan, purchases, repeated, segregation};
use crate::base::defect::caught;
use crate::base::value::Date;
use crate::features::calc::in_parallel;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{self, DocumentStatus, FiscalDocument, XmlLimits};

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

impl Run {
    /// Audits the files. If the surface ends the run, it still takes the lines that were admitted before.
    pub fn over<S: Surface>(&self, files: &[NamedFile<'_>], surface: &mut S) -> Result<(), S::Stop> {
        let (cancelled, mut crossing) = self.searched(files, surface)?;
        let (mut inputs, mut state) = (Inputs::of(files, self.limits), RunState::default());
        let ended = self.each_batch(&mut inputs, &cancelled, &mut crossing, &mut state, surface);
        state.write(surface)?;
        ended?;
        let surface = RefCell::new(surface);
        let pause = || surface.borrow_mut().begin(&mut []).map(drop);
        let ask = |payloads| surface.borrow_mut().ask(payloads, false);
        crossing.finish(S::BATCH, |line| surface.borrow_mut().line(line), pause, ask)?;
        let surface = surface.into_inner();
        let revenue = std::mem::take(&mut state.segregation);
        for month in segregation::asked(revenue, &self.companies, self.desde, |payloads| surface.ask(payloads, false))?
        {
            surface.segregated(month)?;
        }
        surface.progress(Some(&inputs))
    }

    /// Plans the files, and has what was planned answered and written. Of a batch with several files, that is done while the
    /// next one is planned and the one after it is read, so that no core waits.
    fn each_batch<S: Surface>(
        &self,
        inputs: &mut Inputs<'_>,
        cancelled: &HashSet<DocumentDigest>,
        crossing: &mut Crossing,
        state: &mut RunState,
        surface: &mut S,
    ) -> Result<(), S::Stop> {
        let mut planned = Vec::new();
        let mut next = inputs.next_batch(S::BATCH);
        while let Some(mut batch) = next {
            let held = surface.begin(&mut batch)?;
            let plan = || in_parallel(&batch, |input| self.planned(input, cancelled, crossing));
            if S::BATCH.0 == 1 {
                let is_written = state.take(plan(), held.is_some(), surface)?;
                // Others may have its memory before the next file is read.
                drop(held);
                next = inputs.next_batch(S::BATCH);
                if is_written {
                    surface.progress(Some(inputs))?;
                }
            } else {
                let before = std::mem::take(&mut planned);
                (next, planned) = thread::scope(|scope| {
                    let reading = scope.spawn(|| inputs.next_batch(S::BATCH));
                    let planning = scope.spawn(plan);
                    state.take(before, true, surface)?;
                    Ok((joined(reading), joined(planning)))
                })?;
                surface.progress(Some(inputs))?;
            }
            state.crossed.drain(..).for_each(|record| crossing.add(record));
        }
        state.take(planned, true, surface)?;
        state.crossed.drain(..).for_each(|record| crossing.add(record));
        Ok(())
    }

    /// Searches all files before the first is audited: an event may come after the document that it cancels, and which
    /// documents are crossed depends on the books.
    fn searched<S: Surface>(
        &self,
        files: &[NamedFile<'_>],
        surface: &mut S,
    ) -> Result<(HashSet<DocumentDigest>, Crossing), S::Stop> {
        let limits = FileLimits { with_books: true, ..self.limits };
        let (mut cancelled, mut crossing) = (HashSet::new(), Crossing::default());
        let (mut inputs, mut searched) = (Inputs::of(files, limits), 0);
        let mut next = inputs.next_batch(S::BATCH);
        while let Some(mut batch) = next {
            next = inputs.next_beside(S::BATCH, || {
                let _held = surface.begin(&mut batch)?;
                let keys = in_parallel(&batch, |input| cancelled_in(input, self.limits.xml));
                cancelled.extend(keys.into_iter().flatten().map(|key| document_digest(&key)));
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
    fn planned(&self, input: &Input, cancelled: &HashSet<DocumentDigest>, crossing: &Crossing) -> Vec<PlannedDocument> {
        caught(|| self.documents(input, cancelled, crossing))
            .unwrap_or_else(|defect| vec![PlannedDocument::defective(&input.name, &defect)])
    }

    fn documents(
        &self,
        input: &Input,
        cancelled: &HashSet<DocumentDigest>,
        crossing: &Crossing,
    ) -> Vec<PlannedDocument> {
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
            let key = document_digest(document.key());
            if cancelled.contains(&key) {
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
            PlannedDocument { key, lines, repeated, revenue, crossed }
        };
        numbered.map(plan).collect()
    }
}

/// What the thread made. A panic in it continues here.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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

//! One run over many files: what each document is checked with, which ones it had before, and the answers.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::files::{Input, UnreadFile};
use super::{AuditLine, Companies, PlannedLine, has_ncm_table, includes, ncm_probe, plan, repeated};
use crate::base::defect::{Defect, caught};
use crate::base::value::Date;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{self, DocumentStatus, FiscalDocument, XmlFault, XmlLimits};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// What all documents of a run are checked with.
#[derive(Debug, Default)]
pub struct Run {
    /// What is known of the issuers.
    pub companies: Companies,
    /// The access keys that some event among the files cancels: it may come after its document, so all files are
    /// searched before the first is audited.
    pub cancelled: HashSet<String>,
    /// Only documents issued on this day or later.
    pub desde: Option<Date>,
    /// What each file may have at most.
    pub limits: XmlLimits,
}

#[derive(Debug)]
pub struct PlannedDocument {
    /// Its access key, which is never written; empty if it has none.
    key: String,
    lines: Vec<PlannedLine>,
    /// Its line if the run had the same key before.
    repeated: Option<Box<AuditLine>>,
}

/// The access keys that the events in a file cancel.
#[must_use]
pub fn cancelled_in(input: &Input, limits: XmlLimits) -> Vec<String> {
    // A file on which this panics has its line in the audit itself.
    match &input.bytes {
        Ok(bytes) => caught(|| nfe::cancelled_keys(bytes, limits)).unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

impl Run {
    /// Reads and plans the documents of a file. A file that cannot be read has one line, which says why.
    #[must_use]
    pub fn planned(&self, input: &Input) -> Vec<PlannedDocument> {
        caught(|| self.documents(input)).unwrap_or_else(|defect| vec![PlannedDocument::defective(&input.name, &defect)])
    }

    fn documents(&self, input: &Input) -> Vec<PlannedDocument> {
        let documents = match &input.bytes {
            Ok(bytes) => nfe::read_within(bytes, self.limits),
            Err(UnreadFile::Fault(fault)) => Err(fault.clone()),
            Err(UnreadFile::Other(other)) => {
                return vec![PlannedDocument::line(AuditLine::other_file(&input.name, other))];
            }
        };
        let documents = match documents {
            Ok(documents) => documents,
            Err(fault) => return vec![PlannedDocument::fault(&input.name, &fault)],
        };
        let numbered = documents.into_iter().zip(1..).filter(|(document, _)| includes(document, self.desde));
        let plan = |(mut document, number): (FiscalDocument, u32)| {
            if self.cancelled.contains(document.key()) {
                document.set_status(DocumentStatus::Cancelled);
            }
            let lines = plan(&input.name, number, &document, &self.companies.of(document.emitente()));
            let is_document = !document.key().is_empty() && !matches!(document, FiscalDocument::Event(_));
            let repeated = is_document.then(|| Box::new(repeated(&input.name, number, &document)));
            PlannedDocument { key: document.key().to_owned(), lines, repeated }
        };
        numbered.map(plan).collect()
    }
}

impl PlannedDocument {
    /// The line of a file that cannot be read.
    fn fault(name: &str, fault: &XmlFault) -> PlannedDocument {
        PlannedDocument::line(AuditLine::unreadable(name, fault))
    }

    /// The only line of a file.
    fn line(line: AuditLine) -> PlannedDocument {
        PlannedDocument { key: String::new(), lines: vec![PlannedLine::Ready(Box::new(line))], repeated: None }
    }

    /// The line of a file on which this program panicked.
    fn defective(name: &str, defect: &Defect) -> PlannedDocument {
        tracing::error!(%defect, "a file could not be audited");
        let detail = "a leitura falhou por um defeito do programa; avise o operador".to_owned();
        PlannedDocument::fault(name, &XmlFault { line: 1, codigo: "erro_interno", detail })
    }
}

/// Payloads that are asked together.
type Payloads = Vec<Arc<EnginePayload>>;

/// Most lines whose answers are in memory at once: one with its steps has some kilobytes.
pub const BATCH_LINES: usize = 1_024;

/// The lines, in order and in batches whose answers fit in memory.
pub fn in_batches(lines: Vec<PlannedLine>) -> impl Iterator<Item = Vec<PlannedLine>> {
    let mut lines = lines.into_iter();
    std::iter::from_fn(move || {
        let batch: Vec<PlannedLine> = lines.by_ref().take(BATCH_LINES).collect();
        (!batch.is_empty()).then_some(batch)
    })
}

/// The documents that a run had, and what it learnt of the rules.
#[derive(Debug, Default)]
pub struct RunState {
    seen: HashSet<String>,
    /// Days of issue, and whether the rules have the table of all NCMs on them; without it no NCM can be called extinct.
    ncm_days: HashMap<String, bool>,
}

impl RunState {
    /// The lines of a document, or the line that says that the run had it before.
    pub fn first_only(&mut self, document: PlannedDocument) -> Vec<PlannedLine> {
        match document.repeated {
            Some(repeated) if !self.seen.insert(document.key) => vec![PlannedLine::Ready(repeated)],
            _ => document.lines,
        }
    }

    /// The results of the lines, in order. `ask` gives the answer to each payload, in order.
    pub fn answered<E>(
        &mut self,
        lines: Vec<PlannedLine>,
        mut ask: impl FnMut(Payloads) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
    ) -> Result<Vec<AuditLine>, E> {
        self.learn_ncm_days(&lines, &mut ask)?;
        let question = |line: &PlannedLine| match line {
            PlannedLine::Question(question) => Some(Arc::clone(&question.payload)),
            PlannedLine::Ready(_) => None,
        };
        let payloads: Payloads = lines.iter().filter_map(question).collect();
        let mut answers = if payloads.is_empty() { Vec::new() } else { ask(payloads)? }.into_iter();
        let result = |line: PlannedLine| match line {
            PlannedLine::Ready(result) => vec![*result],
            PlannedLine::Question(mut question) => {
                question.ncm = question.ncm.filter(|line| self.ncm_days.get(&line.data) == Some(&true));
                answers.next().map_or_else(Vec::new, |answer| question.answered(answer))
            }
        };
        Ok(lines.into_iter().flat_map(result).collect())
    }

    /// Asks for each new day of issue whether the rules have the table of all NCMs on it.
    fn learn_ncm_days<E>(
        &mut self,
        lines: &[PlannedLine],
        ask: &mut impl FnMut(Payloads) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
    ) -> Result<(), E> {
        let day = |line: &PlannedLine| match line {
            PlannedLine::Question(question) => question.ncm.as_ref().map(|line| line.data.clone()),
            PlannedLine::Ready(_) => None,
        };
        let days: BTreeSet<String> = lines.iter().filter_map(day).collect();
        let days: Vec<String> = days.into_iter().filter(|day| !self.ncm_days.contains_key(day)).collect();
        if !days.is_empty() {
            let answers = ask(days.iter().map(|day| Arc::new(ncm_probe(day))).collect())?;
            self.ncm_days.extend(days.into_iter().zip(answers.iter().map(has_ncm_table)));
        }
        Ok(())
    }
}

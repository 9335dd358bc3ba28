//! Publication: from bundle files to rules that answer, in one transaction or not at all.
//!
//! An import passes over the rules three times, and parses each rule again in each pass. It could parse
//! them once and keep them, but a parsed rule takes many times the memory of its text, and an import may
//! bring a million rules to a small server. So only an [`ImportRow`] of each rule, some 60 bytes, stays in
//! memory between the passes, and every pass has one parsed rule at a time:
//!
//! 1. [`reading`] runs before the transaction, so that nothing waits for it. It checks form, scope and
//!    content, and reports every fault of every file at once.
//! 2. The [`Publisher`] writes each new version and enters it in the lookup. Before that, [`moved_ends`]
//!    has taken from the versions already there all the days that they lose. So two codes that tie are
//!    found whatever the order of the rules in the files, and only real ties are.
//! 3. The [`Runner`] calculates the worked examples on the state that results, before any other reader
//!    can see it.
//!
//! A fault in any pass rolls everything back. Whatever carries the date of the publication (webhooks,
//! changelog, the publication's own record) is written last, because that date is taken just before the
//! commit ([`publication_date`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::examples::Runner;
use super::import_index::ImportRow;
use super::interner::Jurisdiction;
use super::moved_ends::{self, MovedEnd};
use super::numbering::{Known, number_new_versions};
use super::office::Pairs;
use super::outcome::{self, ImportError, ImportOptions, ImportReport};
use super::progress::{Progress, Stage, report as report_step};
use super::provenance::PublicationRecord;
use super::publication_date::{self, Committing, Instants};
use super::reading::{self, Bundles};
use super::touched::Touched;
use super::{changelog, gaps, lacking, version};
use crate::base::problem::ErrorCode;
use crate::base::value::{ItemServico, RuleId, Timestamp};
use crate::law::rule::{VersaoRegra, Vigencia};
use crate::store::{Decision, RuleTables, RuleWriter, StagedRules, State, Store, StoreError, StoreResult};
use crate::webhook;

/// An import that was done, or shown.
pub(super) struct Imported {
    pub(super) report: ImportReport,
    /// The scope keys whose answers may have changed.
    pub(super) touched: Touched,
    /// The rules that it would leave, if [`ImportRequest::stages`].
    pub(super) staged: Option<StagedRules>,
}

pub(super) struct ImportRequest<'i> {
    pub(super) store: &'i Store,
    pub(super) instants: &'i Instants,
    pub(super) files: &'i [BundleFile],
    pub(super) clock: &'i dyn Fn() -> Timestamp,
    pub(super) options: ImportOptions,
    /// True for a dry run whose rules are wanted.
    pub(super) stages: bool,
}

impl<'i> ImportRequest<'i> {
    /// Reads, checks and publishes. Calls `before_commit` if there is something to publish, once only the
    /// commit is left.
    pub(super) fn run(&self, before_commit: impl FnOnce(), progress: Progress<'_>) -> Result<Imported, ImportError> {
        let mut faults = FaultsByFile::new(self.files);
        let mut bundles = reading::read(self.files, &mut faults, progress)?;
        faults.check()?;

        // Dropped only after the commit: until then, a query for the instant of this publication waits.
        let mut committing = None;
        self.store.write_rules(|writer| {
            let number = writer.next_publication()?;
            let last_ms = writer.last_instant_ms()?;
            let Known { unchanged, other_notes } = number_new_versions(writer, &mut bundles, &mut faults)?;
            faults.check()?;
            let new = bundles.index.entering().count();
            let mut avisos: Vec<String> = other_notes.warning().into_iter().collect();
            if new > 0 && !self.options.accept_future_date {
                let now = (self.clock)();
                self.instants.check_behind(now, last_ms)?;
                avisos.extend(publication_date::check_ahead(now, last_ms)?);
            }
            let mut touched = Touched::default();
            let mut closed = moved_ends::follow(writer, &mut bundles.index, &mut touched)?;
            let (unlisted, pairs) = (BTreeMap::new(), Pairs::default());
            let mut publisher =
                Publisher { writer, faults: &mut faults, touched: &mut touched, number, unlisted, pairs };
            publisher.publish(&bundles, new, &closed, progress)?;
            avisos.extend(publisher.unlisted_items());
            avisos.extend(publisher.pairs.warnings());
            faults.check()?;
            touched.sort();
            let gaps = gaps::find(writer, &bundles.index, &mut closed)?;
            let ran = if self.options.is_proven {
                0
            } else {
                run_examples(&Runner::of(writer, number), &bundles, &mut faults, progress)?
            };
            faults.check()?;
            avisos.extend(lacking::warnings(writer, &bundles.index, self.files)?);
            if new > 0 && !self.options.dry_run {
                committing = Some(self.announce(writer, &bundles, &closed, number, last_ms)?);
            }
            let staged = self.stages.then(|| self.stage(writer, &bundles, &closed)).transpose()?;
            let index = Arc::new(std::mem::take(&mut bundles.index));
            let report = ImportReport {
                publicadas: outcome::published(&index),
                substituidas: outcome::superseded(&index, closed, gaps),
                inalteradas: unchanged,
                exemplos: ran,
                pacotes: std::mem::take(&mut bundles.records),
                dry_run: self.options.dry_run,
                avisos,
                totais: None,
            };
            let imported = Imported { report, touched, staged };
            if committing.is_none() {
                return Ok(Decision::RollBack(imported));
            }
            before_commit();
            Ok(Decision::Commit(imported))
        })
    }

    /// Copies the rules that the import would leave. The snapshot below is the state before this transaction: there
    /// is one writer at a time.
    fn stage(&self, writer: &RuleWriter<'_>, bundles: &Bundles<'_>, closed: &[MovedEnd]) -> StoreResult<StagedRules> {
        let mut staged = StagedRules::over(self.store.read_rules()?);
        let entering = bundles.index.entering().map(|row| row.number);
        let numbers: BTreeSet<u64> = entering.clone().chain(closed.iter().map(|moved| moved.closing.id)).collect();
        for number in numbers {
            let VersaoRegra { tributo, escopo, .. } = version::decode(&writer.record(number)?)?;
            for chave in escopo.chaves(tributo) {
                staged.copy_row(writer, &chave)?;
            }
        }
        for number in entering {
            staged.copy_record(writer, number)?;
        }
        Ok(staged)
    }

    /// Queues the webhooks, dates the publication and writes its events and its record.
    fn announce(
        &self,
        writer: &mut RuleWriter<'_>,
        bundles: &Bundles<'_>,
        closed: &[MovedEnd],
        number: u64,
        last_ms: Option<u64>,
    ) -> StoreResult<Committing<'i>> {
        let published = bundles.index.entering().map(|row| {
            let Jurisdiction { tributo, location } = bundles.index.jurisdiction(row.jurisdiction)?;
            let (uf_origem, uf_destino) = (location.uf_origem, location.uf_destino);
            Ok(webhook::PublishedVersion { version: row.number, tributo, uf_origem, uf_destino })
        });
        webhook::enqueue(writer.outbox(), (self.clock)(), &published)?;
        let (published_at, committing) = self.instants.date((self.clock)(), last_ms);
        changelog::write(writer, &bundles.index, closed, published_at)?;
        let record = PublicationRecord { publicado_em: published_at, pacotes: Cow::Borrowed(&bundles.records) };
        writer.insert_publication(number, published_at.millis(), &record.to_json()?)?;
        Ok(committing)
    }
}

/// The third pass: runs the worked examples of all rules, then those of the tables; returns how many ran.
fn run_examples(
    runner: &Runner<'_, '_>,
    bundles: &Bundles<'_>,
    faults: &mut FaultsByFile<'_>,
    progress: Progress<'_>,
) -> StoreResult<usize> {
    let mut ran = 0;
    for (i, row) in bundles.index.iter().enumerate() {
        if row.has_examples {
            let (list, rule_id) = (bundles.examples(row)?, bundles.index.rule_id(row)?);
            ran += runner.run(row.location(), &list, Some(&rule_id), |fault| faults.add(row.file(), fault))?;
        }
        report_step(progress, Stage::Examples, i + 1, bundles.index.len());
    }
    for (file, location, list) in bundles.table_examples() {
        ran += runner.run(location, list, None, |fault| faults.add(file, fault))?;
    }
    Ok(ran)
}

/// The second pass.
struct Publisher<'p, 't, 'f> {
    writer: &'p mut RuleWriter<'t>,
    faults: &'p mut FaultsByFile<'f>,
    touched: &'p mut Touched,
    number: u64,
    /// Service items outside the list of LC 116/2003, each with the first rule that names it.
    unlisted: BTreeMap<ItemServico, RuleId>,
    /// The rules of the office that share a scope with others.
    pairs: Pairs,
}

impl Publisher<'_, '_, '_> {
    /// Writes the new versions and the ends that they move, and enters them in the lookup. Reports two codes
    /// that would answer for the same key on the same day.
    fn publish(
        &mut self,
        bundles: &Bundles<'_>,
        new: usize,
        closed: &[MovedEnd],
        progress: Progress<'_>,
    ) -> StoreResult<()> {
        let mut closed = closed.iter().peekable();
        let new_rows = bundles.index.iter().enumerate().filter(|(_, row)| row.is_new());
        for (done, (at, row)) in new_rows.enumerate() {
            report_step(progress, Stage::Publishing, done + 1, new);
            self.enter(bundles, row)?;
            while let Some(MovedEnd { closing, .. }) = closed.next_if(|c| c.by == at) {
                self.writer.close(closing.id, closing.after, row.number)?;
            }
        }
        Ok(())
    }

    /// A warning for each service item that may be a slip. It is not a fault: a law may add an item to the list.
    fn unlisted_items(&self) -> impl Iterator<Item = String> {
        self.unlisted.iter().filter_map(|(item, rule_id)| {
            let near = item.nearest_in_force()?;
            Some(format!(
                "{rule_id}: the service list of LC 116/2003 has no item {item} in force; the nearest one is {near}"
            ))
        })
    }

    fn enter(&mut self, bundles: &Bundles<'_>, row: &ImportRow) -> StoreResult<()> {
        let rule = bundles.rule(row)?;
        let state = State {
            vigencia: row.vigencia,
            declared_ate: row.vigencia.ate,
            publication: self.number,
            bundle: u32::try_from(row.file()).unwrap_or(u32::MAX),
            superseded_by: 0,
        };
        for item in rule.escopo.item_lista_servico.iter().filter(|item| item.nearest_in_force().is_some()) {
            self.unlisted.entry(*item).or_insert_with(|| rule.rule_id.clone());
        }
        let chaves = rule.escopo.chaves(rule.entry.tributo);
        let number = self.writer.insert_version(&rule.rule_id, &rule.record, state, (rule.layer, &chaves))?;
        if number != row.number {
            return Err(StoreError::Corrupt(format!("version {number} was to be {}", row.number)));
        }
        let vigencia = Vigencia { ate: row.ate, ..row.vigencia };
        if vigencia.is_empty() {
            return Ok(());
        }
        let mut tie = None;
        for chave in chaves {
            self.touched.add(&chave);
            self.pairs.note(self.writer, (&rule.rule_id, rule.layer), &chave, vigencia)?;
            let other = self.writer.insert_lookup(rule.layer, &chave, number, vigencia)?;
            tie = tie.or(other.map(|other| (chave, other)));
        }
        if let Some((chave, other)) = tie {
            let other: RuleId = version::decode(&self.writer.record(other)?)?.rule_id;
            let detail = format!(
                "{} e {other} responderiam as duas a {} em dias comuns. Para tomar o lugar da outra, publique a regra como outra versão do código {}; ou encerre a outra, com uma versão dela no mesmo pacote; ou distinga os escopos.",
                rule.rule_id,
                chave.descricao(),
                other.code
            );
            self.faults.at(row.file(), rule.location, "escopo", ErrorCode::ValorInvalido, detail);
        }
        Ok(())
    }
}

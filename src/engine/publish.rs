//! Publication: from bundle files to rules that answer, in one transaction or not at all.
//!
//! Three passes. The first reads every file and reports every fault of form, scope and content at
//! once; of each rule it keeps a few bytes. The second, inside the transaction, lets the versions that
//! are superseded go, and then reads each new rule again, writes it and lets it answer; only then can
//! two codes be seen to tie, whatever the order of the rules in the files. The third runs the worked
//! examples on the state that results.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::changelog;
use super::examples;
use super::gaps;
use super::instants::{self, Instants};
use super::lacking;
use super::outcome::{ImportError, ImportOptions, ImportReport, Publicadas, Substituidas};
use super::progress::{Progress, Stage, report as report_step};
use super::reading::{self, Bundles};
use super::resolve::Touched;
use super::rows::Row;
use super::succession::{self, Closed};
use super::version;
use crate::problem::ErrorCode;
use crate::rule::Vigencia;
use crate::store::{Decision, RuleTables, RuleWriter, State, Store, StoreError, StoreResult};
use crate::value::{ItemServico, RuleId, Timestamp};
use crate::webhook;

/// What an import came to.
pub(super) struct Imported {
    pub(super) report: ImportReport,
    /// The scope keys that were touched.
    pub(super) touched: Touched,
}

/// Reads, checks and publishes. Calls `before_commit` if there is something to publish, when only the
/// commit is left.
pub(super) fn import(
    store: &Store,
    instants: &Instants,
    files: &[BundleFile],
    clock: &dyn Fn() -> Timestamp,
    options: ImportOptions,
    before_commit: impl FnOnce(),
    progress: Progress<'_>,
) -> Result<Imported, ImportError> {
    let mut faults = FaultsByFile::new(files);
    let mut bundles = reading::read(files, &mut faults, progress)?;
    faults.check()?;

    // Held until the commit is done.
    let mut committing = None;
    store.write_rules(|writer| {
        let number = writer.next_publication()?;
        let last_ms = writer.last_instant_ms()?;
        let unchanged = sort_out(writer, &mut bundles, &mut faults)?;
        faults.check()?;
        let new = bundles.rows.entering().count();
        let mut avisos = Vec::new();
        if new > 0 && !options.accept_future_date {
            let now = clock();
            instants.check_behind(now, last_ms)?;
            avisos.extend(instants::check_ahead(now, last_ms)?);
        }
        let mut touched = Touched::default();
        let mut closed = succession::follow(writer, &mut bundles.rows, &mut touched)?;
        let unlisted = BTreeMap::new();
        let mut publication = Publication { writer, faults: &mut faults, touched: &mut touched, number, unlisted };
        publication.publish(&bundles, new, &closed, progress)?;
        avisos.extend(publication.unlisted_items());
        faults.check()?;
        touched.sort();
        let gaps = gaps::find(writer, &bundles.rows, &mut closed)?;
        let ran = run_examples(writer, number, &bundles, &mut faults, progress)?;
        faults.check()?;
        avisos.extend(lacking::warnings(writer, &bundles.rows, files)?);
        if new > 0 && !options.dry_run {
            let told = bundles.rows.entering().map(|row| {
                let reach = bundles.rows.reach(row.reach)?;
                let (uf_origem, uf_destino) = (reach.place.uf_origem, reach.place.uf_destino);
                Ok(webhook::PublishedVersion { version: row.number, tributo: reach.tributo, uf_origem, uf_destino })
            });
            webhook::enqueue(writer.outbox(), clock(), &told)?;
            // Dated last, so that what an import took long to check is not told as older than it is.
            let (published_at, until_committed) = instants.date(clock(), last_ms);
            committing = Some(until_committed);
            changelog::write(writer, &bundles.rows, &closed, published_at)?;
            let record = serde_json::json!({ "publicado_em": published_at, "pacotes": bundles.records });
            writer.insert_publication(number, published_at.millis(), record.to_string().as_bytes())?;
        }
        let rows = Arc::new(std::mem::take(&mut bundles.rows));
        let report = ImportReport {
            publicadas: Publicadas::of(&rows),
            substituidas: Substituidas::of(&rows, closed, gaps),
            inalteradas: unchanged,
            exemplos: ran,
            pacotes: std::mem::take(&mut bundles.records),
            dry_run: options.dry_run,
            avisos,
        };
        let imported = Imported { report, touched };
        if committing.is_none() {
            return Ok(Decision::RollBack(imported));
        }
        before_commit();
        Ok(Decision::Commit(imported))
    })
}

/// Gives the rules that are new their numbers, and says how many were there already. A version that
/// is there with other words, or that comes after a higher one, is a fault.
fn sort_out(
    writer: &mut RuleWriter<'_>,
    bundles: &mut Bundles<'_>,
    faults: &mut FaultsByFile<'_>,
) -> StoreResult<usize> {
    let mut unchanged = 0;
    let mut number = writer.next_version();
    let mut first = 0;
    while let Some(row) = bundles.rows.get(first) {
        let group = bundles.rows.of_code_at(first);
        first = group.end;
        let known = writer.versions_of(&bundles.rows.rule_code(row)?)?;
        for index in group {
            let Some(row) = bundles.rows.get(index).copied() else { continue };
            let versao = row.versao;
            if let Some(there) = known.binary_search_by_key(&versao, |v| v.versao).ok().and_then(|i| known.get(i)) {
                if version::same_rule(&writer.record(there.number)?, &bundles.rule(&row)?.record) {
                    unchanged += 1;
                } else {
                    let detail = format!(
                        "{} já foi publicada com outro conteúdo, e o publicado não se reescreve; publique a mudança com um número de versão maior.",
                        bundles.rows.rule_id(&row)?
                    );
                    faults.at(row.file(), row.lugar(), "versao", ErrorCode::ValorInvalido, detail);
                }
            } else if let Some(last) = known.last().map(|v| v.versao).filter(|last| *last > versao) {
                let detail = format!("A versão {versao} vem depois da {last}, já publicada; use um número maior.");
                faults.at(row.file(), row.lugar(), "versao", ErrorCode::ValorInvalido, detail);
            } else if let Some(row) = bundles.rows.get_mut(index) {
                row.number = number;
                row.follows = !known.is_empty();
                number += 1;
            }
        }
    }
    Ok(unchanged)
}

/// Runs the worked examples of all rules, then those of the tables, and says how many they were.
fn run_examples(
    writer: &RuleWriter<'_>,
    publication: u64,
    bundles: &Bundles<'_>,
    faults: &mut FaultsByFile<'_>,
    progress: Progress<'_>,
) -> StoreResult<usize> {
    let mut ran = 0;
    for (i, row) in bundles.rows.iter().enumerate() {
        if row.has_examples {
            let (list, rule_id) = (bundles.examples(row)?, bundles.rows.rule_id(row)?);
            ran += examples::run_of_rule(writer, publication, row.lugar(), &list, &rule_id, |fault| {
                faults.add(row.file(), fault);
            })?;
        }
        report_step(progress, Stage::Examples, i + 1, bundles.rows.len());
    }
    for (file, lugar, list) in bundles.table_examples() {
        ran += examples::run_of_table(writer, publication, lugar, list, |fault| faults.add(file, fault))?;
    }
    Ok(ran)
}

/// A publication under way.
struct Publication<'p, 't, 'f> {
    writer: &'p mut RuleWriter<'t>,
    faults: &'p mut FaultsByFile<'f>,
    touched: &'p mut Touched,
    /// Its number in the journal.
    number: u64,
    /// Service items outside the list of LC 116/2003, each with the first rule that names it.
    unlisted: BTreeMap<ItemServico, RuleId>,
}

impl Publication<'_, '_, '_> {
    /// Writes the new versions and the ends that they move, and lets them answer. Two codes that
    /// would both answer on some day are a fault.
    fn publish(
        &mut self,
        bundles: &Bundles<'_>,
        new: usize,
        closed: &[Closed],
        progress: Progress<'_>,
    ) -> StoreResult<()> {
        let mut closed = closed.iter().peekable();
        let rows = bundles.rows.iter().enumerate().filter(|(_, row)| row.is_new());
        for (i, (index, row)) in rows.enumerate() {
            report_step(progress, Stage::Publishing, i + 1, new);
            self.enter(bundles, row)?;
            while let Some(Closed { closing, .. }) = closed.next_if(|c| c.by == index) {
                self.writer.close(closing.id, closing.after, row.number)?;
            }
        }
        Ok(())
    }

    /// A warning for each service item that may be a slip: the list suggests, and a law may add to it.
    fn unlisted_items(&self) -> impl Iterator<Item = String> {
        self.unlisted.iter().filter_map(|(item, rule_id)| {
            let near = item.nearest_in_force()?;
            Some(format!(
                "{rule_id}: the service list of LC 116/2003 has no item {item} in force; the nearest one is {near}"
            ))
        })
    }

    fn enter(&mut self, bundles: &Bundles<'_>, row: &Row) -> StoreResult<()> {
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
        let number = self.writer.insert_version(&rule.rule_id, &rule.record, state, &chaves)?;
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
            let other = self.writer.insert_lookup(&chave, number, vigencia)?;
            tie = tie.or(other.map(|other| (chave, other)));
        }
        if let Some((chave, other)) = tie {
            let other: RuleId = version::decode(&self.writer.record(other)?)?.rule_id;
            let detail = format!(
                "{} e {other} responderiam as duas a {} em dias comuns; encerre uma, ou distinga os escopos.",
                rule.rule_id,
                chave.descricao()
            );
            self.faults.at(row.file(), rule.lugar, "escopo", ErrorCode::ValorInvalido, detail);
        }
        Ok(())
    }
}

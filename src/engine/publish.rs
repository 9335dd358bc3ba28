//! Publication: from bundle files to rules that answer, in one transaction or not at all.
//!
//! Three passes. The first reads every file and reports every fault of form, scope and
//! content at once. The second, inside the transaction, moves the ends of the versions that
//! are superseded and then lets the new ones answer; only then can two codes be seen to tie,
//! whatever the order of the rules in the files. The third runs the worked examples on the
//! state that results.

use std::collections::{BTreeMap, HashSet};

use super::bundle_faults::{BundleFile, FaultsByFile};
use super::changelog::Event;
use super::examples;
use super::instants::Instants;
use super::outcome::{ImportError, ImportOptions, ImportReport, Published, Superseded};
use super::progress::{Progress, Stage, report as report_step};
use super::reading::{self, Bundles, NewRule};
use super::resolve::probe;
use super::version;
use crate::problem::Codigo;
use crate::rule::{Closing, Escopo, Timeline, Vigencia};
use crate::store::{RuleTables, RuleWriter, State, Store, StoreError};
use crate::tax::{self, Entry};
use crate::value::{Data, Instante, RuleCode, RuleId};
use crate::webhook;

/// What an import came to.
pub(super) struct Imported {
    pub(super) report: ImportReport,
    /// Hashes of the scope keys that were touched.
    pub(super) touched: HashSet<u64>,
    /// True where a publication was written.
    pub(super) published: bool,
}

/// Reads, checks and publishes.
pub(super) fn import(
    store: &Store,
    instants: &Instants,
    files: &[BundleFile],
    clock: &dyn Fn() -> Instante,
    options: ImportOptions,
    progress: Progress<'_>,
) -> Result<Imported, ImportError> {
    let mut faults = FaultsByFile::new(files);
    let documents = faults.parse_all();
    let Bundles { rules, table_examples, records } = reading::read(&documents, &mut faults, progress);
    faults.check()?;

    // Held until the commit is done.
    let mut committing = None;
    store.write_rules(|writer| {
        let number = writer.next_publication()?;
        let last_ms = writer.last_instant_ms()?;
        let mut publication = Publication {
            writer,
            faults: &mut faults,
            touched: HashSet::new(),
            events: Vec::new(),
            number,
            numbers: Vec::new(),
        };
        let (new, unchanged) = publication.sort_out(&rules)?;
        publication.faults.check()?;
        if !new.is_empty() && !options.accept_future_date {
            instants.check(clock(), last_ms)?;
        }
        let report = publication.publish(&rules, &new, progress)?;
        publication.faults.check()?;
        let Publication { writer, faults, touched, events, numbers, .. } = publication;
        let mut ran = 0;
        for (i, rule) in rules.iter().enumerate() {
            ran += examples::run_of_rule(writer, number, rule.lugar, &rule.exemplos, &rule.rule_id, |fault| {
                faults.add(rule.file, fault);
            })?;
            report_step(progress, Stage::Examples, i + 1, rules.len());
        }
        for (file, lugar, list) in &table_examples {
            ran += examples::run_of_table(writer, number, *lugar, list, |fault| faults.add(*file, fault))?;
        }
        faults.check()?;
        if !new.is_empty() && !options.dry_run {
            let entered = new.iter().filter_map(|i| rules.get(*i)).map(|rule| (rule.entry.tributo, &rule.escopo));
            let told = numbers.iter().zip(entered).map(|(number, (tributo, escopo))| (*number, tributo, escopo));
            webhook::enqueue(writer.outbox(), clock(), &told)?;
            // Dated last, so that what an import took long to check is not told as older than it is.
            let (published_at, until_committed) = instants.date(clock(), last_ms);
            committing = Some(until_committed);
            for event in events {
                writer.insert_event(&event.dated(published_at)?)?;
            }
            let record = serde_json::json!({ "publicado_em": published_at, "pacotes": records });
            writer.insert_publication(number, published_at.millis(), record.to_string().as_bytes())?;
        }
        let (publicadas, substituidas) = report;
        let report = ImportReport {
            publicadas,
            substituidas,
            inalteradas: unchanged,
            exemplos: ran,
            pacotes: records,
            dry_run: options.dry_run,
        };
        let published = committing.is_some();
        Ok((Imported { report, touched, published }, published))
    })
}

/// The first day that the superseded version answered and that no version answers any more.
fn gap_after(note: &Superseded, timeline: &Timeline<u64>) -> Option<Data> {
    let before = Vigencia { de: note.vigente_de, ate: note.vigente_ate_anterior };
    let mut day = note.vigente_ate?.max(before.de);
    while let Some(answering) = timeline.at(day).and_then(|id| timeline.vigencia(id)) {
        day = answering.ate?;
    }
    before.covers(day).then_some(day)
}

/// A publication under way.
struct Publication<'p, 't, 'f> {
    writer: &'p mut RuleWriter<'t>,
    faults: &'p mut FaultsByFile<'f>,
    touched: HashSet<u64>,
    /// Changelog events, in order, not yet dated.
    events: Vec<Event>,
    /// Its number in the journal.
    number: u64,
    /// The numbers of the versions that entered, in the order of the rules.
    numbers: Vec<u64>,
}

/// The rules that entered, by the number of their version.
type Entered<'a> = BTreeMap<u64, &'a NewRule<'a>>;

/// What moved, by the number of the version.
type Moved = BTreeMap<u64, (RuleId, Vigencia, Vigencia, Escopo, &'static Entry)>;

impl Publication<'_, '_, '_> {
    /// The indices of the rules that are new, and how many were there already. A version that
    /// is there with other words, or that comes after a higher one, is a fault.
    fn sort_out(&mut self, rules: &[NewRule<'_>]) -> Result<(Vec<usize>, usize), ImportError> {
        let mut new = Vec::new();
        let mut unchanged = 0;
        for (i, rule) in rules.iter().enumerate() {
            if let Some(number) = self.writer.number_of(&rule.rule_id)? {
                if version::same_rule(&self.writer.record(number)?, &rule.record) {
                    unchanged += 1;
                } else {
                    let detail = format!(
                        "{} já foi publicada com outro conteúdo, e o publicado não se reescreve; publique a mudança com um número de versão maior.",
                        rule.rule_id
                    );
                    self.faults.at(rule.file, rule.lugar, "versao", Codigo::ValorInvalido, detail);
                }
                continue;
            }
            let last = self.writer.versions_of(&rule.rule_id.code)?.last().map(|v| v.versao);
            if let Some(last) = last.filter(|last| *last > rule.rule_id.versao) {
                let detail = format!(
                    "A versão {} vem depois da {last}, já publicada; use um número maior.",
                    rule.rule_id.versao
                );
                self.faults.at(rule.file, rule.lugar, "versao", Codigo::ValorInvalido, detail);
                continue;
            }
            new.push(i);
        }
        Ok((new, unchanged))
    }

    /// Writes versions, ends, lookup entries and events.
    fn publish(
        &mut self,
        rules: &[NewRule<'_>],
        new: &[usize],
        progress: Progress<'_>,
    ) -> Result<(Vec<Published>, Vec<Superseded>), ImportError> {
        let mut published = Vec::new();
        let mut superseded = Vec::new();
        let mut moved = Moved::new();
        let mut entered = Entered::new();
        let mut timelines: BTreeMap<RuleCode, Timeline<u64>> = BTreeMap::new();
        for (i, rule) in new.iter().filter_map(|i| rules.get(*i)).enumerate() {
            report_step(progress, Stage::Publishing, i + 1, new.len());
            let code = &rule.rule_id.code;
            if !timelines.contains_key(code) {
                let known = self.writer.versions_of(code)?;
                timelines.insert(code.clone(), Timeline::new(known.into_iter().map(|v| (v.number, v.state.vigencia))));
            }
            let vigencia = rule.vigencia;
            let state = State {
                vigencia,
                declared_ate: vigencia.ate,
                publication: self.number,
                bundle: u32::try_from(rule.file).unwrap_or(u32::MAX),
                superseded_by: 0,
            };
            let chaves = rule.escopo.chaves(rule.entry.tributo);
            let number = self.writer.insert_version(&rule.rule_id, &rule.record, state, &chaves)?;
            let closings = timelines.get_mut(code).map(|t| t.publish(number, vigencia)).unwrap_or_default();
            self.events.push(Event::publication(&rule.rule_id, rule.entry.tributo, &rule.escopo, vigencia.de));
            for closing in closings {
                let note = self.close(&closing, (number, rule), &entered, &mut moved)?;
                superseded.push(note);
            }
            self.numbers.push(number);
            entered.insert(number, rule);
            published.push(Published {
                rule_id: rule.rule_id.clone(),
                tributo: rule.entry.tributo.as_str(),
                vigente_de: vigencia.de,
                vigente_ate: vigencia.ate,
            });
        }
        for note in &mut superseded {
            note.lacuna_de = timelines.get(&note.rule_id.code).and_then(|timeline| gap_after(note, timeline));
        }
        self.rewrite_lookups(&moved, &entered, &timelines)?;
        Ok((published, superseded))
    }

    /// Moves the end of one version and notes it.
    fn close(
        &mut self,
        closing: &Closing<u64>,
        (by_number, by): (u64, &NewRule<'_>),
        entered: &Entered<'_>,
        moved: &mut Moved,
    ) -> Result<Superseded, ImportError> {
        self.writer.close(closing.id, closing.after, by_number)?;
        let fresh = entered.get(&closing.id);
        let (rule_id, escopo, entry) = match (fresh, moved.get(&closing.id)) {
            (Some(rule), _) => (rule.rule_id.clone(), rule.escopo.clone(), rule.entry),
            (None, Some((rule_id, _, _, escopo, entry))) => (rule_id.clone(), escopo.clone(), *entry),
            (None, None) => {
                let old = version::decode(&self.writer.record(closing.id)?)?;
                let entry = tax::find(old.tributo.as_str())
                    .ok_or_else(|| StoreError::Corrupt(format!("tax of {}", old.rule_id)))?;
                (old.rule_id, old.escopo, entry)
            }
        };
        let tipo = if closing.is_retroactive() { "substituicao_retroativa" } else { "substituicao" };
        self.events.push(Event::closing(&rule_id, entry.tributo, &escopo, closing, tipo, &by.rule_id));
        let before = moved.get(&closing.id).map_or(closing.before, |(_, before, ..)| *before);
        if fresh.is_none() {
            moved.insert(closing.id, (rule_id.clone(), before, closing.after, escopo, entry));
        }
        Ok(Superseded {
            rule_id,
            tipo,
            substituida_por: by.rule_id.clone(),
            vigente_de: closing.before.de,
            vigente_ate_anterior: closing.before.ate,
            vigente_ate: closing.after.ate,
            lacuna_de: None,
        })
    }

    /// Old versions first let go of the days they lost; then the new ones answer, and two
    /// codes that would both answer on some day are a fault.
    fn rewrite_lookups(
        &mut self,
        moved: &Moved,
        entered: &Entered<'_>,
        timelines: &BTreeMap<RuleCode, Timeline<u64>>,
    ) -> Result<(), ImportError> {
        for (number, (_, before, after, escopo, entry)) in moved {
            for chave in escopo.chaves(entry.tributo) {
                self.touch(&chave);
                self.writer.remove_lookup(&chave, before.de)?;
                if !after.is_empty() {
                    self.writer.insert_lookup(&chave, *number, *after)?;
                }
            }
        }
        for (number, rule) in entered {
            let now = timelines.get(&rule.rule_id.code).and_then(|t| t.vigencia(*number));
            let Some(vigencia) = now.filter(|v| !v.is_empty()) else { continue };
            let mut ties = Vec::new();
            for chave in rule.escopo.chaves(rule.entry.tributo) {
                self.touch(&chave);
                if let Some(other) = self.writer.insert_lookup(&chave, *number, vigencia)? {
                    ties.push((chave, other));
                }
            }
            if let Some((chave, other)) = ties.first() {
                let other = version::decode(&self.writer.record(*other)?)?.rule_id;
                let detail = format!(
                    "{} e {other} responderiam as duas a {} em dias comuns; encerre uma, ou distinga os escopos.",
                    rule.rule_id,
                    chave.descricao()
                );
                self.faults.at(rule.file, rule.lugar, "escopo", Codigo::ValorInvalido, detail);
            }
        }
        Ok(())
    }

    fn touch(&mut self, chave: &crate::rule::Chave) {
        self.touched.insert(probe(&chave.bytes()));
        self.touched.insert(probe(&chave.bytes_before_cest()));
    }
}

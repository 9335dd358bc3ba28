//! The versions, each with its code, state, keys, events and worked examples.

use std::collections::{BTreeMap, HashMap};

use redb::ReadOnlyTable;
use serde_json::Value;

use super::examples::Examples;
use super::{Events, Publication, numbered};
use crate::base::value::{RuleCode, RuleId, Timestamp};
use crate::core::engine::interner::Jurisdiction;
use crate::core::engine::{changelog, version};
use crate::core::store::encoding::history_key;
use crate::core::store::layers::key_in;
use crate::core::store::{AsOfReader, Journal, RuleReader, RuleTables, State, StoreError, StoreResult, schema};
use crate::features::check::Audit;
use crate::features::check::finding::{Area, Checker};
use crate::law::rule::record::VersionRecord;
use crate::law::rule::{Chave, Closing, RuleLayer, Timeline, VersaoRegra, Vigencia};

/// What other tables should have, by the versions.
#[derive(Debug, Default)]
pub(super) struct Expected {
    pub(super) versions: u64,
    /// Versions under scope keys, on some day.
    pub(super) lookups: u64,
    /// Versions under scope keys, ever.
    pub(super) history: u64,
    pub(super) examples: Examples,
}

/// The check of all versions, in the order of publication.
struct Versions<'a, 'c> {
    audit: &'a Audit,
    journal: &'a Journal,
    history: ReadOnlyTable<&'static [u8], ()>,
    rules: RuleReader,
    /// Without the rules of the office.
    common: RuleReader,
    publications: &'a [Option<Publication>],
    events: Events,
    checker: &'a mut Checker<'c>,
    /// The ends that a version moved, by its number, from when the first version of its code is reached.
    closings: BTreeMap<u64, Vec<Closing<u64>>>,
    /// The publication of the version before.
    publication: u64,
    expected: Expected,
}

pub(super) fn check(
    audit: &Audit,
    publications: &[Option<Publication>],
    checker: &mut Checker<'_>,
) -> StoreResult<Expected> {
    let journal = Journal::open(&audit.txn)?;
    let mut versions = Versions {
        audit,
        journal: &journal,
        history: audit.txn.open_table(schema::HISTORY)?,
        rules: RuleReader::open(&audit.txn)?,
        common: RuleReader::open(&audit.txn)?.without_office(),
        publications,
        events: Events::of(audit)?,
        checker,
        closings: BTreeMap::new(),
        publication: 0,
        expected: Expected::default(),
    };
    for row in numbered(audit, schema::VERSIONS)? {
        let (number, record) = row?;
        versions.check(number, &record)?;
    }
    let Versions { events, checker, expected, .. } = versions;
    events.finish(checker)?;
    Ok(expected)
}

impl<'a> Versions<'a, '_> {
    fn add(&mut self, rule_id: &RuleId, what: &str) {
        self.checker.add(Area::Rules, format!("{rule_id} {what}"));
    }

    fn publication(&self, state: State) -> Option<&'a Publication> {
        let index = usize::try_from(state.publication.checked_sub(1)?).ok()?;
        self.publications.get(index)?.as_ref()
    }

    fn check(&mut self, number: u64, record: &[u8]) -> StoreResult<()> {
        self.checker.rows(1)?;
        self.expected.versions += 1;
        while self.expected.versions < number {
            self.checker.add(Area::Rules, format!("version {} is missing", self.expected.versions));
            self.expected.versions += 1;
        }
        let versao = match version::decode(record) {
            Ok(versao) => versao,
            Err(error) => {
                self.checker.add(Area::Rules, format!("version {number}: {error}"));
                return Ok(());
            }
        };
        let id = &versao.rule_id;
        if self.journal.number_of(id)? != Some(number) {
            self.add(id, "is not found by its code and version");
        }
        let state = match self.journal.state(number) {
            Ok(state) => state,
            Err(error) => {
                self.add(id, &format!("has no state that can be read: {error}"));
                return Ok(());
            }
        };
        self.replay_code(number, &id.code)?;
        let kept = version::read(record)?;
        self.check_state(id, state, &kept);
        self.check_keys(number, &versao, state.vigencia)?;
        let due = self.events_due(number, &versao, state);
        self.events.compare(&due, self.checker)?;
        if kept.exemplos.is_some() {
            self.check_examples(&versao, record, state)?;
        }
        Ok(())
    }

    /// Lets the versions of a code follow one another again, when the first one is reached, and compares the ends
    /// and successors that result with those of their states.
    fn replay_code(&mut self, first: u64, code: &RuleCode) -> StoreResult<()> {
        let mut versions = match self.journal.versions_of(code) {
            Ok(versions) => versions,
            // Reported with the version whose state it is.
            Err(StoreError::Corrupt(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        // Numbers are given in the order of publication.
        versions.sort_by_key(|version| version.number);
        if versions.first().is_none_or(|version| version.number != first) {
            return Ok(());
        }
        let mut timeline = Timeline::default();
        let mut closed_by = HashMap::new();
        for version in &versions {
            let closings = timeline.publish(version.number, version.state.declared());
            closed_by.extend(closings.iter().map(|closing| (closing.id, version.number)));
            if !closings.is_empty() {
                self.closings.insert(version.number, closings);
            }
        }
        for version in &versions {
            let rule_id = RuleId { code: code.clone(), versao: version.versao };
            let state = version.state;
            let due = timeline.vigencia(version.number).unwrap_or(state.vigencia);
            if due != state.vigencia {
                let (found, due) = (days(state.vigencia), days(due));
                self.add(&rule_id, &format!("answers {found}, and by the versions that followed it should {due}"));
            }
            if closed_by.get(&version.number).copied().unwrap_or_default() != state.superseded_by {
                self.add(&rule_id, "does not name the version that last moved its end");
            }
        }
        Ok(())
    }

    fn check_state(&mut self, id: &RuleId, state: State, kept: &VersionRecord<'_>) {
        if state.publication < self.publication {
            self.add(id, "belongs to an earlier publication than the version before it");
        }
        self.publication = self.publication.max(state.publication);
        let declared = state.declared();
        if declared.de.to_string() != kept.vigente_de
            || declared.ate.map(|ate| ate.to_string()).as_deref() != kept.vigente_ate.as_deref()
        {
            self.add(id, "has another validity in its state than in its record");
        }
        match self.publication(state) {
            Some(publication) if usize::try_from(state.bundle).is_ok_and(|bundle| bundle < publication.bundles) => {}
            Some(_) => self.add(id, "names a bundle that its publication does not have"),
            None => self.add(id, &format!("belongs to publication {}, which does not exist", state.publication)),
        }
    }

    /// Checks that a version is found under each of its scope keys, now and as of a past instant.
    fn check_keys(&mut self, number: u64, versao: &VersaoRegra, vigencia: Vigencia) -> StoreResult<()> {
        let mut chaves: Vec<Vec<u8>> = versao.escopo.chaves(versao.tributo).iter().map(Chave::bytes).collect();
        chaves.sort_unstable();
        chaves.dedup();
        for chave in &chaves {
            self.expected.history += 1;
            if self.history.get(history_key(&key_in(versao.layer(), chave), number).as_slice())?.is_none() {
                self.add(&versao.rule_id, "is missing from table history: `conhecido_em` does not find it");
            }
            if vigencia.is_empty() {
                continue;
            }
            self.expected.lookups += 1;
            let found = self.rules.entries_in(versao.layer(), chave);
            if !found.is_ok_and(|found| found.iter().any(|e| e.number == number && e.vigencia == vigencia)) {
                self.add(&versao.rule_id, &format!("is not found by a lookup, and should answer {}", days(vigencia)));
            }
        }
        Ok(())
    }

    /// The events that the publication of a version should have led to.
    fn events_due(&mut self, number: u64, versao: &VersaoRegra, state: State) -> Vec<Value> {
        let publication = self.publication(state).map(|publication| publication.at);
        let at = publication.unwrap_or_else(Timestamp::now);
        let id = &versao.rule_id;
        let mut due = vec![changelog::of_publication(id, Jurisdiction::of(versao), state.vigencia.de, at)];
        for closing in self.closings.remove(&number).unwrap_or_default() {
            match self.rules.record(closing.id).and_then(|record| version::decode(&record)) {
                Ok(closed) => {
                    due.push(changelog::of_closing(&closed.rule_id, Jurisdiction::of(&closed), &closing, id, at));
                }
                Err(error) => self.add(id, &format!("closed version {}, which cannot be read: {error}", closing.id)),
            }
        }
        let value = |event| {
            let mut value = serde_json::to_value(event).unwrap_or_default();
            if let (None, Some(members)) = (publication, value.as_object_mut()) {
                members.remove("publicado_em");
            }
            value
        };
        due.iter().map(value).collect()
    }

    /// Runs the worked examples of a version. The rules of the office change only the examples of its own.
    fn check_examples(&mut self, versao: &VersaoRegra, record: &[u8], state: State) -> StoreResult<()> {
        let is_common = versao.layer() == RuleLayer::Common;
        let now = if is_common { &self.common } else { &self.rules };
        let now = (state.superseded_by == 0).then_some(now);
        let (audit, published_at) = (self.audit, self.publication(state).map(|publication| publication.at.millis()));
        let then = || {
            let Some(instant_ms) = published_at else { return Ok(None) };
            let then = AsOfReader::open(&audit.txn, instant_ms)?;
            Ok(Some(if is_common { then.without_office() } else { then }))
        };
        for why in self.expected.examples.run(&versao.rule_id, record, now, then)? {
            self.checker.add(Area::Examples, format!("{}: {why}", versao.rule_id));
        }
        Ok(())
    }
}

/// When a version answers, in words.
fn days(vigencia: Vigencia) -> String {
    match vigencia.ate {
        _ if vigencia.is_empty() => "on no day".to_owned(),
        Some(ate) => format!("from {} until before {ate}", vigencia.de),
        None => format!("from {} on", vigencia.de),
    }
}

//! Finds the ends that an import moves: those of published versions and those of its own.
//!
//! Published versions lose their days in the lookup before any new version is entered. So two codes that
//! tie are found whatever the order of the rules in the files.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::import_index::ImportIndex;
use super::interner::{Jurisdiction, Location, scope_hash};
use super::touched::Touched;
use super::version;
use crate::base::value::{Date, RuleId, Tributo, Versao};
use crate::law::rule::{Closing, Escopo, RuleLayer, Timeline, VersaoRegra, Vigencia};
use crate::store::{RuleTables, RuleWriter, StoreError, StoreResult, Version};

/// The end of a version that a new one moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedEnd {
    /// Index of the row that moved it; both have the same code.
    pub(super) by: usize,
    pub(super) versao: Versao,
    /// What it applies to ([`ImportIndex::jurisdiction`]).
    pub(super) jurisdiction: u32,
    pub(super) closing: Closing<u64>,
    /// False if versions of the same scope answer on all the days that it lost.
    pub(super) may_leave_gap: bool,
    /// First day that it answered on and that leaves some of its scope without a rule ([`gaps`](super::gaps)).
    pub(super) lacuna_de: Option<Date>,
}

impl MovedEnd {
    /// The version, and the one that moved it.
    pub(super) fn ids(&self, index: &ImportIndex) -> StoreResult<(RuleId, RuleId)> {
        let by = index.get(self.by).ok_or_else(|| StoreError::Corrupt(format!("an import has no row {}", self.by)))?;
        let by = index.rule_id(by)?;
        Ok((RuleId { code: by.code.clone(), versao: self.versao }, by))
    }
}

/// A published version whose end moved.
struct Moved {
    layer: RuleLayer,
    jurisdiction: u32,
    scope: u32,
    tributo: Tributo,
    escopo: Escopo,
    before: Vigencia,
    after: Vigencia,
}

/// Removes from the lookup the days that published versions lose, and gives the new rows the ends that they
/// will have. Returns the ends that moved, in the order of the rows that moved them.
pub(super) fn follow(
    writer: &mut RuleWriter<'_>,
    index: &mut ImportIndex,
    touched: &mut Touched,
) -> StoreResult<Vec<MovedEnd>> {
    let mut closed = Vec::new();
    let mut first = 0;
    while first < index.len() {
        let group = index.of_code_at(first);
        first = group.end;
        let mut fresh = group.clone().filter_map(|i| index.get(i)).filter(|row| row.is_new());
        let known = match (fresh.next(), fresh.next()) {
            (Some(row), _) if row.follows => writer.versions_of(&index.rule_code(row)?)?,
            (Some(_), Some(_)) => Vec::new(),
            _ => continue,
        };
        let of_code = follow_one(writer, index, group, &known, &mut closed)?;
        for (number, Moved { layer, tributo, escopo, before, after, .. }) in of_code {
            for chave in escopo.chaves(tributo) {
                touched.add(&chave);
                writer.remove_lookup(layer, &chave, before.de)?;
                if !after.is_empty() {
                    writer.insert_lookup(layer, &chave, number, after)?;
                }
            }
        }
    }
    Ok(closed)
}

/// The same for the rows of one code. Returns the published versions that moved, by number.
fn follow_one(
    writer: &RuleWriter<'_>,
    index: &mut ImportIndex,
    group: Range<usize>,
    known: &[Version],
    closed: &mut Vec<MovedEnd>,
) -> StoreResult<BTreeMap<u64, Moved>> {
    let mut timeline = Timeline::new(known.iter().map(|v| (v.number, v.state.vigencia)));
    let mut moved: BTreeMap<u64, Moved> = BTreeMap::new();
    let mut versoes: HashMap<u64, Versao> = known.iter().map(|v| (v.number, v.versao)).collect();
    let mut fresh: HashMap<u64, (u32, u32)> = HashMap::new();
    let first = closed.len();
    for by in group.clone() {
        let Some(row) = index.get(by).filter(|row| row.is_new()).copied() else { continue };
        for closing in timeline.publish(row.number, row.vigencia) {
            let id = closing.id;
            let jurisdiction = match (fresh.get(&id), moved.entry(id)) {
                (Some((jurisdiction, _)), _) => *jurisdiction,
                (None, Entry::Occupied(mut again)) => {
                    again.get_mut().after = closing.after;
                    again.get().jurisdiction
                }
                (None, Entry::Vacant(first)) => first.insert(moved_first(writer, index, &closing)?).jurisdiction,
            };
            let versao = versoes.get(&id).copied();
            let versao = versao.ok_or_else(|| StoreError::Corrupt(format!("version {id} is not among its code's")))?;
            closed.push(MovedEnd { by, versao, jurisdiction, closing, may_leave_gap: false, lacuna_de: None });
        }
        versoes.insert(row.number, row.versao);
        fresh.insert(row.number, (row.jurisdiction, row.scope));
    }
    let scope = |id: u64| fresh.get(&id).map(|(_, scope)| *scope).or_else(|| moved.get(&id).map(|m| m.scope));
    for note in closed.iter_mut().skip(first) {
        note.may_leave_gap = may_leave_gap(&note.closing, &timeline, scope);
    }
    for i in group {
        if let Some(row) = index.get_mut(i).filter(|row| row.is_new())
            && let Some(now) = timeline.vigencia(row.number)
        {
            row.ate = now.ate;
        }
    }
    Ok(moved)
}

/// A published version at its first move.
fn moved_first(writer: &RuleWriter<'_>, index: &mut ImportIndex, closing: &Closing<u64>) -> StoreResult<Moved> {
    let versao = version::decode(&writer.record(closing.id)?)?;
    let layer = versao.layer();
    let VersaoRegra { tributo, escopo, .. } = versao;
    let jurisdiction = index.intern_jurisdiction(Jurisdiction { tributo, location: Location::of(&escopo) })?;
    let scope = scope_hash(tributo, &escopo);
    Ok(Moved { layer, jurisdiction, scope, tributo, escopo, before: closing.before, after: closing.after })
}

/// False if versions of its own scope answer on all the days that a version lost; `scope` returns the scopes of
/// the versions that the import published or moved.
fn may_leave_gap(closing: &Closing<u64>, timeline: &Timeline<u64>, scope: impl Fn(u64) -> Option<u32>) -> bool {
    let own = scope(closing.id);
    let mut day = closing.after.ate.map(|ate| ate.max(closing.before.de));
    while let Some(lost) = day.filter(|day| closing.before.covers(*day)) {
        let answering = timeline.at(lost).filter(|id| own.is_some() && scope(*id) == own);
        match answering.and_then(|id| timeline.vigencia(id)) {
            Some(vigencia) => day = vigencia.ate,
            None => return true,
        }
    }
    false
}

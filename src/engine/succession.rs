//! How the versions of an import follow those that are there, and one another: which ends move.
//!
//! All that was published lets go of the days that it loses before anything new answers; only then
//! can two codes be seen to tie, whatever the order of the rules in the files.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::resolve::Touched;
use super::rows::Rows;
use super::shared::{Place, Reach, scope_hash};
use super::version;
use crate::rule::{Closing, Escopo, Timeline, VersaoRegra, Vigencia};
use crate::store::{RuleTables, RuleWriter, StoreError, StoreResult, Version};
use crate::value::{Date, RuleId, Tributo, Versao};

/// The end of a version that a new one moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closed {
    /// Index of the row that moved it, which has the same code.
    pub(super) by: usize,
    pub(super) versao: Versao,
    /// What it applies to ([`Rows::reach`]).
    pub(super) reach: u32,
    pub(super) closing: Closing<u64>,
    /// True unless versions of the very same scope answer on all the days that it lost.
    pub(super) may_leave_gap: bool,
    /// First of the days that it answered and on which some of its scope is left without a rule ([`gaps`](super::gaps)).
    pub(super) lacuna_de: Option<Date>,
}

impl Closed {
    /// The version, and the one that moved it.
    pub(super) fn ids(&self, rows: &Rows) -> StoreResult<(RuleId, RuleId)> {
        let by = rows.get(self.by).ok_or_else(|| StoreError::Corrupt(format!("row {} of an import", self.by)))?;
        let by = rows.rule_id(by)?;
        Ok((RuleId { code: by.code.clone(), versao: self.versao }, by))
    }
}

/// A version that was there and whose end moved.
struct Moved {
    reach: u32,
    scope: u32,
    tributo: Tributo,
    escopo: Escopo,
    before: Vigencia,
    after: Vigencia,
}

/// Lets the new versions follow, and the old ones let go of the days that they lost. The new rows
/// have the ends that they will have then; the ends that move come in the order of what moves them.
pub(super) fn follow(writer: &mut RuleWriter<'_>, rows: &mut Rows, touched: &mut Touched) -> StoreResult<Vec<Closed>> {
    let mut closed = Vec::new();
    let mut first = 0;
    while first < rows.len() {
        let group = rows.of_code_at(first);
        first = group.end;
        let mut fresh = group.clone().filter_map(|i| rows.get(i)).filter(|row| row.is_new());
        let known = match (fresh.next(), fresh.next()) {
            (Some(row), _) if row.follows => writer.versions_of(&rows.rule_code(row)?)?,
            (Some(_), Some(_)) => Vec::new(),
            _ => continue,
        };
        let of_code = follow_one(writer, rows, group, &known, &mut closed)?;
        for (number, Moved { tributo, escopo, before, after, .. }) in of_code {
            for chave in escopo.chaves(tributo) {
                touched.add(&chave);
                writer.remove_lookup(&chave, before.de)?;
                if !after.is_empty() {
                    writer.insert_lookup(&chave, number, after)?;
                }
            }
        }
    }
    Ok(closed)
}

/// The same of the rows of one code; what was there and moved comes back by its number.
fn follow_one(
    writer: &RuleWriter<'_>,
    rows: &mut Rows,
    group: Range<usize>,
    known: &[Version],
    closed: &mut Vec<Closed>,
) -> StoreResult<BTreeMap<u64, Moved>> {
    let mut timeline = Timeline::new(known.iter().map(|v| (v.number, v.state.vigencia)));
    let mut moved: BTreeMap<u64, Moved> = BTreeMap::new();
    let mut versoes: HashMap<u64, Versao> = known.iter().map(|v| (v.number, v.versao)).collect();
    let mut fresh: HashMap<u64, (u32, u32)> = HashMap::new();
    let first = closed.len();
    for by in group.clone() {
        let Some(row) = rows.get(by).filter(|row| row.is_new()).copied() else { continue };
        for closing in timeline.publish(row.number, row.vigencia) {
            let id = closing.id;
            let reach = match (fresh.get(&id), moved.entry(id)) {
                (Some((reach, _)), _) => *reach,
                (None, Entry::Occupied(mut again)) => {
                    again.get_mut().after = closing.after;
                    again.get().reach
                }
                (None, Entry::Vacant(first)) => first.insert(moved_first(writer, rows, &closing)?).reach,
            };
            let versao = versoes.get(&id).copied();
            let versao = versao.ok_or_else(|| StoreError::Corrupt(format!("version {id} is not among its code's")))?;
            closed.push(Closed { by, versao, reach, closing, may_leave_gap: false, lacuna_de: None });
        }
        versoes.insert(row.number, row.versao);
        fresh.insert(row.number, (row.reach, row.scope));
    }
    let scope = |id: u64| fresh.get(&id).map(|(_, scope)| *scope).or_else(|| moved.get(&id).map(|m| m.scope));
    for note in closed.iter_mut().skip(first) {
        note.may_leave_gap = may_leave_gap(&note.closing, &timeline, scope);
    }
    for i in group {
        if let Some(row) = rows.get_mut(i).filter(|row| row.is_new())
            && let Some(now) = timeline.vigencia(row.number)
        {
            row.ate = now.ate;
        }
    }
    Ok(moved)
}

/// A version that was there, as its first move finds it.
fn moved_first(writer: &RuleWriter<'_>, rows: &mut Rows, closing: &Closing<u64>) -> StoreResult<Moved> {
    let VersaoRegra { tributo, escopo, .. } = version::decode(&writer.record(closing.id)?)?;
    let reach = rows.keep_reach(Reach { tributo, place: Place::of(&escopo) })?;
    let scope = scope_hash(tributo, &escopo);
    Ok(Moved { reach, scope, tributo, escopo, before: closing.before, after: closing.after })
}

/// True unless versions of its own scope answer on all the days that a version lost; `scope` returns the
/// scopes of those that the import published or moved.
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

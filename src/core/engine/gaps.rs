//! Finds the gaps that an import leaves: scope keys that lose their rule.
//!
//! When the end of a version moves, another version of its code may take over all, some or none of its
//! scope. A key of the version is left without a rule on a day that it lost if no version of its code
//! covers the key on that day, and no version of any code has exactly that key. A more general rule of
//! another code does not count: it would answer in place of what the operator closed, and the operator
//! should know.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::import_index::ImportIndex;
use super::moved_ends::MovedEnd;
use super::version;
use crate::base::value::{Date, NcmPrefix, Tributo};
use crate::law::rule::{Chave, Escopo, Timeline, VersaoRegra};
use crate::store::{RuleTables, RuleWriter, StoreResult};

/// Most gaps of one import that are described: a report of a million closings must stay small.
const MAX_DESCRIBED: usize = 1_000;

/// The part of a version that is left without a rule.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// The first such key, on the first such day, in Portuguese.
    pub(super) em: String,
    /// How many of its scope keys are left, on some day.
    pub(super) escopos: usize,
}

/// The gaps that are described, by the index of the closing.
pub(super) type Gaps = HashMap<usize, Gap>;

/// Finds the gaps that the closings leave in the state after the import, and writes the first day of each
/// gap to its closing.
pub(super) fn find(writer: &RuleWriter<'_>, index: &ImportIndex, closed: &mut [MovedEnd]) -> StoreResult<Gaps> {
    let mut gaps = Gaps::new();
    let mut code: Option<CodeVersions<'_, '_>> = None;
    for (i, note) in closed.iter_mut().enumerate().filter(|(_, note)| note.may_leave_gap) {
        let Some(row) = index.get(note.by) else { continue };
        let name = index.code(row);
        let code = match &mut code {
            Some(known) if known.name == name => known,
            other => other.insert(CodeVersions::open(writer, index, note.by)?),
        };
        let first = code.first_gap(note)?;
        note.lacuna_de = first.as_ref().map(|(day, _)| *day);
        if let Some((_, gap)) = first.filter(|_| gaps.len() < MAX_DESCRIBED) {
            gaps.insert(i, gap);
        }
    }
    Ok(gaps)
}

/// The tax and the scope of a version.
struct VersionScope {
    tributo: Tributo,
    escopo: Escopo,
}

/// The versions of one code, after the import.
struct CodeVersions<'c, 't> {
    name: &'c str,
    writer: &'c RuleWriter<'t>,
    timeline: Timeline<u64>,
    /// Those of the versions that were read so far, by number.
    scopes: HashMap<u64, VersionScope>,
}

/// A part of what a version answered: a key, or what an exception of a later version excludes from one.
struct Part<'p> {
    chave: Chave,
    /// The prefixes that the version itself excluded.
    exceto: &'p [NcmPrefix],
}

impl<'c, 't> CodeVersions<'c, 't> {
    fn open(writer: &'c RuleWriter<'t>, index: &'c ImportIndex, row: usize) -> StoreResult<CodeVersions<'c, 't>> {
        let (name, versions) = match index.get(row) {
            Some(row) => (index.code(row), writer.versions_of(&index.rule_code(row)?)?),
            None => ("", Vec::new()),
        };
        let timeline = Timeline::new(versions.iter().map(|v| (v.number, v.state.vigencia)));
        Ok(CodeVersions { name, writer, timeline, scopes: HashMap::new() })
    }

    /// The first day on which some key is left without a rule, with the first such key and their number.
    fn first_gap(&mut self, note: &MovedEnd) -> StoreResult<Option<(Date, Gap)>> {
        let before = note.closing.before;
        let Some(from) = note.closing.after.ate.map(|ate| ate.max(before.de)) else { return Ok(None) };
        let VersaoRegra { tributo, escopo, .. } = version::decode(&self.writer.record(note.closing.id)?)?;
        let mut first: Option<(Date, Chave)> = None;
        let mut escopos = 0;
        for chave in escopo.chaves(tributo) {
            let part = Part { chave, exceto: &escopo.ncm_exceto };
            if let Some((day, chave)) = self.gap_of(&part, from, before.ate)? {
                escopos += 1;
                if first.as_ref().is_none_or(|(earliest, _)| day < *earliest) {
                    first = Some((day, chave));
                }
            }
        }
        Ok(first.map(|(day, chave)| (day, Gap { em: chave.descricao(), escopos })))
    }

    /// The first day from `from` until before `until` on which some of the part is left without a rule.
    fn gap_of(&mut self, part: &Part<'_>, from: Date, until: Option<Date>) -> StoreResult<Option<(Date, Chave)>> {
        let mut day = from;
        while until.is_none_or(|until| day < until) {
            let Some((ate, cut)) = self.answering(part, day)? else { return Ok(Some((day, part.chave.clone()))) };
            let end = [ate, until].into_iter().flatten().min();
            let mut first: Option<(Date, Chave)> = None;
            for ncm in cut {
                let smaller = Part { chave: Chave { ncm: Some(ncm), ..part.chave.clone() }, exceto: part.exceto };
                let gap = self.gap_of(&smaller, day, end)?;
                first = match (first, gap) {
                    (Some(first), Some(gap)) if gap.0 < first.0 => Some(gap),
                    (first, gap) => first.or(gap),
                };
            }
            match (first, ate) {
                (None, Some(ate)) => day = ate,
                (first, _) => return Ok(first),
            }
        }
        Ok(None)
    }

    /// The end of the answer on that day, and the prefixes inside the part that it excludes; `None` if the part
    /// has no answer on that day.
    fn answering(&mut self, part: &Part<'_>, day: Date) -> StoreResult<Option<(Option<Date>, Vec<NcmPrefix>)>> {
        let same_key = self.writer.find(&part.chave.bytes(), day)?;
        let of_code = || self.timeline.at(day).and_then(|id| Some((id, self.timeline.vigencia(id)?)));
        let Some((number, vigencia)) = same_key.map(|found| (found.number, found.vigencia)).or_else(of_code) else {
            return Ok(None);
        };
        let answers = self.scope(number)?;
        if same_key.is_none() && !(answers.tributo == part.chave.tributo && covers(&answers.escopo, &part.chave)) {
            return Ok(None);
        }
        let within = |inner: &NcmPrefix, outer: &NcmPrefix| inner.as_str().starts_with(outer.as_str());
        let lies_in_part = |ncm: &&NcmPrefix| part.chave.ncm.is_none_or(|own| within(ncm, &own) && **ncm != own);
        let was_answered = |ncm: &&NcmPrefix| !part.exceto.iter().any(|exceto| within(ncm, exceto));
        let cut = answers.escopo.ncm_exceto.iter().filter(lies_in_part).filter(was_answered);
        Ok(Some((vigencia.ate, cut.copied().collect())))
    }

    fn scope(&mut self, number: u64) -> StoreResult<&VersionScope> {
        match self.scopes.entry(number) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let VersaoRegra { tributo, escopo, .. } = version::decode(&self.writer.record(number)?)?;
                Ok(new.insert(VersionScope { tributo, escopo }))
            }
        }
    }
}

/// True if a rule of that scope answers for everything under the key, except for the prefixes that it excludes.
fn covers(escopo: &Escopo, chave: &Chave) -> bool {
    fn is_open_or<T: PartialEq + Copy>(own: Option<T>, asked: Option<T>) -> bool {
        own.is_none() || own == asked
    }
    let under = |list: &[NcmPrefix]| {
        chave.ncm.is_some_and(|ncm| list.iter().any(|prefix| ncm.as_str().starts_with(prefix.as_str())))
    };
    is_open_or(escopo.uf_origem, chave.uf_origem)
        && is_open_or(escopo.uf_destino, chave.uf_destino)
        && is_open_or(escopo.municipio, chave.municipio)
        && is_open_or(escopo.ex, chave.ex)
        && is_open_or(escopo.cest, chave.cest)
        && is_open_or(escopo.classificacao, chave.classificacao)
        && (escopo.palavras.is_empty() || chave.palavra.is_some_and(|p| escopo.palavras.contains(&p.valor)))
        && (escopo.item_lista_servico.is_empty()
            || chave.item.is_some_and(|item| escopo.item_lista_servico.contains(&item)))
        && (escopo.ncm.is_empty() || under(&escopo.ncm))
        && !under(&escopo.ncm_exceto)
}

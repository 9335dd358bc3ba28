//! Where an import leaves no rule.
//!
//! When the end of a version moves, another version of its code may take over a part of its scope, or
//! none of it. A scope key that the version answered under is left without a rule on a day that it
//! lost if no version of its code covers the key on that day, and no version of any code stands under
//! the very same key. A more general rule of another code does not count: it would answer in place
//! of what the operator closed, and the operator should know.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::rows::Rows;
use super::succession::Closed;
use super::version;
use crate::rule::{Chave, Escopo, Timeline, VersaoRegra};
use crate::store::{RuleTables, RuleWriter, StoreResult};
use crate::value::{Date, NcmPrefix, Tributo};

/// Gaps of one import that are described, so that a report of a million closings stays small.
const MAX_DESCRIBED: usize = 1_000;

/// What of a version is left without a rule.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// The first of its scope keys that are, from the first such day on.
    pub(super) em: String,
    /// How many of its scope keys are, on some day.
    pub(super) escopos: usize,
}

/// The gaps that are described, by the index of the closing.
pub(super) type Gaps = HashMap<usize, Gap>;

/// Finds the gaps that the closings leave, on the state that the import results in, and writes the
/// first day of each beside its closing.
pub(super) fn find(writer: &RuleWriter<'_>, rows: &Rows, closed: &mut [Closed]) -> StoreResult<Gaps> {
    let mut gaps = Gaps::new();
    let mut code: Option<Code<'_, '_>> = None;
    for (index, note) in closed.iter_mut().enumerate().filter(|(_, note)| note.may_leave_gap) {
        let Some(row) = rows.get(note.by) else { continue };
        let name = rows.code(row);
        let code = match &mut code {
            Some(known) if known.name == name => known,
            other => other.insert(Code::open(writer, rows, note.by)?),
        };
        let first = code.first_gap(note)?;
        note.lacuna_de = first.as_ref().map(|(day, _)| *day);
        if let Some((_, gap)) = first.filter(|_| gaps.len() < MAX_DESCRIBED) {
            gaps.insert(index, gap);
        }
    }
    Ok(gaps)
}

/// What a version answers, without its content.
struct Reach {
    tributo: Tributo,
    escopo: Escopo,
}

/// The versions of one code, after the import.
struct Code<'c, 't> {
    name: &'c str,
    writer: &'c RuleWriter<'t>,
    timeline: Timeline<u64>,
    /// Versions that were looked at.
    reaches: HashMap<u64, Reach>,
}

/// A part of what a version answered: a key, or what an exception of a later version cuts out of one.
struct Part<'p> {
    chave: Chave,
    /// What the version itself left to others.
    exceto: &'p [NcmPrefix],
}

impl<'c, 't> Code<'c, 't> {
    fn open(writer: &'c RuleWriter<'t>, rows: &'c Rows, row: usize) -> StoreResult<Code<'c, 't>> {
        let (name, versions) = match rows.get(row) {
            Some(row) => (rows.code(row), writer.versions_of(&rows.rule_code(row)?)?),
            None => ("", Vec::new()),
        };
        let timeline = Timeline::new(versions.iter().map(|v| (v.number, v.state.vigencia)));
        Ok(Code { name, writer, timeline, reaches: HashMap::new() })
    }

    /// The first day on which some key is left, with the first such key and how many there are.
    fn first_gap(&mut self, note: &Closed) -> StoreResult<Option<(Date, Gap)>> {
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

    /// The first day from `from` on and before `until` on which the part, or some of it, is left.
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

    /// Until when the part is answered that is on that day, and what of it is excepted from that.
    fn answering(&mut self, part: &Part<'_>, day: Date) -> StoreResult<Option<(Option<Date>, Vec<NcmPrefix>)>> {
        let same_key = self.writer.find(&part.chave.bytes(), day)?;
        let of_code = || self.timeline.at(day).and_then(|id| Some((id, self.timeline.vigencia(id)?)));
        let Some((number, vigencia)) = same_key.map(|found| (found.number, found.vigencia)).or_else(of_code) else {
            return Ok(None);
        };
        let answers = self.reach(number)?;
        if same_key.is_none() && !(answers.tributo == part.chave.tributo && covers(&answers.escopo, &part.chave)) {
            return Ok(None);
        }
        let within = |inner: &NcmPrefix, outer: &NcmPrefix| inner.as_str().starts_with(outer.as_str());
        let lies_in_part = |ncm: &&NcmPrefix| part.chave.ncm.is_none_or(|own| within(ncm, &own) && **ncm != own);
        let was_answered = |ncm: &&NcmPrefix| !part.exceto.iter().any(|exceto| within(ncm, exceto));
        let cut = answers.escopo.ncm_exceto.iter().filter(lies_in_part).filter(was_answered);
        Ok(Some((vigencia.ate, cut.copied().collect())))
    }

    fn reach(&mut self, number: u64) -> StoreResult<&Reach> {
        match self.reaches.entry(number) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let VersaoRegra { tributo, escopo, .. } = version::decode(&self.writer.record(number)?)?;
                Ok(new.insert(Reach { tributo, escopo }))
            }
        }
    }
}

/// True if a rule of that scope answers for everything under the key, but for what it excepts inside it.
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
        && (escopo.palavras.is_empty() || chave.palavra.is_some_and(|p| escopo.palavras.contains(&p.valor)))
        && (escopo.item_lista_servico.is_empty()
            || chave.item.is_some_and(|item| escopo.item_lista_servico.contains(&item)))
        && (escopo.ncm.is_empty() || under(&escopo.ncm))
        && !under(&escopo.ncm_exceto)
}

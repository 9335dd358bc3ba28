//! What answers in the scope of a version once it no longer does.
//!
//! The lookup is asked as the tax asks it ([`Tax::less_specific`](crate::law::tax::Tax::less_specific)): first under the key of
//! the version, then under the less specific ones. A rule that excludes some NCM of the scope answers for the rest, and
//! the lookup goes on for what it excludes.
//!
//! This is the one place that says what an end leaves: the report, the calendar, `taxd status`, the health, the metrics,
//! the log and the filters of listings all count what it returns.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use super::Figuras;
use crate::base::document::{Faults, Node, Object, Path};
use crate::base::value::{Date, NcmPrefix};
use crate::engine::sucessao::Sucessao;
use crate::engine::transition::{End, Standing, Transition};
use crate::engine::version;
use crate::law::rule::record::VersionRecord;
use crate::law::rule::{Chave, Escopo};
use crate::law::tax;
use crate::store::{RuleTables, StoreError, StoreResult};

/// What follows the end of the answers of a version.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Succession {
    /// The least that is left in any part of the scope.
    pub(in crate::engine) sucessao: Sucessao,
    /// Number of the version that answers first in such a part; `None` if nothing does.
    pub(super) number: Option<u64>,
    /// How many keys of the scope have a part without an answer.
    pub(super) orphan_keys: usize,
    /// The first part without an answer.
    pub(super) orphan: Option<Chave>,
}

/// A part of what a version answered: a key, and what the version itself excluded from it.
struct Part<'p> {
    chave: Chave,
    exceto: &'p [NcmPrefix],
}

/// What a lookup needs of a version that it finds.
#[derive(Debug, Clone)]
struct Found {
    exceto: Vec<NcmPrefix>,
    standing: Standing,
}

/// Asks the rules of one snapshot. It remembers what it read of each version that it found.
pub(crate) struct Successors<'t, T> {
    tables: &'t T,
    transition: Transition,
    found: HashMap<u64, Found>,
}

/// What follows a version with these figures, if the version that answers then has those. A version that refused every
/// request already loses nothing when the next one refuses them too.
fn follows(before: Figuras, after: Figuras, same_key: bool) -> Sucessao {
    match after {
        Figuras::Extinto => Sucessao::Extinta,
        Figuras::Nulas | Figuras::Recusa if before.answer() => Sucessao::SemFigura,
        _ if same_key => Sucessao::NovaVersao,
        _ => Sucessao::RegraGeral,
    }
}

fn within(inner: &NcmPrefix, outer: &NcmPrefix) -> bool {
    inner.as_str().starts_with(outer.as_str())
}

impl<'t, T: RuleTables> Successors<'t, T> {
    pub(in crate::engine) fn new(tables: &'t T) -> StoreResult<Successors<'t, T>> {
        Ok(Successors { tables, transition: Transition::read(tables)?, found: HashMap::new() })
    }

    /// The national rules of the transition, of the same rules.
    pub(in crate::engine) fn transition(&self) -> &Transition {
        &self.transition
    }

    /// What answers in the scope of the version with this record from its end on.
    pub(in crate::engine) fn after(
        &mut self,
        record: &VersionRecord<'_>,
        standing: Standing,
        end: End,
    ) -> StoreResult<Succession> {
        let before = standing.own.into();
        let mut succession = Succession { sucessao: Sucessao::NovaVersao, number: None, orphan_keys: 0, orphan: None };
        if let Some(national) = end.by {
            let then = self.transition.state_on(standing, end.day).into();
            return Ok(Succession { sucessao: follows(before, then, false), number: Some(national), ..succession });
        }
        let (entry, escopo) = scope_of(record)?;
        for chave in escopo.chaves(entry.tributo) {
            let part = Part { chave, exceto: &escopo.ncm_exceto };
            let orphan = self.ask(entry, before, &part, end.day, &mut succession)?;
            succession.orphan_keys += usize::from(orphan.is_some());
            succession.orphan = succession.orphan.or(orphan);
        }
        if succession.orphan.is_some() {
            (succession.sucessao, succession.number) = (Sucessao::SemSucessora, None);
        }
        Ok(succession)
    }

    /// Notes what answers for the part. Returns the first part of it for which nothing does.
    fn ask(
        &mut self,
        entry: &tax::Entry,
        before: Figuras,
        part: &Part<'_>,
        day: Date,
        succession: &mut Succession,
    ) -> StoreResult<Option<Chave>> {
        for chave in (entry.less_specific)(&part.chave) {
            let Some(found) = self.tables.find(&chave.bytes(), day)? else { continue };
            let Found { exceto: excluded, standing } = self.read(found.number)?;
            if part.chave.ncm.is_some_and(|ncm| excluded.iter().any(|exceto| within(&ncm, exceto))) {
                continue;
            }
            let then = self.transition.state_on(standing, day).into();
            let sucessao = follows(before, then, chave == part.chave);
            if succession.number.is_none() || sucessao > succession.sucessao {
                (succession.sucessao, succession.number) = (sucessao, Some(found.number));
            }
            let lies_in_part = |ncm: &&NcmPrefix| part.chave.ncm.is_some_and(|own| within(ncm, &own));
            let was_answered = |ncm: &&NcmPrefix| !part.exceto.iter().any(|exceto| within(ncm, exceto));
            for ncm in excluded.iter().filter(lies_in_part).filter(was_answered) {
                let smaller = Part { chave: Chave { ncm: Some(*ncm), ..part.chave.clone() }, exceto: part.exceto };
                if let Some(orphan) = self.ask(entry, before, &smaller, day, succession)? {
                    return Ok(Some(orphan));
                }
            }
            return Ok(None);
        }
        Ok(Some(part.chave.clone()))
    }

    fn read(&mut self, number: u64) -> StoreResult<Found> {
        Ok(match self.found.entry(number) {
            Slot::Occupied(known) => known.get().clone(),
            Slot::Vacant(new) => {
                let bytes = self.tables.record(number)?;
                let record = version::read(&bytes)?;
                let (_, escopo) = scope_of(&record)?;
                new.insert(Found { exceto: escopo.ncm_exceto, standing: standing_of(&record)? }).clone()
            }
        })
    }
}

/// What the answers of a version in the transition depend on.
pub(in crate::engine) fn standing_of(record: &VersionRecord<'_>) -> StoreResult<Standing> {
    let (entry, content) = content_of(record)?;
    standing_by(record, entry, &content)
}

/// The same of a version whose content was read.
pub(super) fn standing_by(
    record: &VersionRecord<'_>,
    entry: &tax::Entry,
    content: &Object<'_>,
) -> StoreResult<Standing> {
    let first_day = Date::parse(&record.vigente_de).map_err(|_| corrupt(record, "its first day is not a date"))?;
    let palavras = if entry.answers_beside_null.is_some() { scope_of(record)?.1.palavras } else { Vec::new() };
    Ok(Standing::of(content, entry, &palavras, first_day))
}

pub(super) fn content_of<'r>(record: &'r VersionRecord<'_>) -> StoreResult<(&'static tax::Entry, Object<'r>)> {
    let entry = tax::find(&record.tributo).ok_or_else(|| corrupt(record, "its tax is unknown"))?;
    match Node::parse_text(record.conteudo.get()) {
        Ok(Node::Object(content)) => Ok((entry, content)),
        Ok(_) => Err(corrupt(record, "its content is not an object")),
        Err(fault) => Err(corrupt(record, &fault.to_string())),
    }
}

fn corrupt(record: &VersionRecord<'_>, what: &str) -> StoreError {
    StoreError::Corrupt(format!("{}: {what}", record.rule_id_text()))
}

/// The tax and the scope of a version, without the cost of reading its content.
pub fn scope_of(record: &VersionRecord<'_>) -> StoreResult<(&'static tax::Entry, Escopo)> {
    let entry = tax::find(&record.tributo).ok_or_else(|| corrupt(record, "its tax is unknown"))?;
    let Ok(Node::Object(escopo)) = Node::parse_text(record.escopo.get()) else {
        return Err(corrupt(record, "its scope is not an object"));
    };
    let escopo = entry.read_escopo(&escopo, &Path::ROOT, &mut Faults::default());
    Ok((entry, escopo.ok_or_else(|| corrupt(record, "its scope is not one of its tax"))?))
}

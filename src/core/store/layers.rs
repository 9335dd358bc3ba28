//! The rules of the office over the others.
//!
//! Both layers are in the same tables. The keys of the office begin with a byte that no scope key begins with, so that a
//! tie is found within a layer and never between the two: an import of built-in rules does not fail because of a rule of
//! the office, and neither is lost. Reading puts them together.

use std::borrow::Cow;
use std::collections::BTreeMap;

use redb::ReadableTable;

use super::StoreResult;
use super::encoding::end_of;
use super::lookup_row::{LookupEntry, LookupRow};
use crate::base::value::Date;
use crate::law::rule::{Dimension, Linha, Place, RuleLayer, Vigencia};

/// First byte of the keys of the office. The others begin with the name of a tax.
pub(super) const OFFICE: u8 = 0xFE;

/// The table of the lookups, inside a transaction that writes or one that reads.
pub(super) trait LookupTable: ReadableTable<&'static [u8], &'static [u8]> {}
impl<T: ReadableTable<&'static [u8], &'static [u8]>> LookupTable for T {}

fn find(table: &impl LookupTable, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
    match table.get(chave)? {
        Some(value) => LookupRow::read(value.value())?.on(data),
        None => Ok(None),
    }
}

fn entries_under(table: &impl LookupTable, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
    let high = end_of(prefix);
    let mut entries = Vec::new();
    for row in table.range::<&[u8]>(prefix..high.as_slice())? {
        for entry in LookupRow::read(row?.1.value())?.entries() {
            entries.push(entry?);
        }
    }
    Ok(entries)
}

fn rows(table: &impl LookupTable, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
    let row = |key: &[u8], value: &[u8]| {
        let entries = LookupRow::read(value)?.entries();
        let versoes = entries.map(|entry| entry.map(|entry| (entry.number, entry.vigencia)));
        Ok(Linha { chave: key.to_vec(), versoes: versoes.collect::<StoreResult<_>>()? })
    };
    if Dimension::are_all_in(prefix) {
        // One row, which costs less than a range.
        return table.get(prefix)?.iter().map(|value| row(prefix, value.value())).collect();
    }
    let high = end_of(prefix);
    let range = match place {
        Place::From(key) => table.range::<&[u8]>(key..high.as_slice())?,
        Place::Before(key) => table.range::<&[u8]>(prefix..key)?,
    };
    let row = |found: Result<_, redb::StorageError>| {
        let (key, value): (redb::AccessGuard<'_, &[u8]>, redb::AccessGuard<'_, &[u8]>) = found?;
        row(key.value(), value.value())
    };
    match place {
        Place::From(_) => range.take(max).map(row).collect(),
        Place::Before(_) => range.rev().take(max).map(row).collect(),
    }
}

/// The table of the lookups, read through both layers or only the common one.
pub(super) struct Layers<'t, T> {
    pub(super) table: &'t T,
    /// False if the office has no rules, or they are not wanted: nothing more is read then.
    pub(super) with_office: bool,
}

pub(super) fn has_office(table: &impl LookupTable) -> StoreResult<bool> {
    Ok(table.range::<&[u8]>([OFFICE].as_slice()..)?.next().transpose()?.is_some())
}

impl<T: LookupTable> Layers<'_, T> {
    pub(super) fn find(&self, chave: &[u8], data: Date) -> StoreResult<Option<LookupEntry>> {
        if !self.with_office {
            return find(self.table, chave, data);
        }
        Ok(self.entries_at(chave)?.into_iter().find(|entry| entry.vigencia.covers(data)))
    }

    /// The entries of exactly this key.
    pub(super) fn entries_at(&self, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        let common = self.entries_in(RuleLayer::Common, chave)?;
        if !self.with_office {
            return Ok(common);
        }
        Ok(overlaid(&common, &self.entries_in(RuleLayer::Office, chave)?))
    }

    /// The entries of a layer under exactly this key.
    pub(super) fn entries_in(&self, layer: RuleLayer, chave: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        match self.table.get(&*key_in(layer, chave))? {
            Some(value) => LookupRow::read(value.value())?.entries().collect(),
            None => Ok(Vec::new()),
        }
    }

    pub(super) fn entries_under(&self, prefix: &[u8]) -> StoreResult<Vec<LookupEntry>> {
        if !self.with_office {
            return entries_under(self.table, prefix);
        }
        let rows = self.rows(prefix, Place::From(prefix), usize::MAX)?;
        let entries = rows.into_iter().flat_map(|row| row.versoes);
        Ok(entries.map(|(number, vigencia)| LookupEntry { number, vigencia }).collect())
    }

    pub(super) fn rows(&self, prefix: &[u8], place: Place<'_>, max: usize) -> StoreResult<Vec<Linha>> {
        let common = rows(self.table, prefix, place, max)?;
        if !self.with_office {
            return Ok(common);
        }
        let under = key_in(RuleLayer::Office, prefix);
        let office = with_place(RuleLayer::Office, place, |place| rows(self.table, &under, place, max))?;
        Ok(merged(common, office, place, max))
    }
}

/// The key under which a layer has its rules of a scope key, or what such keys begin with.
pub fn key_in(layer: RuleLayer, chave: &[u8]) -> Cow<'_, [u8]> {
    match layer {
        RuleLayer::Common => Cow::Borrowed(chave),
        RuleLayer::Office => Cow::Owned([&[OFFICE], chave].concat()),
    }
}

/// The entries of one scope key: those of the office, and the others on the days that are left.
pub(super) fn overlaid(common: &[LookupEntry], office: &[LookupEntry]) -> Vec<LookupEntry> {
    let mut entries = office.to_vec();
    for entry in common {
        let mut left = vec![entry.vigencia];
        for taken in office {
            left = left.into_iter().flat_map(|span| span.minus(taken.vigencia)).collect();
        }
        entries.extend(left.into_iter().map(|vigencia| LookupEntry { number: entry.number, vigencia }));
    }
    entries.sort_unstable_by_key(|entry| entry.vigencia.de);
    entries
}

/// The rows of both layers, in the order of `place`. Each list has the first `max` rows of its layer.
pub(super) fn merged(common: Vec<Linha>, office: Vec<Linha>, place: Place<'_>, max: usize) -> Vec<Linha> {
    let mut keys: BTreeMap<Vec<u8>, [Vec<(u64, Vigencia)>; 2]> = BTreeMap::new();
    for row in common {
        keys.entry(row.chave).or_default()[0] = row.versoes;
    }
    for row in office {
        let chave = row.chave.get(1..).unwrap_or_default().to_vec();
        keys.entry(chave).or_default()[1] = row.versoes;
    }
    let entries = |versoes: Vec<(u64, Vigencia)>| -> Vec<LookupEntry> {
        versoes.into_iter().map(|(number, vigencia)| LookupEntry { number, vigencia }).collect()
    };
    let rows = keys.into_iter().map(|(chave, [common, office])| {
        let versoes = overlaid(&entries(common), &entries(office));
        Linha { chave, versoes: versoes.into_iter().map(|entry| (entry.number, entry.vigencia)).collect() }
    });
    match place {
        Place::From(_) => rows.take(max).collect(),
        Place::Before(_) => rows.rev().take(max).collect(),
    }
}

/// The same place among the keys of a layer.
pub(super) fn with_place<R>(layer: RuleLayer, place: Place<'_>, read: impl FnOnce(Place<'_>) -> R) -> R {
    match place {
        Place::From(key) => read(Place::From(&key_in(layer, key))),
        Place::Before(key) => read(Place::Before(&key_in(layer, key))),
    }
}

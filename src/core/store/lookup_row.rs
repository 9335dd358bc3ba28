//! A row of the lookup table: the versions that answer under one scope key.

use super::encoding::{ordinal, vigencia};
use super::{StoreError, StoreResult};
use crate::base::value::Date;
use crate::law::rule::Vigencia;

/// Bytes of an entry: first day, day after the last (0 for open), number of the version, all
/// big-endian.
const ENTRY_BYTES: usize = 16;

/// A version that answers under a scope key.
#[derive(Debug, Clone, Copy)]
pub struct LookupEntry {
    pub number: u64,
    pub vigencia: Vigencia,
}

/// The entries of one key, in the order of their first days. Their validities never overlap, so only the last one
/// that begins on or before a day can cover it.
#[derive(Debug, Clone, Copy, Default)]
pub struct LookupRow<'b>(&'b [[u8; ENTRY_BYTES]]);

fn first_day([a, b, c, d, ..]: [u8; ENTRY_BYTES]) -> u32 {
    u32::from_be_bytes([a, b, c, d])
}

fn found(entry: [u8; ENTRY_BYTES]) -> StoreResult<LookupEntry> {
    let [_, _, _, _, a, b, c, d, number @ ..] = entry;
    let vigencia = vigencia(first_day(entry), u32::from_be_bytes([a, b, c, d]))?;
    Ok(LookupEntry { number: u64::from_be_bytes(number), vigencia })
}

fn entry(number: u64, vigencia: Vigencia) -> [u8; ENTRY_BYTES] {
    let days = u128::from(vigencia.de.ordinal()) << 96 | u128::from(ordinal(vigencia.ate)) << 64;
    (days | u128::from(number)).to_be_bytes()
}

impl<'b> LookupRow<'b> {
    /// The entries in a value of the table.
    pub fn read(value: &'b [u8]) -> StoreResult<LookupRow<'b>> {
        match value.as_chunks() {
            (entries, []) => Ok(LookupRow(entries)),
            _ => Err(StoreError::Corrupt("entries of a row of table lookup".to_owned())),
        }
    }

    /// Number of entries that begin on or before that day.
    fn begun(&self, day: u32) -> usize {
        self.0.partition_point(|entry| first_day(*entry) <= day)
    }

    /// The version that answers on that day.
    pub(super) fn on(&self, day: Date) -> StoreResult<Option<LookupEntry>> {
        let last = self.begun(day.ordinal()).checked_sub(1).and_then(|index| self.0.get(index));
        Ok(last.map(|entry| found(*entry)).transpose()?.filter(|f| f.vigencia.covers(day)))
    }

    pub fn entries(&self) -> impl Iterator<Item = StoreResult<LookupEntry>> + use<'b> {
        self.0.iter().map(|entry| found(*entry))
    }

    /// The value with one more version. Returns the number of another version as the error if that answers on some of
    /// the same days.
    pub(super) fn with(&self, number: u64, vigencia: Vigencia) -> StoreResult<Result<Vec<u8>, u64>> {
        let at = self.begun(vigencia.de.ordinal());
        let (before, after) = self.0.split_at_checked(at).unwrap_or((self.0, &[]));
        for neighbour in before.last().into_iter().chain(after.first()) {
            let other = found(*neighbour)?;
            if other.number != number && other.vigencia.overlaps(vigencia) {
                return Ok(Err(other.number));
            }
        }
        let before = match before.split_last() {
            // The same version with its previous end.
            Some((last, rest)) if first_day(*last) == vigencia.de.ordinal() => rest,
            _ => before,
        };
        Ok(Ok([before, &[entry(number, vigencia)], after].concat().into_flattened()))
    }

    /// The value without the version that begins on that day.
    pub(super) fn without(&self, de: Date) -> Vec<u8> {
        let rest: Vec<_> = self.0.iter().filter(|entry| first_day(**entry) != de.ordinal()).copied().collect();
        rest.into_flattened()
    }
}

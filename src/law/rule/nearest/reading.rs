//! Reads the keys around those of a lookup: a bounded number, whatever a caller asks and however many rules there are.

use std::collections::BTreeMap;

use super::{Dimension, Search};
use crate::base::value::Uf;
use crate::rule::lookup::{Linha, Place, Regras, RuleResult};

/// Most keys of one reading, in each direction.
const MAX_ROWS: usize = 8;
/// Most keys of a place without NCM that are read at once: a word and a version for each category of vehicle, and more.
const MAX_OF_A_PLACE: usize = 16;
/// Most words of a tax's own dimension that are tried: `ipva` has eight, and a rule may name none.
const MAX_WORDS: usize = 9;

/// The rows read so far, each key once.
struct Rows<'r> {
    regras: &'r dyn Regras,
    found: BTreeMap<Vec<u8>, Linha>,
}

impl Rows<'_> {
    /// Reads up to `max` rows, and returns how many there are.
    fn read(&mut self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<usize> {
        let rows = self.regras.linhas(prefix, place, max)?;
        let count = rows.len();
        self.found.extend(rows.into_iter().map(|row| (row.chave.clone(), row)));
        Ok(count)
    }

    /// Reads the first rows that begin with `prefix`, fewer than `max`. Returns true if there are no others.
    fn all_of(&mut self, prefix: &[u8], max: usize) -> RuleResult<bool> {
        Ok(self.read(prefix, Place::From(prefix), max)? < max)
    }

    fn one(&mut self, key: &[u8]) -> RuleResult<()> {
        if !self.found.contains_key(key) {
            self.read(key, Place::From(key), 1)?;
        }
        Ok(())
    }

    /// Reads the rows on both sides of a key, among those that begin with `prefix`. Returns true if there are no
    /// others.
    fn both_sides(&mut self, prefix: &[u8], key: &[u8]) -> RuleResult<bool> {
        if self.all_of(prefix, MAX_ROWS)? {
            return Ok(true);
        }
        self.read(prefix, Place::Before(key), MAX_ROWS)?;
        self.read(prefix, Place::From(key), MAX_ROWS)?;
        Ok(false)
    }

    /// Calls `each` with the values that a dimension has after `prefix`, but for the empty one; `max` of them at most.
    fn each_value(
        &mut self,
        prefix: &[u8],
        dimension: Dimension,
        max: usize,
        mut each: impl FnMut(&mut Self, &str) -> RuleResult<()>,
    ) -> RuleResult<()> {
        let mut after = [prefix, &[1]].concat();
        for _ in 0..max {
            let next = self.regras.linhas(prefix, Place::From(&after), 1)?;
            let Some(value) = next.first().map(|row| dimension.of(&row.chave).to_owned()) else { break };
            each(self, &value)?;
            after = [prefix, value.as_bytes(), &[1]].concat();
        }
        Ok(())
    }
}

/// The rows of the keys, and those around them.
pub(super) fn around(search: &Search<'_>, asked: &[Vec<u8>], regras: &dyn Regras) -> RuleResult<Vec<Linha>> {
    let mut rows = Rows { regras, found: BTreeMap::new() };
    // What the keys that need no further reading begin with.
    let mut read: Vec<Vec<u8>> = Vec::new();
    let mut bases: Vec<&[u8]> = Vec::new();
    for key in asked {
        // The other NCMs of the chapter, or else everything of the place.
        let chapter = Dimension::Ncm.of(key).get(..2);
        let base = if chapter.is_some() { Dimension::Ncm } else { Dimension::Palavra }.before(key);
        if bases.contains(&base) {
            continue;
        }
        bases.push(base);
        let prefix = [base, chapter.unwrap_or_default().as_bytes()].concat();
        let is_all =
            if chapter.is_some() { rows.both_sides(&prefix, key)? } else { rows.all_of(&prefix, MAX_OF_A_PLACE)? };
        if is_all {
            read.push(prefix);
        }
    }
    for key in asked {
        if read.iter().any(|prefix| key.starts_with(prefix)) {
            continue;
        }
        // The other exceptions, items and CEST of the same goods or place.
        let group = Dimension::Ex.before(key);
        if bases.contains(&group) {
            rows.one(key)?;
            continue;
        }
        bases.push(group);
        if rows.both_sides(group, key)? {
            read.push(group.to_vec());
        }
    }
    other_words(asked, &read, &mut rows)?;
    other_origins(search, asked, &mut rows)?;
    Ok(rows.found.into_values().collect())
}

/// Reads the keys with another word of the tax's own dimension.
fn other_words(asked: &[Vec<u8>], read: &[Vec<u8>], rows: &mut Rows<'_>) -> RuleResult<()> {
    let Some(first) = asked.first().filter(|key| Dimension::Ncm.of(key).is_empty()) else { return Ok(()) };
    let place = Dimension::Palavra.before(first);
    if read.iter().any(|prefix| prefix == place) {
        return Ok(());
    }
    let try_word = |rows: &mut Rows<'_>, word: &str| {
        for key in asked {
            rows.one(&Dimension::Palavra.replaced(key, word))?;
        }
        Ok(())
    };
    try_word(rows, "")?;
    rows.each_value(place, Dimension::Palavra, MAX_WORDS, try_word)
}

/// Reads the keys with another origin, if the lookup passes from a stated origin to none.
fn other_origins(search: &Search<'_>, asked: &[Vec<u8>], rows: &mut Rows<'_>) -> RuleResult<()> {
    let stated: Vec<&Vec<u8>> = asked.iter().filter(|key| !Dimension::UfOrigem.of(key).is_empty()).collect();
    let Some(first) = stated.first().filter(|_| stated.len() < asked.len()) else { return Ok(()) };
    let max = Uf::ALL.len();
    rows.each_value(Dimension::UfOrigem.before(first), Dimension::UfOrigem, max, |rows, origin| {
        // Most origins of a rule are those of other destinations.
        let one = Dimension::UfOrigem.replaced(first, origin);
        let chapter = Dimension::Ncm.of(&one).get(..2).unwrap_or_default();
        if rows.all_of(&[Dimension::Ncm.before(&one), chapter.as_bytes()].concat(), MAX_ROWS)? {
            return Ok(());
        }
        for key in &stated {
            let key = Dimension::UfOrigem.replaced(key, origin);
            if search.any_cest {
                let group = Dimension::Cest.before(&key);
                rows.read(group, Place::From(group), MAX_ROWS)?;
            } else {
                rows.one(&key)?;
            }
        }
        Ok(())
    })
}

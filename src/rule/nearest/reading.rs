//! Reads the keys around those of a lookup: a bounded number, whatever a caller asks and however many rules there are.

use std::collections::BTreeMap;

use super::{Dimension, Search};
use crate::rule::lookup::{Linha, Place, Regras, RuleResult};
use crate::value::Uf;

/// Most keys of one reading, in each direction.
const MAX_ROWS: usize = 32;
/// Most words of a tax's own dimension that are tried: `ipva` has eight, and a rule may name none.
const MAX_WORDS: usize = 9;

/// The rows read so far, each key once.
struct Rows<'r> {
    regras: &'r dyn Regras,
    found: BTreeMap<Vec<u8>, Linha>,
}

impl Rows<'_> {
    fn read(&mut self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<()> {
        for row in self.regras.linhas(prefix, place, max)? {
            self.found.insert(row.chave.clone(), row);
        }
        Ok(())
    }

    /// Reads the row of one key.
    fn one(&mut self, key: &[u8]) -> RuleResult<()> {
        if self.found.contains_key(key) { Ok(()) } else { self.read(key, Place::From(key), 1) }
    }

    /// Reads the rows on both sides of a key, among those that begin with `prefix`.
    fn both_sides(&mut self, prefix: &[u8], key: &[u8]) -> RuleResult<()> {
        self.read(prefix, Place::Before(key), MAX_ROWS)?;
        self.read(prefix, Place::From(key), MAX_ROWS)
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
    let mut groups: Vec<&[u8]> = Vec::new();
    let mut bases: Vec<&[u8]> = Vec::new();
    for key in asked {
        let group = Dimension::Ex.before(key);
        if groups.contains(&group) {
            rows.one(key)?;
            continue;
        }
        // The other exceptions, items and CEST of the same goods or place.
        groups.push(group);
        rows.both_sides(group, key)?;
    }
    for key in asked {
        let (base, ncm) = (Dimension::Ncm.before(key), Dimension::Ncm.of(key));
        if let Some(chapter) = ncm.get(..2).filter(|_| !bases.contains(&base)) {
            bases.push(base);
            rows.both_sides(&[base, chapter.as_bytes()].concat(), key)?;
        }
    }
    other_words(asked, &mut rows)?;
    other_origins(search, asked, &mut rows)?;
    Ok(rows.found.into_values().collect())
}

/// Reads the keys with another word of the tax's own dimension.
fn other_words(asked: &[Vec<u8>], rows: &mut Rows<'_>) -> RuleResult<()> {
    let Some(first) = asked.first().filter(|key| Dimension::Ncm.of(key).is_empty()) else { return Ok(()) };
    let try_word = |rows: &mut Rows<'_>, word: &str| {
        for key in asked {
            rows.one(&Dimension::Palavra.replaced(key, word))?;
        }
        Ok(())
    };
    try_word(rows, "")?;
    rows.each_value(Dimension::Palavra.before(first), Dimension::Palavra, MAX_WORDS, try_word)
}

/// Reads the keys with another origin, if the lookup passes from a stated origin to none.
fn other_origins(search: &Search<'_>, asked: &[Vec<u8>], rows: &mut Rows<'_>) -> RuleResult<()> {
    let stated: Vec<&Vec<u8>> = asked.iter().filter(|key| !Dimension::UfOrigem.of(key).is_empty()).collect();
    let Some(first) = stated.first().filter(|_| stated.len() < asked.len()) else { return Ok(()) };
    let max = Uf::ALL.len();
    rows.each_value(Dimension::UfOrigem.before(first), Dimension::UfOrigem, max, |rows, origin| {
        for key in &stated {
            let key = Dimension::UfOrigem.replaced(key, origin);
            if search.any_cest {
                let group = Dimension::Cest.before(&key).to_vec();
                rows.read(&group, Place::From(&group), MAX_ROWS)?;
            } else {
                rows.one(&key)?;
            }
        }
        Ok(())
    })
}

//! Finding codes by what a person types: the beginning of a code, or words of its text.

use serde::Serialize;

use super::Tabela;
use super::table::{CodeRow, CodeTable, Codigo, words};

/// Words of a query that are looked for; more are ignored.
const MAX_WORDS: usize = 16;

/// Codes that were found, the best first.
#[derive(Debug, Serialize)]
pub struct Matches<'t> {
    /// At most as many as were asked for.
    pub codigos: Vec<Codigo<'t>>,
    /// True if there are more.
    pub ha_mais: bool,
}

/// The words of a query that were found for a code, one bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Matched {
    /// As the beginning of a word, in the text of the code or of its headings.
    begun: u16,
    /// As a whole word, there.
    whole: u16,
}

impl CodeTable<'_> {
    /// Finds the codes that begin with the query, and then those in whose text, the texts of the headings included,
    /// every word of the query begins a word; accents and case do not matter. Those with more whole words come first,
    /// then those with more of the words in their own text, then the smaller code. An empty query finds nothing.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Matches<'_> {
        let folded = words(query);
        let wanted: Vec<&str> = folded.split(' ').filter(|word| !word.is_empty()).take(MAX_WORDS).collect();
        let prefixes = self.prefixes(query);
        let mut found: Vec<(Rank, &CodeRow<'_>)> = Vec::new();
        let mut above: Vec<Matched> = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let own = row.find(&wanted);
            let heading = row.heading.and_then(|heading| above.get(heading)).copied().unwrap_or_default();
            let path = Matched { begun: own.begun | heading.begun, whole: own.whole | heading.whole };
            above.push(path);
            if !self.is_complete(row) {
                continue;
            }
            if prefixes.iter().any(|prefix| row.digits.starts_with(prefix)) {
                found.push((Rank::CodeBegins, row));
            } else if !wanted.is_empty() && path.begun.count_ones() as usize == wanted.len() {
                found.push((Rank::words(wanted.len(), path, own), row));
            }
        }
        // A stable sort: rows of one rank stay in the order of their codes.
        found.sort_by_key(|(rank, _)| *rank);
        let codigos = found.iter().take(limit).map(|(_, row)| self.codigo(row)).collect();
        Matches { codigos, ha_mais: found.len() > limit }
    }

    /// The code, as people write it, with or without points. `None` if the table does not have it.
    #[must_use]
    pub fn get(&self, code: &str) -> Option<Codigo<'_>> {
        let prefixes = self.prefixes(code);
        let row = self.rows.iter().find(|row| self.is_complete(row) && prefixes.iter().any(|p| p == row.digits))?;
        Some(self.codigo(row))
    }

    /// With which digits a code may begin that is typed like this. None if it is not typed as a code.
    fn prefixes(&self, query: &str) -> Vec<String> {
        let query = query.trim();
        let digits: String = query.chars().filter(char::is_ascii_digit).collect();
        let signs = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ' ');
        if digits.is_empty() || !query.chars().all(signs) {
            return Vec::new();
        }
        if self.tabela != Tabela::Servico {
            return vec![digits];
        }
        // `1.07`, `01.07`, `0107`, `1`, and the six digits of the national code.
        match query.split_once('.') {
            Some((item, subitem)) => {
                let subitem: String = subitem.chars().filter(char::is_ascii_digit).collect();
                // `1.7` is written for `1.07`; `10.1` may go on to `10.10`.
                let zero = if subitem.len() == 1 && subitem != "0" { "0" } else { "" };
                [zero, ""].map(|zero| format!("{item:0>2}{zero}{subitem:.2}")).to_vec()
            }
            None => vec![format!("{digits:.4}"), format!("0{digits:.3}")],
        }
    }
}

impl CodeRow<'_> {
    fn find(&self, wanted: &[&str]) -> Matched {
        let mut found = Matched::default();
        for word in self.words.split(' ') {
            for (bit, wanted) in wanted.iter().enumerate() {
                if word.starts_with(wanted) {
                    found.begun |= 1 << bit;
                    found.whole |= u16::from(word.len() == wanted.len()) << bit;
                }
            }
        }
        found
    }
}

/// The order of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The code begins with the query.
    CodeBegins,
    /// How many words of the query are not whole words of the text, and how many are only in texts of headings.
    Words(u32, u32),
}

impl Rank {
    fn words(wanted: usize, path: Matched, own: Matched) -> Rank {
        let without = |found: u16| u32::try_from(wanted).unwrap_or(u32::MAX).saturating_sub(found.count_ones());
        Rank::Words(without(path.whole), without(own.begun))
    }
}

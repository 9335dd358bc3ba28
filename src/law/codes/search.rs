//! Finding codes by what a person types: the beginning of a code, or words of its text.

use serde::Serialize;

use super::Tabela;
use super::table::{CodeRow, CodeTable, Codigo};
use super::words::{same, wanted, without_exclusions, without_measures, words};

/// Words of a query that are looked for; more are ignored.
const MAX_WORDS: usize = 16;

/// Codes that were found, the best first.
#[derive(Debug, Default, Serialize)]
pub struct Matches<'t> {
    /// At most as many as were asked for.
    pub codigos: Vec<Codigo<'t>>,
    pub ha_mais: bool,
    /// How many were found.
    pub achados: usize,
    /// The words of the query that none of them has, folded: no code has all words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sem: Vec<String>,
}

/// How a word of the query was found among the words of a text, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    /// It is in a synonym all of whose words are in the query.
    Synonym,
    /// It is what the product is called: the first word of a text.
    Name,
    Whole,
    Begins,
    Absent,
}

/// How each word of a query was found for a code: in its own text and synonyms, and in those of its headings.
#[derive(Debug, Clone, Copy)]
struct Findings {
    own: [Finding; MAX_WORDS],
    above: [Finding; MAX_WORDS],
    /// Words of the longest synonym all of whose words are in the query, the first word of the query among them.
    synonym: usize,
}

impl Findings {
    const NONE: Findings =
        Findings { own: [Finding::Absent; MAX_WORDS], above: [Finding::Absent; MAX_WORDS], synonym: 0 };

    /// How far the first `count` words are from naming the code, added up over those that were found, and which were found:
    /// the first word is the highest bit.
    fn distance(&self, count: usize) -> (u32, Found) {
        self.own.iter().zip(&self.above).take(count).fold((0, 0), |(sum, found), (own, above)| {
            let distance = distance(*own, *above);
            (sum + distance.unwrap_or_default(), found << 1 | Found::from(distance.is_some()))
        })
    }

    /// How surely the first word of the query, which is what a product is called, names the code: not if it is zero.
    fn named(&self) -> usize {
        let is_name = |(own, above): (&Finding, &Finding)| (*own).min(*above) <= Finding::Name;
        match self.synonym {
            0 => usize::from(self.own.iter().zip(&self.above).next().is_some_and(is_name)),
            words => words + 1,
        }
    }
}

/// Which of the words of a query were found.
type Found = u32;

/// How surely a code is named, how many words were found, and which.
type Rank = (usize, u32, Found);

/// A product is what its heading is called, before what one of the codes of another heading is called.
const fn distance(own: Finding, above: Finding) -> Option<u32> {
    match (own, above) {
        (Finding::Synonym, _) => Some(0),
        (_, Finding::Synonym) | (Finding::Name, Finding::Name) => Some(1),
        (_, Finding::Name) => Some(2),
        (Finding::Name, _) => Some(3),
        (Finding::Whole, _) => Some(4),
        (_, Finding::Whole) => Some(5),
        (Finding::Begins, _) => Some(6),
        (_, Finding::Begins) => Some(7),
        (Finding::Absent, Finding::Absent) => None,
    }
}

impl<'t> CodeTable<'t> {
    /// Finds the codes that begin with the query, and then those in whose text, the texts and synonyms of the headings
    /// included, every word of the query begins a word; accents, case and plural do not matter, and what a text or the
    /// query excludes does not count, nor does a measure like `500ml` beside other words. If no code that has all words is
    /// named by the first of them, it finds before them those that are: by the longest synonym, with the most words, of
    /// which the first ones of the query count most. If none has all words, it says which ones the found codes lack. Those
    /// for which the words are the name of the product come first, then those with whole words, then the smaller code. An
    /// empty query finds nothing.
    pub fn search(&self, query: &str, limit: usize) -> Matches<'t> {
        let folded = words(&without_exclusions(query));
        let wanted: Vec<&str> = without_measures(wanted(&folded)).into_iter().take(MAX_WORDS).collect();
        let prefixes = self.prefixes(query);
        let mut by_code: Vec<&CodeRow<'t>> = Vec::new();
        let (mut with_all, mut is_named): (Vec<(u32, &CodeRow<'t>)>, bool) = (Vec::new(), false);
        let (mut in_part, mut most): (Vec<(u32, &CodeRow<'t>)>, Rank) = (Vec::new(), Rank::default());
        let all: Found = (1 << wanted.len()) - 1;
        let mut before: Vec<Findings> = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let heading = row.heading.and_then(|heading| before.get(heading)).copied().unwrap_or(Findings::NONE);
            let findings = self.findings(row, &wanted, heading);
            before.push(findings);
            if !self.is_complete(row) || row.text.is_empty() {
                continue;
            }
            if prefixes.iter().any(|prefix| row.digits.starts_with(prefix)) {
                by_code.push(row);
                continue;
            }
            let (distance, found) = findings.distance(wanted.len());
            let rank = (findings.named(), found.count_ones(), found);
            if found != 0 && found == all {
                is_named |= rank.0 > 0;
                with_all.push((distance, row));
            // What is typed as a code is not looked for in parts.
            } else if found != 0 && prefixes.is_empty() && rank >= most {
                if rank > most {
                    most = rank;
                    in_part.clear();
                }
                in_part.push((distance, row));
            }
        }
        if is_named || most.0 == 0 && !with_all.is_empty() {
            in_part.clear();
        }
        // A stable sort: rows of one distance stay in the order of their codes.
        with_all.sort_by_key(|(distance, _)| *distance);
        in_part.sort_by_key(|(distance, _)| *distance);
        let is_whole = !prefixes.is_empty() || !with_all.is_empty();
        let lacks = |at: usize| !is_whole && most.2 >> (wanted.len() - 1 - at) & 1 == 0;
        let sem: Vec<&str> = wanted.iter().enumerate().filter(|(at, _)| lacks(*at)).map(|(_, word)| *word).collect();
        let achados = by_code.len() + in_part.len() + with_all.len();
        let sem = sem.into_iter().filter(|_| achados > 0);
        let rows = by_code.into_iter().chain(in_part.into_iter().chain(with_all).map(|(_, row)| row));
        let codigos = rows.take(limit).map(|row| self.codigo(row)).collect();
        Matches { codigos, ha_mais: achados > limit, achados, sem: sem.map(str::to_owned).collect() }
    }

    /// How the words are found in the row, with what was found for its heading.
    fn findings(&self, row: &CodeRow<'_>, wanted: &[&str], heading: Findings) -> Findings {
        let is_heading = row.digits.len() <= 4 && !self.is_complete(row);
        // Chapters and segments are too wide to name a product: their words count less than the text of the code.
        let best_of_row = if row.digits.len() < 4 { Finding::Begins } else { Finding::Synonym };
        let asked = |word: &str| wanted.iter().any(|wanted| same(word, wanted));
        let is_asked = |synonym: &&String| synonym.split(' ').all(asked);
        let synonyms: Vec<&String> = row.synonyms.iter().filter(is_asked).collect();
        let mut findings = heading;
        if row.digits.len() >= 4 {
            let first = wanted.first().copied().unwrap_or_default();
            let has_first = |synonym: &&&String| synonym.split(' ').any(|word| same(word, first));
            let longest = synonyms.iter().filter(has_first).map(|synonym| synonym.split(' ').count()).max();
            findings.synonym = findings.synonym.max(longest.unwrap_or_default());
        }
        let best = if is_heading { &mut findings.above } else { &mut findings.own };
        for (best, wanted) in best.iter_mut().zip(wanted) {
            let in_synonym = synonyms.iter().flat_map(|synonym| synonym.split(' ')).any(|word| same(word, wanted));
            let finding = if in_synonym { Finding::Synonym } else { find(wanted, &row.names, &row.words) };
            *best = (*best).min(finding.max(best_of_row));
        }
        findings
    }

    /// The code, as people write it, with or without points. `None` if the table does not have its text.
    pub fn get(&self, code: &str) -> Option<Codigo<'t>> {
        let prefixes = self.prefixes(code);
        let is_it = |row: &&CodeRow<'t>| self.is_complete(row) && prefixes.iter().any(|p| p == row.digits);
        let row = self.rows.iter().find(is_it).filter(|row| !row.text.is_empty())?;
        Some(self.codigo(row))
    }

    /// Whether the table has the text of a code or of a heading, written as digits.
    pub fn has(&self, digits: &str) -> bool {
        self.rows.iter().any(|row| row.digits == digits && !row.text.is_empty())
    }

    /// A whole code whose text the table does not have, with the headings that it has.
    pub fn headings_of(&self, code: &str) -> Option<Codigo<'t>> {
        let prefixes = self.prefixes(code);
        let digits = prefixes.iter().find(|digits| digits.len() == self.tabela.digits())?;
        if self.tabela == Tabela::Cst || self.get(code).is_some() { None } else { self.without_text(digits) }
    }

    /// With which digits a code may begin that is typed like this. None if it is not typed as a code.
    fn prefixes(&self, query: &str) -> Vec<String> {
        let query = query.trim();
        let digits: String = query.chars().filter(char::is_ascii_digit).collect();
        let signs = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ' ');
        if digits.is_empty() || !query.chars().all(signs) {
            return Vec::new();
        }
        if self.tabela == Tabela::Cst {
            // `60`, and `060` with the origin; in any of its tables.
            return (1..=5).map(|table| format!("{table}{digits:0>3}")).collect();
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

fn find(wanted: &str, names: &str, words: &str) -> Finding {
    if names.split(' ').any(|word| same(word, wanted)) {
        return Finding::Name;
    }
    let found = words.split(' ').map(|word| {
        if same(word, wanted) {
            Finding::Whole
        } else if word.starts_with(wanted) {
            Finding::Begins
        } else {
            Finding::Absent
        }
    });
    found.min().unwrap_or(Finding::Absent)
}

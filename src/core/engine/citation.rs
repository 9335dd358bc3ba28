//! Citations as a search compares them.

use crate::base::value::fold;

/// Kinds of acts, and how citations abbreviate them.
const KINDS: [(&str, &str); 6] = [
    ("lei complementar", "lc"),
    ("emenda constitucional", "ec"),
    ("medida provisoria", "mp"),
    ("instrucao normativa", "in"),
    ("decreto lei", "dl"),
    ("constituicao federal", "cf"),
];

/// The text with each number and its year as one word, the year with four digits: `128/94` is `128x1994`.
fn with_joined_years(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut parts = text.split('/');
    let mut long = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        let century = match part.get(..2).and_then(|year| year.parse::<u8>().ok()) {
            Some(year) if digits == 2 && long.ends_with(is_digit) => {
                if year < 50 {
                    "20"
                } else {
                    "19"
                }
            }
            _ => "",
        };
        long.push(if digits > 0 && long.ends_with(is_digit) { 'x' } else { '/' });
        long.push_str(century);
        long.push_str(part);
    }
    long
}

/// The words of a text, folded, with a space around each: the number of a law has no points, and its year is joined to
/// it.
fn words(text: &str) -> String {
    // Accents may come as characters of their own; `fold` takes them away, and points.
    let in_word = |c: char| c.is_alphanumeric() || c == '.' || ('\u{300}'..='\u{36f}').contains(&c);
    format!(" {} ", fold(&with_joined_years(text).replace(|c| !in_word(c), " ")))
}

/// The words of a citation; kinds of acts that it writes out have their abbreviation, too.
pub(super) fn searchable(citation: &str) -> String {
    let written =
        |text: String, (kind, short): (&str, &str)| text.replace(&format!(" {kind} "), &format!(" {short} {kind} "));
    KINDS.into_iter().fold(words(citation), written).trim().to_owned()
}

/// The words that a query looks for: kinds of acts are abbreviated, and the sign of a number (`nº`) is left out.
pub(super) fn wanted(query: &str) -> Vec<String> {
    let short = |text: String, (kind, short): (&str, &str)| text.replace(&format!(" {kind} "), &format!(" {short} "));
    let folded = KINDS.into_iter().fold(words(query), short);
    folded.split_whitespace().filter(|word| !matches!(*word, "n" | "no")).map(str::to_owned).collect()
}

/// True if the citation has the word: numbers, with or without a year, and abbreviations as whole words, others also
/// within a word.
pub(super) fn has(citation: &str, word: &str) -> bool {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    if is_number || KINDS.iter().any(|(_, short)| *short == word) {
        citation.split(' ').any(|own| own == word || is_number && own.split('x').any(|part| part == word))
    } else {
        citation.contains(word)
    }
}

//! Words as a search compares them: without accents, in small letters, the plural like the singular.

use crate::base::value::fold;

/// Words that say nothing of a product.
const EMPTY: &[&str] = &["com", "da", "das", "de", "do", "dos", "em", "na", "nas", "no", "nos", "para", "por"];

/// The words of a text, folded ([`fold`]), with a space between them: every sign but a letter or a digit ends a word.
pub(super) fn words(text: &str) -> String {
    fold(&text.replace(|c| !in_word(c), " "))
}

/// Accents may come as characters of their own; `fold` takes them away.
fn in_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

/// The text without what it excludes: from a word like `exceto` to the end of its parenthesis, to a semicolon, or to the
/// end of the text.
pub(super) fn without_exclusions(text: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    // How deep in parentheses the exclusion began.
    let mut excluded: Option<usize> = None;
    for part in text.split_inclusive(|c| !in_word(c)) {
        let word = part.trim_end_matches(|c| !in_word(c));
        if excluded.is_none() && excludes(&fold(word)) {
            excluded = Some(depth);
        }
        if excluded.is_none() {
            kept.push_str(part);
        }
        match part.chars().next_back() {
            Some('(') => depth += 1,
            Some(')') => depth = depth.saturating_sub(1),
            Some(';') if excluded == Some(depth) => excluded = None,
            _ => {}
        }
        excluded = excluded.filter(|began| *began <= depth);
    }
    kept
}

/// True of a folded word after which a text says what it does not have.
fn excludes(word: &str) -> bool {
    word.starts_with("excet") || word.starts_with("excluid") || matches!(word, "exclusive" | "salvo")
}

/// The words of a query that say something; all of them if none does.
pub(super) fn wanted(folded: &str) -> Vec<&str> {
    let all = || folded.split(' ').filter(|word| !word.is_empty());
    let wanted: Vec<&str> = all().filter(|word| !EMPTY.contains(word)).collect();
    if wanted.is_empty() { all().collect() } else { wanted }
}

/// The words without those that begin with a digit, like `500ml`; all of them if all do.
pub(super) fn without_measures(wanted: Vec<&str>) -> Vec<&str> {
    let begins = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    if wanted.iter().all(begins) { wanted } else { wanted.into_iter().filter(|word| !begins(word)).collect() }
}

/// True if the folded words are the same but for their number: `racoes` and `racao`, `moveis` and `movel`.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || stem(one) == stem(other)
}

/// What the singular and the plural of a folded Portuguese word have in common: the beginning, and the kind of ending.
fn stem(word: &str) -> (&str, &str) {
    const ENDINGS: &[(&str, &str)] = &[
        ("oes", "ao"),
        ("aes", "ao"),
        ("aos", "ao"),
        ("ao", "ao"),
        ("ais", "al"),
        ("al", "al"),
        ("eis", "il"),
        ("is", "il"),
        ("el", "il"),
        ("il", "il"),
        ("ois", "ol"),
        ("ol", "ol"),
        ("uis", "ul"),
        ("ul", "ul"),
        ("ns", "m"),
        ("m", "m"),
    ];
    if word.len() < 4 {
        return (word, "");
    }
    // The longest ending comes first: `oes` before `is`.
    let known = ENDINGS.iter().find_map(|(ending, kind)| word.strip_suffix(ending).map(|begin| (begin, *kind)));
    known.unwrap_or_else(|| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        (singular.strip_suffix('e').unwrap_or(singular), "")
    })
}

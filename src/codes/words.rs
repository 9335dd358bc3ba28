//! Words as a search compares them: without accents, in small letters, the plural like the singular.

use crate::value::fold;

/// Words that say nothing of a product.
const EMPTY: &[&str] = &["com", "da", "das", "de", "do", "dos", "em", "na", "nas", "no", "nos", "para", "por"];

/// The words of a text, folded ([`fold`]), with a space between them: every sign but a letter or a digit ends a word.
pub(super) fn words(text: &str) -> String {
    // Accents may come as characters of their own; `fold` takes them away.
    let in_word = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
    fold(&text.replace(|c| !in_word(c), " "))
}

/// The words of a query that say something; all of them if none does.
pub(super) fn wanted(folded: &str) -> Vec<&str> {
    let all = || folded.split(' ').filter(|word| !word.is_empty());
    let wanted: Vec<&str> = all().filter(|word| !EMPTY.contains(word)).collect();
    if wanted.is_empty() { all().collect() } else { wanted }
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

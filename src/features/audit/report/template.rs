//! What sentences about several documents have in common.

/// In place of a word that is not the same in all sentences.
const OTHER: char = '…';

/// The word without the marks around it, and the marks after it.
fn split_marks(word: &str) -> (&str, &str) {
    let core = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != OTHER);
    let marks = word.strip_prefix(core).unwrap_or_default();
    (core.trim_start_matches(['(', '[', '"', '“']), marks)
}

/// Whether a word is an amount (`1.234,50`, and not a rate, which has its sign) or a day.
fn is_of_one_document(word: &str) -> bool {
    let digits_and = |marks: [char; 2]| word.chars().all(|c| c.is_ascii_digit() || marks.contains(&c));
    let amount = word.contains(',') && digits_and([',', '.']);
    let day = word.len() == 10 && word.matches('/').count() == 2 && digits_and(['/', '/']);
    amount || day
}

/// The sentence with an ellipsis for each amount and day, and for what is in `own`, the figures of its line.
pub(super) fn without_amounts(sentence: &str, own: &[String]) -> String {
    let word = |word: &str| -> String {
        let (core, marks) = split_marks(word);
        let is_own = || own.iter().any(|figure| figure == core);
        if !core.is_empty() && (is_of_one_document(core) || is_own()) {
            format!("{OTHER}{marks}")
        } else {
            word.to_owned()
        }
    };
    sentence.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The sentence of both, with an ellipsis for each word in which they differ. `None` if they have not as many words.
pub(super) fn blended(one: &str, other: &str) -> Option<String> {
    if one == other {
        return Some(one.to_owned());
    }
    if one.split(' ').count() != other.split(' ').count() {
        return None;
    }
    let word = |(one, other): (&str, &str)| {
        if one == other { one.to_owned() } else { format!("{OTHER}{}", split_marks(one).1) }
    };
    Some(one.split(' ').zip(other.split(' ')).map(word).collect::<Vec<_>>().join(" "))
}

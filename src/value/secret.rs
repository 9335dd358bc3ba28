//! Telling what may be a key, so that it is neither kept nor repeated to anybody.

/// What stands in the place of something that looks like a key.
pub const REMOVED: &str = "[removido]";

/// How keys and signing secrets begin. Each has a `_` or a space, which few values have.
const MARKS: [&str; 4] = ["svc_live", "svc_test", "whsec_", "bearer "];

/// Letters and digits in a row, both among them, that no value of the contract and no rule
/// code has, and every key does; half a key too.
const RUN: usize = 20;

/// True for a text that holds a key, or what may be one.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    if text.bytes().any(|b| matches!(b, b'_' | b' ')) {
        let lower = text.to_ascii_lowercase();
        if MARKS.iter().any(|mark| lower.contains(mark)) {
            return true;
        }
    }
    if text.len() < RUN {
        return false;
    }
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| run.len() >= RUN);
    runs.into_iter().any(|run| run.bytes().any(|b| b.is_ascii_digit()) && run.bytes().any(|b| b.is_ascii_alphabetic()))
}

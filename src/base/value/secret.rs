//! Recognizes texts that may be keys, so that they are neither stored nor echoed.

/// Replaces a text that looks like a key.
pub const REMOVED: &str = "[removido]";

/// How keys and signing secrets begin. Each has a `_` or a space, which few values have.
const MARKS: [&str; 4] = ["svc_live", "svc_test", "whsec_", "bearer "];

/// Length of a run of letters and digits, with at least one of each, that may be a key. Half a key is as long; no
/// value of the contract and no rule code is.
const RUN: usize = 20;

/// True if the text contains a key, or something that may be one.
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

//! The lines of a file of `rulesets/tabelas`.

use std::fmt;

/// A line that is neither a head nor a code, or is not in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultyLine {
    /// Its number, from 1.
    pub line: usize,
    pub text: String,
}

/// Reads the lines of a table; those that begin with `#` are comments. Fails at the first that `line` does not read.
pub(super) fn read_lines<'t, T>(text: &'t str, line: impl Fn(&'t str) -> Option<T>) -> Result<Vec<T>, FaultyLine> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(at, text)| line(text).ok_or_else(|| FaultyLine { line: at + 1, text: text.to_owned() })).collect()
}

impl fmt::Display for FaultyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {:?}", self.line, self.text)
    }
}

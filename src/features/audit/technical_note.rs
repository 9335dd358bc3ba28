//! The rules of validation of NT 2025.002 (IBS, CBS and Imposto Seletivo on NF-e and NFC-e) and of NT 2026.008: their
//! numbers, formulas and first days in production, as tables.
//!
//! Rules whose text is not known, and those of tables that the rules of this program do not have, are not here: nobody is
//! accused by them.

pub(super) mod amounts;
pub(super) mod codes;
mod groups;
pub(super) mod totals;

use std::fmt;

use super::finding::Certainty;
use crate::base::value::Date;

/// A rule of validation.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoteRule {
    /// Its number, such as `UB35-10`; several that are one check are written together.
    number: &'static str,
    /// Its first day in production, as `20261005`.
    since: u32,
    /// False if it is not in force yet, or one source alone has it and an exception may be unknown.
    sure: bool,
}

/// A rule of which the text was read, or of which two sources say the same.
const fn rule(number: &'static str, since: u32) -> NoteRule {
    NoteRule { number, since, sure: true }
}

/// A rule that only asks for a look: what it finds is to be checked.
const fn hint(number: &'static str, since: u32) -> NoteRule {
    NoteRule { number, since, sure: false }
}

impl NoteRule {
    /// How sure a difference is in a document of a day. Before the rule is in production the document broke none.
    pub(super) fn certainty(self, day: Option<Date>) -> Certainty {
        if self.sure && self.is_in_production(day) { Certainty::ErroDoDocumento } else { Certainty::Conferir }
    }

    fn is_in_production(self, day: Option<Date>) -> bool {
        day.is_some_and(|day| day.ordinal() >= self.since)
    }
}

impl fmt::Display for NoteRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The net price has a note of its own.
        let note =
            if self.number.starts_with("I11c") || self.number.starts_with("W01a") { "2026.008" } else { "2025.002" };
        write!(f, "{} da NT {note}", self.number)
    }
}

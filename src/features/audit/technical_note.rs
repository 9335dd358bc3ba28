//! The rules of validation of NT 2025.002 (IBS, CBS and Imposto Seletivo on NF-e and NFC-e) and of NT 2026.008: their
//! numbers, formulas and first days in production, as tables.
//!
//! Of the rules of validation those that no document is held to are in [`UNCHECKED`], with the reason. Some others are
//! checked by the law, and have no number there: UB12-10, UB13-10, UB14-10, UB14-20, UB27-10, UB46-10, UB56-20, UB65-10, W07-10.

pub(super) mod amounts;
pub(super) mod codes;
mod groups;
mod tables;
pub(super) mod totals;

use std::fmt;

use super::finding::{Certainty, Incoherence};
use crate::base::value::Date;

/// The rules of the technical note that no document is held to, and why.
pub(super) const UNCHECKED: [(&str, &str); 8] = [
    ("B32-10", "renumerada para o grupo BB, e o texto novo não foi lido"),
    ("BB05-10 a BB05-200, UB66a-10, UB66a-20 e UB66c-10", "o texto, ou o das exceções, não foi lido"),
    ("UB05-10, UB105a-10, UB105b-10, VB01-05 e W60-05", "anunciada para implementação futura"),
    (
        "UB14-30 e UB14-50",
        "depende do percentual obrigatório de biocombustível de cada produto e dia, que não foi lido",
    ),
    ("UB16-10", "nunca entrou em vigor, e a NT 2026.008 a retirou: a base é conferida pela lei"),
    ("UB68-10, UB68-11, UB116-10 e UB120-20", "depende de um indicador do cClassTrib que a tabela do taxd não traz"),
    ("UB76-10 e UB81-10", "retirada: nenhuma conta de vCredPres está em vigor"),
    (
        "UB88a, UB89a, UB89b, UB93a, UB94a, UB94b, UB98a, UB99a, UB99b, UB103a, UB104a e UB104b",
        "depende de tabelas de mistura e de valores de referência, que não foram lidas",
    ),
];

/// First days in production: of the first rules, of those of February, August and October 2026, and of the groups of
/// single-phase fuels. The text of the note says 3 November 2026 of the last; the notice of 5 October moved it.
const FIRST: u32 = 20_251_110;
const SECOND: u32 = 20_260_202;
const THIRD: u32 = 20_260_803;
const LATER: u32 = 20_261_005;
const FUELS: u32 = 20_261_116;

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

    /// The contradiction that a document of a day has; `None` before the rule is in production.
    fn found(self, day: Date, tributo: &'static str, text: &str) -> Option<Incoherence> {
        let finding = || (tributo, self.certainty(Some(day)), "grupo_do_ibscbs", format!("{text} ({self})"));
        self.is_in_production(Some(day)).then(finding)
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

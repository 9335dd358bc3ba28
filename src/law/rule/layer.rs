//! Whose rule answers first under a scope key.

use crate::base::value::Conferencia;

/// Whether a version belongs to the rules of the office itself. Under one scope key, a rule of the office answers on all
/// its days, and the others on the days that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLayer {
    /// Every version without the grade `do_escritorio`, built in or not.
    Common,
    /// Versions of the grade `do_escritorio`.
    Office,
}

impl RuleLayer {
    /// What the code of every rule of the office begins with, so that no later built-in rule has its code.
    pub const OFFICE_CODES: &'static str = "escritorio-";

    /// The layer of a version of that grade.
    #[must_use]
    pub fn of(conferencia: Option<Conferencia>) -> RuleLayer {
        if conferencia == Some(Conferencia::DoEscritorio) { RuleLayer::Office } else { RuleLayer::Common }
    }
}

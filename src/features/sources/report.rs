//! What a table would change, for people and scripts.

use serde::Serialize;

use super::LineFaults;
use crate::base::value::Date;

/// Most changes and differences that a report lists.
const MAX_LISTED: usize = 1_000;

/// What a table would change in the installed rules.
#[derive(Debug, Default, Serialize)]
pub struct TableReport {
    /// Lines of the table that have a code.
    pub linhas: u64,
    pub versoes: usize,
    /// Codes without an installed rule.
    pub novos: usize,
    /// Codes whose rule gets another content.
    pub alterados: usize,
    /// Codes whose rule ends.
    pub encerrados: usize,
    /// Codes whose rule says what the table says.
    pub inalterados: usize,
    /// Codes whose rule is not the table's and says another thing: it is left alone.
    pub divergem: usize,
    /// Codes with a rule of which the table has no line that could be read: it is left alone.
    pub ausentes: usize,
    /// The first of the new, changed and ended codes.
    pub mudancas: Vec<TableChange>,
    /// The first of the codes whose rule is left alone, though the table says another thing or nothing.
    pub divergencias: Vec<TableChange>,
    pub falhas: LineFaults,
}

/// What the table says of a code, and what the installed rule says.
#[derive(Debug, Serialize)]
pub struct TableChange {
    /// The code, with what distinguishes its line: `22030000 Ex 01`, `cbs 200003`.
    pub codigo: String,
    /// The day from which the table is compared.
    pub desde: Date,
    /// What the rule says; null without a rule.
    pub instalada: Option<String>,
    /// What the table says; null if it has no such line.
    pub da_tabela: Option<String>,
    /// The installed rule; null without one.
    pub rule_id: Option<String>,
}

impl TableReport {
    /// Counts a code whose rule the table changes.
    pub(super) fn change(&mut self, change: TableChange) {
        match (&change.instalada, &change.da_tabela) {
            (None, _) => self.novos += 1,
            (Some(_), None) => self.encerrados += 1,
            (Some(_), Some(_)) => self.alterados += 1,
        }
        if self.mudancas.len() < MAX_LISTED {
            self.mudancas.push(change);
        }
    }

    /// Counts a code whose rule is left alone.
    pub(super) fn leave(&mut self, change: TableChange) {
        match (&change.instalada, &change.da_tabela) {
            (instalada, Some(tabela)) if instalada.as_ref() == Some(tabela) => {
                self.inalterados += 1;
                return;
            }
            (_, Some(_)) => self.divergem += 1,
            (_, None) => self.ausentes += 1,
        }
        if self.divergencias.len() < MAX_LISTED {
            self.divergencias.push(change);
        }
    }
}

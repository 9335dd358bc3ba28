//! One table: what it is, and its codes in their order.

use serde::Serialize;

use super::Tabela;
use crate::value::fold;

/// An official table of codes.
///
/// Its file begins with lines `# nome: ...`, `# fonte: ...` and `# cobre: ...`. Each other line is a code (digits
/// only), `;`, and its official text, sorted by code. A code that is the beginning of another is a heading of it.
#[derive(Debug)]
pub struct CodeTable<'t> {
    /// Which one.
    pub tabela: Tabela,
    /// What people call it.
    pub nome: &'t str,
    /// The act, and the version that was read.
    pub fonte: &'t str,
    /// Which codes it has.
    pub cobre: &'t str,
    pub(super) rows: Vec<CodeRow<'t>>,
}

/// A line of the file.
#[derive(Debug)]
pub(super) struct CodeRow<'t> {
    pub(super) digits: &'t str,
    pub(super) text: &'t str,
    /// The words of the text, folded, with a space between them.
    pub(super) words: String,
    /// The row of its nearest heading.
    pub(super) heading: Option<usize>,
}

/// A code of a table that a payload may name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Codigo<'t> {
    /// As payloads write it.
    pub codigo: String,
    /// Its own text.
    pub texto: &'t str,
    /// The texts of its headings, from the widest.
    pub dentro_de: Vec<&'t str>,
}

impl<'t> CodeTable<'t> {
    /// Reads the text of a file. A line without `;` is left out.
    #[must_use]
    pub fn read(tabela: Tabela, text: &'t str) -> CodeTable<'t> {
        let mut table = CodeTable { tabela, nome: "", fonte: "", cobre: "", rows: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("# ") {
                table.read_head(head);
            } else if let Some((digits, text)) = line.split_once(';') {
                open.retain(|row| table.rows.get(*row).is_some_and(|row| digits.starts_with(row.digits)));
                let heading = open.last().copied();
                open.push(table.rows.len());
                table.rows.push(CodeRow { digits, text, words: words(text), heading });
            }
        }
        table
    }

    fn read_head(&mut self, head: &'t str) {
        match head.split_once(": ") {
            Some(("nome", value)) => self.nome = value,
            Some(("fonte", value)) => self.fonte = value,
            Some(("cobre", value)) => self.cobre = value,
            _ => {}
        }
    }

    /// How many codes it has that a payload may name.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.iter().filter(|row| self.is_complete(row)).count()
    }

    /// True if it has no such code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn is_complete(&self, row: &CodeRow<'_>) -> bool {
        row.digits.len() == self.tabela.digits()
    }

    pub(super) fn codigo(&self, row: &CodeRow<'t>) -> Codigo<'t> {
        let heading_of = |row: &CodeRow<'t>| row.heading.and_then(|heading| self.rows.get(heading));
        let headings = std::iter::successors(heading_of(row), |row| heading_of(row));
        let mut dentro_de: Vec<&str> = headings.map(|row| row.text).collect();
        dentro_de.reverse();
        Codigo { codigo: self.tabela.written(row.digits), texto: row.text, dentro_de }
    }
}

/// The words of a text, folded ([`fold`]), with a space between them: every sign but a letter or a digit ends a word.
pub(super) fn words(text: &str) -> String {
    // Accents may come as characters of their own; `fold` takes them away.
    let in_word = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c);
    fold(&text.replace(|c| !in_word(c), " "))
}

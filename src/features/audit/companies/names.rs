//! What a firm calls its clients.

use std::collections::HashSet;

/// The companies of a file that it names by their CNPJ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompanyNames {
    /// Digits of the CNPJ or of its root, and the name, which may be empty.
    known: Vec<(String, String)>,
}

impl CompanyNames {
    pub(super) fn add(&mut self, cnpj: &str, nome: String) {
        if !cnpj.is_empty() {
            self.known.push((cnpj.to_owned(), nome));
        }
    }

    /// True if the file names no company by its CNPJ.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The companies of the file, each by its digits, in their order.
    pub fn clients(&self) -> impl Iterator<Item = &str> {
        let mut seen = HashSet::new();
        self.known.iter().map(|(cnpj, _)| cnpj.as_str()).filter(move |cnpj| seen.insert(*cnpj))
    }

    /// The client that an issuer is of: the entry with its whole CNPJ, or with its root, which has all establishments of a
    /// company. `None` if the file has neither.
    pub fn client_of(&self, emitente: &str) -> Option<&str> {
        let fitting = self.known.iter().map(|(cnpj, _)| cnpj.as_str()).filter(|cnpj| emitente.starts_with(cnpj));
        fitting.max_by_key(|cnpj| cnpj.len())
    }

    /// The name of a company, by its whole CNPJ before its root; empty if the file has none.
    pub fn of(&self, company: &str) -> &str {
        let named = self.known.iter().filter(|(cnpj, nome)| !nome.is_empty() && company.starts_with(cnpj));
        named.max_by_key(|(cnpj, _)| cnpj.len()).map_or("", |(_, nome)| nome)
    }
}

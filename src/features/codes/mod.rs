//! Codes found by words, and the table of the day that has an NCM.

pub mod command;
pub(crate) mod page;

use std::fmt::Write;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::law::codes::{CodeTable, Codigo, Matches, Tabela};

/// Find codes by words: NCM, CEST, items of the list of services, cClassTrib, CFOP, CST, NBS
///
/// Searches the official texts, those of the titles above a code, and what people call it; the plural, capitals and accents
/// do not matter. If no code has all words, it shows those with the most of them, and which words they lack. The beginning
/// of a code is found, too. The answer is Portuguese. A table without a match is left out, unless --tabela names it.
#[derive(Debug, Args)]
pub(crate) struct CodesQuery {
    /// What to look for, as one writes it: parafuso inox, or 7318.15
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// Only this table
    #[arg(long, value_name = "TABLE", value_parser = PossibleValuesParser::new(Tabela::WORDS))]
    tabela: Option<String>,
    /// Codes of each table, the best first
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

/// What each table has of the words.
pub(crate) fn find(query: &CodesQuery) -> Vec<FoundCodes> {
    let (typed, limit) = (query.words.join(" "), usize::from(query.limit));
    let named = query.tabela.as_deref().and_then(Tabela::from_word);
    let tables = Tabela::WORDS.iter().filter_map(|word| Tabela::from_word(word));
    tables
        .filter(|table| named.is_none_or(|named| named == *table))
        .map(|table| FoundCodes::by_words(table, &typed, limit))
        .filter(|found| named.is_some() || found.matches.achados > 0 || found.sem_texto.is_some())
        .collect()
}

/// What was found in a table, and what the table is.
#[derive(Debug, Serialize)]
pub(crate) struct FoundCodes {
    tabela: Tabela,
    nome: &'static str,
    fonte: &'static str,
    cobre: &'static str,
    #[serde(flatten)]
    matches: Matches<'static>,
    /// The code that was typed, if it is whole and the table has only its headings.
    #[serde(skip_serializing_if = "Option::is_none")]
    sem_texto: Option<Codigo<'static>>,
}

impl FoundCodes {
    /// The codes that begin with what was typed, or that have its words.
    fn by_words(tabela: Tabela, typed: &str, limit: usize) -> FoundCodes {
        FoundCodes::of(tabela, typed, tabela.table().search(typed, limit))
    }

    fn by_code(tabela: Tabela, typed: &str) -> FoundCodes {
        let codigos: Vec<Codigo<'static>> = tabela.table().get(typed).into_iter().collect();
        FoundCodes::of(tabela, typed, Matches { achados: codigos.len(), codigos, ..Matches::default() })
    }

    fn of(tabela: Tabela, typed: &str, matches: Matches<'static>) -> FoundCodes {
        let table = tabela.table();
        let CodeTable { nome, fonte, cobre, .. } = *table;
        FoundCodes { tabela, nome, fonte, cobre, matches, sem_texto: table.headings_of(typed) }
    }

    /// The table and its codes, each with the titles that it is under, for a terminal.
    fn to_text(&self) -> String {
        let Matches { codigos, achados, sem, .. } = &self.matches;
        let without = if sem.is_empty() { String::new() } else { format!(", sem \"{}\"", sem.join(" ")) };
        let shown = if *achados > codigos.len() { format!(", os primeiros {}", codigos.len()) } else { String::new() };
        let mut text = format!("{}{without}: {achados}{shown}\n", self.nome);
        for Codigo { codigo, texto, dentro_de, nota, ex } in codigos.iter().chain(&self.sem_texto) {
            let own = if texto.is_empty() { "o texto deste código não está na tabela" } else { texto };
            let path: Vec<&str> =
                dentro_de.iter().copied().chain([own]).map(|part| part.trim_end_matches(['.', ':'])).collect();
            let nota = nota.map(|nota| format!(" (este código {nota})")).unwrap_or_default();
            // Writing to a String never fails.
            let _ = writeln!(text, "  {codigo:<8}  {}{nota}", path.join(" > "));
            for exception in *ex {
                let _ = writeln!(text, "  {:<8}  Ex {}: {}", "", exception.ex, exception.texto);
            }
        }
        text
    }
}

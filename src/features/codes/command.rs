//! `taxd codes`.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::FoundCodes;
use crate::cli::{CommandResult, Context};
use crate::law::codes::Tabela;

/// Find codes by words: NCM, CEST, items of the list of services, cClassTrib, CFOP, CST, NBS
///
/// Searches the official texts, those of the titles above a code, and what people call it; the plural, capitals and accents
/// do not matter. If no code has all words, it shows those with the most of them, and which words they lack. The beginning
/// of a code is found, too. The answer is Portuguese. A table without a match is left out, unless --tabela names it.
#[derive(Debug, Args)]
pub(crate) struct CodesArgs {
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

pub(crate) fn run(context: &Context, args: &CodesArgs) -> CommandResult {
    let (typed, limit) = (args.words.join(" "), usize::from(args.limit));
    let named = args.tabela.as_deref().and_then(Tabela::from_word);
    let tables = Tabela::WORDS.iter().filter_map(|word| Tabela::from_word(word));
    let found = tables.filter(|table| named.is_none_or(|named| named == *table));
    let found: Vec<FoundCodes> = found
        .map(|table| FoundCodes::by_words(table, &typed, limit))
        .filter(|found| named.is_some() || found.matches.achados > 0 || found.sem_texto.is_some())
        .collect();
    context.print(&found, || {
        if found.is_empty() {
            return "Nenhum código com estas palavras: escreva menos, ou outras.".to_owned();
        }
        found.iter().map(FoundCodes::to_text).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    })
}

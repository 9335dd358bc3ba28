//! `taxd codes`.

use super::{CodesQuery, FoundCodes, find};
use crate::cli::{CommandResult, Context};

pub(crate) fn run(context: &Context, query: &CodesQuery) -> CommandResult {
    let found = find(query);
    context.print(&found, || {
        if found.is_empty() {
            return "Nenhum código com estas palavras: escreva menos, ou outras.".to_owned();
        }
        found.iter().map(FoundCodes::to_text).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    })
}

//! `taxd list`: the kept lists of an account.

use std::io::Read as _;
use std::path::Path;

use crate::base::problem::ErrorCode;
use crate::cli::files::read_text;
use crate::cli::{CommandResult, Context, output};
use crate::core::store::{ListChange, WatchedAnswer};
use crate::features::kept_lists::{
    KeptLinesPage, KeptListCommand, KeptListShown, ListChangesPage, RemovedKeptList, ShownKeptLine, ShownKeptList,
    ShownPut,
};
use crate::features::{AdminError, Command};

/// Longest list, in bytes: ten thousand lines of the longest kind.
const MAX_BYTES: u64 = 48 * 1024 * 1024;

fn read(file: Option<&Path>) -> Result<String, AdminError> {
    if let Some(path) = file.filter(|path| path.as_os_str() != "-") {
        return read_text(path);
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|e| AdminError::new(format!("stdin: {e}")))?;
    Ok(text)
}

pub(crate) fn run(context: &Context, mut command: KeptListCommand) -> CommandResult {
    if let KeptListCommand::Put(put) = &mut command {
        put.text = read(put.file.as_deref())?;
    }
    match command {
        KeptListCommand::Put(_) => context.show(Command::List(command), |ShownPut { lista, calculadas }| {
            let ShownKeptList { nome, linhas, .. } = lista;
            format!("list {nome} kept: {linhas} lines, of which {calculadas} are new")
        }),
        KeptListCommand::Show(_) => context.show(Command::List(command), shown_text),
        KeptListCommand::Remove(_) => {
            context.show(Command::List(command), |RemovedKeptList { nome, .. }| format!("list {nome} removed"))
        }
    }
}

fn shown_text(shown: KeptListShown) -> String {
    match shown {
        KeptListShown::Lists(lists) => lists_text(lists),
        KeptListShown::Lines(page) => lines_text(page),
        KeptListShown::Changes(page) => changes_text(page),
    }
}

fn lists_text(lists: Vec<ShownKeptList>) -> String {
    let row = |list: ShownKeptList| {
        let last = output::instant(list.ultima_mudanca);
        vec![list.nome, list.linhas.to_string(), list.guardada_em.local(), list.mudancas.to_string(), last]
    };
    output::table(&["LIST", "LINES", "KEPT", "CHANGES", "LAST CHANGE"], lists.into_iter().map(row))
}

/// The amount and the rule, or the code of the refusal.
fn answer_text(answer: &WatchedAnswer) -> String {
    let outcome = answer.valor.as_deref().or(answer.codigo.map(ErrorCode::as_str)).unwrap_or_default();
    match &answer.rule_id {
        Some(rule) => format!("{outcome} ({rule})"),
        None => outcome.to_owned(),
    }
}

fn lines_text(page: KeptLinesPage) -> String {
    let row = |line: ShownKeptLine| {
        let answers = line.respostas.iter().map(|span| format!("{}: {}", span.de, answer_text(&span.resposta)));
        let answers = answers.collect::<Vec<_>>().join("; ");
        vec![line.linha.to_string(), line.id.unwrap_or_default(), answers, line.payload.get().to_owned()]
    };
    let table = output::table(&["LINE", "ID", "ANSWERS", "PAYLOAD"], page.itens.into_iter().map(row));
    let more = u64::from(page.lista.linhas);
    if page.next.is_some() { format!("{table}\n... of {more} lines; `GET /v1/listas/...` has all") } else { table }
}

fn changes_text(page: ListChangesPage) -> String {
    let row = |change: ListChange| {
        let law = change.depois.citacao_legal.clone().or(change.antes.citacao_legal.clone()).unwrap_or_default();
        vec![
            change.linha.to_string(),
            change.id.unwrap_or_default(),
            change.primeiro_dia.to_string(),
            answer_text(&change.antes),
            answer_text(&change.depois),
            law,
            output::instant(change.publicado_em),
        ]
    };
    let headings = ["LINE", "ID", "FROM", "BEFORE", "AFTER", "LAW", "PUBLISHED"];
    output::table(&headings, page.mudancas.into_iter().map(row))
}

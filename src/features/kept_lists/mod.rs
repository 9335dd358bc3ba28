//! Kept lists of an account ([`crate::core::watch`]): keeping, showing and removing them, and what changed in them.

pub mod command;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::account_names;
use super::error::AdminError;
use crate::base::value::{Date, Timestamp};
use crate::core::engine::{Engine, OpenQuestion};
use crate::core::service::Service;
use crate::core::store::{AnswerSpan, ListChange, StoreResult, WatchReader, WatchedLine, WatchedList};
use crate::core::watch::{self, PutReport};

/// Most lines, and most changes, that the command shows.
const SHOWN: usize = 500;

/// Kept lists: payloads of an account whose answers are followed
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptListCommand {
    /// Keep a list, in the place of the one of that name; nothing is kept if a line is at fault
    Put(KeptListPut),
    /// Show an account's lists, or the lines of one, or what changed in it
    Show(KeptListShow),
    /// Remove a list, with its lines and changes
    Remove(KeptListName),
}

/// The list of an account.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct KeptListName {
    /// Account that keeps it
    #[arg(long, value_name = "CLIENT_ID|NAME")]
    pub account: String,
    /// Name of the list
    #[arg(value_name = "LIST")]
    pub nome: String,
}

/// A list to keep.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct KeptListPut {
    #[command(flatten)]
    #[serde(flatten)]
    pub of: KeptListName,
    /// JSON lines, each a payload, or {"id": ..., "tributo": ..., "payload": {...}}; stdin if left out or "-". A
    /// payload without its date follows today
    #[arg(value_name = "FILE")]
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The text of that file.
    #[arg(skip)]
    #[serde(skip)]
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct KeptListShow {
    /// Account that keeps the lists
    #[arg(long, value_name = "CLIENT_ID|NAME")]
    pub account: String,
    /// Name of a list; without it, all lists
    #[arg(value_name = "LIST")]
    pub nome: Option<String>,
    /// What changed in the list, the latest first, in place of its lines
    #[arg(long, requires = "nome")]
    pub changes: bool,
}

/// A list, without its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownKeptList {
    pub nome: String,
    pub linhas: u32,
    pub guardada_em: Timestamp,
    /// Changes that are kept.
    pub mudancas: u64,
    /// When the last one was written.
    pub ultima_mudanca: Option<Timestamp>,
}

/// What keeping a list did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPut {
    #[serde(flatten)]
    pub lista: ShownKeptList,
    /// Lines that were calculated, because the list did not have them.
    pub calculadas: usize,
}

/// A line with its answers on the next days.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShownKeptLine {
    pub linha: u32,
    pub id: Option<String>,
    /// True if it has no date, and is asked for today and the days ahead.
    pub acompanha_hoje: bool,
    pub payload: Box<RawValue>,
    /// From each day on.
    pub respostas: Vec<AnswerSpan>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptLinesPage {
    #[serde(flatten)]
    pub lista: ShownKeptList,
    pub itens: Vec<ShownKeptLine>,
    /// The last line of a page that is not the last.
    #[serde(skip)]
    pub next: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListChangesPage {
    pub lista: String,
    pub mudancas: Vec<ListChange>,
    /// The last change of a page that is not the last.
    #[serde(skip)]
    pub next: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedKeptList {
    pub nome: String,
    pub removed: bool,
}

fn shown(reader: &WatchReader, list: WatchedList) -> StoreResult<ShownKeptList> {
    let last = reader.changes(list.number, u64::MAX, None, 1)?;
    Ok(ShownKeptList {
        mudancas: reader.change_count(list.number)?,
        ultima_mudanca: last.first().map(|(_, change)| change.registrada_em),
        nome: list.nome,
        linhas: list.linhas,
        guardada_em: list.guardada_em,
    })
}

/// The lists of an account, in the order of their names.
pub fn lists(engine: &Engine, client_id: &str) -> StoreResult<Vec<ShownKeptList>> {
    let reader = engine.store().read_watched()?;
    reader.lists(client_id)?.into_iter().map(|list| shown(&reader, list)).collect()
}

fn shown_line((linha, line): (u32, WatchedLine), today: Date) -> StoreResult<ShownKeptLine> {
    let follows = OpenQuestion::read(line.payload.as_bytes()).is_ok_and(|question| question.follows_today());
    let mut respostas = line.spans;
    let begun = respostas.iter().rposition(|span| span.de <= today).unwrap_or_default();
    respostas.drain(..begun);
    let payload = RawValue::from_string(line.payload);
    let payload = payload.map_err(|e| crate::core::store::StoreError::Corrupt(e.to_string()))?;
    Ok(ShownKeptLine { linha, id: line.id, acompanha_hoje: follows, payload, respostas })
}

/// A list and its lines after that one, `limit` at most; `None` if the account has no such list.
pub fn lines(
    engine: &Engine,
    (client_id, nome): (&str, &str),
    after: u64,
    limit: usize,
) -> StoreResult<Option<KeptLinesPage>> {
    let reader = engine.store().read_watched()?;
    let Some(list) = reader.list(client_id, nome)? else { return Ok(None) };
    let (number, today) = (list.number, engine.now().day());
    let lines = reader.lines(number, u32::try_from(after).unwrap_or(u32::MAX), limit.saturating_add(1))?;
    let (lines, next) = page_of(lines, limit);
    let itens = lines.into_iter().map(|line| shown_line(line, today)).collect::<StoreResult<_>>()?;
    Ok(Some(KeptLinesPage { lista: shown(&reader, list)?, itens, next: next.map(u64::from) }))
}

/// The first rows, and the number of the last of them if there are more.
fn page_of<N: Copy, T>(mut rows: Vec<(N, T)>, limit: usize) -> (Vec<(N, T)>, Option<N>) {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|(number, _)| *number);
    (rows, next)
}

/// What changed in a list, the latest first: before the change of that number, and not before that instant. `None` if the
/// account has no such list.
pub fn changes(
    engine: &Engine,
    (client_id, nome): (&str, &str),
    (since, before): (Option<Timestamp>, Option<u64>),
    limit: usize,
) -> StoreResult<Option<ListChangesPage>> {
    let reader = engine.store().read_watched()?;
    let Some(list) = reader.list(client_id, nome)? else { return Ok(None) };
    let found = reader.changes(list.number, before.unwrap_or(u64::MAX), since, limit.saturating_add(1))?;
    let (found, next) = page_of(found, limit);
    let mudancas = found.into_iter().map(|(_, change)| change).collect();
    Ok(Some(ListChangesPage { lista: list.nome, mudancas, next }))
}

/// What keeping a list answers. The work begins with what was published meanwhile.
pub fn put_report(service: &Service, report: PutReport) -> StoreResult<ShownPut> {
    service.wake_follower();
    let reader = service.store().read_watched()?;
    Ok(ShownPut { lista: shown(&reader, report.list)?, calculadas: report.calculated })
}

fn client_id(service: &Service, account: &str) -> Result<String, AdminError> {
    Ok(account_names::find(service, account)?.account.client_id.clone())
}

pub(super) fn put(service: &Service, command: &KeptListPut) -> Result<ShownPut, AdminError> {
    let client_id = client_id(service, &command.of.account)?;
    let report = watch::put(service.engine(), (&client_id, &command.of.nome), command.text.as_bytes(), &mut || Ok(()))
        .map_err(|problem| AdminError::new(problem.detail.as_str()))?;
    Ok(put_report(service, report)?)
}

pub(super) fn remove(service: &Service, of: KeptListName) -> Result<RemovedKeptList, AdminError> {
    let client_id = client_id(service, &of.account)?;
    let removed = watch::remove(service.engine(), &client_id, &of.nome);
    if !removed.map_err(|problem| AdminError::new(problem.detail.as_str()))? {
        return Err(unknown(&of.nome));
    }
    Ok(RemovedKeptList { nome: of.nome, removed: true })
}

fn unknown(nome: &str) -> AdminError {
    AdminError::new(format!("the account keeps no list \"{nome}\"; `taxd list show --account ...` names its lists"))
}

/// What the command shows: all lists, or one.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KeptListShown {
    Lists(Vec<ShownKeptList>),
    Changes(ListChangesPage),
    Lines(KeptLinesPage),
}

pub(super) fn show(service: &Service, asked: &KeptListShow) -> Result<KeptListShown, AdminError> {
    let (client_id, engine) = (client_id(service, &asked.account)?, service.engine());
    let Some(nome) = &asked.nome else { return Ok(KeptListShown::Lists(lists(engine, &client_id)?)) };
    let of = (client_id.as_str(), nome.as_str());
    let shown = if asked.changes {
        changes(engine, of, (None, None), SHOWN)?.map(KeptListShown::Changes)
    } else {
        lines(engine, of, 0, SHOWN)?.map(KeptListShown::Lines)
    };
    shown.ok_or_else(|| unknown(nome))
}

//! Writing to the terminal: text for people, one JSON document for scripts.

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use super::CommandResult;
use super::table::{fitted, terminal_width};
use crate::base::value::{Date, Timestamp};
use crate::core::engine::BundleRecord;
use crate::features::{AdminError, InputFault};
use crate::sheet::{Cell, Column, Reader, table_row};

/// Writes a line to stdout. It is not an error if the reader has gone (`| head`).
pub(crate) fn line(text: &str) -> Result<(), AdminError> {
    page(format!("{text}\n").as_bytes())
}

/// Writes text that ends its own lines, in the same way.
pub(crate) fn page(lines: &[u8]) -> Result<(), AdminError> {
    match io::stdout().lock().write_all(lines) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(stdout_failed(&error)),
        _ => Ok(()),
    }
}

/// The error of a failed write to stdout.
pub(crate) fn stdout_failed(error: &io::Error) -> AdminError {
    AdminError::new(format!("cannot write to stdout: {error}"))
}

/// Ends the work without an error if the reader has gone (`| head`).
pub(crate) fn stopped_reading(error: &io::Error) -> CommandResult {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(ExitCode::SUCCESS);
    }
    Err(stdout_failed(error))
}

/// Writes a value for people; nothing for `None`.
pub(crate) fn maybe<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Writes a number of bytes for people.
pub(crate) fn size(bytes: Option<u64>) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes {
        Some(bytes) if bytes < 10 * MIB => format!("{} KiB", bytes.div_ceil(1024)),
        Some(bytes) => format!("{} MiB", bytes / MIB),
        None => "?".to_owned(),
    }
}

/// Writes who signed a bundle; `None` if no trusted key did.
pub(crate) fn signed_by(bundle: &BundleRecord) -> Option<String> {
    let signer = bundle.assinado_por.as_ref()?;
    let key = bundle.key_id.as_ref().map(|id| format!(" (key {id})")).unwrap_or_default();
    Some(format!("signed by {signer}{key}"))
}

/// Writes a sentence to stderr, where it is not mixed with a result on stdout.
pub(crate) fn note(sentence: &str) {
    // An error is ignored: stderr itself is closed.
    let _ = writeln!(io::stderr().lock(), "taxd: {sentence}");
}

/// Writes warnings to stderr.
pub(crate) fn warn(warnings: &[String]) {
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
}

/// Writes rows under headings, as they fit the terminal.
pub(crate) fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    fitted(headings, &rows.into_iter().collect::<Vec<_>>(), terminal_width()).join("\n")
}

/// Writes rows of a declared table for people, in the same way.
pub(crate) fn declared_table<R>(columns: &[Column<R>], rows: impl IntoIterator<Item = R>) -> String {
    let headings: Vec<&str> = columns.iter().map(|column| column.label).collect();
    let shown = |row: R| table_row(columns, &row, Reader::Person).iter().map(Cell::shown).collect();
    table(&headings, rows.into_iter().map(shown))
}

/// Writes an instant for people, in the time zone of this machine; nothing for `None`.
pub(crate) fn instant(at: Option<Timestamp>) -> String {
    at.map(Timestamp::local).unwrap_or_default()
}

/// Writes the first day on which a rule no longer answers.
pub(crate) fn until(end: Option<Date>) -> String {
    end.map_or("open".to_owned(), |end| end.to_string())
}

#[derive(Serialize)]
struct ErrorDocument<'e> {
    erro: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    faults: &'e [InputFault],
}

/// Writes an error as the JSON document of `--json`: the sentence, and each fault.
pub(super) fn error_json(error: &AdminError) {
    let document = ErrorDocument { erro: error.to_string(), faults: error.faults() };
    let written = serde_json::to_string(&document).map_err(AdminError::from).and_then(|text| line(&text));
    if written.is_err() {
        complain(error);
    }
}

/// Writes an error to stderr: each fault on a line of its own, then the sentence.
pub(super) fn complain(error: &AdminError) {
    let mut out = io::stderr().lock();
    for fault in error.faults() {
        let path = if fault.path.is_empty() { "(document)" } else { &fault.path };
        let file = fault.file.as_deref().unwrap_or_default();
        let place = fault.line.map(|line| format!("{file}:{line}: ")).unwrap_or_default();
        // An error is ignored: stderr itself is closed.
        let _ = writeln!(out, "{place}{path}: {}", fault.detail);
    }
    let _ = writeln!(out, "taxd: {error}");
}

//! Writing to the terminal: text for people, one JSON document for scripts.

use std::io::{self, Write};

use serde_json::Value;

use crate::admin::AdminError;

/// Writes a line to stdout. A reader that went away (`| head`) is no failure.
pub(super) fn line(text: &str) -> Result<(), AdminError> {
    page(format!("{text}\n").as_bytes())
}

/// Writes lines that are already made, in the same way.
pub(super) fn page(lines: &[u8]) -> Result<(), AdminError> {
    match io::stdout().lock().write_all(lines) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(AdminError::new(format!("cannot write to stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// The one document of `--json`.
pub(super) fn json(value: &Value) -> Result<(), AdminError> {
    line(&value.to_string())
}

/// The text of a member, or nothing.
pub(super) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// A member, or null.
pub(super) fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// The number of a member; `none` where it is null or not there.
pub(super) fn number(value: &Value, member: &str, none: &str) -> String {
    value.get(member).and_then(Value::as_u64).map_or(none.to_owned(), |n| n.to_string())
}

/// A number of bytes, for people.
pub(super) fn size(bytes: &Value) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes.as_u64() {
        Some(bytes) if bytes < 10 * MIB => format!("{} KiB", bytes.div_ceil(1024)),
        Some(bytes) => format!("{} MiB", bytes / MIB),
        None => "?".to_owned(),
    }
}

/// Who signed a bundle, where a trusted key did.
pub(super) fn signed_by(bundle: &Value) -> Option<String> {
    let signer = bundle.get("assinado_por").and_then(Value::as_str)?;
    let key = bundle.get("key_id").and_then(Value::as_str).map(|id| format!(" (key {id})")).unwrap_or_default();
    Some(format!("signed by {signer}{key}"))
}

/// A warning on stderr, beside a result.
pub(super) fn warn(warning: &str) {
    // Nothing is left to tell anybody when stderr itself is closed.
    let _ = writeln!(io::stderr().lock(), "taxd: warning: {warning}");
}

/// Rows under headings, columns as wide as their widest cell.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |i: usize| {
        let cells = rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count());
        cells.chain(headings.get(i).map(|h| h.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let write_row = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![write_row(headings.to_vec())];
    lines.extend(rows.iter().map(|row| write_row(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

/// An error as the one document of `--json`: the sentence, and each fault of a document.
pub(super) fn error_json(error: &AdminError) {
    let mut document = serde_json::Map::from_iter([("erro".to_owned(), Value::from(error.message.as_str()))]);
    if !error.faults.is_empty() {
        document.insert("faults".to_owned(), Value::from(error.faults.clone()));
    }
    if json(&Value::Object(document)).is_err() {
        complain(error);
    }
}

/// An error on stderr: each fault on a line of its own, then the sentence.
pub(super) fn complain(error: &AdminError) {
    let mut out = io::stderr().lock();
    for fault in &error.faults {
        let path = match text(fault, "path") {
            "" => "(document)",
            path => path,
        };
        // A fault that is in no file is told without one.
        let place = fault.get("line").and_then(Value::as_u64).map(|line| format!("{}:{line}: ", text(fault, "file")));
        // Nothing is left to tell anybody when stderr itself is closed.
        let _ = writeln!(out, "{}{path}: {}", place.unwrap_or_default(), text(fault, "detail"));
    }
    let _ = writeln!(out, "taxd: {}", error.message);
}

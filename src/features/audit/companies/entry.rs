//! The companies of a file as entries of fields, whatever its format.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::FaultOfFile;
use crate::base::sentence::Sentence;

/// Most faults that are reported: a file of another kind has one in each of its lines.
const MAX_FAULTS: usize = 100;

/// A company, or one of its treatments, prices or months.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CompanyEntry {
    pub(super) place: FilePlace,
    pub(super) fields: Vec<EntryField>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntryField {
    pub(super) place: FilePlace,
    pub(super) name: String,
    pub(super) value: EntryValue,
}

/// A value as the TOML file writes it; a table is read into the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EntryValue {
    Text(String),
    Flag(bool),
    List(Vec<CompanyEntry>),
    /// A value of no use here: a number, or a list that has not only entries.
    Other,
}

/// Where something is in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilePlace {
    /// From 1.
    pub(super) line: usize,
    /// The head of its column in a table.
    pub(super) column: Option<String>,
}

/// Collects the faults of the file.
#[derive(Default)]
pub(super) struct CompanyReader {
    faults: Vec<FaultOfFile>,
}

impl CompanyReader {
    /// Records a fault; of a cell with its column.
    pub(super) fn fault(&mut self, place: &FilePlace, detail: impl Into<Sentence>) {
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let detail = detail.into();
        let detail = match &place.column {
            Some(column) => Sentence::of(|to| format!("coluna \"{column}\": {}", detail.read_by(to))),
            None => detail,
        };
        self.faults.push((place.line, detail));
    }

    /// Returns what was read, or the faults in their order.
    pub(super) fn finish<T>(mut self, read: T) -> Result<T, Vec<FaultOfFile>> {
        self.faults.sort();
        if self.faults.is_empty() { Ok(read) } else { Err(self.faults) }
    }
}

/// Reads the entries `[[empresa]]` of a TOML file.
pub(super) fn of_toml(text: &str, reader: &mut CompanyReader) -> Vec<CompanyEntry> {
    let ends: Vec<usize> = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let place = |at: usize| FilePlace { line: ends.partition_point(|end| *end < at) + 1, column: None };
    let (table, broken) = DeTable::parse_recoverable(text);
    for error in &broken {
        let detail = format!("não é TOML bem formado ({})", error.message());
        reader.fault(&place(error.span().map_or(0, |span| span.start)), detail);
    }
    let mut found = Vec::new();
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("empresa", DeValue::Array(entries)) => {
                for entry in entries {
                    match entry.get_ref() {
                        DeValue::Table(of) => found.push(of_table(entry.span().start, of, &place)),
                        _ => reader.fault(&place(entry.span().start), "escreva cada empresa como [[empresa]]"),
                    }
                }
            }
            ("empresa", DeValue::Table(of)) => found.push(of_table(value.span().start, of, &place)),
            _ => reader.fault(&place(key.span().start), "só [[empresa]] é conhecida aqui"),
        }
    }
    found
}

fn of_table(at: usize, table: &DeTable<'_>, place: &impl Fn(usize) -> FilePlace) -> CompanyEntry {
    let field = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| EntryField {
        place: place(value.span().start),
        name: key.get_ref().to_string(),
        value: of_value(value.get_ref(), place),
    };
    CompanyEntry { place: place(at), fields: table.iter().map(field).collect() }
}

fn of_value(value: &DeValue<'_>, place: &impl Fn(usize) -> FilePlace) -> EntryValue {
    match value {
        DeValue::String(text) => EntryValue::Text(text.to_string()),
        DeValue::Boolean(flag) => EntryValue::Flag(*flag),
        DeValue::Datetime(day) => EntryValue::Text(day.to_string()),
        DeValue::Array(entries) => {
            let entry = |entry: &Spanned<DeValue<'_>>| match entry.get_ref() {
                DeValue::Table(table) => Some(of_table(entry.span().start, table, place)),
                _ => None,
            };
            entries.iter().map(entry).collect::<Option<_>>().map_or(EntryValue::Other, EntryValue::List)
        }
        _ => EntryValue::Other,
    }
}

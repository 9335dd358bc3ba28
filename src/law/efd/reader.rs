//! The lines of a book: which are records, which are broken, and what the book lacks at its end.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use encoding_rs::WINDOWS_1252;

use super::record::TypedField;
use super::{EfdKind, EfdRecord};

/// Most bytes of a line: the longest register has texts of some kilobytes.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// What is wrong with a line, or with the whole book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EfdFault {
    /// From 1; the last line if the book lacks something.
    pub line: u64,
    /// The register; empty if the line has none.
    pub register: String,
    /// A stable name of the fault.
    pub codigo: &'static str,
    pub detail: String,
}

/// A line as the reader of a book meets it.
#[derive(Debug)]
pub enum EfdLine<'t> {
    Record(EfdRecord<'t>),
    /// A record of which one field is not readable.
    Faulty(EfdRecord<'t>, EfdFault),
    Broken(EfdFault),
    /// After the last record: a signature may follow, which is not text.
    End,
}

/// Reads a book line by line.
#[derive(Debug)]
pub struct EfdReader {
    kind: EfdKind,
    /// What must be readable in each register.
    typed: BTreeMap<&'static [u8], Vec<TypedField>>,
    line: u64,
    /// The blocks whose first record was read.
    blocks: BTreeSet<u8>,
    has_ended: bool,
}

/// The text of a line. One that is not UTF-8 is read as Windows-1252, which contains ISO-8859-1.
pub fn decoded(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(line).0,
    }
}

impl EfdReader {
    pub fn new(kind: EfdKind) -> EfdReader {
        let typed = kind.registers().iter().map(|register| (register.0.as_bytes(), TypedField::all_of(*register)));
        EfdReader { kind, typed: typed.collect(), line: 0, blocks: BTreeSet::new(), has_ended: false }
    }

    /// The number of the last line that was read.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether the last record was read: what follows is not of the book.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Reads the next line, without its end of line.
    pub fn read<'t>(&mut self, line: &'t str) -> EfdLine<'t> {
        if self.has_ended {
            return EfdLine::End;
        }
        self.line += 1;
        let line = line.trim_start_matches('\u{feff}');
        let Some(record) = EfdRecord::of(line) else {
            let register = line.split('|').take(2).find(|name| is_register(name)).unwrap_or_default();
            let detail = "a linha não começa e termina por |, e não foi lida".to_owned();
            return EfdLine::Broken(self.fault(register, "linha_quebrada", detail));
        };
        let name = record.name();
        if !is_register(name) {
            let detail = "a linha não tem o nome de um registro, e não foi lida".to_owned();
            return EfdLine::Broken(self.fault("", "linha_quebrada", detail));
        }
        if let Some(block) = name.strip_suffix("001").or_else(|| name.strip_suffix("000")) {
            self.blocks.extend(block.bytes());
        }
        self.has_ended = name == "9999";
        let typed = self.typed.get(name.as_bytes()).map(Vec::as_slice).unwrap_or_default();
        match record.unreadable(typed) {
            None => EfdLine::Record(record),
            Some(field) => {
                let detail = format!("`{field}` não tem um valor legível");
                let fault = self.fault(name, "campo_ilegivel", detail);
                EfdLine::Faulty(record, fault)
            }
        }
    }

    /// Counts a line that is too long to be a record.
    pub fn skip_long(&mut self) -> EfdFault {
        self.line += 1;
        let detail = format!("a linha passa de {} KiB, e não foi lida", MAX_LINE_BYTES / 1024);
        self.fault("", "linha_quebrada", detail)
    }

    /// What the book lacks after its last line.
    pub fn missing(&self) -> Vec<EfdFault> {
        if !self.has_ended {
            let detail = "a escrituração não termina pelo registro 9999: o arquivo não está inteiro".to_owned();
            return vec![self.fault("9999", "escrituracao_incompleta", detail)];
        }
        let absent = self.kind.blocks().iter().filter(|block| !self.blocks.contains(block));
        let fault = |block: &u8| {
            let block = char::from(*block);
            self.fault(&format!("{block}001"), "bloco_ausente", format!("a escrituração não tem o bloco {block}"))
        };
        absent.map(fault).collect()
    }

    fn fault(&self, register: &str, codigo: &'static str, detail: String) -> EfdFault {
        EfdFault { line: self.line, register: register.to_owned(), codigo, detail }
    }
}

fn is_register(name: &str) -> bool {
    name.len() == 4 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

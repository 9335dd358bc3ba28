//! The records that are made of the documents of the run, on all cores.

use std::io;

use super::books::Book;
use super::record::{CarriedNote, Crossed, CrossedNote, CrossedService};
use crate::law::nfe::{FiscalDocument, NotaDeServico, NotaFiscal, Transporte};

/// What most records have, or less.
const RECORD_BYTES: usize = 1_024;

/// A record that was made of a document, to be added.
pub(in crate::features::audit) struct CrossedRecord {
    pub(super) key: String,
    pub(super) bytes: io::Result<Vec<u8>>,
    /// The books of whose period it is a note, each with whether the declarant issued it; and its model.
    pub(super) sides: Vec<(usize, bool)>,
    pub(super) modelo: String,
}

impl CrossedRecord {
    fn of(key: String, record: &Crossed<'_>) -> CrossedRecord {
        CrossedRecord { key, bytes: encoded(record), sides: Vec::new(), modelo: String::new() }
    }
}

pub(super) fn encoded(record: &Crossed<'_>) -> io::Result<Vec<u8>> {
    postcard::to_extend(record, Vec::with_capacity(RECORD_BYTES)).map_err(io::Error::other)
}

/// The records of a document of the run; none if no book is of its parties.
pub(super) fn records(books: &[Book], arquivo: &str, documento: u32, of: &FiscalDocument) -> Vec<CrossedRecord> {
    match of {
        FiscalDocument::Nota(nota) => note(books, arquivo, documento, nota).into_iter().collect(),
        FiscalDocument::Transporte(cte) => transport(books, arquivo, documento, cte),
        FiscalDocument::Servico(nota) => service(books, arquivo, documento, nota).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether books that are crossed are of one of the companies.
fn concern(books: &[Book], companies: &[&str]) -> bool {
    let is_of = |book: &Book| companies.iter().any(|number| book.has_root_of(number));
    books.iter().any(|book| book.left_out.is_none() && is_of(book))
}

/// The record of a note, by its access key.
fn note(books: &[Book], arquivo: &str, documento: u32, nota: &NotaFiscal) -> Option<CrossedRecord> {
    let is_crossed = !nota.key.is_empty() && !nota.is_test && concern(books, &[&nota.emitente, &nota.comprador]);
    is_crossed.then(|| of_note(books, &nota.key, CrossedNote::of(arquivo, documento, nota)))
}

fn of_note(books: &[Book], key: &str, note: CrossedNote<'_>) -> CrossedRecord {
    let is_in = |book: &Book| note.day.is_some_and(|day| book.has_day(day));
    let sides_of = |(at, book): (usize, &Book)| {
        let of = |is_own, number| book.has_root_of(number).then_some((at, is_own));
        [of(true, note.emitente), of(false, note.comprador)]
    };
    let within = books.iter().enumerate().filter(|(_, book)| is_in(book));
    let sides = within.flat_map(sides_of).flatten().collect();
    let modelo = note.modelo.to_owned();
    CrossedRecord { key: key.to_owned(), bytes: encoded(&Crossed::Note(Box::new(note))), sides, modelo }
}

/// The record of a CT-e, and one of each note that it carries.
fn transport(books: &[Book], arquivo: &str, documento: u32, cte: &Transporte) -> Vec<CrossedRecord> {
    if cte.key.is_empty() || cte.is_test || !concern(books, &[&cte.emitente, &cte.tomador]) {
        return Vec::new();
    }
    let note = CrossedNote::of_transport(arquivo, documento, cte);
    // The notes that a cancelled document would carry go with another.
    let keys = cte.notas.iter().filter(|_| !note.is_cancelled && !note.is_void);
    let carried = keys.map(|key| {
        CrossedRecord::of(key.clone(), &Crossed::Carried(Box::new(CarriedNote { key, note: note.clone() })))
    });
    let mut records: Vec<CrossedRecord> = carried.collect();
    records.push(of_note(books, &cte.key, note));
    records
}

/// The record of an NFS-e.
fn service(books: &[Book], arquivo: &str, documento: u32, nota: &NotaDeServico) -> Option<CrossedRecord> {
    if !concern(books, &[&nota.emitente]) {
        return None;
    }
    let service = CrossedService::of(arquivo, documento, nota)?;
    Some(CrossedRecord::of(service.key()?, &Crossed::Service(Box::new(service))))
}

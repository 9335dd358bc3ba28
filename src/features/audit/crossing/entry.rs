//! A document of the books beside the note of the run, as the checks see both.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::books::Book;
use super::layouts::{self, DocumentLayout};
use super::record::{BookDocument, BookLine, CrossedNote, CrossedService, Product};
use super::row_layouts::{RowLayout, rows_of};
use crate::base::value::Date;
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::{AuditLine, AuditPlace, Layer, shown};
use crate::law::efd::{EfdKind, EfdRecord};
use crate::law::nfe::DocumentNumber;

/// Lines of the report that checks add.
pub(super) type CrossedLines = Vec<AuditLine>;

/// A record below a document, and its line.
#[derive(Debug)]
pub(super) struct Child<'e> {
    line: u64,
    pub(super) record: EfdRecord<'e>,
    pub(super) rows: &'static [RowLayout],
    /// The product that the record names.
    pub(super) product: Option<&'e Product>,
}

/// A document of the books.
#[derive(Debug)]
pub(super) struct BookEntry<'e> {
    pub(super) book: &'e Book,
    pub(super) document: &'e BookDocument<'e>,
    /// The line of the document in the books.
    pub(super) first_line: u64,
    pub(super) own: EfdRecord<'e>,
    /// If the record of the document itself has contributions, their places.
    pub(super) rows: &'static [RowLayout],
    pub(super) children: Vec<Child<'e>>,
    /// The note with its access key, if the run has it.
    pub(super) note: Option<&'e CrossedNote<'e>>,
    layout: &'static DocumentLayout,
}

impl<'e> BookEntry<'e> {
    /// `None` if the line of the document is not a record, which the reading excludes.
    pub(super) fn of(
        book: &'e Book,
        document: &'e BookDocument<'e>,
        note: Option<&'e CrossedNote<'e>>,
    ) -> Option<BookEntry<'e>> {
        let (kind, of_book) = (book.header.kind, layouts::of(book.header.kind));
        let mut lines = document.lines.iter().copied().zip(document.text.split('\n'));
        let (first_line, own) = lines.next()?;
        let own = EfdRecord::of(own)?;
        let layout = of_book.document(own.name())?;
        let child = |(line, text): (u64, &'e str)| {
            let record = EfdRecord::of(text)?;
            let coded = of_book.products.iter().find(|(register, _)| *register == record.name());
            let product = coded.and_then(|(_, code)| book.products.get(record.text(*code)));
            Some(Child {
                line,
                product: product.map(|(_, product)| product),
                rows: rows_of(kind, record.name()),
                record,
            })
        };
        let children = lines.filter_map(child).collect();
        Some(BookEntry { book, document, first_line, rows: rows_of(kind, own.name()), own, children, note, layout })
    }

    /// Whether it is that register of the EFD ICMS/IPI.
    pub(super) fn is_icms(&self, register: &str) -> bool {
        self.book.header.kind == EfdKind::IcmsIpi && self.own.name() == register
    }

    /// Its children of a register.
    pub(super) fn all<'s>(&'s self, register: &'s str) -> impl Iterator<Item = &'s Child<'e>> {
        self.children.iter().filter(move |child| child.record.name() == register)
    }

    /// What a field of its children of a register adds up to.
    pub(super) fn sum(&self, register: &str, at: usize) -> Decimal {
        self.all(register).fold(Decimal::ZERO, |sum, child| sum.saturating_add(child.record.amount(at)))
    }

    /// `COD_SIT`: 00 regular, 01 late, 02 and 03 cancelled, 06 and 07 complementary, 08 by a special regime.
    pub(super) fn situation(&self) -> &'e str {
        self.own.text(self.layout.situation)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        matches!(self.situation(), "02" | "03")
    }

    /// The access key; empty if it has none.
    pub(super) fn key(&self) -> &'e str {
        self.own.text(self.layout.key)
    }

    /// Places of what it says of the document: key, series, number.
    pub(super) fn layout(&self) -> &'static DocumentLayout {
        self.layout
    }

    /// A line of the report about the record of the document.
    pub(super) fn line(&self, tributo: &'static str) -> AuditLine {
        self.at(self.first_line, self.own.name(), tributo)
    }

    /// A line about one of its children.
    pub(super) fn line_of(&self, child: &Child<'_>, tributo: &'static str) -> AuditLine {
        let line = self.at(child.line, child.record.name(), tributo);
        match child.product {
            None => line,
            Some(product) => {
                let (ncm, produto) = (product.ncm.clone(), product.codigo.clone());
                AuditLine { place: Arc::new(AuditPlace { ncm, produto, ..(*line.place).clone() }), ..line }
            }
        }
    }

    fn at(&self, line: u64, register: &str, tributo: &'static str) -> AuditLine {
        let text = |at: usize| self.own.text(at).chars().take(15).collect::<String>();
        let day = self.own.day(self.layout.day).or(self.note.and_then(|note| note.day));
        AuditLine::at(AuditPlace {
            numero: DocumentNumber { numero: text(self.layout.number), serie: text(self.layout.series) },
            data: day,
            registro: register.to_owned(),
            linha: Some(line),
            is_of_book: false,
            ..place_of(self.book)
        })
        .in_layer(Layer::Cruzamento, tributo)
    }
}

/// The place of a line about the books as a whole.
fn place_of(book: &Book) -> AuditPlace {
    let emitente = book.header.declarant.clone();
    AuditPlace {
        arquivo: book.arquivo.clone(),
        documento: 1,
        empresa: shown(&emitente),
        emitente,
        data: Some(book.header.first_day),
        periodo: Some(book.header.first_day),
        is_of_book: true,
        ..AuditPlace::default()
    }
}

/// A line about a record of the books that is of no document.
pub(super) fn line_of_book(book: &Book, at: Option<&BookLine>, tributo: &'static str) -> AuditLine {
    let register = at.and_then(|at| at.text.get(1..5)).unwrap_or_default();
    let place = AuditPlace { registro: register.to_owned(), linha: at.map(|at| at.line), ..place_of(book) };
    AuditLine::at(place).in_layer(Layer::Cruzamento, tributo)
}

/// A line about a register that the books lack.
pub(super) fn line_of_register(book: &Book, register: &str, tributo: &'static str) -> AuditLine {
    let place = AuditPlace { registro: register.to_owned(), ..place_of(book) };
    AuditLine::at(place).in_layer(Layer::Cruzamento, tributo)
}

/// A line about a note of the run, in the month of the books.
pub(super) fn line_of_note(book: &Book, note: &CrossedNote<'_>, tributo: &'static str) -> AuditLine {
    line_of_document(book, (note.arquivo, note.documento), [note.numero, note.serie], note.day, tributo)
}

/// The same about an NFS-e.
pub(super) fn line_of_service(book: &Book, service: &CrossedService<'_>) -> AuditLine {
    line_of_document(book, (service.arquivo, service.documento), [service.numero, ""], service.day, "documento")
}

fn line_of_document(
    book: &Book,
    (arquivo, documento): (&str, u32),
    [numero, serie]: [&str; 2],
    day: Option<Date>,
    tributo: &'static str,
) -> AuditLine {
    let place = AuditPlace {
        arquivo: arquivo.to_owned(),
        documento,
        numero: DocumentNumber { numero: numero.to_owned(), serie: serie.to_owned() },
        data: day,
        is_of_book: false,
        ..place_of(book)
    };
    AuditLine::at(place).in_layer(Layer::Cruzamento, tributo)
}

/// Whether two amounts differ by more than a cent.
pub(super) fn differs(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() > CENT
}

//! A document of the books beside the note of the run, as the checks see both.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::books::Book;
use super::layouts::{self, DocumentLayout};
use super::record::{BookDocument, BookLine, CrossedNote, Product};
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::{AuditLine, AuditPlace, Layer, shown};
use crate::law::efd::{EfdKind, EfdRecord};
use crate::law::nfe::DocumentNumber;

/// Lines of the report that checks add.
pub(super) type CrossedLines = Vec<AuditLine>;

/// A record below a document, and its line.
#[derive(Debug)]
pub(super) struct Child<'e> {
    pub(super) at: &'e BookLine,
    pub(super) record: EfdRecord<'e>,
    /// The product that the record names.
    pub(super) product: Option<&'e Product>,
}

/// A document of the books.
#[derive(Debug)]
pub(super) struct BookEntry<'e> {
    pub(super) book: &'e Book,
    pub(super) document: &'e BookDocument,
    pub(super) own: EfdRecord<'e>,
    pub(super) children: Vec<Child<'e>>,
    /// The note with its access key, if the run has it.
    pub(super) note: Option<&'e CrossedNote>,
    layout: &'static DocumentLayout,
}

impl<'e> BookEntry<'e> {
    /// `None` if the line of the document is not a record, which the reading excludes.
    pub(super) fn of(
        book: &'e Book,
        document: &'e BookDocument,
        note: Option<&'e CrossedNote>,
    ) -> Option<BookEntry<'e>> {
        let own = EfdRecord::of(&document.own.text)?;
        let of_book = layouts::of(book.header.kind);
        let layout = of_book.document(own.name())?;
        let child = |at: &'e BookLine| {
            let record = EfdRecord::of(&at.text)?;
            let coded = of_book.products.iter().find(|(register, _)| *register == record.name());
            let product = coded.and_then(|(_, code)| book.products.get(record.text(*code)));
            Some(Child { at, product: product.map(|(_, product)| product), record })
        };
        let children = document.children.iter().filter_map(child).collect();
        Some(BookEntry { book, document, own, children, note, layout })
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
        self.at(&self.document.own, self.own.name(), tributo)
    }

    /// A line about one of its children.
    pub(super) fn line_of(&self, child: &Child<'_>, tributo: &'static str) -> AuditLine {
        let line = self.at(child.at, child.record.name(), tributo);
        match child.product {
            None => line,
            Some(product) => {
                let (ncm, produto) = (product.ncm.clone(), product.codigo.clone());
                AuditLine { place: Arc::new(AuditPlace { ncm, produto, ..(*line.place).clone() }), ..line }
            }
        }
    }

    fn at(&self, line: &BookLine, register: &str, tributo: &'static str) -> AuditLine {
        let text = |at: usize| self.own.text(at).chars().take(15).collect::<String>();
        let day = self.own.day(self.layout.day).or(self.note.and_then(|note| note.day));
        AuditLine::at(AuditPlace {
            numero: DocumentNumber { numero: text(self.layout.number), serie: text(self.layout.series) },
            data: day.map(|day| day.to_string()).unwrap_or_default(),
            registro: register.to_owned(),
            linha: Some(line.line),
            is_of_book: false,
            ..place_of(self.book)
        })
        .in_layer(Layer::Cruzamento, tributo)
    }
}

/// The place of a line about the books as a whole.
pub(super) fn place_of(book: &Book) -> AuditPlace {
    let emitente = book.header.declarant.clone();
    AuditPlace {
        arquivo: book.arquivo.clone(),
        documento: 1,
        empresa: shown(&emitente),
        emitente,
        data: book.header.first_day.to_string(),
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
pub(super) fn line_of_note(book: &Book, note: &CrossedNote, tributo: &'static str) -> AuditLine {
    let place = AuditPlace {
        arquivo: note.arquivo.clone(),
        documento: note.documento,
        numero: DocumentNumber { numero: note.numero.clone(), serie: note.serie.clone() },
        data: note.day.map(|day| day.to_string()).unwrap_or_default(),
        is_of_book: false,
        ..place_of(book)
    };
    AuditLine::at(place).in_layer(Layer::Cruzamento, tributo)
}

/// Whether two amounts differ by more than a cent.
pub(super) fn differs(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() > CENT
}

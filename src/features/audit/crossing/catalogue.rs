//! The products of the books (`0200`) against the notes that the declarant issued, whose codes of products are its own.

use std::collections::BTreeMap;

use super::books::Book;
use super::entry::{BookEntry, CrossedLines, line_of_book};
use super::record::{BookLine, CrossedItem, CrossedNote, Product};
use super::totals::is_own;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::c170;

/// Most products of which a difference is kept.
const MAX_PRODUCTS: usize = 5_000;

/// Products that a note has otherwise: the line about the first one, and how many items there are.
#[derive(Debug, Default)]
pub(super) struct CatalogueOfBook(BTreeMap<String, (AuditLine, u64)>);

impl CatalogueOfBook {
    /// Adds the items of a note that the declarant issued: an EFD ICMS/IPI has none of them.
    pub(super) fn add_note(&mut self, book: &Book, note: &CrossedNote<'_>) {
        let is_own = book.header.kind == EfdKind::IcmsIpi && book.header.declarant == note.emitente;
        let is_of = is_own && matches!(note.modelo, "55" | "65") && !note.is_void;
        if !is_of || book.left_out.is_some() || note.day.is_none_or(|day| !book.has_day(day)) {
            return;
        }
        for item in &note.items {
            let Some((line, product)) = book.products.get(item.codigo) else { continue };
            self.add(product, item, note.numero, || {
                let at = BookLine { line: *line, text: "|0200|".to_owned() };
                line_of_book(book, Some(&at), "ncm")
            });
        }
    }

    /// Adds the items that an EFD-Contribuições has of such a note.
    pub(super) fn add_items(&mut self, entry: &BookEntry<'_>) {
        let is_of = entry.book.header.kind == EfdKind::Contribuicoes && entry.own.name() == "C100" && is_own(entry);
        let Some(note) = entry.note.filter(|note| is_of && !note.is_void) else { return };
        for child in entry.all("C170") {
            let Some(product) = child.product else { continue };
            let number: Option<u32> = child.record.text(c170::NUM_ITEM).parse().ok();
            let is_it = |item: &&CrossedItem<'_>| Some(item.number) == number && item.codigo == product.codigo;
            if let Some(item) = note.items.iter().find(is_it) {
                self.add(product, item, note.numero, || entry.line_of(child, "ncm"));
            }
        }
    }

    fn add(&mut self, product: &Product, item: &CrossedItem<'_>, note: &str, line: impl FnOnce() -> AuditLine) {
        let Some((name, one, other)) = difference(product, item) else { return };
        if let Some((_, count)) = self.0.get_mut(&product.codigo) {
            *count += 1;
        } else if self.0.len() < MAX_PRODUCTS {
            let codigo = &product.codigo;
            let detail = format!("{name} do produto {codigo} no cadastro (0200) é {one}, e na nota {note} é {other}");
            let line = line().differing(Certainty::Conferir, "cadastro_e_nota", detail);
            self.0.insert(codigo.clone(), (line, 1));
        }
    }
}

/// The first code that differs, if both have it: its name, and how each has it.
fn difference<'p>(product: &'p Product, item: &CrossedItem<'p>) -> Option<(&'static str, &'p str, &'p str)> {
    let codes = [
        ("o NCM", product.ncm.as_str(), item.ncm),
        ("o EX da TIPI", product.ex.as_str(), item.ex),
        ("o CEST", product.cest.as_str(), item.cest),
        ("o GTIN", product.gtin.as_str(), item.gtin),
    ];
    let digits = |code: &'p str| code.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
    let is_other = |one: &'p str, other: &'p str| {
        one != other && !one.is_empty() && !other.is_empty() && !digits(one).eq(digits(other))
    };
    codes.into_iter().find(|(_, one, other)| is_other(one, other))
}

/// Check 35: a product whose codes in the books are not those of the notes, once for each.
pub(super) fn products(catalogue: &CatalogueOfBook, findings: &mut CrossedLines) {
    for (line, count) in catalogue.0.values() {
        let mut line = line.clone();
        if *count > 1 {
            line.detalhe = format!("{}; e em mais {} itens", line.detalhe, count - 1);
        }
        findings.push(line);
    }
}

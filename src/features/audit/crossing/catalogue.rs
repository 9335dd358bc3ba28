//! The products of the books (`0200`) against the notes that the declarant issued.

use std::collections::BTreeMap;

use super::entry::{BookEntry, Child, CrossedLines};
use super::record::{CrossedItem, Product};
use super::totals::is_own;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::icms_ipi::c170;

/// Most products of which a difference is kept.
const MAX_PRODUCTS: usize = 5_000;

/// Products that a note has otherwise: the line about the first one, and how many there are.
#[derive(Debug, Default)]
pub(super) struct CatalogueOfBook(BTreeMap<String, (AuditLine, u64)>);

impl CatalogueOfBook {
    /// Adds the items of a document that the declarant issued, whose codes are its own.
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        let Some(note) = entry.note.filter(|note| entry.own.name() == "C100" && is_own(entry) && !note.is_void) else {
            return;
        };
        for child in entry.all("C170") {
            let Some(product) = &child.at.product else { continue };
            let number: Option<u32> = child.record.text(c170::NUM_ITEM).parse().ok();
            let is_it = |item: &&CrossedItem| Some(item.number) == number && item.codigo == product.codigo;
            let Some(detail) = note.items.iter().find(is_it).and_then(|item| difference(product, item)) else {
                continue;
            };
            if let Some((_, count)) = self.0.get_mut(&product.codigo) {
                *count += 1;
            } else if self.0.len() < MAX_PRODUCTS {
                self.0.insert(product.codigo.clone(), (line(entry, child, &detail), 1));
            }
        }
    }
}

fn line(entry: &BookEntry<'_>, child: &Child<'_>, detail: &str) -> AuditLine {
    entry.line_of(child, "ncm").differing(Certainty::Conferir, "cadastro_e_nota", detail)
}

/// The first code that differs, if both have it.
fn difference(product: &Product, item: &CrossedItem) -> Option<String> {
    let codes = [
        ("o NCM", &product.ncm, &item.ncm),
        ("o EX da TIPI", &product.ex, &item.ex),
        ("o CEST", &product.cest, &item.cest),
    ];
    let digits =
        |code: &str| code.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').collect::<Vec<_>>();
    let is_other = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && digits(one) != digits(other);
    let (name, one, other) = codes.into_iter().find(|(_, one, other)| is_other(one, other))?;
    Some(format!("{name} do cadastro (0200) é {one}, e o da nota é {other}"))
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

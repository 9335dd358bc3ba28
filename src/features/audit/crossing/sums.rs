//! What the documents of a book add up to.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::books::Book;
use super::catalogue::CatalogueOfBook;
use super::daily::CouponsOfBook;
use super::entry::{BookEntry, Child, line_of_note, line_of_service};
use super::numbers::NumbersOfBook;
use super::record::{CrossedNote, CrossedService};
use super::rows::{ContributionRow, is_revenue, rows};
use super::states::StatesOfBook;
use crate::features::audit::finding::AuditLine;
use crate::law::codes::{GrupoCfop, NaturezaCfop, natureza};
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{c100, c170, c190, c197, c590, c850, c890, d190, d590, d730};

/// The records with ICMS by CFOP: the register, the place of the CFOP and that of the ICMS.
const WITH_ICMS: &[(&str, usize, usize)] = &[
    ("C190", c190::CFOP, c190::VL_ICMS),
    ("C590", c590::CFOP, c590::VL_ICMS),
    ("C850", c850::CFOP, c850::VL_ICMS),
    ("C890", c890::CFOP, c890::VL_ICMS),
    ("D190", d190::CFOP, d190::VL_ICMS),
    ("D590", d590::CFOP, d590::VL_ICMS),
    ("D730", d730::CFOP, d730::VL_ICMS),
];

/// The records of adjustments that a document makes, which have the same fields.
const ADJUSTMENTS: [&str; 6] = ["C197", "C597", "C857", "C897", "D197", "D737"];

/// The records with sales by CFOP: the register, the places of the CFOP and the value, and those of what is charged beside
/// the price.
const SALES: &[(&str, usize, usize, &[usize])] = &[
    ("C190", c190::CFOP, c190::VL_OPR, &[c190::VL_ICMS_ST, c190::VL_IPI]),
    ("C850", c850::CFOP, c850::VL_OPR, &[]),
    ("C890", c890::CFOP, c890::VL_OPR, &[]),
];

/// Most rates, or CFOPs, that are summed one by one.
const MAX_RATES: usize = 1_000;
/// Most notes without a record that are reported of a book.
const MAX_MISSING: usize = 10_000;

/// ICMS, or IPI, that documents add up to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct IcmsOfDocuments {
    pub(super) regular: Decimal,
    /// Of documents that are booked late (`COD_SIT` 01 and 07).
    pub(super) late: Decimal,
}

/// They are added one document at a time, by access key.
#[derive(Debug, Default)]
pub(super) struct BookSums {
    pub(super) debits: IcmsOfDocuments,
    pub(super) credits: IcmsOfDocuments,
    /// Adjustments of documents, to debits and to credits.
    pub(super) adjusted_debits: IcmsOfDocuments,
    pub(super) adjusted_credits: IcmsOfDocuments,
    /// Some are of registers of which it is less sure that the account has them.
    pub(super) has_other_adjustments: bool,
    /// The IPI of notes, by CFOP.
    pub(super) ipi: BTreeMap<String, IcmsOfDocuments>,
    pub(super) states: StatesOfBook,
    pub(super) catalogue: CatalogueOfBook,
    pub(super) coupons: CouponsOfBook,
    pub(super) numbers: NumbersOfBook,
    pub(super) contributions: ContributionSums,
    pub(super) services: ServicesOfBook,
    pub(super) notes: NotesOfBook,
    /// Sales, without the ICMS-ST and the IPI that are charged beside the price.
    pub(super) revenue: Decimal,
}

impl BookSums {
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        self.catalogue.add_items(entry);
        self.coupons.add_record(entry);
        if entry.book.header.kind == EfdKind::IcmsIpi {
            for child in &entry.children {
                self.add_icms(entry, child);
                self.add_adjustment(entry, child);
                self.add_ipi(entry, child);
                self.add_sales(child);
            }
            self.states.add(entry);
            self.numbers.add(entry);
        } else {
            self.contributions.add(entry);
            self.notes.is_by_product |= matches!(entry.own.name(), "C180" | "C190");
            let of_sale = |row: &ContributionRow<'_, '_>| row.natureza().is_some_and(is_sale) && row.tributo() == "pis";
            for [_, net] in rows(entry).filter(|row| is_revenue(entry) && of_sale(row)).map(|row| row.values()) {
                self.revenue = self.revenue.saturating_add(net);
            }
        }
    }

    fn add_sales(&mut self, child: &Child<'_>) {
        let record = &child.record;
        let Some((_, cfop, value, beside)) = SALES.iter().find(|(register, ..)| *register == record.name()) else {
            return;
        };
        if natureza(record.text(*cfop)).is_some_and(is_sale) {
            let beside = beside.iter().fold(Decimal::ZERO, |sum, at| sum.saturating_add(record.amount(*at)));
            self.revenue = self.revenue.saturating_add(record.amount(*value)).saturating_sub(beside);
        }
    }

    fn add_icms(&mut self, entry: &BookEntry<'_>, child: &Child<'_>) {
        let with_icms = WITH_ICMS.iter().find(|(register, ..)| *register == child.record.name());
        let Some((_, cfop, icms)) = with_icms else { return };
        // A transfer of a credit or of a debit counts on the other side.
        let sums = match child.record.text(*cfop) {
            "1605" => &mut self.debits,
            "5605" => &mut self.credits,
            cfop if cfop.starts_with(['1', '2', '3']) => &mut self.credits,
            _ => &mut self.debits,
        };
        sums.add(entry, child.record.amount(*icms));
    }

    /// The third character of the code (table 5.3) says which side it changes, and the fourth that it is of the own ICMS.
    fn add_adjustment(&mut self, entry: &BookEntry<'_>, child: &Child<'_>) {
        let name = child.record.name();
        if !ADJUSTMENTS.contains(&name) {
            return;
        }
        self.has_other_adjustments |= !matches!(name, "C197" | "D197");
        let mut marks = child.record.text(c197::COD_AJ).chars().skip(2);
        let sums = match (marks.next(), marks.next()) {
            (Some('0'..='2'), Some('0' | '3'..='8')) => &mut self.adjusted_credits,
            (Some('3'..='5'), Some('0' | '3'..='8')) => &mut self.adjusted_debits,
            _ => return,
        };
        sums.add(entry, child.record.amount(c197::VL_ICMS));
    }

    fn add_ipi(&mut self, entry: &BookEntry<'_>, child: &Child<'_>) {
        if child.record.name() != "C190" {
            return;
        }
        let (cfop, amount) = (child.record.text(c190::CFOP), child.record.amount(c190::VL_IPI));
        if !amount.is_zero() && (self.ipi.len() < MAX_RATES || self.ipi.contains_key(cfop)) {
            self.ipi.entry(cfop.to_owned()).or_default().add(entry, amount);
        }
    }
}

impl IcmsOfDocuments {
    fn add(&mut self, entry: &BookEntry<'_>, amount: Decimal) {
        let is_late = matches!(entry.situation(), "01" | "07");
        let sum = if is_late { &mut self.late } else { &mut self.regular };
        *sum = sum.saturating_add(amount);
    }
}

/// Whether a CFOP is one of revenue.
fn is_sale(natureza: &NaturezaCfop) -> bool {
    natureza.receita == "sim"
}

/// Whether a row is that of a sale, or of revenue without a CFOP.
fn may_be_sale(row: &ContributionRow<'_, '_>) -> bool {
    row.layout.cfop == 0 || row.natureza().is_some_and(|natureza| natureza.grupo == GrupoCfop::Venda)
}

/// What the rows of a book add up to.
#[derive(Debug, Default)]
pub(super) struct ContributionSums {
    /// Bases of revenue that is charged by a rate.
    pub(super) bases: BTreeMap<(&'static str, Decimal), Decimal>,
    /// Revenue of sales and services that owes nothing, by CST: whole, and without discounts.
    pub(super) free: BTreeMap<(&'static str, String), [Decimal; 2]>,
    /// A purchase has a code of revenue: whether block M has it is not known.
    pub(super) is_unsure: bool,
}

impl ContributionSums {
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        for row in rows(entry) {
            match row.cst() {
                "01" | "02" | "05" if !row.base().is_zero() => {
                    self.is_unsure |= !is_revenue(entry) || self.bases.len() >= MAX_RATES;
                    if !self.is_unsure {
                        let sum = self.bases.entry((row.tributo(), row.rate())).or_default();
                        *sum = sum.saturating_add(row.base());
                    }
                }
                // Of what is not a sale, a CST of revenue says little.
                cst @ ("04" | "06" | "07" | "08" | "09") if is_revenue(entry) && may_be_sale(&row) => {
                    let sums = self.free.entry((row.tributo(), cst.to_owned())).or_default();
                    for (sum, value) in sums.iter_mut().zip(row.values()) {
                        *sum = sum.saturating_add(value);
                    }
                }
                _ => {}
            }
        }
    }
}

/// NFS-e without a record, and records without an NFS-e, of a book.
#[derive(Debug, Default)]
pub(super) struct ServicesOfBook {
    /// A line about each, and its price.
    pub(super) missing: Vec<(AuditLine, Decimal)>,
    /// Records that no NFS-e of the run is joined with: a missing one may be among them under another number.
    pub(super) unmatched: u64,
    /// PIS and COFINS that the NFS-e of the period have as withheld.
    pub(super) withheld: [Decimal; 2],
}

impl ServicesOfBook {
    pub(super) fn add_unmatched(&mut self, entry: &BookEntry<'_>) {
        let is_service = entry.book.header.kind == EfdKind::Contribuicoes && entry.own.name() == "A100";
        self.unmatched += u64::from(is_service && is_revenue(entry) && !entry.is_cancelled());
    }

    pub(super) fn add_missing(&mut self, book: &Book, service: &CrossedService<'_>) {
        if is_rendered(book, service) && self.missing.len() < MAX_MISSING {
            let [price, _] = service.values();
            self.missing.push((line_of_service(book, service), price));
        }
    }

    /// Adds what the services of an NFS-e have as withheld. Another file may have it again.
    pub(super) fn add_withheld(&mut self, book: &Book, services: &[&CrossedService<'_>]) {
        let of_file =
            |service: &&&CrossedService<'_>| Some(service.arquivo) == services.first().map(|first| first.arquivo);
        for service in services.iter().filter(of_file).filter(|service| is_rendered(book, service)) {
            for (sum, amount) in self.withheld.iter_mut().zip(service.withheld()) {
                *sum = sum.saturating_add(amount);
            }
        }
    }
}

/// Whether an NFS-e is a service that the declarant of the book rendered in its period.
fn is_rendered(book: &Book, service: &CrossedService<'_>) -> bool {
    book.header.kind == EfdKind::Contribuicoes
        && book.left_out.is_none()
        && service.is_valid
        && book.has_root_of(service.emitente)
        && service.day.is_some_and(|day| book.has_day(day))
}

/// Notes that books of the contributions lack.
#[derive(Debug, Default)]
pub(super) struct NotesOfBook {
    /// It has sales or purchases by product, without their documents.
    pub(super) is_by_product: bool,
    /// A line about each note of a sale, and its total.
    pub(super) sales: Vec<(AuditLine, Decimal)>,
    /// How many purchases are in the other books of the month, what they cost, and the number of the first.
    pub(super) purchases: (u64, Decimal, String),
}

impl NotesOfBook {
    /// Adds a note that the book does not have; `other` is its document in the EFD ICMS/IPI.
    pub(super) fn add(&mut self, book: &Book, note: Option<&CrossedNote<'_>>, other: Option<&BookEntry<'_>>) {
        if book.header.kind != EfdKind::Contribuicoes || book.left_out.is_some() {
            return;
        }
        if let Some(note) = note.filter(|note| is_owed(book, note))
            && self.sales.len() < MAX_MISSING
        {
            self.sales.push((line_of_note(book, note, "documento"), note.totals.nota));
        }
        let Some(other) = other.filter(|other| other.book.has_root_of(&book.header.declarant)) else { return };
        let is_purchase = other.own.text(c100::IND_OPER) == "0" && other.own.text(c100::IND_EMIT) == "1";
        let arrived = other.own.day(c100::DT_E_S).or_else(|| other.own.day(c100::DT_DOC));
        let bought = |child: &Child<'_>| {
            let of = natureza(child.record.text(c170::CFOP));
            of.is_some_and(|of| of.nome.starts_with("compra_revenda") || of.nome.starts_with("compra_industrializacao"))
        };
        if is_purchase && arrived.is_some_and(|day| book.has_day(day)) && other.all("C170").any(bought) {
            let (count, value, first) = &mut self.purchases;
            if *count == 0 {
                other.own.text(c100::NUM_DOC).clone_into(first);
            }
            (*count, *value) = (*count + 1, value.saturating_add(other.own.amount(c100::VL_DOC)));
        }
    }
}

/// Whether a note is revenue of the declarant in the period of the book.
fn is_owed(book: &Book, note: &CrossedNote<'_>) -> bool {
    // Coupons are booked by device and day.
    let is_note = matches!(note.modelo, "55" | "65");
    let is_valid = is_note && !note.entrada && !note.is_cancelled && !note.is_void && note.finalidade == 1;
    let sells = note.items.iter().any(|item| natureza(item.cfop).is_some_and(is_sale));
    is_valid && sells && book.has_root_of(note.emitente) && note.day.is_some_and(|day| book.has_day(day))
}

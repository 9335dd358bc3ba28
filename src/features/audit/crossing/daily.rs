//! Coupons of the SAT that the books have by device and day (C860), and coupons that they do not have.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::books::Book;
use super::coupons::{Group, booked, charged, different_groups};
use super::entry::{BookEntry, CrossedLines, line_of_book};
use super::record::CrossedNote;
use crate::base::value::Date;
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::EfdKind;
use crate::law::efd::contribuicoes::c870;
use crate::law::efd::icms_ipi::{c860, c890};

/// Most devices and days that are added up.
const MAX_DAYS: usize = 20_000;

/// The coupons of a device on a day.
#[derive(Debug, Default)]
struct CouponsOfDay {
    /// Of the files: their ICMS by group, their total, how many are valid and cancelled, and the number of the first.
    charged: BTreeMap<Group, (Decimal, u32)>,
    total: Decimal,
    valid: u64,
    cancelled: u64,
    first: String,
    /// An item has a CSOSN, of which the books have a CST.
    has_csosn: bool,
    /// Of the books: the same sums, how many numbers their records span, and a line about the first of them.
    booked: BTreeMap<Group, Decimal>,
    booked_total: Decimal,
    numbers: u64,
    at: Option<AuditLine>,
}

/// The coupons of a book that it does not have one by one.
#[derive(Debug, Default)]
pub(super) struct CouponsOfBook(BTreeMap<(u32, Date), CouponsOfDay>);

impl CouponsOfBook {
    fn day(&mut self, device: &str, day: Option<Date>) -> Option<&mut CouponsOfDay> {
        let key = (device.parse().ok()?, day?);
        let has_room = self.0.len() < MAX_DAYS || self.0.contains_key(&key);
        has_room.then(|| self.0.entry(key).or_default())
    }

    /// Adds a coupon of the run that the book does not have by its key.
    pub(super) fn add_coupon(&mut self, book: &Book, note: &CrossedNote<'_>) {
        let is_of = match book.header.kind {
            EfdKind::IcmsIpi => book.header.declarant == note.emitente,
            EfdKind::Contribuicoes => book.has_root_of(note.emitente),
        };
        let is_in = note.day.is_some_and(|day| book.has_day(day)) && book.left_out.is_none();
        if note.modelo != "59" || note.is_void || !is_of || !is_in {
            return;
        }
        let Some(of_day) = self.day(note.serie, note.day) else { return };
        if note.is_cancelled {
            of_day.cancelled += 1;
            return;
        }
        if of_day.valid == 0 {
            note.numero.clone_into(&mut of_day.first);
        }
        of_day.valid += 1;
        of_day.total = of_day.total.saturating_add(note.totals.nota);
        let Some(groups) = charged(note) else {
            of_day.has_csosn = true;
            return;
        };
        for (group, (icms, items)) in groups {
            let (sum, count) = of_day.charged.entry(group).or_default();
            (*sum, *count) = (sum.saturating_add(icms), count.saturating_add(items));
        }
    }

    /// Adds a record of a device and a day.
    pub(super) fn add_record(&mut self, entry: &BookEntry<'_>) {
        if entry.own.name() != "C860" {
            return;
        }
        let number = |at: usize| entry.own.text(at).parse::<u64>().unwrap_or_default();
        let (first, last) = (number(c860::DOC_INI), number(c860::DOC_FIM));
        let total = match entry.book.header.kind {
            EfdKind::IcmsIpi => entry.sum("C890", c890::VL_OPR),
            EfdKind::Contribuicoes => entry.sum("C870", c870::VL_ITEM).saturating_sub(entry.sum("C870", c870::VL_DESC)),
        };
        let Some(of_day) = self.day(entry.own.text(c860::NR_SAT), entry.own.day(c860::DT_DOC)) else { return };
        of_day.numbers = of_day.numbers.saturating_add((last + 1).saturating_sub(first));
        of_day.booked_total = of_day.booked_total.saturating_add(total);
        for (group, icms) in booked(entry, "C890") {
            let sum = of_day.booked.entry(group).or_default();
            *sum = sum.saturating_add(icms);
        }
        of_day.at.get_or_insert_with(|| entry.line("documento"));
    }
}

impl CouponsOfDay {
    /// Whether all coupons that the records span are among the files. One that cancels another has a number of its own.
    fn is_whole(&self) -> bool {
        let seen = self.valid + self.cancelled;
        self.valid > 0 && seen <= self.numbers && self.numbers - seen <= self.cancelled
    }
}

/// Check 34: the coupons of a device and a day have together the total, and the ICMS by CST, CFOP and rate, of the books.
/// Those of a day that the books do not have at all are counted, unless the books have revenue without its documents.
pub(super) fn by_day(book: &Book, coupons: &CouponsOfBook, has_totals: bool, findings: &mut CrossedLines) {
    let is_icms = book.header.kind == EfdKind::IcmsIpi;
    // The places of C870 are not sure.
    let (certainty, register) =
        if is_icms { (Certainty::ErroDoDocumento, "C890") } else { (Certainty::Conferir, "C870") };
    for ((device, day), of) in &coupons.0 {
        let Some(at) = of.at.as_ref().filter(|_| of.is_whole()) else { continue };
        let which = format!("dos cupons do SAT {device} de {}", day.dmy());
        if of.booked_total.saturating_sub(of.total).abs() > CENT.saturating_mul(Decimal::from(of.valid)) {
            let detail = format!("o valor {which} não é a soma dos registros {register}");
            let line = at.clone().differing(certainty, "valor_do_documento", detail);
            findings.push(line.with_amounts(of.booked_total, of.total).by_law(law(is_icms)));
        } else if is_icms && !of.has_csosn {
            for ((cst, cfop, rate), of_book, of_items) in different_groups(&of.booked, &of.charged) {
                let rate = crate::base::value::with_comma(rate);
                let detail = format!("o ICMS {which} com CST {cst}, CFOP {cfop}, a {rate}% não é o da EFD (C890)");
                let line = AuditLine { tributo: "icms", ..at.clone() };
                let line = line.differing(certainty, "icms_do_cupom", detail);
                findings.push(line.with_amounts(of_book, of_items).by_law(law(is_icms)));
            }
        }
    }
    if !book.is_partial && (is_icms || !has_totals) {
        missing(book, coupons, is_icms, findings);
    }
}

fn law(is_icms: bool) -> &'static str {
    if is_icms {
        "Guia Prático da EFD ICMS/IPI, registros C800, C860 e C890"
    } else {
        "Guia Prático da EFD-Contribuições, registros C860 e C870"
    }
}

/// Coupons of days and devices that the book has nothing of.
fn missing(book: &Book, coupons: &CouponsOfBook, is_icms: bool, findings: &mut CrossedLines) {
    let absent = || coupons.0.iter().filter(|(_, of)| of.at.is_none() && of.valid > 0);
    let count: u64 = absent().map(|(_, of)| of.valid).sum();
    let value = absent().fold(Decimal::ZERO, |sum, (_, of)| sum.saturating_add(of.total));
    let Some(((device, day), first)) = absent().next() else { return };
    let registers = if is_icms { "C800 ou C860" } else { "C860" };
    let detail = format!(
        "cupons do período que não estão na EFD ({registers}): {count}, o primeiro é o nº {} do SAT {device}, de {}",
        first.first.trim_start_matches('0'),
        day.dmy()
    );
    let line = line_of_book(book, None, "documento").differing(Certainty::Conferir, "cupom_fora_da_efd", detail);
    findings.push(line.with_amounts(Decimal::ZERO, value).by_law(law(is_icms)));
}

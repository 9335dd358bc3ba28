//! The documents of a run against the digital books (EFD) among its files.
//!
//! The books are read first, in the search for events, and each of their documents becomes a record; then each note that
//! is of a declarant or for one. The records are sorted by access key in temporary files ([`runs`]), so that note and
//! books meet in bounded memory, and the checks see them together: [`BookEntry`] is a document of the books with its note,
//! [`Joined`] all that has one access key, [`BookSums`] what the documents of a book add up to. A check is a function of
//! one of them; its number is that of the table of checks that the project keeps of what paid auditors sell.
//!
//! A line of the books that is not read is reported, and so is a temporary file that cannot be written: neither ends the
//! run. `certo` in the table is an error of the document; what depends on use, on a term or on a file that may be missing
//! is only to be checked.

mod account;
mod books;
mod catalogue;
mod cfop;
mod contributions;
mod coupons;
mod cte;
mod daily;
mod entry;
mod groups;
mod joined;
mod keys;
mod layouts;
mod made;
mod numbers;
mod own;
mod presence;
mod record;
mod row_layouts;
mod rows;
mod runs;
mod states;
mod sums;
mod to_check;
mod totals;
mod unread;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread;

use self::books::Book;
use self::contributions::Treatments;
use self::entry::{BookEntry, CrossedLines};
use self::joined::{CrossedGroups, Joined, decoded};
pub(super) use self::made::CrossedRecord;
use self::made::encoded;
use self::record::{BookDocument, Crossed};
use self::runs::Sorter;
use self::sums::BookSums;
use super::finding::{AuditLine, Certainty};
use super::input::archive::fault;
use crate::base::defect::caught;
use crate::base::value::Date;
use crate::features::calc::in_parallel;
use crate::law::efd::EfdKind;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::nfe::{Contribuinte, FiscalDocument, RegimeDasContribuicoes, XmlFault};
use crate::law::rule::RuleResult;
use crate::law::tax::TaxAnswer;

/// Most products of all books that are kept to be compared with notes.
const MAX_PRODUCTS: usize = 200_000;

/// Most models of documents that a book knows to be among the files.
const MAX_MODELS: usize = 100;

/// The checks of a document of the books, in the order of their lines.
const OF_ENTRY: &[fn(&BookEntry<'_>, &mut CrossedLines)] = &[
    presence::cancelled,
    keys::fields_of_cancelled,
    keys::digit,
    keys::identity,
    keys::day,
    totals::total,
    totals::credit,
    own::amounts,
    groups::items,
    cfop::sense,
    cfop::scope,
    cte::amounts,
    coupons::coupon,
    states::difference,
    contributions::rate,
    contributions::of_sale,
    contributions::of_purchase,
    contributions::without_ground,
    contributions::not_taken,
    to_check::booked_as_cancelled,
    to_check::without_note,
    to_check::period,
    to_check::operations,
    to_check::nature,
    to_check::without_credit,
    to_check::kind_of_product,
];
/// Those for which the rules say what a product is.
const OF_PRODUCTS: &[fn(&BookEntry<'_>, &Treatments, &mut CrossedLines)] =
    &[contributions::taxed, contributions::taxed_credit];
/// The checks of all that has one access key.
const OF_JOINED: &[fn(&Joined<'_>, &mut CrossedLines)] =
    &[presence::missing, cte::missing, cte::carried, keys::twice, to_check::received];
/// The checks of books as a whole.
const OF_BOOK: &[fn(&Book, &BookSums, &mut CrossedLines)] = &[
    account::totals,
    account::payable,
    account::ipi,
    account::ipi_by_cfop,
    unread::unread,
    |book, sums, findings| states::withheld(book, &sums.states, findings),
    |book, sums, findings| states::differences(book, &sums.states, findings),
    |book, sums, findings| {
        let has_totals = sums.notes.is_by_product || book.is_consolidated;
        daily::by_day(book, &sums.coupons, has_totals, findings);
    },
    |_, sums, findings| catalogue::products(&sums.catalogue, findings),
    to_check::without_notes,
    to_check::items,
    to_check::sequence,
    contributions::missing,
    contributions::sales,
    contributions::purchases,
    contributions::free_revenue,
    contributions::owed,
    contributions::withheld,
];

/// What a run crosses.
#[derive(Default)]
pub(super) struct Crossing {
    books: Vec<Book>,
    records: Sorter,
    /// Files that could not be read as books.
    unreadable: Vec<(String, XmlFault)>,
    /// Why a temporary file could not be written: nothing is crossed then.
    failed: Option<io::Error>,
}

impl Crossing {
    /// Reads books among the files.
    pub(super) fn read<E>(&mut self, arquivo: &str, file: File, pause: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let number = u32::try_from(self.books.len()).unwrap_or(u32::MAX);
        let (records, failed) = (&mut self.records, &mut self.failed);
        let take = |key: &str, document: BookDocument<'_>| {
            add(records, failed, key, encoded(&Crossed::Document(Box::new(document))));
        };
        match books::read(arquivo, file, number, take, pause)? {
            Ok(mut book) => {
                let kept: usize = self.books.iter().map(|book| book.products.len()).sum();
                if kept + book.products.len() > MAX_PRODUCTS {
                    book.products = HashMap::new();
                    book.has_too_many_products = true;
                }
                self.books.push(book);
            }
            Err(fault) => self.unreadable.push((arquivo.to_owned(), fault)),
        }
        Ok(())
    }

    /// Decides which books are crossed, after all of them were read: of those of one declarant and period the last one
    /// that replaces another, or else the last one; and none of before the first day of the run.
    pub(super) fn settle(&mut self, desde: Option<Date>) {
        for at in 0..self.books.len() {
            let (before, after) = self.books.split_at_mut(at);
            let Some((book, after)) = after.split_first_mut() else { return };
            let of = |other: &&Book| {
                let (one, other) = (&book.header, &other.header);
                one.kind == other.kind
                    && one.declarant == other.declarant
                    && one.first_day == other.first_day
                    && one.uf == other.uf
            };
            let other = after.iter().filter(of).any(|other| other.header.replaces || !book.header.replaces)
                || before.iter().filter(of).any(|other| other.header.replaces && !book.header.replaces);
            if other {
                book.left_out =
                    Some("outra escrituração do mesmo período a substitui, e é cruzada no lugar dela".into());
            } else if desde.is_some_and(|desde| book.header.first_day < desde) {
                book.left_out = Some("o período dela começa antes do primeiro dia desta conferência".into());
            }
        }
    }

    /// The records of a document of the run, which are made on all cores.
    pub(super) fn records(&self, arquivo: &str, documento: u32, of: &FiscalDocument) -> Vec<CrossedRecord> {
        made::records(&self.books, arquivo, documento, of)
    }

    /// What books say of a company on a day: how it pays PIS and COFINS. Companies of the Simples have no such books.
    pub(super) fn declarant(&self, cnpj: &str, day: Date) -> Option<Contribuinte> {
        let is_of = |book: &&Book| {
            book.header.kind == EfdKind::Contribuicoes
                && book.left_out.is_none()
                && book.has_root_of(cnpj)
                && book.has_day(day)
        };
        let regime_pis_cofins = match self.books.iter().find(is_of)?.regime? {
            1 => Some(RegimeDasContribuicoes::NaoCumulativo),
            2 => Some(RegimeDasContribuicoes::Cumulativo),
            _ => None,
        };
        Some(Contribuinte { regime_pis_cofins, ..Contribuinte::default() })
    }

    pub(super) fn add(&mut self, record: CrossedRecord) {
        for (at, is_own) in record.sides {
            let Some(book) = self.books.get_mut(at) else { continue };
            let [received, own] = &mut book.models;
            let (count, models) = if is_own { (&mut book.notes, own) } else { (&mut book.received, received) };
            *count += 1;
            if models.len() < MAX_MODELS && !models.contains(&record.modelo) {
                models.insert(record.modelo.clone());
            }
        }
        add(&mut self.records, &mut self.failed, &record.key, record.bytes);
    }

    /// Crosses, and gives the lines to `line`, by access key: as many of them at a time, on all cores, as a batch of files
    /// may have, and as many bytes. `pause` is called before each batch, and `ask` for what the rules say of products.
    pub(super) fn finish<E>(
        self,
        most: (usize, usize),
        mut line: impl FnMut(AuditLine) -> Result<(), E>,
        mut pause: impl FnMut() -> Result<(), E>,
        mut ask: impl FnMut(Vec<Arc<EnginePayload>>) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
    ) -> Result<(), E> {
        for (arquivo, fault) in &self.unreadable {
            line(AuditLine::unreadable(arquivo, fault))?;
        }
        if self.books.is_empty() {
            return Ok(());
        }
        for found in self.books.iter().flat_map(unread::of_reading) {
            line(found)?;
        }
        let Crossing { books, records, failed, .. } = self;
        let merged = failed.map_or_else(|| records.sorted(), Err);
        let mut sums: Vec<BookSums> = books.iter().map(|_| BookSums::default()).collect();
        let mut known = Treatments::default();
        let mut sorted = match merged {
            Ok(merged) => CrossedGroups::of(merged),
            Err(error) => return line(failed_line(&error)),
        };
        loop {
            pause()?;
            let batch = match sorted.batch(most) {
                Ok(batch) if batch.is_empty() => break,
                Ok(batch) => batch,
                Err(error) => return line(failed_line(&error)),
            };
            let groups: Vec<Vec<Crossed<'_>>> =
                match in_parallel(&batch, decoded).into_iter().collect::<io::Result<_>>() {
                    Ok(groups) => groups,
                    Err(error) => return line(failed_line(&error)),
                };
            let joined = in_parallel(&groups, |group| Joined::of(&books, group));
            known.learn(joined.iter().flat_map(|joined| &joined.entries), &mut ask)?;
            let findings = of_groups(&joined, &known, &mut sums);
            findings.into_iter().flatten().try_for_each(&mut line)?;
        }
        for (book, sums) in books.iter().zip(&sums).filter(|(book, _)| book.left_out.is_none()) {
            let mut findings = CrossedLines::new();
            for check in OF_BOOK {
                check(book, sums, &mut findings);
            }
            for found in findings {
                line(found)?;
            }
        }
        contributions::revenue(&books, &sums).into_iter().try_for_each(line)
    }
}

fn add(records: &mut Sorter, failed: &mut Option<io::Error>, key: &str, bytes: io::Result<Vec<u8>>) {
    if failed.is_none() {
        *failed = bytes.and_then(|bytes| records.push(key.as_bytes(), &bytes)).err();
    }
}

/// The line that says that the crossing could not be made.
fn failed_line(error: &io::Error) -> AuditLine {
    let detail = format!("o cruzamento com as EFD não pôde ser feito: um arquivo temporário falhou ({error})");
    AuditLine::unreadable("cruzamento", &fault("arquivo_temporario", detail))
}

/// The lines of each group. The groups are added meanwhile; one alone starts no thread.
fn of_groups(joined: &[Joined<'_>], known: &Treatments, sums: &mut [BookSums]) -> Vec<CrossedLines> {
    let mut add = || joined.iter().for_each(|joined| add_to(sums, joined));
    let check = || in_parallel(joined, |joined| of_group(joined, known));
    if joined.len() < 2 {
        add();
        return check();
    }
    thread::scope(|scope| {
        scope.spawn(add);
        check()
    })
}

/// The lines of all that has one access key.
fn of_group(joined: &Joined<'_>, known: &Treatments) -> CrossedLines {
    let check = || {
        let mut findings = CrossedLines::new();
        for entry in &joined.entries {
            let before = findings.len();
            for check in OF_ENTRY {
                check(entry, &mut findings);
            }
            for check in OF_PRODUCTS {
                check(entry, known, &mut findings);
            }
            contributions::value(entry, &joined.services, &mut findings);
            for line in findings.iter_mut().skip(before).filter(|_| !entry.document.is_whole) {
                line.certeza = Some(Certainty::Conferir);
            }
        }
        for check in OF_JOINED {
            check(joined, &mut findings);
        }
        findings
    };
    caught(check).unwrap_or_else(|defect| {
        tracing::error!(%defect, "documents could not be crossed");
        let detail = "o cruzamento falhou por um defeito do programa; avise o operador".to_owned();
        vec![AuditLine::unreadable("cruzamento", &fault("erro_interno", detail))]
    })
}

/// Adds all that has one access key.
fn add_to(sums: &mut [BookSums], joined: &Joined<'_>) {
    for entry in &joined.entries {
        if let Some(sums) = sums.get_mut(usize::try_from(entry.document.book).unwrap_or(usize::MAX)) {
            sums.add(entry);
            if joined.services.is_empty() {
                sums.services.add_unmatched(entry);
            }
        }
    }
    for ((book, sums), number) in joined.books.iter().zip(sums.iter_mut()).zip(0_u32..) {
        let is_booked = joined.entries.iter().any(|entry| entry.document.book == number);
        sums.services.add_withheld(book, &joined.services);
        if !is_booked {
            joined.services.first().iter().for_each(|service| sums.services.add_missing(book, service));
            let other = joined.entries.iter().find(|entry| entry.is_icms("C100") && !entry.is_cancelled());
            sums.notes.add(book, joined.note, other);
            joined.note.iter().for_each(|note| sums.coupons.add_coupon(book, note));
        }
        joined.note.iter().for_each(|note| sums.catalogue.add_note(book, note));
    }
}

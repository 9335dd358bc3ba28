//! CT-e in the books (D100), and the notes that they carry.

use rust_decimal::Decimal;

use super::Joined;
use super::books::Book;
use super::entry::{BookEntry, CrossedLines, differs, line_of_note};
use super::record::{CrossedNote, NoteTotals};
use super::totals::WITH_REFORM;
use crate::features::audit::differences::CENT;
use crate::features::audit::finding::Certainty;
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{d100, d190};
use crate::law::nfe::{DocumentStatus, Transporte};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros D100 e D190";
/// `tpCTe` that annuls the amount of another.
const ANNULMENT: u8 = 2;

impl<'r> CrossedNote<'r> {
    /// A carriage: its buyer is who takes it.
    pub(super) fn of_transport(arquivo: &'r str, documento: u32, cte: &'r Transporte) -> CrossedNote<'r> {
        let [base, _, icms] = cte.icms();
        let totals = NoteTotals {
            nota: cte.prestacao().unwrap_or_default(),
            base: base.unwrap_or_default(),
            icms: icms.unwrap_or_default(),
            ..NoteTotals::default()
        };
        CrossedNote {
            arquivo,
            documento,
            numero: &cte.numero.numero,
            serie: &cte.numero.serie,
            modelo: &cte.modelo,
            emitente: &cte.emitente,
            comprador: &cte.tomador,
            day: cte.day,
            saida: None,
            entrada: false,
            finalidade: cte.tipo,
            crt: cte.crt,
            is_cancelled: cte.status == DocumentStatus::Cancelled,
            is_void: matches!(cte.status, DocumentStatus::Denied | DocumentStatus::Rejected),
            is_authorised: false,
            elsewhere: false,
            totals,
            items: Vec::new(),
        }
    }

    fn is_transport(&self) -> bool {
        matches!(self.modelo, "57" | "67")
    }
}

fn is_of_month(book: &Book, note: &CrossedNote<'_>) -> bool {
    book.left_out.is_none()
        && book.header.kind == EfdKind::IcmsIpi
        && note.day.is_some_and(|day| book.has_day(day))
        && [note.comprador, note.emitente].contains(&book.header.declarant.as_str())
}

/// Check 31: a carriage that the declarant takes, or makes, is in its books. It may be booked in a later month.
pub(super) fn missing(joined: &Joined<'_>, findings: &mut CrossedLines) {
    let is_owed = |note: &&CrossedNote<'_>| {
        note.is_transport() && !note.is_cancelled && !note.is_void && note.finalidade != ANNULMENT
    };
    let Some(note) = joined.note.filter(is_owed) else { return };
    if joined.entries.iter().any(|entry| entry.is_icms("D100")) {
        return;
    }
    let Some(book) = joined.books.iter().find(|book| is_of_month(book, note)) else { return };
    let who = if book.header.declarant == note.emitente { "emitido" } else { "tomado" };
    let (first, last) = (book.header.first_day.dmy(), book.header.last_day.dmy());
    let detail = format!("o CT-e {who} pelo declarante não está na EFD de {first} a {last}");
    let line = line_of_note(book, note, "icms").differing(Certainty::Conferir, "frete_fora_da_efd", detail);
    findings.push(line.by_law(LAW));
}

/// Check 32: total, base and ICMS. Of what the declarant issues they are those of the document; a taker may have no right
/// to the credit, and then books less.
pub(super) fn amounts(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_valid = |note: &&CrossedNote<'_>| note.is_transport() && !note.is_cancelled && !note.is_void;
    let Some(note) = entry.note.filter(is_valid) else { return };
    if !entry.is_icms("D100") || entry.is_cancelled() {
        return;
    }
    let is_own = entry.own.text(d100::IND_EMIT) == "0";
    let is_sure = is_own && note.day.is_some_and(|day| day < WITH_REFORM);
    let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
    let analysed: Vec<Decimal> = entry.all("D190").map(|child| child.record.amount(d190::VL_ICMS)).collect();
    let within = CENT.saturating_mul(Decimal::from(analysed.len()));
    let sum = analysed.iter().fold(Decimal::ZERO, |sum, amount| sum.saturating_add(*amount));
    let own = |at: usize| entry.own.amount(at);
    let cases = [
        (
            "documento",
            "valor_do_documento",
            "VL_DOC não é o valor da prestação (vTPrest)",
            own(d100::VL_DOC),
            note.totals.nota,
        ),
        ("icms", "base_do_frete", "VL_BC_ICMS não é a base do ICMS do CT-e", own(d100::VL_BC_ICMS), note.totals.base),
        ("icms", "icms_do_frete", "VL_ICMS não é o ICMS do CT-e", own(d100::VL_ICMS), note.totals.icms),
    ];
    let before = findings.len();
    for (tributo, codigo, detail, declared, total) in cases {
        let may_be_less = !is_own && tributo == "icms" && declared < total;
        if differs(declared, total) && !may_be_less {
            let line = entry.line(tributo).differing(certainty, codigo, detail);
            findings.push(line.with_amounts(declared, total).by_law(LAW));
        }
    }
    // One error of the document is not repeated for its analysis.
    if is_own && findings.len() == before && sum.saturating_sub(note.totals.icms).abs() > within && !analysed.is_empty()
    {
        let detail = "a soma do ICMS dos D190 não é o ICMS do CT-e";
        let line = entry.line("icms").differing(certainty, "icms_do_frete", detail);
        findings.push(line.with_amounts(sum, note.totals.icms).by_law(LAW));
    }
}

/// Check 33: a note that a carriage of the declarant carries, of a month whose books the run has, and that is neither in
/// them nor among the files.
pub(super) fn carried(joined: &Joined<'_>, findings: &mut CrossedLines) {
    let Some(carrier) = joined.carried.first().filter(|_| joined.note.is_none() && joined.entries.is_empty()) else {
        return;
    };
    let is_of_key = |book: &&Book| {
        let month = book.header.first_day.ordinal() / 100 % 10_000;
        is_of_month(book, &carrier.note)
            && carrier.note.comprador == book.header.declarant
            && carrier.key.get(2..6).and_then(|month| month.parse::<u32>().ok()) == Some(month)
    };
    let Some(book) = joined.books.iter().find(is_of_key) else { return };
    let number = carrier.key.get(25..34).unwrap_or_default().trim_start_matches('0');
    let detail = format!("o CT-e é do frete da NF-e {number}, que não está na EFD nem entre os arquivos");
    let line = line_of_note(book, &carrier.note, "documento").differing(Certainty::Conferir, "frete_sem_nota", detail);
    findings.push(line.by_law(LAW));
}

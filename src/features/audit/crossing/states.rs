//! What the declarant owes to each State beside the ICMS of its own account: what it withheld for later sales (E210), and
//! the difference of rates of its sales to who does not owe ICMS (C101 and E310).

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::books::Book;
use super::entry::{BookEntry, CrossedLines, differs, line_of_book, line_of_register};
use super::own::{certainty, sale};
use super::record::BookLine;
use crate::base::value::{Municipio, Uf};
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::codes::{GrupoCfop, natureza};
use crate::law::efd::icms_ipi::{c100, c101, c190, c590, d100, d590, e200, e210, e310};
use crate::law::efd::{EfdKind, EfdRecord};

const OF_SUBSTITUTION: &str = "Guia Prático da EFD ICMS/IPI, registros E200 e E210, VL_RETENCAO_ST";
const OF_DIFFERENCE: &str = "CF, art. 155, § 2º, VII; Guia Prático da EFD ICMS/IPI, registros C101 e E310";

/// What documents add up to: without those that are booked late, and with them; the same by another reading of them.
#[derive(Debug, Default, Clone, Copy)]
struct SumsOfState([Decimal; 4]);

impl SumsOfState {
    fn add(&mut self, [booked, other]: [Decimal; 2], is_late: bool) {
        let regular = |amount: Decimal| if is_late { Decimal::ZERO } else { amount };
        for (sum, amount) in self.0.iter_mut().zip([regular(booked), booked, regular(other), other]) {
            *sum = sum.saturating_add(amount);
        }
    }

    fn has(self, declared: Decimal) -> bool {
        self.0.iter().any(|sum| !differs(declared, *sum))
    }

    fn first(self) -> Decimal {
        let [first, ..] = self.0;
        first
    }
}

#[derive(Debug, Default)]
struct OwedToState {
    /// With and without what returns have.
    st: SumsOfState,
    /// As the books have them, and as the notes do.
    difal: SumsOfState,
    fcp: SumsOfState,
    /// Part of it is of carriages, whose State the books may have otherwise.
    has_transport: bool,
}

/// What the documents of a book owe to States.
#[derive(Debug, Default)]
pub(super) struct StatesOfBook {
    owed: BTreeMap<Uf, OwedToState>,
    /// There is ICMS-ST, or a difference of rates, whose State is not known.
    has_other_st: bool,
    has_other_difal: bool,
}

impl StatesOfBook {
    pub(super) fn add(&mut self, entry: &BookEntry<'_>) {
        let leaves = |cfop: &str| cfop.starts_with(['5', '6']);
        match entry.own.name() {
            "C500" => {
                let mut groups = entry.all("C590").map(|child| &child.record);
                self.has_other_st |=
                    groups.any(|group| leaves(group.text(c590::CFOP)) && !group.amount(c590::VL_ICMS_ST).is_zero());
            }
            "D500" => self.has_other_st |= !entry.sum("D590", d590::VL_ICMS_UF).is_zero(),
            "D100" if !entry.is_cancelled() => self.add_transport(entry),
            "C100" if !entry.is_cancelled() => self.add_note(entry),
            _ => {}
        }
    }

    /// A carriage that the declarant makes, and that ends in another State.
    fn add_transport(&mut self, entry: &BookEntry<'_>) {
        let amounts = booked(entry, "D101");
        if entry.own.text(d100::IND_OPER) != "1" || amounts.iter().all(Decimal::is_zero) {
            return;
        }
        let Some(uf) = uf_of(entry.own.text(d100::COD_MUN_DEST)) else {
            self.has_other_difal = true;
            return;
        };
        let is_late = matches!(entry.situation(), "01" | "07");
        let ([difal, fcp], owed) = (amounts, self.owed.entry(uf).or_default());
        owed.difal.add([difal; 2], is_late);
        owed.fcp.add([fcp; 2], is_late);
        owed.has_transport = true;
    }

    fn add_note(&mut self, entry: &BookEntry<'_>) {
        let (mut st, mut sold) = (Decimal::ZERO, Decimal::ZERO);
        for group in entry.all("C190").map(|child| &child.record) {
            let (cfop, amount) = (group.text(c190::CFOP), group.amount(c190::VL_ICMS_ST));
            let leaves = cfop.starts_with(['5', '6']);
            let is_return = natureza(cfop).is_some_and(|of| of.grupo == GrupoCfop::Devolucao);
            st = if leaves { st.saturating_add(amount) } else { st };
            sold = if leaves && !is_return { sold.saturating_add(amount) } else { sold };
        }
        let is_sale = entry.own.text(c100::IND_OPER) == "1";
        let of_book = booked(entry, "C101").map(|amount| if is_sale { amount } else { Decimal::ZERO });
        let of_note = sale(entry).map_or(of_book, |note| [note.totals.difal, note.totals.fcp_destino]);
        let has_difal = [of_book, of_note].iter().flatten().any(|amount| !amount.is_zero());
        if st.is_zero() && sold.is_zero() && !has_difal {
            return;
        }
        let Some(uf) = entry.document.participant.as_ref().and_then(|of| uf_of(of.municipio)) else {
            self.has_other_st |= !st.is_zero();
            self.has_other_difal |= has_difal;
            return;
        };
        self.has_other_st |= entry.all("C105").next().is_some();
        let is_late = matches!(entry.situation(), "01" | "07");
        let owed = self.owed.entry(uf).or_default();
        owed.st.add([st, sold], is_late);
        let ([difal, fcp], [difal_of_note, fcp_of_note]) = (of_book, of_note);
        owed.difal.add([difal, difal_of_note], is_late);
        owed.fcp.add([fcp, fcp_of_note], is_late);
    }
}

/// The difference of rates and the fund of the State of destination, as the books have them. The fields of D101 are those
/// of C101.
fn booked(entry: &BookEntry<'_>, register: &str) -> [Decimal; 2] {
    [c101::VL_ICMS_UF_DEST, c101::VL_FCP_UF_DEST].map(|at| entry.sum(register, at))
}

/// The State of a code of a city, as books write it.
fn uf_of(municipio: &str) -> Option<Uf> {
    municipio.parse().ok().and_then(Municipio::of_ibge_code).map(Municipio::uf)
}

/// Check 27: the difference of rates that a note charges is in its C101.
pub(super) fn difference(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = sale(entry).filter(|note| note.modelo == "55") else { return };
    let charged = [note.totals.difal, note.totals.fcp_destino];
    let names = ["o ICMS (VL_ICMS_UF_DEST)", "o FCP (VL_FCP_UF_DEST)"];
    let wrong = names.into_iter().zip(booked(entry, "C101").into_iter().zip(charged));
    let Some((name, (declared, charged))) = wrong.into_iter().find(|(_, (one, other))| differs(*one, *other)) else {
        return;
    };
    let child = entry.all("C101").next();
    let detail = match child {
        None => "a nota cobra o DIFAL do Estado de destino, e a EFD não o tem: falta o C101".to_owned(),
        Some(_) => format!("{name} do Estado de destino no C101 não é o da nota"),
    };
    let tributo = "icms_consumidor_final";
    let line = child.map_or_else(|| entry.line(tributo), |child| entry.line_of(child, tributo));
    let line = line.differing(certainty(note), "difal_na_efd", detail);
    findings.push(line.with_amounts(declared, charged).by_law(OF_DIFFERENCE));
}

/// The accounts of the States: each with its line, after the record of its period, which names the State.
type Accounts<'b> = BTreeMap<Uf, Vec<(&'b BookLine, EfdRecord<'b>)>>;

fn accounts<'b>(book: &'b Book, period: &str, account: &str) -> Accounts<'b> {
    let (mut found, mut uf) = (Accounts::new(), None);
    for (line, record) in book.records() {
        if record.name() == period {
            uf = Uf::from_abbreviation(record.text(e200::UF));
        } else if let Some(uf) = uf.filter(|_| record.name() == account) {
            found.entry(uf).or_default().push((line, record));
        }
    }
    found
}

/// The sum of a field of the accounts of a State, and a line about the first of them.
fn account(
    book: &Book,
    accounts: &Accounts<'_>,
    uf: Uf,
    (register, tributo, at): (&str, &'static str, usize),
) -> (Decimal, AuditLine) {
    let of_state = accounts.get(&uf).map(Vec::as_slice).unwrap_or_default();
    let total = of_state.iter().fold(Decimal::ZERO, |sum, (_, record)| sum.saturating_add(record.amount(at)));
    let first = of_state.first().map(|(line, _)| *line);
    let line = match first {
        Some(_) => line_of_book(book, first, tributo),
        None => line_of_register(book, register, tributo),
    };
    (total, line)
}

/// Whether the sums of the documents are those of the whole book.
fn is_whole(book: &Book) -> bool {
    book.header.kind == EfdKind::IcmsIpi && !book.is_partial
}

/// Check 26: what was withheld as ICMS-ST for a State is in its account.
pub(super) fn withheld(book: &Book, states: &StatesOfBook, findings: &mut CrossedLines) {
    if !is_whole(book) || states.has_other_st {
        return;
    }
    let accounts = accounts(book, "E200", "E210");
    for uf in accounts.keys().chain(states.owed.keys()).copied().collect::<BTreeSet<_>>() {
        let owed = states.owed.get(&uf).map(|owed| owed.st).unwrap_or_default();
        let (declared, line) = account(book, &accounts, uf, ("E210", "icms_st", e210::VL_RETENCAO_ST));
        if owed.has(declared) {
            continue;
        }
        let uf_name = uf.as_str();
        let detail = if accounts.contains_key(&uf) {
            format!("o ICMS-ST retido para {uf_name} (VL_RETENCAO_ST) não é o dos documentos da EFD (C190)")
        } else {
            format!("os documentos da EFD retêm ICMS-ST para {uf_name}, e ela não tem a apuração desse Estado (E210)")
        };
        let line = line.differing(Certainty::ErroDoDocumento, "st_da_apuracao", detail);
        findings.push(line.with_amounts(declared, owed.first()).by_law(OF_SUBSTITUTION));
    }
}

/// Check 27: the difference of rates of a State is in its account. Where the declarant is inscribed it may have the account
/// in another file. The records of before 2017 have other places.
pub(super) fn differences(book: &Book, states: &StatesOfBook, findings: &mut CrossedLines) {
    let accounts = accounts(book, "E300", "E310");
    if !is_whole(book) || states.has_other_difal || accounts.values().flatten().any(is_old) {
        return;
    }
    let all = accounts.keys().chain(states.owed.keys()).copied().collect::<BTreeSet<_>>();
    for uf in all.into_iter().filter(|uf| book.header.uf != Some(*uf)) {
        let (difal, fcp) = states.owed.get(&uf).map(|owed| (owed.difal, owed.fcp)).unwrap_or_default();
        let sides = [("o DIFAL", difal, e310::VL_TOT_DEBITOS_DIFAL), ("o FCP", fcp, e310::VL_TOT_DEB_FCP)];
        for (what, owed, at) in sides {
            let (declared, line) = account(book, &accounts, uf, ("E310", "icms_consumidor_final", at));
            if owed.has(declared) {
                continue;
            }
            let has_account = accounts.contains_key(&uf);
            let has_transport = states.owed.get(&uf).is_some_and(|owed| owed.has_transport);
            let is_sure = has_account && !has_transport;
            let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
            let uf = uf.as_str();
            let detail = if has_account {
                format!("{what} devido a {uf} na apuração (E310) não é o dos documentos da EFD (C101 e D101)")
            } else {
                format!("os documentos da EFD têm {what} devido a {uf}, e ela não tem a apuração desse Estado (E310)")
            };
            let line = line.differing(certainty, "difal_da_apuracao", detail);
            findings.push(line.with_amounts(declared, owed.first()).by_law(OF_DIFFERENCE));
        }
    }
}

/// The records of before 2017, or of before the fund, have other places.
fn is_old((_, record): &(&BookLine, EfdRecord<'_>)) -> bool {
    record.text(e310::DEB_ESP_FCP).is_empty()
}

/// Which accounts of States are not compared, and why.
pub(super) fn not_compared(book: &Book, states: &StatesOfBook) -> Vec<&'static str> {
    let is_old = || book.all("E310").any(|account| is_old(&account));
    let reasons = [
        (
            is_whole(book) && states.has_other_st,
            "o ICMS-ST por Estado (E210) não foi comparado: há ICMS-ST de documento cujo Estado a EFD não diz com certeza (C105, C500, D500, ou participante sem município)",
        ),
        (
            is_whole(book) && states.has_other_difal,
            "o DIFAL por Estado (E310) não foi comparado: há DIFAL de documento cujo Estado de destino a EFD não diz",
        ),
        (
            is_whole(book) && !states.has_other_difal && is_old(),
            "o DIFAL por Estado (E310) não foi comparado: o registro não tem os campos do FCP, de 2017 em diante",
        ),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()
}

//! The CFOP of the books against the sense and the States of the document.

use std::collections::BTreeSet;

use super::entry::{BookEntry, Child, CrossedLines};
use super::totals::{is_entry, is_own};
use crate::base::value::{Municipio, Uf};
use crate::features::audit::access_key::FIRST_OF_OTHERS;
use crate::features::audit::finding::Certainty;
use crate::law::efd::icms_ipi::{c100, c170, c190};

const LAW: &str = "Convênio S/Nº de 1970, Anexo CFOP; Guia Prático da EFD ICMS/IPI, registros C170 e C190";

/// The records with a CFOP that is wrong, the first of each CFOP.
fn wrong<'s>(
    entry: &'s BookEntry<'_>,
    is_wrong: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (&'s Child<'s>, &'s str)> {
    let mut seen = BTreeSet::new();
    let cfop = |child: &'s Child<'s>| match child.record.name() {
        "C190" => Some((child, child.record.text(c190::CFOP))),
        "C170" => Some((child, child.record.text(c170::CFOP))),
        _ => None,
    };
    entry
        .children
        .iter()
        .filter_map(cfop)
        .filter(move |(_, cfop)| cfop.len() == 4 && is_wrong(cfop) && seen.insert(*cfop))
}

/// Check 19: an entry has a CFOP of entries (1, 2, 3), a sale one of 5, 6, 7; a sale by NFC-e is within the State.
pub(super) fn sense(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !entry.is_icms("C100") || entry.is_cancelled() {
        return;
    }
    let fits = |cfop: &str| match (is_entry(entry), entry.own.text(c100::COD_MOD)) {
        (true, _) => cfop.starts_with(['1', '2', '3']),
        (false, "65") => cfop.starts_with('5'),
        (false, _) => cfop.starts_with(['5', '6', '7']),
    };
    for (child, cfop) in wrong(entry, |cfop| !fits(cfop)) {
        let what = if is_entry(entry) { "uma entrada" } else { "uma saída" };
        let detail = format!("o CFOP {cfop} não é de {what} deste documento");
        let line = entry.line_of(child, "icms").differing(Certainty::ErroDoDocumento, "cfop_e_sentido", detail);
        findings.push(line.by_law(LAW));
    }
}

/// The State of a key, by the digits of its issuer's.
fn is_of_uf(key: &str, uf: Uf) -> Option<bool> {
    let code = Municipio::of_uf(uf).next()?.ibge_code() / 100_000;
    Some(key.get(..2)?.parse::<u32>().ok()? == code)
}

/// Check 21: an entry from another State has a CFOP of 2, one from the same State of 1. A note that the State issued
/// itself, and goods that leave from another place than the seller's, have States of their own.
pub(super) fn scope(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_taken = entry.is_icms("C100") && !entry.is_cancelled() && is_entry(entry) && !is_own(entry);
    let series = entry.key().get(22..25).and_then(|series| series.parse::<u32>().ok());
    let uf = entry.book.header.uf.filter(|_| is_taken && series.is_some_and(|series| series < FIRST_OF_OTHERS));
    let Some(is_internal) = uf.and_then(|uf| is_of_uf(entry.key(), uf)) else { return };
    let other = if is_internal { '2' } else { '1' };
    for (child, cfop) in wrong(entry, |cfop| cfop.starts_with(other)) {
        let from = if is_internal { "do mesmo Estado" } else { "de outro Estado" };
        let detail = format!("o CFOP {cfop} não é de entrada {from}, que é o do emitente da nota");
        let certainty =
            if entry.note.is_none_or(|note| note.elsewhere) { Certainty::Conferir } else { Certainty::ErroDoDocumento };
        let line = entry.line_of(child, "icms").differing(certainty, "cfop_e_ambito", detail);
        findings.push(line.by_law(LAW));
    }
}

//! Access keys in the books: their digit, what they say of the document, and documents that occur twice.

use super::Joined;
use super::entry::{BookEntry, CrossedLines};
use super::record::CrossedNote;
use crate::features::audit::access_key::{FIRST_OF_OTHERS, is_well_formed};
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::EfdKind;
use crate::law::efd::icms_ipi::{c100, d100};

const LAW: &str = "Guia Prático da EFD ICMS/IPI, registros C100 e D100";
/// From this layout on (2027) keys may have the letters of a CNPJ.
const WITH_LETTERS: u16 = 21;
/// Fields of a cancelled document.
const OF_CANCELLED: [usize; 8] =
    [c100::REG, c100::IND_OPER, c100::IND_EMIT, c100::COD_MOD, c100::COD_SIT, c100::SER, c100::NUM_DOC, c100::CHV_NFE];

fn sure(line: AuditLine, codigo: &'static str, detail: impl Into<String>) -> AuditLine {
    line.differing(Certainty::ErroDoDocumento, codigo, detail).by_law(LAW)
}

/// Check 6: a cancelled document has the fields that identify it, and no other.
pub(super) fn fields_of_cancelled(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !entry.is_icms("C100") || !entry.is_cancelled() {
        return;
    }
    let further = entry.own.filled().find(|at| !OF_CANCELLED.contains(at));
    let detail = match (further, entry.children.first()) {
        (Some(at), _) => format!("um documento cancelado só tem os campos que o identificam, e este tem o campo {at}"),
        (None, Some(child)) => {
            format!("um documento cancelado não tem registros filhos, e este tem {}", child.record.name())
        }
        (None, None) => return,
    };
    findings.push(sure(entry.line("documento"), "campos_de_cancelado", detail));
}

/// Whether the books may have keys of that model in the record.
fn is_keyed(entry: &BookEntry<'_>) -> bool {
    entry.is_icms("C100") || entry.is_icms("D100")
}

/// Check 8: the last digit of the key.
pub(super) fn digit(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let key = entry.key();
    if !is_keyed(entry) || key.is_empty() {
        return;
    }
    let has_letters = key.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_letters && entry.book.header.version < WITH_LETTERS {
        return;
    }
    if !is_well_formed(key) {
        let detail = "a chave de acesso não existe: o dígito verificador dela está errado";
        findings.push(sure(entry.line("documento"), "digito_da_chave", detail));
    }
}

/// Check 7: the key has the model, the series, the number and the issuer that the record says. Of what the declarant issues
/// the root of the CNPJ is enough.
pub(super) fn identity(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let (key, layout) = (entry.key(), entry.layout());
    if !is_keyed(entry) || key.len() != 44 {
        return;
    }
    let [model, emitter] =
        if entry.is_icms("C100") { [c100::COD_MOD, c100::IND_EMIT] } else { [d100::COD_MOD, d100::IND_EMIT] };
    let part = |from: usize, to: usize| key.get(from..to).unwrap_or_default();
    let number = |text: &str| text.parse::<u32>().unwrap_or_default();
    let own = |at: usize| entry.own.text(at);
    let series = number(part(22, 25));
    let wrong = [
        ("o modelo", part(20, 22) != own(model)),
        ("a série", series != number(own(layout.series))),
        ("o número", number(part(25, 34)) != number(own(layout.number))),
        ("o emitente", series < FIRST_OF_OTHERS && !has_issuer(entry, part(6, 20), own(emitter) == "0")),
    ];
    let wrong: Vec<&str> = wrong.into_iter().filter(|(_, is_wrong)| *is_wrong).map(|(what, _)| what).collect();
    if !wrong.is_empty() {
        let detail = format!("a chave de acesso diz {} de outro documento", wrong.join(" e "));
        findings.push(sure(entry.line("documento"), "chave_e_registro", detail));
    }
}

/// Whether the issuer in a key is the declarant, or the participant; true if the books do not say who it is.
fn has_issuer(entry: &BookEntry<'_>, issuer: &str, is_own: bool) -> bool {
    if is_own {
        return entry.book.has_root_of(issuer) || entry.book.header.declarant.len() != 14;
    }
    let number = entry.document.participant.as_ref().map(|participant| participant.number);
    number.is_none_or(|number| number.is_empty() || format!("{number:0>14}") == issuer)
}

/// Check 11: the day of the document is that of its note or CT-e.
pub(super) fn day(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let is_valid = |note: &&CrossedNote<'_>| is_keyed(entry) && !note.is_cancelled && !note.is_void;
    let Some(note) = entry.note.filter(is_valid).filter(|_| !entry.is_cancelled()) else { return };
    let (Some(booked), Some(issued)) = (entry.own.day(entry.layout().day), note.day) else { return };
    if booked != issued {
        let detail = format!("a data de emissão é {} na EFD, e {} no XML", booked.dmy(), issued.dmy());
        findings.push(sure(entry.line("documento"), "data_de_emissao", detail));
    }
}

/// Check 9: a document twice in the books of a declarant. Complementary and late documents have another situation.
pub(super) fn twice(joined: &Joined<'_>, findings: &mut CrossedLines) {
    let regular = |entry: &&BookEntry<'_>| {
        entry.book.header.kind == EfdKind::IcmsIpi
            && is_keyed(entry)
            && entry.key().len() == 44
            && matches!(entry.situation(), "00" | "08")
    };
    let mut before: Vec<&BookEntry<'_>> = Vec::new();
    for entry in joined.entries.iter().filter(regular) {
        let declarant = &entry.book.header.declarant;
        let Some(first) = before.iter().find(|other| other.book.header.declarant == *declarant) else {
            before.push(entry);
            continue;
        };
        let same_file = first.document.book == entry.document.book;
        let place = if same_file { String::new() } else { format!(" de {}", first.book.arquivo) };
        let detail = format!("o mesmo documento já está na linha {}{place}", first.first_line);
        findings.push(sure(entry.line("documento"), "documento_em_duas_linhas", detail));
    }
}

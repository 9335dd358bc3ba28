//! The access key of a note against the note (MOC, Anexo I, field A03; rejection 502).

use super::finding::{AuditLine, Certainty, Explanation, Layer};
use crate::base::value::Date;
use crate::law::nfe::NotaFiscal;

/// Characters of a key.
const LENGTH: usize = 44;
/// From this series on a note is issued by the State, or by a natural person.
pub(super) const FIRST_OF_OTHERS: u32 = 890;

/// The check digit of a key: the remainder by 11 with the weights 2 to 9 from the right, letters by their place in ASCII
/// from that of zero.
fn check_digit(key: &str) -> Option<u8> {
    let digits = key.bytes().rev().skip(1).zip((2..=9).cycle());
    let sum = digits.map(|(byte, weight)| Some(u32::from(byte.checked_sub(b'0')?) * weight)).sum::<Option<u32>>()?;
    u8::try_from(11 - sum % 11).ok().map(|digit| if digit > 9 { 0 } else { digit })
}

/// Whether a key has its length, and the digit that the others give.
pub(super) fn is_well_formed(key: &str) -> bool {
    key.len() == LENGTH && check_digit(key).is_some_and(|digit| key.ends_with(char::from(b'0' + digit)))
}

/// What the note contradicts in its key. No note is authorised with another, so that the file is a copy that was altered, as
/// one without names is, or of no note at all. No tax of it is wrong for that: it is to be checked.
pub(super) fn of_document(nota: &NotaFiscal, day: Date, line: &AuditLine) -> Option<AuditLine> {
    let key = nota.key.as_str();
    // A CF-e has a number of its device in the place of series and number.
    if key.is_empty() || !matches!(nota.modelo.as_str(), "55" | "65") {
        return None;
    }
    let line = line.clone().in_layer(Layer::Coerencia, "documento");
    let wrong = contradicted(nota, day, key);
    let right = is_well_formed(key);
    let (codigo, detail) = match wrong.as_slice() {
        _ if key.len() != LENGTH => {
            ("digito_da_chave", format!("a chave de acesso tem {} caracteres, e não {LENGTH}", key.len()))
        }
        [] if right => return None,
        [] => ("digito_da_chave", "a chave de acesso não existe: o dígito verificador dela está errado".to_owned()),
        wrong => ("chave_e_documento", format!("a chave de acesso não é a do documento: difere {}", wrong.join(", "))),
    };
    let explicacao = (key.len() == LENGTH).then(|| why(key, right, !wrong.is_empty())).flatten();
    Some(AuditLine {
        explicacao,
        ..line.differing(Certainty::Conferir, codigo, detail).by_law("MOC 7.0, Anexo I, campo A03")
    })
}

/// The parts of the key that are not those of the note.
fn contradicted(nota: &NotaFiscal, day: Date, key: &str) -> Vec<&'static str> {
    let part = |from: usize, to: usize| key.get(from..to).unwrap_or_default();
    let number = |text: &str| text.parse::<u32>().ok();
    let differs = |text: &str, part: &str| number(text).zip(number(part)).is_some_and(|(one, other)| one != other);
    let series = number(part(22, 25));
    let month = day.ordinal() / 100 % 10_000;
    let own = series.is_none_or(|series| series < FIRST_OF_OTHERS) && !nota.emitente.is_empty();
    let checks = [
        ("a UF", differs(nota.municipio.get(..2).unwrap_or_default(), part(0, 2))),
        ("o mês da emissão", number(part(2, 6)) != Some(month)),
        ("o emitente", own && format!("{:0>14}", nota.emitente) != part(6, 20)),
        ("o modelo", nota.modelo != part(20, 22)),
        ("a série", differs(&nota.numero.serie, part(22, 25))),
        ("o número", differs(&nota.numero.numero, part(25, 34))),
    ];
    checks.into_iter().filter(|(_, is_wrong)| *is_wrong).map(|(what, _)| what).collect()
}

/// Whether the key or the document was changed.
fn why(key: &str, right: bool, contradicted: bool) -> Option<Explanation> {
    let (codigo, detalhe) = match (right, contradicted) {
        (true, true) => (
            "documento_alterado",
            "a chave está certa em si, pelo dígito: o documento é que é outro, ou foi alterado".to_owned(),
        ),
        (false, true) => {
            ("chave_inventada", "o dígito verificador também está errado: a chave não é de nota nenhuma".to_owned())
        }
        _ => ("digito_certo", format!("com os outros 43 o dígito seria {}", check_digit(key)?)),
    };
    Some(Explanation { codigo, detalhe })
}

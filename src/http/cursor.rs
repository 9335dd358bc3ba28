//! The cursor of a page, as the page before it gives it (contract, section 8).

use super::query::parameter;
use crate::base::document::{Field, Shape};

/// The place where a page starts.
pub(crate) const CURSOR: Field = parameter(
    "cursor",
    "Onde a página começa: o cursor que a anterior deu",
    Shape::Code { name: "o cursor de uma página anterior", pattern: "^c[0-9a-f]{1,16}$", example: "c64" },
    None,
);

/// Reads a cursor of an earlier page.
pub(crate) fn read(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix('c').and_then(|digits| u64::from_str_radix(digits, 16).ok());
    // Only the form that [`write`] writes: no sign, no leading zero, no capital letter.
    number
        .filter(|number| write(*number) == text)
        .ok_or_else(|| "O cursor não é um que este serviço deu; comece da primeira página.".to_owned())
}

pub(crate) fn write(number: u64) -> String {
    format!("c{number:x}")
}

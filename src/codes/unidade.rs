//! Fiscal units of the States, by the days on which they have a value.

use serde::Serialize;

use crate::value::{Date, Uf, parse_decimal};

/// The value of a fiscal unit on some days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnidadeFiscal {
    /// The State.
    pub uf: Uf,
    /// What the State calls it, such as `UFESP`.
    pub nome: &'static str,
    /// First day.
    pub vigente_de: Date,
    /// First day on which the value no longer applies.
    pub vigente_ate: Date,
    /// In BRL, a decimal.
    pub valor: &'static str,
    /// The act that sets it.
    pub ato: &'static str,
}

/// Reads the lines `uf;nome;vigente_de;vigente_ate;valor;ato`. Lines that begin with `#` are comments; a line with a
/// fault is left out.
pub(super) fn read(text: &'static str) -> Vec<UnidadeFiscal> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
}

fn line(line: &'static str) -> Option<UnidadeFiscal> {
    let mut cells = line.splitn(6, ';');
    Some(UnidadeFiscal {
        uf: Uf::from_abbreviation(cells.next()?)?,
        nome: cells.next()?,
        vigente_de: Date::parse(cells.next()?).ok()?,
        vigente_ate: Date::parse(cells.next()?).ok()?,
        valor: cells.next().filter(|text| parse_decimal(text).is_ok())?,
        ato: cells.next()?,
    })
}

//! Fiscal units of the States, by the days on which they have a value.

use serde::Serialize;

use super::FaultyLine;
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

/// Reads the lines `uf;nome;vigente_de;vigente_ate;valor;ato`; those that begin with `#` are comments. Fails at the
/// first faulty line.
pub fn read(text: &'static str) -> Result<Vec<UnidadeFiscal>, FaultyLine> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(at, text)| line(text).ok_or_else(|| FaultyLine { line: at + 1, text: text.to_owned() })).collect()
}

fn line(line: &'static str) -> Option<UnidadeFiscal> {
    let [uf, nome, from, until, valor, ato] = line.split(';').collect::<Vec<_>>().try_into().ok()?;
    let (vigente_de, vigente_ate) = (Date::parse(from).ok()?, Date::parse(until).ok()?);
    let whole = vigente_de < vigente_ate && parse_decimal(valor).is_ok() && !nome.is_empty() && !ato.is_empty();
    let uf = Uf::from_abbreviation(uf)?;
    whole.then_some(UnidadeFiscal { uf, nome, vigente_de, vigente_ate, valor, ato })
}

//! The goods of the Imposto Seletivo (LC 214/2025, Anexo XVII). No act sets its rates, so there is nothing to calculate.

use std::sync::LazyLock;

use super::lines::read_lines;
use super::ncms::Ncms;
use super::{FaultyLine, file};
use crate::base::value::{Conferencia, Date, Ex, Ncm};

/// A line of the annex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BemSeletivo {
    pub categoria: &'static str,
    /// What the goods must be beside the code; empty if the code decides.
    pub condicao: &'static str,
    pub citacao_legal: &'static str,
    pub vigente_de: Date,
    pub conferencia: Conferencia,
    ncms: Ncms,
}

/// Reads the lines; those that begin with `#` are comments. Fails at the first faulty line.
pub fn read(text: &'static str) -> Result<Vec<BemSeletivo>, FaultyLine> {
    read_lines(text, line)
}

fn line(line: &'static str) -> Option<BemSeletivo> {
    let [ncm, except, from, categoria, conferencia, citacao_legal, condicao] =
        line.split(';').collect::<Vec<_>>().try_into().ok()?;
    let conferencia = Conferencia::from_word(conferencia)?;
    let (vigente_de, ncms) = (Date::parse(from).ok()?, Ncms::read(ncm, except)?);
    Some(BemSeletivo { categoria, condicao, citacao_legal, vigente_de, conferencia, ncms })
}

/// The line of the annex that names the product; `None` if none does.
pub fn bem_seletivo(ncm: &Ncm, ex: Option<Ex>) -> Option<&'static BemSeletivo> {
    // A unit test reads the file, so that none with a faulty line is built in.
    static ALL: LazyLock<Vec<BemSeletivo>> = LazyLock::new(|| read(file("imposto_seletivo")).unwrap_or_default());
    ALL.iter().find(|bem| bem.ncms.has(ncm, ex))
}

//! The texts of the tariff exceptions (Ex) of the TIPI. A rule has the number of one alone; a person chooses it by its text.

use std::sync::LazyLock;

use serde::Serialize;

use super::lines::read_lines;
use super::{FaultyLine, file};
use crate::base::value::{Ex, Ncm};

/// A tariff exception of an NCM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExDaTipi {
    #[serde(skip)]
    pub ncm: Ncm,
    pub ex: Ex,
    /// Ends in `…` if the copy that was read cuts it off.
    pub texto: &'static str,
}

/// Reads the lines; those that begin with `#` are comments. Fails at the first faulty line.
pub fn read(text: &'static str) -> Result<Vec<ExDaTipi>, FaultyLine> {
    read_lines(text, line)
}

fn line(line: &'static str) -> Option<ExDaTipi> {
    let [ncm, number, texto] = line.splitn(3, ';').collect::<Vec<_>>().try_into().ok()?;
    let (ncm, ex) = (Ncm::parse(ncm).ok()?, Ex::parse(number).ok()?);
    (ex.as_str() == number && !texto.is_empty()).then_some(ExDaTipi { ncm, ex, texto })
}

/// The exceptions of an NCM, in the order of their numbers; none if the table has none.
pub fn exs_of(ncm: &Ncm) -> &'static [ExDaTipi] {
    // A unit test reads the file, so that none with a faulty line is built in, and that its lines are in order.
    static ALL: LazyLock<Vec<ExDaTipi>> = LazyLock::new(|| read(file("ex_tipi")).unwrap_or_default());
    let from = ALL.get(ALL.partition_point(|one| one.ncm < *ncm)..).unwrap_or_default();
    from.split(|one| one.ncm != *ncm).next().unwrap_or_default()
}

/// The text of a tariff exception; `None` if the table does not have it.
pub fn texto_do_ex(ncm: &Ncm, ex: Ex) -> Option<&'static str> {
    exs_of(ncm).iter().find(|one| one.ex == ex).map(|one| one.texto)
}

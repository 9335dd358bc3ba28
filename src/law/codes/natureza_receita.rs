//! The nature of a revenue that PIS and COFINS do not tax at their ordinary rates, as the EFD-Contribuições names it
//! (tables 4.3.10 to 4.3.17). The codes say how a revenue is declared; no rate of the tables is here.

use std::sync::LazyLock;

use super::lines::read_lines;
use super::ncms::Ncms;
use super::{FaultyLine, file};
use crate::base::value::{Date, Ex, Ncm};

/// A code of one of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaturezaReceita {
    /// The table, such as `4.3.10`.
    pub tabela: &'static str,
    /// Three digits.
    pub codigo: &'static str,
    pub descricao: &'static str,
    pub vigente_de: Date,
    /// The first day after it; `None` if the table has no end.
    pub vigente_ate: Option<Date>,
    ncms: Ncms,
}

/// The table of single-phase rates.
const MONOFASICAS: &str = "4.3.10";

/// Reads the lines; those that begin with `#` are comments. Fails at the first faulty line.
pub fn read(text: &'static str) -> Result<Vec<NaturezaReceita>, FaultyLine> {
    read_lines(text, line)
}

fn line(line: &'static str) -> Option<NaturezaReceita> {
    let [tabela, codigo, ncm, except, from, until, descricao] =
        line.splitn(7, ';').collect::<Vec<_>>().try_into().ok()?;
    let is_code = codigo.len() == 3 && codigo.bytes().all(|byte| byte.is_ascii_digit());
    if !is_code || !tabela.starts_with("4.3.1") || descricao.is_empty() {
        return None;
    }
    let vigente_ate = if until.is_empty() { None } else { Some(Date::parse(until).ok()?) };
    let (vigente_de, ncms) = (Date::parse(from).ok()?, Ncms::read(ncm, except)?);
    Some(NaturezaReceita { tabela, codigo, descricao, vigente_de, vigente_ate, ncms })
}

/// Every code, in the order of the tables.
pub fn naturezas() -> &'static [NaturezaReceita] {
    // A unit test reads the file, so that none with a faulty line is built in.
    static ALL: LazyLock<Vec<NaturezaReceita>> = LazyLock::new(|| read(file("natureza_receita")).unwrap_or_default());
    &ALL
}

/// The codes of a product on a day: those whose NCM codes have it, before them the code of the resale of its group of
/// single-phase products, which names no NCM.
pub fn naturezas_of(ncm: &Ncm, ex: Option<Ex>, data: Date) -> impl Iterator<Item = &'static NaturezaReceita> {
    let in_force =
        naturezas().iter().filter(move |one| one.vigente_de <= data && one.vigente_ate.is_none_or(|ate| data < ate));
    let named: Vec<_> = in_force.clone().filter(|one| one.ncms.has(ncm, ex)).collect();
    let groups = named.iter().filter(|one| one.tabela == MONOFASICAS).filter_map(|one| one.codigo.get(..1));
    let groups: Vec<&str> = groups.collect();
    let resale = in_force.filter(move |one| one.group_of_resale().is_some_and(|group| groups.contains(&group)));
    resale.chain(named)
}

impl NaturezaReceita {
    /// The group whose resale the code declares: `003` is of those whose codes begin with 3.
    fn group_of_resale(&self) -> Option<&'static str> {
        self.codigo.strip_prefix("00").filter(|_| self.tabela == MONOFASICAS)
    }

    /// True for a code of who resells a single-phase product.
    pub fn is_of_resale(&self) -> bool {
        self.group_of_resale().is_some()
    }
}

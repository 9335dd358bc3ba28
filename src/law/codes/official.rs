//! Which version of an official table the files of codes follow, read from their heads alone.

use super::FILES;
use crate::base::value::Date;

/// The official table that a file of codes follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The file, in `rulesets`.
    pub arquivo: &'static str,
    /// What people call the table.
    pub nome: &'static str,
    /// The act or version.
    pub versao: &'static str,
    /// The day of that version.
    pub data: Date,
    /// What is known to have changed since.
    pub mudancas: Vec<&'static str>,
}

/// Lines of a head that say which version it is, beside those that a table shows.
pub(super) const HEADS: [&str; 4] = ["tabela", "versao", "data", "mudou"];

/// Those of every file that states a day.
pub fn followed() -> impl Iterator<Item = Followed> {
    FILES.iter().filter_map(|(arquivo, text)| {
        let heads = || text.lines().map_while(|line| line.strip_prefix("# ")?.split_once(": "));
        let one = |name: &str| heads().find(|(own, _)| *own == name).map(|(_, value)| value);
        let mudancas = heads().filter(|(name, _)| *name == "mudou").map(|(_, value)| value).collect();
        Some(Followed {
            arquivo,
            nome: one("tabela")?,
            versao: one("versao")?,
            data: Date::parse(one("data")?).ok()?,
            mudancas,
        })
    })
}

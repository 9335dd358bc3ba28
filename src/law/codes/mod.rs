//! The official tables of codes with their texts (NCM, CEST, list of services, cClassTrib, nature of revenue, goods of
//! the Imposto Seletivo), the natures of CFOP, and the dates of an accountant's duties. No calculation reads them: what decides an amount is a rule.
//!
//! The tables are files of `rulesets/tabelas`, compiled in. Each is read at its first use.

mod cest;
mod cfop;
mod natureza;
mod ncms;
mod prazo;
mod search;
mod seletivo;
mod table;
mod words;

use std::sync::LazyLock;

pub use cest::{CestDaLista, SEGMENTOS, read as read_cest_ncm, segmento, segments_of};
pub use cfop::{GrupoCfop, NaturezaCfop, Producao, natureza, read_natureza};
pub use natureza::{NaturezaReceita, naturezas, naturezas_of, read as read_naturezas};
pub use prazo::{Dever, Prazo, TipoPrazo, between as prazos_between, prazos, read as read_prazos};
pub use search::Matches;
pub use seletivo::{BemSeletivo, bem_seletivo, read as read_seletivo};
pub use table::{CodeTable, Codigo, FaultyLine, Followed, followed};

use crate::base::value::Cest;

/// Name and text of every file of `rulesets/tabelas`, sorted by name.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/tabelas.rs"));

crate::vocabulary! {
    pub enum Tabela {
        Ncm = "ncm",
        Cest = "cest",
        Servico = "servico",
        Classificacao = "classificacao",
    }
}

impl Tabela {
    /// The table. A table that has no file is empty.
    #[must_use]
    pub fn table(self) -> &'static CodeTable<'static> {
        static TABLES: [LazyLock<CodeTable<'static>>; 4] = [
            LazyLock::new(|| Tabela::Ncm.read_or_empty()),
            LazyLock::new(|| Tabela::Cest.read_or_empty()),
            LazyLock::new(|| Tabela::Servico.read_or_empty()),
            LazyLock::new(|| Tabela::Classificacao.read_or_empty()),
        ];
        let [ncm, cest, servico, classificacao] = &TABLES;
        match self {
            Tabela::Ncm => ncm,
            Tabela::Cest => cest,
            Tabela::Servico => servico,
            Tabela::Classificacao => classificacao,
        }
    }

    /// Reads its files. Fails at the first faulty line.
    pub fn read(self) -> Result<CodeTable<'static>, FaultyLine> {
        CodeTable::read(self, file(self.as_str()), file(&format!("{}_palavras", self.as_str())))
    }

    /// A unit test reads every table, so that none with a faulty line is built in.
    fn read_or_empty(self) -> CodeTable<'static> {
        self.read().unwrap_or_else(|_| CodeTable::empty(self))
    }

    /// How many digits a code has that a payload may name; shorter ones are headings.
    #[must_use]
    pub const fn digits(self) -> usize {
        match self {
            Tabela::Ncm => 8,
            Tabela::Cest => 7,
            Tabela::Servico => 4,
            Tabela::Classificacao => 6,
        }
    }

    /// The code as payloads write it: a subitem of the list of services, stored as `0107`, is `1.07`.
    #[must_use]
    pub fn written(self, digits: &str) -> String {
        let parts = (self == Tabela::Servico).then(|| digits.split_at_checked(2)).flatten();
        match parts {
            Some((item, "")) => item.trim_start_matches('0').to_owned(),
            Some((item, subitem)) => format!("{}.{subitem}", item.trim_start_matches('0')),
            None => digits.to_owned(),
        }
    }
}

fn file(name: &str) -> &'static str {
    let found =
        FILES.iter().find(|(path, _)| path.strip_prefix("tabelas/").is_some_and(|p| p == format!("{name}.csv")));
    found.map_or("", |(_, text)| text)
}

/// The national list of goods that may be under ICMS substitution.
#[must_use]
pub fn cest_ncm() -> &'static [CestDaLista] {
    // A unit test reads the file, so that none with a faulty line is built in.
    static LIST: LazyLock<Vec<CestDaLista>> = LazyLock::new(|| read_cest_ncm(file("cest_ncm")).unwrap_or_default());
    &LIST
}

/// What the national list has of the CEST.
#[must_use]
pub fn cest_da_lista(cest: Cest) -> Option<&'static CestDaLista> {
    let list = cest_ncm();
    list.get(list.binary_search_by(|item| item.cest.cmp(&cest)).ok()?)
}

/// True if the CEST has left the table of October 2026.
#[must_use]
pub fn has_left(cest: Cest) -> bool {
    cest_da_lista(cest).is_some_and(|item| item.saiu)
}

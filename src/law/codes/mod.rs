//! The official tables of codes with their texts (NCM, CEST, list of services, cClassTrib, CFOP, CST, NBS, nature of
//! revenue, goods of the Imposto Seletivo, tariff exceptions), the natures of CFOP, and the dates of an accountant's duties. No amount depends on them: what decides one is a rule.
//!
//! The tables are files of `rulesets/tabelas`, compiled in. Each is read at its first use.

mod cest;
mod cfop;
mod ex;
mod lines;
mod natureza_receita;
mod ncms;
mod prazo;
mod search;
mod seletivo;
mod table;
mod words;

use std::sync::LazyLock;

pub use cest::{CestDaLista, SEGMENTOS, read as read_cest_ncm, segmento, segments_of};
pub use cfop::{GrupoCfop, NaturezaCfop, Producao, natureza, read_natureza};
pub use ex::{ExDaTipi, exs_of, read as read_exs, texto_do_ex};
pub use lines::FaultyLine;
pub use natureza_receita::{NaturezaReceita, naturezas, naturezas_of, read as read_naturezas};
pub use prazo::{Dever, Prazo, TipoPrazo, between as prazos_between, prazos, read as read_prazos};
pub use search::Matches;
pub use seletivo::{BemSeletivo, bem_seletivo, read as read_seletivo};
pub use table::{CodeTable, Codigo, Followed, followed};

use crate::base::value::Cest;

/// Name and text of every file of `rulesets/tabelas`, sorted by name.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/tabelas.rs"));

crate::vocabulary! {
    pub enum Tabela {
        Ncm = "ncm",
        Cest = "cest",
        Servico = "servico",
        Classificacao = "classificacao",
        Cfop = "cfop",
        Cst = "cst",
        Nbs = "nbs",
    }
}

impl Tabela {
    /// The table. A table that has no file is empty.
    pub fn table(self) -> &'static CodeTable<'static> {
        static TABLES: [LazyLock<CodeTable<'static>>; 7] = [
            LazyLock::new(|| Tabela::Ncm.read_or_empty()),
            LazyLock::new(|| Tabela::Cest.read_or_empty()),
            LazyLock::new(|| Tabela::Servico.read_or_empty()),
            LazyLock::new(|| Tabela::Classificacao.read_or_empty()),
            LazyLock::new(|| Tabela::Cfop.read_or_empty()),
            LazyLock::new(|| Tabela::Cst.read_or_empty()),
            LazyLock::new(|| Tabela::Nbs.read_or_empty()),
        ];
        let [ncm, cest, servico, classificacao, cfop, cst, nbs] = &TABLES;
        match self {
            Tabela::Ncm => ncm,
            Tabela::Cest => cest,
            Tabela::Servico => servico,
            Tabela::Classificacao => classificacao,
            Tabela::Cfop => cfop,
            Tabela::Cst => cst,
            Tabela::Nbs => nbs,
        }
    }

    /// Reads its files. Fails at the first faulty line.
    pub fn read(self) -> Result<CodeTable<'static>, FaultyLine> {
        // `cfop.csv` has their natures.
        let name = if self == Tabela::Cfop { "cfop_textos" } else { self.as_str() };
        CodeTable::read(self, file(name), file(&format!("{}_palavras", self.as_str())))
    }

    /// A unit test reads every table, so that none with a faulty line is built in.
    fn read_or_empty(self) -> CodeTable<'static> {
        self.read().unwrap_or_else(|_| CodeTable::empty(self))
    }

    /// How many digits a code has that a payload may name; shorter ones are headings.
    pub const fn digits(self) -> usize {
        match self {
            Tabela::Ncm => 8,
            Tabela::Cest => 7,
            // A CST has the digit of its table before it.
            Tabela::Servico | Tabela::Cfop | Tabela::Cst => 4,
            Tabela::Classificacao => 6,
            Tabela::Nbs => 9,
        }
    }

    /// The code as payloads and documents write it: a subitem of the list of services, stored as `0107`, is `1.07`; a CST,
    /// stored as `1060`, is `60`.
    pub fn written(self, digits: &str) -> String {
        let written = || match self {
            Tabela::Servico => Some(match digits.split_at_checked(2)? {
                (item, "") => item.trim_start_matches('0').to_owned(),
                (item, subitem) => format!("{}.{subitem}", item.trim_start_matches('0')),
            }),
            Tabela::Cst => {
                let (table, code) = digits.split_at_checked(1)?;
                let is_of_three = matches!(table, "2" | "5");
                Some(if is_of_three { code } else { code.strip_prefix('0')? }.to_owned())
            }
            Tabela::Nbs if digits.len() == self.digits() => {
                let parts = [digits.get(..1)?, digits.get(1..5)?, digits.get(5..7)?, digits.get(7..)?];
                Some(parts.join("."))
            }
            _ => None,
        };
        written().unwrap_or_else(|| digits.to_owned())
    }
}

fn file(name: &str) -> &'static str {
    let found =
        FILES.iter().find(|(path, _)| path.strip_prefix("tabelas/").is_some_and(|p| p == format!("{name}.csv")));
    found.map_or("", |(_, text)| text)
}

/// The national list of goods that may be under ICMS substitution.
pub fn cest_ncm() -> &'static [CestDaLista] {
    // A unit test reads the file, so that none with a faulty line is built in.
    static LIST: LazyLock<Vec<CestDaLista>> = LazyLock::new(|| read_cest_ncm(file("cest_ncm")).unwrap_or_default());
    &LIST
}

/// What the national list has of the CEST.
pub fn cest_da_lista(cest: Cest) -> Option<&'static CestDaLista> {
    let list = cest_ncm();
    list.get(list.binary_search_by(|item| item.cest.cmp(&cest)).ok()?)
}

/// True if the CEST has left the table of October 2026.
pub fn has_left(cest: Cest) -> bool {
    cest_da_lista(cest).is_some_and(|item| item.saiu)
}

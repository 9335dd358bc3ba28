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
mod tables;
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
pub use tables::Tabela;

use crate::base::value::Cest;

/// Name and text of every file of `rulesets/tabelas`, sorted by name.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/tabelas.rs"));

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

//! The official tables that the installed rules follow: TIPI, cClassTrib, PMPF. An operator asks whether they are current.
//!
//! A bundle states the version of each table it follows, and the record of its publication keeps that. The last publication
//! of a bundle counts. The tables of codes are those of this program.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::provenance::{OfficialTable, publication};
use crate::base::value::Date;
use crate::law::codes;
use crate::store::{Journal, StoreResult};

/// A version of an official table that is followed, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAge {
    #[serde(flatten)]
    pub tabela: OfficialTable,
    /// Days from the version to today.
    pub idade_dias: u64,
    /// The bundles that follow it, or the file of codes.
    pub pacotes: Vec<String>,
}

impl TableAge {
    /// True if the version states an end that has come.
    pub fn has_ended(&self, today: Date) -> bool {
        self.tabela.vigente_ate.is_some_and(|ate| ate <= today)
    }
}

/// Each version with the bundles that follow it.
pub(super) type FollowedTables = Vec<(OfficialTable, Vec<String>)>;

impl Engine {
    /// Each version of an official table that is followed, by name and day, with its age today.
    pub fn official_tables(&self) -> StoreResult<Vec<TableAge>> {
        let today = self.now().day();
        let age = |(tabela, pacotes): &(OfficialTable, Vec<String>)| TableAge {
            idade_dias: if tabela.data < today { tabela.data.days_between(today) } else { 0 },
            tabela: tabela.clone(),
            pacotes: pacotes.clone(),
        };
        let journal = self.store.read_journal()?;
        let last = journal.last_publication()?;
        let tables = self.overviews.tables.get(last, (), || followed_tables(&journal, last))?;
        Ok(tables.iter().map(age).collect())
    }
}

fn followed_tables(journal: &Journal, last: u64) -> StoreResult<FollowedTables> {
    let mut found = FollowedTables::new();
    let mut add = |table: OfficialTable, by: &str| match found.iter_mut().find(|(own, _)| *own == table) {
        Some((_, pacotes)) => pacotes.push(by.to_owned()),
        None => found.push((table, vec![by.to_owned()])),
    };
    let mut seen = BTreeSet::new();
    for number in (1..=last).rev() {
        for bundle in publication(journal, number)?.pacotes.iter() {
            if seen.insert(bundle.pacote.clone()) {
                bundle.tabelas_oficiais.iter().for_each(|table| add(table.clone(), &bundle.pacote));
            }
        }
    }
    for codes::Followed { arquivo, nome, versao, data, mudancas } in codes::followed() {
        let mudancas = mudancas.into_iter().map(str::to_owned).collect();
        let (nome, versao) = (nome.to_owned(), versao.to_owned());
        add(OfficialTable { nome, versao, data, vigente_ate: None, mudancas }, arquivo);
    }
    found.sort_by(|(one, _), (other, _)| {
        (&one.nome, one.data, &one.versao).cmp(&(&other.nome, other.data, &other.versao))
    });
    Ok(found)
}

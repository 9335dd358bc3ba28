//! How far the publications were looked through, kept in the data file: a restart continues there.

use serde::{Deserialize, Serialize};

use super::{Correction, corrupt};
use crate::base::value::Timestamp;
use crate::core::store::{CorrectionStep, Store, StoreResult};

/// What a publication changed in the answers of all accounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionsFound {
    pub publicacao: u64,
    pub publicado_em: Option<Timestamp>,
    pub contas: u64,
    pub chamadas: u64,
}

/// How far the publications were looked through, for the operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionsState {
    /// Publications that are not looked through yet.
    pub pendentes: u64,
    /// The last publication that changed answers.
    pub ultima: Option<CorrectionsFound>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Looked {
    /// The last publication that is done.
    pub(super) feita: u64,
    /// Of the next publication: the last account that is done, in the order of the ids.
    #[serde(default)]
    pub(super) contas_ate: String,
    #[serde(default)]
    pub(super) aberta: Option<OpenAccount>,
    /// What the next publication changed as far as it is done.
    #[serde(default)]
    pub(super) achado: CorrectionsFound,
    #[serde(default)]
    pub(super) ultima: Option<CorrectionsFound>,
}

/// An account that is being looked through.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenAccount {
    pub(super) conta: String,
    /// Number of its last call when it was begun: later ones were answered by the rules that were published.
    pub(super) ate: u64,
    /// Number of the last call that was looked at.
    pub(super) numero: u64,
    pub(super) parcial: Correction,
}

/// Rows that are written together with how far it got.
#[derive(Default)]
pub(super) struct Rows {
    /// Number of the last call, and the encoded calls.
    pub(super) calls: Option<(u64, Vec<u8>)>,
    pub(super) records: Vec<(u64, Vec<u8>)>,
    pub(super) dropped: Vec<u64>,
}

impl Looked {
    pub(super) fn read(store: &Store) -> StoreResult<Looked> {
        match store.corrections_progress()? {
            Some(text) => serde_json::from_str(&text).map_err(corrupt),
            None => Ok(Looked::default()),
        }
    }

    pub(super) fn write(&self, store: &Store, client_id: &str, rows: Rows) -> StoreResult<()> {
        let progress = serde_json::to_string(self).map_err(corrupt)?;
        let Rows { calls, records, dropped } = rows;
        let publication = self.feita + 1;
        store.write_corrections(&CorrectionStep {
            progress: &progress,
            client_id,
            publication,
            calls,
            records,
            dropped,
        })
    }
}

impl CorrectionsState {
    pub fn read(store: &Store) -> StoreResult<CorrectionsState> {
        let looked = Looked::read(store)?;
        let last = store.read_journal()?.last_publication()?;
        Ok(CorrectionsState { pendentes: last.saturating_sub(looked.feita), ultima: looked.ultima })
    }
}

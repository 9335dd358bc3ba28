//! Corrections: what each publication changed in the answers that an account had been given.
//!
//! After a publication a thread ([`super::following`]) compares the calls of the log with the rules that the publication left, as
//! `taxd impact` does. Whose answer was another one is listed with what is right now. Calls about days that had not come
//! yet are only counted: their answer was a forecast. A caller gets both answers with their proofs, which are made
//! when they are asked for: answers for a past instant never change.

mod compare;
mod progress;

mod shown;
mod worker;

use serde::{Deserialize, Serialize};

use super::impact::{Change, ImpactCalls, ImpactSums};
use crate::base::value::Timestamp;
use crate::core::store::{StoreError, StoreResult};
use crate::law::tax::Money;

pub use progress::{CorrectionsFound, CorrectionsState};
pub use shown::{CorrectionsPage, ProvenAnswer, ShownCorrectedCall, calls, page, proven};
pub use worker::work_off;

/// Most bytes of a block of calls that is read.
const MAX_BLOCK_BYTES: usize = 64 * 1024 * 1024;
/// Publications of an account whose calls are kept one by one; of earlier ones only the sums are.
const KEPT_PUBLICATIONS: usize = 12;
/// Most calls of a publication that are kept one by one; further ones are in the sums.
const KEPT_CALLS: u64 = 100_000;
/// Level of the compression: the fastest one.
const LEVEL: i32 = 1;

/// What a publication changed in the answers that an account had been given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub publicacao: u64,
    pub publicado_em: Timestamp,
    pub chamadas: CorrectionCalls,
    pub total: ImpactSums,
    /// By month and tax, in order.
    pub meses: Vec<CorrectedMonth>,
}

/// The calls of the account that were made before the publication.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectionCalls {
    /// Those of the log. `alteradas` are those of the list.
    #[serde(flatten)]
    pub registro: ImpactCalls,
    /// Calls whose outcome changes for a day that came after the publication.
    pub de_dias_por_vir: u64,
    /// Calls of any kind that the log does not have any more.
    pub fora_do_registro: u64,
    /// Calls of the list that are kept one by one.
    pub guardadas: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectedMonth {
    /// As in the changes of an impact; empty for those beyond what is kept apart.
    pub mes: String,
    pub tributo: String,
    #[serde(flatten)]
    pub somas: ImpactSums,
}

/// A call whose answer a publication changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectedCall {
    #[serde(flatten)]
    pub corrected: CorrectedAnswer,
    /// Its payload, as the log has it.
    pub request: String,
}

/// Which call it is, and what it was answered and is right now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorrectedAnswer {
    /// Its number among the calls of the account.
    pub numero: u64,
    pub created_at: Timestamp,
    #[serde(flatten)]
    pub mudanca: Change,
    pub valor_antes: Option<Money>,
    pub valor_depois: Option<Money>,
    pub diferenca: Option<Money>,
}

fn corrupt(what: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("corrections: {what}"))
}

fn encode(calls: &[CorrectedCall]) -> StoreResult<Vec<u8>> {
    let plain = serde_json::to_vec(calls).map_err(corrupt)?;
    zstd::bulk::compress(&plain, LEVEL).map_err(corrupt)
}

/// Reads a block of calls.
pub(super) fn decode(bytes: &[u8]) -> StoreResult<Vec<CorrectedCall>> {
    let plain = zstd::bulk::decompress(bytes, MAX_BLOCK_BYTES).map_err(corrupt)?;
    serde_json::from_slice(&plain).map_err(corrupt)
}

/// Reads the record of a publication.
pub(super) fn read(record: &[u8]) -> StoreResult<Correction> {
    serde_json::from_slice(record).map_err(corrupt)
}

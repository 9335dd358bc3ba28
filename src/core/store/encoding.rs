//! The encoding of keys and small values of the tables, and of records in JSON, so that fields may be added.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StoreError, StoreResult};
use crate::base::value::{Date, RuleCode, RuleId, Versao};
use crate::law::rule::Vigencia;

/// The state of a version: all of it that may change after its publication, or depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Its validity now.
    pub vigencia: Vigencia,
    /// The end of its validity by its bundle.
    pub declared_ate: Option<Date>,
    pub publication: u64,
    /// Index of its bundle in the publication.
    pub bundle: u32,
    /// Number of the version that last moved its end; 0 if none has.
    pub superseded_by: u64,
}

/// A [`State`] as a table value: first day, end now, end by its bundle, publication, bundle, superseded by.
pub(super) type StateValue = (u32, u32, u32, u64, u32, u64);

/// A key of [`OUTBOX_ORDER`](super::schema::OUTBOX_ORDER): subscription, state of the delivery, instant, version.
pub(super) type OrderKey = (u32, u8, u64, u64);

impl State {
    pub(super) fn read((de, ate, declared, publication, bundle, superseded_by): StateValue) -> StoreResult<State> {
        let declared_ate = open_day(declared)?;
        Ok(State { vigencia: vigencia(de, ate)?, declared_ate, publication, bundle, superseded_by })
    }

    pub(super) fn value(self) -> StateValue {
        let Vigencia { de, ate } = self.vigencia;
        (de.ordinal(), ordinal(ate), ordinal(self.declared_ate), self.publication, self.bundle, self.superseded_by)
    }

    /// Its validity by its bundle.
    pub fn declared(self) -> Vigencia {
        Vigencia { de: self.vigencia.de, ate: self.declared_ate }
    }
}

/// Reads a JSON record. Fails with `what` in the message.
pub fn decode<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> StoreResult<T> {
    serde_json::from_slice(bytes).map_err(|e| StoreError::Corrupt(format!("{what}: {e}")))
}

pub(super) fn encode<T: Serialize>(value: &T) -> StoreResult<Vec<u8>> {
    serde_json::to_vec(value).map_err(|e| StoreError::Corrupt(e.to_string()))
}

pub(super) fn ordinal(day: Option<Date>) -> u32 {
    day.map_or(0, Date::ordinal)
}

fn day(ordinal: u32) -> StoreResult<Date> {
    Date::from_ordinal(ordinal).ok_or_else(|| StoreError::Corrupt(format!("day {ordinal}")))
}

fn open_day(ordinal: u32) -> StoreResult<Option<Date>> {
    if ordinal == 0 { Ok(None) } else { day(ordinal).map(Some) }
}

pub(super) fn vigencia(de: u32, ate: u32) -> StoreResult<Vigencia> {
    Ok(Vigencia { de: day(de)?, ate: open_day(ate)? })
}

/// The key of the history: scope key and number of a version.
pub fn history_key(chave: &[u8], number: u64) -> Vec<u8> {
    [chave, &number.to_be_bytes()].concat()
}

/// The number at the end of a history key.
pub(super) fn number_of(key: &[u8]) -> StoreResult<u64> {
    match key.split_last_chunk::<8>() {
        Some((_, number)) => Ok(u64::from_be_bytes(*number)),
        None => Err(StoreError::Corrupt("key of table history".to_owned())),
    }
}

/// The key of the codes: code, a zero byte, major, minor.
pub(super) fn code_key(rule_id: &RuleId) -> Vec<u8> {
    let Versao { major, minor } = rule_id.versao;
    [code_prefix(&rule_id.code).as_slice(), &major.to_be_bytes(), &minor.to_be_bytes()].concat()
}

pub(super) fn code_prefix(code: &RuleCode) -> Vec<u8> {
    [code.as_str().as_bytes(), &[0]].concat()
}

/// A key after all those that begin with `prefix`: no part of a key contains 0xFF.
pub(super) fn end_of(prefix: &[u8]) -> Vec<u8> {
    [prefix, &[u8::MAX; 9]].concat()
}

/// The version at the end of a key of the codes.
pub(super) fn version_of(key: &[u8]) -> StoreResult<Versao> {
    let parts = key.split_last_chunk::<4>().and_then(|(rest, minor)| Some((rest.split_last_chunk::<4>()?.1, minor)));
    match parts {
        Some((major, minor)) => Ok(Versao { major: u32::from_be_bytes(*major), minor: u32::from_be_bytes(*minor) }),
        None => Err(StoreError::Corrupt("key of table codes".to_owned())),
    }
}

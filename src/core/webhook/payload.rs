//! The body of a delivery (contract, section 2.7).
//!
//! It is made from the version's record, which never changes, so that every attempt, and a replay years
//! later, sends the same bytes.

use serde::Serialize;

use crate::law::rule::record::VersionRecord;
use crate::store::{Notice, Store, StoreError, StoreResult, notice_of};

/// The action of a publication, the only action of the contract.
const PUBLISHED: &str = "publicada";
/// The action of a sample. Receivers must ignore actions that they do not know.
const SAMPLE: &str = "teste";
/// The version in a sample; no real version has this id.
const SAMPLE_RULE_ID: &str = "teste-v0.0";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The version, or what a notice is about.
    pub rule_id: String,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

#[derive(Default, Serialize)]
struct Payload<'a> {
    acao: &'a str,
    rule_id: &'a str,
    tributo: &'a str,
    uf_origem: Option<&'a str>,
    uf_destino: Option<&'a str>,
    municipio: Option<&'a str>,
    vigente_de: Option<&'a str>,
}

impl Message {
    /// Returns the message of a delivery, which is of a version or of a notice.
    pub fn of(store: &Store, version: u64) -> StoreResult<Message> {
        let Some(number) = notice_of(version) else {
            return Message::of_record(&store.read_journal()?.record(version)?);
        };
        match store.notice(number)? {
            Some(Notice { about, body, .. }) => Ok(Message { rule_id: about, body: body.into_bytes() }),
            None => Err(StoreError::Corrupt(format!("notice {number} is missing"))),
        }
    }

    /// Returns the message for the publication of the version with this record. Fails if the record cannot
    /// be read.
    fn of_record(record: &[u8]) -> StoreResult<Message> {
        let corrupt = |e: serde_json::Error| StoreError::Corrupt(format!("record of a version: {e}"));
        let version = VersionRecord::read(record).map_err(corrupt)?;
        let place = version.place().map_err(corrupt)?;
        let rule_id = version.rule_id_text();
        let body = serde_json::to_vec(&Payload {
            acao: PUBLISHED,
            rule_id: &rule_id,
            tributo: &version.tributo,
            uf_origem: place.uf_origem.as_deref(),
            uf_destino: place.uf_destino.as_deref(),
            municipio: place.municipio.as_deref(),
            vigente_de: Some(&version.vigente_de),
        })
        .map_err(corrupt)?;
        Ok(Message { rule_id, body })
    }

    /// Returns a message without a rule, for testing an endpoint.
    pub fn sample() -> StoreResult<Message> {
        let sample = Payload { acao: SAMPLE, rule_id: SAMPLE_RULE_ID, tributo: "icms", ..Payload::default() };
        let body = serde_json::to_vec(&sample).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        Ok(Message { rule_id: SAMPLE_RULE_ID.to_owned(), body })
    }
}

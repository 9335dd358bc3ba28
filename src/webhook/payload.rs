//! The body of a delivery (contract, section 2.7).
//!
//! It is made from the version's record, which never changes: every attempt, and a replay
//! years later, sends the same bytes.

use serde::{Deserialize, Serialize};

use crate::store::{StoreError, StoreResult};

/// The action of a publication: the only one that the contract has.
const PUBLISHED: &str = "publicada";
/// The action of a sample; receivers must tolerate actions that they do not know.
const SAMPLE: &str = "teste";
/// The version that a sample names.
const SAMPLE_RULE_ID: &str = "teste-v0.0";

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The version that it is about.
    pub rule_id: String,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

#[derive(Serialize)]
struct Payload<'a> {
    acao: &'a str,
    rule_id: &'a str,
    tributo: &'a str,
    uf_origem: Option<&'a str>,
    uf_destino: Option<&'a str>,
    municipio: Option<&'a str>,
    vigente_de: Option<&'a str>,
}

/// What of a version's record the message says.
#[derive(Deserialize)]
struct Registro {
    rule_code: String,
    versao: String,
    tributo: String,
    escopo: Escopo,
    vigente_de: String,
}

/// A scope as a record writes it: `uf` where both sides are one.
#[derive(Deserialize)]
struct Escopo {
    uf: Option<String>,
    uf_origem: Option<String>,
    uf_destino: Option<String>,
    municipio: Option<String>,
}

impl Message {
    /// The message of a version's publication, from the version's record.
    pub fn of_record(record: &[u8]) -> StoreResult<Message> {
        let corrupt = |e: serde_json::Error| StoreError::Corrupt(format!("record of a version: {e}"));
        let registro: Registro = serde_json::from_slice(record).map_err(corrupt)?;
        let rule_id = format!("{}-v{}", registro.rule_code, registro.versao);
        let escopo = &registro.escopo;
        let body = serde_json::to_vec(&Payload {
            acao: PUBLISHED,
            rule_id: &rule_id,
            tributo: &registro.tributo,
            uf_origem: escopo.uf.as_deref().or(escopo.uf_origem.as_deref()),
            uf_destino: escopo.uf.as_deref().or(escopo.uf_destino.as_deref()),
            municipio: escopo.municipio.as_deref(),
            vigente_de: Some(&registro.vigente_de),
        })
        .map_err(corrupt)?;
        Ok(Message { rule_id, body })
    }

    /// A message that tells of no rule, for trying an endpoint out.
    pub fn sample() -> StoreResult<Message> {
        let body = serde_json::to_vec(&Payload {
            acao: SAMPLE,
            rule_id: SAMPLE_RULE_ID,
            tributo: "icms",
            uf_origem: None,
            uf_destino: None,
            municipio: None,
            vigente_de: None,
        })
        .map_err(|e| StoreError::Corrupt(e.to_string()))?;
        Ok(Message { rule_id: SAMPLE_RULE_ID.to_owned(), body })
    }
}

//! Changelog events, as they are kept (contract, section 2.6).

use serde::Serialize;

use crate::rule::{Closing, Escopo};
use crate::store::{StoreError, StoreResult};
use crate::value::{Data, Instante, Municipio, RuleId, Tributo, Uf};

/// A changelog event, not yet dated.
#[derive(Debug, Serialize)]
pub(super) struct Event {
    rule_id: RuleId,
    tributo: Tributo,
    uf_origem: Option<Uf>,
    uf_destino: Option<Uf>,
    municipio: Option<Municipio>,
    vigente_de: Data,
    publicado_em: Option<Instante>,
    tipo: &'static str,
    #[serde(flatten)]
    closing: Option<Box<Closed>>,
}

/// What the event of a version whose end was moved has more.
#[derive(Debug, Serialize)]
struct Closed {
    vigente_ate: Option<Data>,
    rule_code: String,
    substituida_por: RuleId,
}

impl Event {
    /// The event of a version that was published.
    pub(super) fn publication(rule_id: &RuleId, tributo: Tributo, escopo: &Escopo, vigente_de: Data) -> Event {
        Event {
            rule_id: rule_id.clone(),
            tributo,
            uf_origem: escopo.uf_origem,
            uf_destino: escopo.uf_destino,
            municipio: escopo.municipio,
            vigente_de,
            publicado_em: None,
            tipo: "publicacao",
            closing: None,
        }
    }

    /// The event of a version whose end was moved by another.
    pub(super) fn closing(
        rule_id: &RuleId,
        tributo: Tributo,
        escopo: &Escopo,
        closing: &Closing<u64>,
        tipo: &'static str,
        by: &RuleId,
    ) -> Event {
        let closed = Closed {
            vigente_ate: closing.after.ate,
            rule_code: rule_id.code.as_str().to_owned(),
            substituida_por: by.clone(),
        };
        let published = Event::publication(rule_id, tributo, escopo, closing.after.de);
        Event { tipo, closing: Some(Box::new(closed)), ..published }
    }

    /// The record of the event, dated: when is known only once all the work of a publication is done.
    pub(super) fn dated(self, published_at: Instante) -> StoreResult<Vec<u8>> {
        let event = Event { publicado_em: Some(published_at), ..self };
        serde_json::to_vec(&event).map_err(|e| StoreError::Corrupt(e.to_string()))
    }
}

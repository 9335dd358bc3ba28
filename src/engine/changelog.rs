//! Changelog events, as they are kept (contract, section 2.6).

use serde::Serialize;

use super::rows::Rows;
use super::shared::{Place, Reach};
use super::succession::Closed;
use crate::rule::Closing;
use crate::store::{RuleWriter, StoreError, StoreResult};
use crate::value::{Date, Municipio, RuleId, Timestamp, Tributo, Uf};

/// A changelog event.
#[derive(Debug, Serialize)]
pub(super) struct Event {
    rule_id: RuleId,
    tributo: Tributo,
    uf_origem: Option<Uf>,
    uf_destino: Option<Uf>,
    municipio: Option<Municipio>,
    vigente_de: Date,
    publicado_em: Timestamp,
    tipo: &'static str,
    #[serde(flatten)]
    closing: Option<End>,
}

/// What the event of a version whose end was moved has more.
#[derive(Debug, Serialize)]
struct End {
    vigente_ate: Option<Date>,
    rule_code: String,
    substituida_por: RuleId,
}

impl Event {
    fn new(rule_id: RuleId, reach: Reach, vigente_de: Date, publicado_em: Timestamp, tipo: &'static str) -> Event {
        let Reach { tributo, place: Place { uf_origem, uf_destino, municipio } } = reach;
        Event { rule_id, tributo, uf_origem, uf_destino, municipio, vigente_de, publicado_em, tipo, closing: None }
    }

    /// The event of a version that is published.
    pub(super) fn of_publication(rule_id: RuleId, reach: Reach, vigente_de: Date, publicado_em: Timestamp) -> Event {
        Event::new(rule_id, reach, vigente_de, publicado_em, "publicacao")
    }

    /// The event of a version whose end was moved `by` another one.
    pub(super) fn of_closing(
        rule_id: RuleId,
        reach: Reach,
        closing: &Closing<u64>,
        by: RuleId,
        publicado_em: Timestamp,
    ) -> Event {
        let rule_code = rule_id.code.as_str().to_owned();
        let end = End { vigente_ate: closing.after.ate, rule_code, substituida_por: by };
        let event = Event::new(rule_id, reach, closing.after.de, publicado_em, tipo_of_closing(closing));
        Event { closing: Some(end), ..event }
    }

    fn record(&self) -> StoreResult<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| StoreError::Corrupt(e.to_string()))
    }
}

/// Type of the event of a version whose end was moved (contract, section 2.6).
pub(super) fn tipo_of_closing(closing: &Closing<u64>) -> &'static str {
    if closing.is_retroactive() { "substituicao_retroativa" } else { "substituicao" }
}

/// Writes the events of a publication: that of each version, and after it those of the versions whose
/// ends it moved. Only once all else is done is it known when that was.
pub(super) fn write(
    writer: &mut RuleWriter<'_>,
    rows: &Rows,
    closed: &[Closed],
    publicado_em: Timestamp,
) -> StoreResult<()> {
    let mut closed = closed.iter().peekable();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_new()) {
        let (rule_id, reach) = (rows.rule_id(row)?, rows.reach(row.reach)?);
        writer.insert_event(&Event::of_publication(rule_id, reach, row.vigencia.de, publicado_em).record()?)?;
        while let Some(moved) = closed.next_if(|c| c.by == index) {
            let (rule_id, by) = moved.ids(rows)?;
            let event = Event::of_closing(rule_id, rows.reach(moved.reach)?, &moved.closing, by, publicado_em);
            writer.insert_event(&event.record()?)?;
        }
    }
    Ok(())
}

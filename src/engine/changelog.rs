//! Changelog events, as they are kept (contract, section 2.6).

use serde::Serialize;

use super::rows::Rows;
use super::shared::{Place, Reach};
use super::succession::Closed;
use crate::store::{RuleWriter, StoreError, StoreResult};
use crate::value::{Date, Municipio, RuleId, Timestamp, Tributo, Uf};

/// A changelog event.
#[derive(Debug, Serialize)]
struct Event {
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

    fn record(&self) -> StoreResult<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| StoreError::Corrupt(e.to_string()))
    }
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
        writer.insert_event(&Event::new(rule_id, reach, row.vigencia.de, publicado_em, "publicacao").record()?)?;
        while let Some(moved) = closed.next_if(|c| c.by == index) {
            let (rule_id, substituida_por) = moved.ids(rows)?;
            let rule_code = rule_id.code.as_str().to_owned();
            let end = End { vigente_ate: moved.closing.after.ate, rule_code, substituida_por };
            let reach = rows.reach(moved.reach)?;
            let event = Event::new(rule_id, reach, moved.closing.after.de, publicado_em, moved.tipo());
            writer.insert_event(&Event { closing: Some(end), ..event }.record()?)?;
        }
    }
    Ok(())
}

//! Writes the changelog events of a publication.

use std::borrow::Cow;

use super::import_index::ImportIndex;
use super::interner::{Jurisdiction, Location};
use super::moved_ends::MovedEnd;
use crate::base::value::{Date, Municipio, RuleId, Timestamp, Uf};
use crate::law::rule::Closing;
use crate::law::rule::record::ChangelogRecord;
use crate::store::{RuleWriter, StoreError, StoreResult};

/// Writes the event of each new version, and after it those of the versions whose ends it moved.
/// Called last, because only then is the instant of the publication known.
pub(super) fn write(
    writer: &mut RuleWriter<'_>,
    index: &ImportIndex,
    closed: &[MovedEnd],
    publicado_em: Timestamp,
) -> StoreResult<()> {
    let mut closed = closed.iter().peekable();
    for (at, row) in index.iter().enumerate().filter(|(_, row)| row.is_new()) {
        let (rule_id, jurisdiction) = (index.rule_id(row)?, index.jurisdiction(row.jurisdiction)?);
        insert(writer, &of_publication(&rule_id, jurisdiction, row.vigencia.de, publicado_em))?;
        while let Some(moved) = closed.next_if(|c| c.by == at) {
            let (rule_id, by) = moved.ids(index)?;
            let jurisdiction = index.jurisdiction(moved.jurisdiction)?;
            insert(writer, &of_closing(&rule_id, jurisdiction, &moved.closing, &by, publicado_em))?;
        }
    }
    Ok(())
}

/// The event of a version that was published.
pub fn of_publication(
    rule_id: &RuleId,
    jurisdiction: Jurisdiction,
    de: Date,
    publicado_em: Timestamp,
) -> ChangelogRecord<'static> {
    let Jurisdiction { tributo, location: Location { uf_origem, uf_destino, municipio } } = jurisdiction;
    ChangelogRecord {
        rule_id: rule_id.to_string().into(),
        tributo: tributo.as_str().into(),
        uf_origem: uf_origem.map(Uf::as_str).map(Cow::Borrowed),
        uf_destino: uf_destino.map(Uf::as_str).map(Cow::Borrowed),
        municipio: municipio.map(Municipio::name).map(Cow::Borrowed),
        vigente_de: de.to_string().into(),
        publicado_em: publicado_em.to_string().into(),
        tipo: ChangelogRecord::PUBLICATION.into(),
        vigente_ate: None,
        rule_code: None,
        substituida_por: None,
    }
}

/// The event of a version whose end was moved `by` another one.
pub fn of_closing(
    rule_id: &RuleId,
    jurisdiction: Jurisdiction,
    closing: &Closing<u64>,
    by: &RuleId,
    publicado_em: Timestamp,
) -> ChangelogRecord<'static> {
    ChangelogRecord {
        tipo: closing.tipo().into(),
        vigente_ate: closing.after.ate.map(|ate| ate.to_string().into()),
        rule_code: Some(rule_id.code.as_str().to_owned().into()),
        substituida_por: Some(by.to_string().into()),
        ..of_publication(rule_id, jurisdiction, closing.after.de, publicado_em)
    }
}

fn insert(writer: &mut RuleWriter<'_>, event: &ChangelogRecord<'_>) -> StoreResult<()> {
    writer.insert_event(&serde_json::to_vec(event).map_err(|e| StoreError::Corrupt(e.to_string()))?)?;
    Ok(())
}

//! What a publication touched, by its events: they name each version that it brought and each whose end it moved.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::touched::Touched;
use super::{provenance, version};
use crate::base::value::{Date, RuleId, Timestamp, Tributo};
use crate::law::rule::VersaoRegra;
use crate::law::rule::record::ChangelogRecord;
use crate::store::{Journal, StoreError, StoreResult};

pub(super) struct PublishedVersions {
    pub(super) publicado_em: Timestamp,
    /// The scope keys of these versions, sorted.
    pub(super) touched: Touched,
    pub(super) tributos: BTreeSet<Tributo>,
    /// Versions that it brought.
    pub(super) novas: usize,
    /// Versions whose end it moved.
    pub(super) movidas: usize,
    /// True if it brought rules for days before its own.
    pub(super) is_retroactive: bool,
}

impl PublishedVersions {
    pub(super) fn read(journal: &Journal, number: u64) -> StoreResult<PublishedVersions> {
        let publicado_em = provenance::publication(journal, number)?.publicado_em;
        let mut published = PublishedVersions {
            publicado_em,
            touched: Touched::default(),
            tributos: BTreeSet::new(),
            novas: 0,
            movidas: 0,
            is_retroactive: false,
        };
        journal.events_before(u64::MAX, |event| {
            let event: ChangelogRecord<'_> =
                serde_json::from_slice(&event.record).map_err(|e| StoreError::Corrupt(format!("event: {e}")))?;
            let at = Timestamp::parse(&event.publicado_em).map_err(StoreError::Corrupt)?;
            if at < publicado_em {
                return Ok(ControlFlow::Break(()));
            }
            if at == publicado_em {
                published.add(journal, &event)?;
            }
            Ok(ControlFlow::Continue(false))
        })?;
        published.touched.sort();
        Ok(published)
    }

    fn add(&mut self, journal: &Journal, event: &ChangelogRecord<'_>) -> StoreResult<()> {
        let named = RuleId::parse(&event.rule_id).map(|id| journal.number_of(&id)).transpose()?.flatten();
        let Some(number) = named else { return Ok(()) };
        let VersaoRegra { tributo, escopo, .. } = version::decode(&journal.record(number)?)?;
        escopo.chaves(tributo).iter().for_each(|chave| self.touched.add(chave));
        self.tributos.insert(tributo);
        if event.tipo == ChangelogRecord::PUBLICATION {
            self.novas += 1;
            let first = Date::parse(&event.vigente_de).map_err(|e| StoreError::Corrupt(format!("event: {e}")))?;
            self.is_retroactive |= first < self.publicado_em.day();
        } else {
            self.movidas += 1;
        }
        Ok(())
    }
}

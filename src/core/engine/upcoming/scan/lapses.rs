//! The rules that refuse for want of a figure and answered until the day before they began: what they need is newer than
//! the last act that was read. A report of what lies ahead names their end only before it comes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Content, Snapshot, Version};
use crate::base::value::Date;
use crate::engine::upcoming::{Figuras, Lapse, scope_of};
use crate::engine::version;
use crate::store::{RuleTables as _, StoreResult};

/// The rules that refuse for want of a figure and answered before, by day and tax, the latest day first.
#[derive(Default)]
pub(super) struct Lapses(BTreeMap<(Reverse<Date>, String), Lapse>);

impl Lapses {
    /// Adds the version if it is one of them on `day`.
    pub(super) fn add(&mut self, snapshot: &Snapshot<'_>, version: &Version<'_>, day: Date) -> StoreResult<()> {
        if version.vigencia.covers(day)
            && let Some(lapse) = snapshot.lapse(version)?
        {
            let group = self.0.entry((Reverse(lapse.desde), lapse.tributo.clone()));
            group.and_modify(|group| group.regras += 1).or_insert(lapse);
        }
        Ok(())
    }

    pub(super) fn into_list(self) -> Vec<Lapse> {
        self.0.into_values().collect()
    }
}

impl Snapshot<'_> {
    /// The version as a group of its own, if it refuses for want of a figure and the version before it under its first key
    /// answered.
    fn lapse(&self, version: &Version<'_>) -> StoreResult<Option<Lapse>> {
        let Version { record, content, vigencia, .. } = *version;
        if Figuras::from(content.standing.own) != Figuras::Nulas {
            return Ok(None);
        }
        let (entry, escopo) = scope_of(record)?;
        let Some(chave) = escopo.chaves(entry.tributo).into_iter().next() else { return Ok(None) };
        let Some(before) = self.rules.find(&chave.bytes(), vigencia.de.previous_day())? else { return Ok(None) };
        let bytes = self.journal.record(before.number)?;
        let last = Content::of(&version::read(&bytes)?)?;
        if !Figuras::from(last.standing.own).answer() {
            return Ok(None);
        }
        Ok(Some(Lapse {
            desde: vigencia.de,
            tributo: record.tributo.clone().into_owned(),
            regras: 1,
            primeira: version::rule_id(record)?,
            ultima_citacao: last.citation,
        }))
    }
}

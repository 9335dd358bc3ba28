//! The rules of the office that others have the scope of.
//!
//! A rule of the office answers in place of any other of its scope key ([`RuleLayer`]). So a later built-in rule changes
//! nothing until the operator decides, and must not go unseen: the import warns, and the status lists the pairs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Engine, version};
use crate::base::value::{RuleCode, RuleId, Versao};
use crate::law::rule::{Chave, RuleLayer, VersaoRegra, Vigencia};
use crate::store::{RuleTables, RuleWriter, StoreResult};

/// Most pairs that an import names.
const MAX_NAMED: usize = 20;

/// A rule of the office, and a later one of the same scope that it answers in place of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfficeConflict {
    /// The rule of the office, which answers.
    pub do_escritorio: String,
    /// The later rule, which does not.
    pub outra: String,
}

/// Which rule of a pair an import brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brought {
    Office,
    Common,
}

/// The pairs of one import, by the ids of both: what was brought, and the first scope key that they share.
#[derive(Default)]
pub(super) struct Pairs(BTreeMap<(String, String), (Brought, String)>);

impl Pairs {
    /// Notes the rules of the other layer that share a key and days with a new version.
    pub(super) fn note(
        &mut self,
        writer: &RuleWriter<'_>,
        (rule_id, layer): (&RuleId, RuleLayer),
        chave: &Chave,
        days: Vigencia,
    ) -> StoreResult<()> {
        let (other, brought) = match layer {
            RuleLayer::Common => (RuleLayer::Office, Brought::Common),
            RuleLayer::Office => (RuleLayer::Common, Brought::Office),
        };
        for entry in writer.entries_in(other, chave)?.into_iter().filter(|entry| entry.vigencia.overlaps(days)) {
            let VersaoRegra { rule_id: found, .. } = version::decode(&writer.record(entry.number)?)?;
            let (own, found) = (rule_id.to_string(), found.to_string());
            let pair = if layer == RuleLayer::Office { (own, found) } else { (found, own) };
            self.0.entry(pair).or_insert_with(|| (brought, chave.descricao()));
        }
        Ok(())
    }

    /// A warning for each pair, and one for those that are too many.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        let named = self.0.iter().take(MAX_NAMED).map(|((office, other), (brought, scope))| match brought {
            Brought::Common => format!(
                "{other} has the scope of {office} ({scope}), a rule of the office, which keeps answering; compare the two, and end {office} by a version with an end if {other} is right"
            ),
            Brought::Office => format!("{office}, a rule of the office, answers in place of {other} ({scope}) on its days"),
        });
        let more = self.0.len().saturating_sub(MAX_NAMED);
        named.chain((more > 0).then(|| format!("{more} more rules share their scope with a rule of the office")))
    }
}

impl Engine {
    /// The version after the last one of a code: 1.0 if it has none.
    pub fn next_version(&self, code: &RuleCode) -> StoreResult<Versao> {
        let versions = self.store.read_journal()?.versions_of(code)?;
        let after = |last: Versao| Versao { minor: last.minor.saturating_add(1), ..last };
        Ok(versions.last().map_or(Versao { major: 1, minor: 0 }, |last| after(last.versao)))
    }

    /// The rules of the office that a later rule has the scope of, from today on. Costs nothing without such rules.
    pub fn office_conflicts(&self) -> StoreResult<Vec<OfficeConflict>> {
        let rules = self.store.read_rules()?;
        let keys = rules.office_keys()?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let (journal, today) = (self.store.read_journal()?, self.now().day());
        let is_ahead = |days: Vigencia| days.ate.is_none_or(|ate| ate > today);
        let mut found = BTreeSet::new();
        for key in keys {
            let common = rules.entries_in(RuleLayer::Common, &key)?;
            for own in rules.entries_in(RuleLayer::Office, &key)?.iter().filter(|own| is_ahead(own.vigencia)) {
                let published = journal.state(own.number)?.publication;
                let shares = |days: Vigencia| days.overlaps(own.vigencia) && is_ahead(days);
                for other in common.iter().filter(|other| shares(other.vigencia)) {
                    if journal.state(other.number)?.publication > published {
                        found.insert((own.number, other.number));
                    }
                }
            }
        }
        let id = |number| -> StoreResult<String> { Ok(version::read(&rules.record(number)?)?.rule_id_text()) };
        let pair = |(own, other)| Ok(OfficeConflict { do_escritorio: id(own)?, outra: id(other)? });
        found.into_iter().map(pair).collect()
    }
}

//! What was published since an instant, against what each caller was answered.
//!
//! The log does not keep the query of a call, so whether it asked with `conhecido_em` is not in it. What it keeps is the
//! instant of the call and the rule that answered: the rules of that instant say what an ordinary call was answered.

use std::collections::BTreeSet;

use super::{
    BeforeRules, Engine, Later, ReplayedPayload, Replayer, Resolver, RuleComparison, RuleResult, Sides, Touched,
    looked_up_by, outcome,
};
use crate::base::value::Timestamp;
use crate::engine::provenance::publication;
use crate::engine::published::PublishedVersions;
use crate::engine::{resolve, version};
use crate::law::rule::VersaoRegra;
use crate::store::{Journal, StoreResult};

/// Which of two compared states of the rules answered a call at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallState {
    Before,
    /// Another one: that after so many of the publications.
    Between(usize),
    After,
}

/// The rules before and after one publication.
pub struct PublicationComparison<'e> {
    pub rules: RuleComparison<'e>,
    pub publicado_em: Timestamp,
    /// True if it has rules for days before its own.
    pub is_retroactive: bool,
}

impl Engine {
    /// Compares the rules as they were known at an instant with those of now; `None` if nothing had been published
    /// then. Waits if a publication is being committed.
    pub fn compare_since(&self, instant: Timestamp) -> StoreResult<Option<RuleComparison<'_>>> {
        self.instants.answer_for(instant, self.now());
        let instant_ms = instant.millis();
        let known = self.store.read_rules_as_of(instant_ms)?.publication();
        if known == 0 {
            return Ok(None);
        }
        // Before the journal is read: a publication in between is then among the touched keys, and harmless.
        let after = self.store.read_rules()?;
        let journal = self.store.read_journal()?;
        let (mut first, mut moved) = (u64::MAX, Vec::new());
        journal.each_state(|number, state| {
            if state.publication > known {
                first = first.min(number);
            } else {
                moved.push((number, state.superseded_by));
            }
        })?;
        // Versions are numbered in the order of their publication.
        moved.retain(|(_, by)| *by >= first);
        let (mut touched, mut tributos, mut publicadas) = (Touched::default(), BTreeSet::new(), 0);
        let mut add = |record: &[u8]| -> StoreResult<()> {
            let VersaoRegra { tributo, escopo, .. } = version::decode(record)?;
            escopo.chaves(tributo).iter().for_each(|chave| touched.add(chave));
            tributos.insert(tributo);
            Ok(())
        };
        let mut added = Ok(());
        journal.each_version(first, |_, record, _| {
            publicadas += 1;
            added = std::mem::replace(&mut added, Ok(())).and_then(|()| add(record));
        })?;
        added?;
        for (number, _) in &moved {
            add(&journal.record(*number)?)?;
        }
        touched.sort();
        Ok(Some(RuleComparison {
            engine: self,
            tributos: looked_up_by(&tributos),
            publicadas,
            substituidas: moved.len(),
            sides: Sides::Known {
                instant_ms,
                after: Later::Now(after),
                published_ms: published_ms(&journal, known + 1, journal.last_publication()?)?,
                known: 0,
            },
            touched,
        }))
    }

    /// Compares the rules as they were before a publication with those that it left, whatever was published later.
    pub fn compare_publication(&self, number: u64) -> StoreResult<PublicationComparison<'_>> {
        let journal = self.store.read_journal()?;
        let PublishedVersions { publicado_em, touched, tributos, novas, movidas, is_retroactive } =
            PublishedVersions::read(&journal, number)?;
        let (published_ms, at_ms) = (published_ms(&journal, 1, number)?, publicado_em.millis());
        let rules = RuleComparison {
            engine: self,
            tributos: looked_up_by(&tributos),
            publicadas: novas,
            substituidas: movidas,
            sides: Sides::Known {
                instant_ms: at_ms.saturating_sub(1),
                after: Later::Known(at_ms),
                known: published_ms.len().saturating_sub(1),
                published_ms,
            },
            touched,
        };
        Ok(PublicationComparison { rules, publicado_em, is_retroactive })
    }
}

/// When the publications from the first to the last of these were made.
fn published_ms(journal: &Journal, first: u64, last: u64) -> StoreResult<Vec<u64>> {
    let published = |number: u64| Ok(publication(journal, number)?.publicado_em.millis());
    (first..=last).map(published).collect()
}

impl RuleComparison<'_> {
    /// Which state answered a call at that instant, unless it asked for the rules of another one; `None` if the
    /// comparison is with rules that are not published.
    pub fn state_at(&self, at_ms: u64) -> Option<CallState> {
        let Sides::Known { published_ms, known, .. } = &self.sides else { return None };
        let seen = published_ms.partition_point(|published| *published <= at_ms);
        Some(match seen {
            seen if seen == published_ms.len() => CallState::After,
            seen if seen == *known => CallState::Before,
            seen => CallState::Between(seen),
        })
    }
}

impl Replayer<'_> {
    /// Calculates a payload by the rules after so many of the publications and, if they may differ for it, by those of
    /// now. Fails as [`Replayer::replay`] does.
    pub fn replay_between(&self, payload: &[u8], seen: usize) -> RuleResult<ReplayedPayload> {
        let (BeforeRules::Known { between, .. }, Sides::Known { published_ms, known, .. }) =
            (&self.before, &self.comparison.sides)
        else {
            return self.replay(payload);
        };
        // Before the first publication there were no rules.
        let instant_ms = seen.checked_sub(1).and_then(|last| published_ms.get(last)).copied().unwrap_or_default();
        let mut between = between.borrow_mut();
        let rules = match between.take() {
            Some((of, rules)) if of == seen => rules,
            _ => {
                let read = self.comparison.engine.store.read_rules_as_of(instant_ms);
                Box::new(read.map_err(|e| resolve::failed(&e))?)
            }
        };
        let (_, rules) = between.insert((seen, rules));
        // Rules from before the compared ones differ in more keys than those that were touched.
        let may_differ = |probes: &[u64]| seen < *known || self.comparison.touched.contains_any(probes);
        self.compare(payload, may_differ, |decoded| outcome(Resolver::new(&**rules, decoded), payload))
    }
}

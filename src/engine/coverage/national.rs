//! What the national rule of a tax that ends makes of its other rules on a day: the transition to the IBS.

use super::RuleState;
use super::figures::state;
use crate::document::{Node, Object};
use crate::engine::Engine;
use crate::engine::version;
use crate::rule::Chave;
use crate::store::{RuleTables, StoreError, StoreResult};
use crate::tax::{self, Entry};
use crate::value::Date;

/// The state of the national rule of each tax, by its place in the registry; `None` outside of the transition.
pub(super) type NationalRules = Vec<Option<RuleState>>;

impl Engine {
    /// The national rules of the transition that answer on `day`.
    pub(super) fn national_rules(&self, day: Date) -> StoreResult<NationalRules> {
        let rules = self.store.read_rules()?;
        let national = |entry: &Entry| -> StoreResult<Option<RuleState>> {
            let Some(found) = rules.find(&Chave::of(entry.tributo).bytes(), day)? else { return Ok(None) };
            let bytes = rules.record(found.number)?;
            let record = version::read(&bytes)?;
            let content = Node::parse_text(record.conteudo.get()).map_err(|e| StoreError::Corrupt(e.to_string()))?;
            let Node::Object(content) = content else { return Ok(None) };
            Ok(content.get("transicao").is_some().then(|| state(&content, entry)))
        };
        tax::REGISTRY.iter().map(national).collect()
    }
}

/// The state of a rule with this content beside the national rule: it refuses if the tax is extinct, if no share of its
/// rate is established, or if it has more than a rate.
pub(super) fn beside(national: Option<RuleState>, content: &Object<'_>, entry: &Entry) -> RuleState {
    let own = state(content, entry);
    let answers = matches!(own, RuleState::Answers | RuleState::Partly);
    let has_more = || {
        let stated = |name: &&str| !matches!(content.get(name), None | Some(Node::Bool(false)));
        entry.beyond_rate.iter().any(stated)
    };
    match national {
        Some(RuleState::Extinct) => RuleState::Extinct,
        Some(RuleState::Answers) if answers && has_more() => RuleState::Refuses,
        Some(RuleState::Refuses) if answers => RuleState::Refuses,
        _ => own,
    }
}

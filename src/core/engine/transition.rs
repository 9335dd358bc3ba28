//! What the national rules of a tax that ends leave of its other rules: the transition to the IBS.
//!
//! The validity of a rule says nothing of it. An open-ended rule loses its answers on the day on which the national rule
//! of its tax refuses what it states, or ends the tax. Listings, what lies ahead and the coverage all ask here, so that
//! they agree with the calculation.

use super::figures::{RuleState, state_of};
use super::version;
use crate::base::document::{Node, Object};
use crate::base::value::{Date, Tributo};
use crate::law::rule::{Chave, Vigencia};
use crate::law::tax::{self, Entry};
use crate::store::{RuleTables, StoreError, StoreResult};

/// A national rule of the transition.
#[derive(Debug, Clone, Copy)]
struct National {
    number: u64,
    vigencia: Vigencia,
    state: RuleState,
}

/// The national rules of each tax that has any, in the order of their first days.
#[derive(Debug, Clone, Default)]
pub(super) struct Transition(Vec<(Tributo, Vec<National>)>);

/// What the answers of a version in the transition depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Its state by its content alone.
    pub(super) own: RuleState,
    tributo: Tributo,
    /// It states more than a rate.
    has_more: bool,
    is_national: bool,
    first_day: Date,
}

/// The day from which a version does not answer, and the number of the national rule that ends it: `None` if it ends by
/// itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) day: Date,
    pub(super) by: Option<u64>,
}

impl Standing {
    /// That of a version with this content, these words of its scope and this first day.
    pub(super) fn of(content: &Object<'_>, entry: &Entry, palavras: &[&'static str], first_day: Date) -> Standing {
        let is_stated = |name: &&str| !matches!(content.get(name), None | Some(Node::Bool(false)));
        Standing {
            own: state_of(content, entry, palavras),
            tributo: entry.tributo,
            has_more: entry.beyond_rate.iter().any(is_stated),
            is_national: content.get("transicao").is_some(),
            first_day,
        }
    }

    fn answers(self) -> bool {
        matches!(self.own, RuleState::Answers | RuleState::Partly)
    }

    /// The state beside a national rule. It refuses if the tax is extinct, if no share of its rate is established, if it
    /// has more than a rate, or if it began in the transition: the law reduces the rates of the day before.
    fn beside(self, national: &National, first_of_all: Date) -> RuleState {
        match national.state {
            _ if self.is_national => self.own,
            RuleState::Extinct => RuleState::Extinct,
            RuleState::Refuses if self.answers() => RuleState::Refuses,
            RuleState::Answers if self.answers() && (self.has_more || self.first_day >= first_of_all) => {
                RuleState::Refuses
            }
            _ => self.own,
        }
    }
}

impl Transition {
    /// The national rules of a state of all rules.
    pub(super) fn read(rules: &impl RuleTables) -> StoreResult<Transition> {
        let mut taxes = Vec::new();
        for entry in tax::REGISTRY {
            let mut nationals = Vec::new();
            for found in rules.entries_at(&Chave::of(entry.tributo).bytes())? {
                let bytes = rules.record(found.number)?;
                let record = version::read(&bytes)?;
                let content =
                    Node::parse_text(record.conteudo.get()).map_err(|e| StoreError::Corrupt(e.to_string()))?;
                if let Node::Object(content) = content
                    && content.get("transicao").is_some()
                {
                    let state = state_of(&content, entry, &[]);
                    nationals.push(National { number: found.number, vigencia: found.vigencia, state });
                }
            }
            if !nationals.is_empty() {
                taxes.push((entry.tributo, nationals));
            }
        }
        Ok(Transition(taxes))
    }

    fn of(&self, tributo: Tributo) -> &[National] {
        self.0.iter().find(|(own, _)| *own == tributo).map_or(&[], |(_, nationals)| nationals)
    }

    pub(super) fn first_day(&self) -> Option<Date> {
        self.0.iter().filter_map(|(_, nationals)| nationals.first()).map(|national| national.vigencia.de).min()
    }

    /// True if a national rule of the tax is in force on some day of that validity.
    pub(super) fn concerns(&self, tributo: Tributo, vigencia: Vigencia) -> bool {
        self.of(tributo).iter().any(|national| national.vigencia.overlaps(vigencia))
    }

    /// The state on `day` of a version that is in force on it.
    pub(super) fn state_on(&self, standing: Standing, day: Date) -> RuleState {
        let nationals = self.of(standing.tributo);
        match (nationals.first(), nationals.iter().find(|national| national.vigencia.covers(day))) {
            (Some(first), Some(national)) => standing.beside(national, first.vigencia.de),
            _ => standing.own,
        }
    }

    /// When a version of that validity no longer answers, if it ever does.
    pub(super) fn end(&self, standing: Standing, vigencia: Vigencia) -> Option<End> {
        let cut = self.of(standing.tributo).iter().filter(|national| national.vigencia.overlaps(vigencia));
        let cut = cut.map(|national| (national.vigencia.de.max(vigencia.de), national));
        let mut cut = cut.filter(|(day, _)| match self.state_on(standing, *day) {
            RuleState::Extinct => standing.own != RuleState::Extinct,
            RuleState::Refuses => standing.answers(),
            _ => false,
        });
        let by_itself = vigencia.ate.map(|day| End { day, by: None });
        cut.next().map(|(day, national)| End { day, by: Some(national.number) }).or(by_itself)
    }
}

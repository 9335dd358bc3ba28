//! What a publication changes for a payload: its outcome by the rules before and by the rules after.
//!
//! A payload is calculated a second time only if its first calculation looked up a key that the publication touched.
//! Nothing here writes, and no transaction that writes is open while payloads are calculated.

mod since;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::cache::{Decoded, Sharded};
use super::calculate::calculate_bytes;
use super::outcome::{ImportError, ImportOptions};
use super::publish::ImportRequest;
use super::resolve::{self, Resolver};
use super::touched::Touched;
use super::{BundleFile, DECODED_RULES, Engine, Progress};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{RuleId, Tributo, Uf};
use crate::law::rule::RuleResult;
use crate::law::tax::{self, Entry, Money, Suposicao, TaxAnswer};
use crate::store::{AsOfReader, RuleReader, RuleTables, StagedRules, StoreError, StoreResult};

pub use since::{CallState, PublicationComparison};

/// First bytes of a payload that names its tax first, as the call log writes it.
const TRIBUTO_FIRST: &[u8] = b"{\"tributo\":\"";

/// What came of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadOutcome {
    Answered {
        valor: Money,
        rule_id: Arc<str>,
    },
    Refused {
        codigo: ErrorCode,
        /// The rule that refused, if one did.
        rule_id: Option<RuleId>,
    },
}

taxd_base::vocabulary! {
    /// How the outcome of a payload changes.
    pub enum SituacaoChamada {
        ValorMuda = "valor_muda",
        RegraMuda = "regra_muda",
        PassaAResponder = "passa_a_responder",
        PassaARecusar = "passa_a_recusar",
        RecusaMuda = "recusa_muda",
    }
}

/// A payload by the rules before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayedPayload {
    /// It looks up no key that was touched, so its outcome is the same.
    Untouched,
    /// It looks up one.
    Touched { before: PayloadOutcome, after: PayloadOutcome },
}

impl ReplayedPayload {
    /// How the outcome changes; `None` if it does not. Two refusals with one code are the same outcome.
    pub fn situacao(&self) -> Option<SituacaoChamada> {
        let ReplayedPayload::Touched { before, after } = self else { return None };
        match (before, after) {
            (PayloadOutcome::Answered { valor: old, .. }, PayloadOutcome::Answered { valor: new, .. })
                if old != new =>
            {
                Some(SituacaoChamada::ValorMuda)
            }
            (PayloadOutcome::Answered { rule_id: old, .. }, PayloadOutcome::Answered { rule_id: new, .. }) => {
                (old != new).then_some(SituacaoChamada::RegraMuda)
            }
            (PayloadOutcome::Refused { .. }, PayloadOutcome::Answered { .. }) => Some(SituacaoChamada::PassaAResponder),
            (PayloadOutcome::Answered { .. }, PayloadOutcome::Refused { .. }) => Some(SituacaoChamada::PassaARecusar),
            (PayloadOutcome::Refused { codigo: old, .. }, PayloadOutcome::Refused { codigo: new, .. }) => {
                (old != new).then_some(SituacaoChamada::RecusaMuda)
            }
        }
    }
}

enum Sides {
    /// Before an import, and as it would leave them.
    Staged {
        before: Arc<RuleReader>,
        after: Box<StagedRules>,
        /// Versions of `after`: their numbers may be given to others later, so the cache of the engine must not have
        /// them.
        decoded: Decoded,
    },
    /// As they are, and with supposed figures.
    Supposed { rules: Arc<RuleReader>, suposicoes: Vec<Suposicao> },
    /// As they were known at an instant, and later.
    Known {
        instant_ms: u64,
        after: Later,
        /// Publications up to those of after, in milliseconds since 1970, the oldest first.
        published_ms: Vec<u64>,
        /// How many of them the instant knows.
        known: usize,
    },
}

/// The rules of after, beside those of a past instant.
enum Later {
    Now(Arc<RuleReader>),
    /// As they were known at another instant, in milliseconds since 1970: read by each thread.
    Known(u64),
}

/// Two states of the rules, and the scope keys in which they may differ.
pub struct RuleComparison<'e> {
    engine: &'e Engine,
    sides: Sides,
    touched: Touched,
    /// Taxes whose calculation may look up a rule that was touched.
    tributos: Vec<Tributo>,
    pub publicadas: usize,
    /// Number of versions whose ends move.
    pub substituidas: usize,
}

/// Calculates payloads by both sides: one for each thread.
pub struct Replayer<'c> {
    comparison: &'c RuleComparison<'c>,
    before: BeforeRules<'c>,
    after: AfterRules<'c>,
}

/// The rules of after. Those of a past instant are read by one thread only.
enum AfterRules<'c> {
    Staged(&'c StagedRules, &'c Decoded),
    Now(&'c RuleReader),
    Supposed(&'c RuleReader, &'c [Suposicao]),
    Known(Box<AsOfReader>),
}

/// The rules of before. Those of a past instant are read by one thread only.
enum BeforeRules<'c> {
    Staged(&'c RuleReader),
    Known {
        rules: Box<AsOfReader>,
        /// The rules after some of the publications, and after how many: those of the call that was replayed last.
        between: RefCell<Option<(usize, Box<AsOfReader>)>>,
    },
}

impl Engine {
    /// Compares the rules as they are with those that the bundles would leave. Fails if the bundles could not be
    /// imported. The file is locked for writing only as long as for a dry run.
    pub fn compare_import(
        &self,
        files: &[BundleFile],
        progress: Progress<'_>,
    ) -> Result<RuleComparison<'_>, ImportError> {
        let options = ImportOptions { dry_run: true, accept_future_date: true, is_proven: false };
        let clock = || self.now();
        let request =
            ImportRequest { store: &self.store, instants: &self.instants, files, clock: &clock, options, stages: true };
        let mut tributos = BTreeSet::new();
        let imported = request.run(|| (), progress)?;
        let staged = imported.staged.ok_or_else(|| StoreError::Corrupt("a dry run left no rules".to_owned()))?;
        for published in imported.report.publicadas.iter() {
            tributos.extend(tax::find(&published?.tributo).map(|entry| entry.tributo));
        }
        Ok(RuleComparison {
            engine: self,
            tributos: looked_up_by(&tributos),
            publicadas: imported.report.publicadas.len(),
            substituidas: imported.report.substituidas.len(),
            sides: Sides::Staged {
                before: staged.base(),
                after: Box::new(staged),
                decoded: Sharded::new(DECODED_RULES),
            },
            touched: imported.touched,
        })
    }

    /// Compares the rules as they are with the same rules with supposed figures.
    pub fn compare_supposing(&self, suposicoes: Vec<Suposicao>) -> StoreResult<RuleComparison<'_>> {
        let tributos = suposicoes.iter().map(|one| one.tributo).collect();
        Ok(RuleComparison {
            engine: self,
            tributos: looked_up_by(&tributos),
            publicadas: 0,
            substituidas: 0,
            sides: Sides::Supposed { rules: self.store.read_rules()?, suposicoes },
            touched: Touched::default(),
        })
    }
}

/// The taxes whose calculation looks up rules of these taxes: themselves, and those that need their rules.
fn looked_up_by(tributos: &BTreeSet<Tributo>) -> Vec<Tributo> {
    let looks_up = |entry: &&Entry| {
        let needs = Uf::ALL.first().map_or(Vec::new(), |uf| (entry.needs)(None, Some(*uf)));
        tributos.contains(&entry.tributo) || needs.iter().any(|chave| tributos.contains(&chave.tributo))
    };
    tax::REGISTRY.iter().filter(looks_up).map(|entry| entry.tributo).collect()
}

impl RuleComparison<'_> {
    /// A replayer, for one thread.
    pub fn replayer(&self) -> StoreResult<Replayer<'_>> {
        let before = match &self.sides {
            Sides::Staged { before: rules, .. } | Sides::Supposed { rules, .. } => BeforeRules::Staged(rules),
            Sides::Known { instant_ms, .. } => {
                let rules = Box::new(self.engine.store.read_rules_as_of(*instant_ms)?);
                BeforeRules::Known { rules, between: RefCell::default() }
            }
        };
        let after = match &self.sides {
            Sides::Staged { after, decoded, .. } => AfterRules::Staged(after, decoded),
            Sides::Supposed { rules, suposicoes } => AfterRules::Supposed(rules, suposicoes),
            Sides::Known { after: Later::Now(after), .. } => AfterRules::Now(after),
            Sides::Known { after: Later::Known(at_ms), .. } => {
                AfterRules::Known(Box::new(self.engine.store.read_rules_as_of(*at_ms)?))
            }
        };
        Ok(Replayer { comparison: self, before, after })
    }

    /// The answer to a payload by the rules after.
    pub fn answer_after(&self, payload: &[u8]) -> RuleResult<TaxAnswer> {
        let replayer = self.replayer().map_err(|e| resolve::failed(&e))?;
        match &replayer.after {
            AfterRules::Staged(after, _) => calculate_bytes(&Resolver::new(*after, None), payload, false),
            AfterRules::Now(after) => calculate_bytes(&Resolver::new(*after, None), payload, false),
            AfterRules::Known(after) => calculate_bytes(&Resolver::new(&**after, None), payload, false),
            AfterRules::Supposed(rules, suposicoes) => {
                calculate_bytes(&Resolver::new(*rules, None).supposing(suposicoes), payload, false)
            }
        }
    }

    /// False if the payload names a tax that looks up no rule that was touched. Costs nothing if it names its tax first.
    fn concerns(&self, payload: &[u8]) -> bool {
        let Some(rest) = payload.strip_prefix(TRIBUTO_FIRST) else { return true };
        let name = rest.split(|byte| *byte == b'"').next().unwrap_or_default();
        self.tributos.iter().any(|tributo| tributo.as_str().as_bytes() == name)
    }
}

impl Replayer<'_> {
    /// Calculates a payload by the rules before and, if they may differ for it, by the rules after. Fails if the
    /// service fails; a refusal is an outcome.
    pub fn replay(&self, payload: &[u8]) -> RuleResult<ReplayedPayload> {
        let may_differ = |probes: &[u64]| self.comparison.touched.contains_any(probes);
        self.compare(payload, may_differ, |decoded| match &self.before {
            BeforeRules::Staged(rules) => outcome(Resolver::new(*rules, decoded), payload),
            BeforeRules::Known { rules, .. } => outcome(Resolver::new(&**rules, decoded), payload),
        })
    }

    fn compare<'s>(
        &'s self,
        payload: &[u8],
        may_differ: impl FnOnce(&[u64]) -> bool,
        before: impl FnOnce(Option<&'s Decoded>) -> RuleResult<(PayloadOutcome, Vec<u64>)>,
    ) -> RuleResult<ReplayedPayload> {
        if !self.comparison.concerns(payload) {
            return Ok(ReplayedPayload::Untouched);
        }
        let decoded = Some(&self.comparison.engine.decoded);
        let (before, probes) = before(decoded)?;
        let is_supposed = matches!(self.after, AfterRules::Supposed(..));
        if !is_supposed && !may_differ(&probes) {
            return Ok(ReplayedPayload::Untouched);
        }
        let after = match &self.after {
            AfterRules::Staged(after, decoded) => outcome(Resolver::new(*after, Some(decoded)), payload)?.0,
            AfterRules::Now(after) => outcome(Resolver::new(*after, decoded), payload)?.0,
            AfterRules::Known(after) => outcome(Resolver::new(&**after, decoded), payload)?.0,
            AfterRules::Supposed(rules, suposicoes) => {
                let resolver = Resolver::new(*rules, decoded).supposing(suposicoes);
                let after = outcome_of(&resolver, payload)?;
                if !resolver.has_supposed() {
                    return Ok(ReplayedPayload::Untouched);
                }
                after
            }
        };
        Ok(ReplayedPayload::Touched { before, after })
    }
}

/// The outcome of a payload, and the hashes of the keys that it looked up.
fn outcome<T: RuleTables>(resolver: Resolver<'_, T>, payload: &[u8]) -> RuleResult<(PayloadOutcome, Vec<u64>)> {
    Ok((outcome_of(&resolver, payload)?, resolver.into_probes()))
}

fn outcome_of<T: RuleTables>(resolver: &Resolver<'_, T>, payload: &[u8]) -> RuleResult<PayloadOutcome> {
    Ok(match calculate_bytes(resolver, payload, false) {
        Ok(result) => PayloadOutcome::Answered { valor: result.valor, rule_id: Arc::clone(result.rule_id()) },
        Err(problem) if is_failure(&problem) => return Err(problem),
        Err(problem) => {
            let Problem { codigo, regra, .. } = *problem;
            PayloadOutcome::Refused { codigo, rule_id: regra.map(|regra| regra.rule_id) }
        }
    })
}

/// True if the service failed, not the payload.
fn is_failure(problem: &Problem) -> bool {
    problem.codigo.status() >= 500
}

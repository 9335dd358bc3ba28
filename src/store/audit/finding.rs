//! What is found wrong with a file, and what to do about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::store::StoreResult;

/// Findings that are told one by one; beyond them they are counted.
const LISTED: usize = 200;

/// What of the file a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// The pages that all else is written on.
    Pages,
    /// Rule versions, when they answer, and what was told of them.
    Rules,
    /// Worked examples of rules.
    Examples,
    /// Accounts, plans, keys and subscriptions.
    Accounts,
    /// Webhook deliveries.
    Deliveries,
    /// Logged calls and what was counted of them.
    Calls,
    /// Settings of the operator.
    Settings,
}

impl Area {
    /// What to do about a finding.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Area::Pages | Area::Rules => {
                "stop the server, keep this file, and restore the latest backup that `taxd check FILE` finds whole; answers and listings may be wrong until then"
            }
            Area::Examples => {
                "have whoever answers for the rule compare it with its example, and import a corrected version; where no rule is at fault, this taxd calculates otherwise than the one that imported it"
            }
            Area::Accounts => {
                "see `taxd account list`, `taxd key list` and `taxd subscription list`; make anew what is missing, or restore a backup that is whole"
            }
            Area::Deliveries => {
                "subscribers may lack an event: they find it in GET /v1/changelog; remove the subscription and make it anew, or restore a backup that is whole"
            }
            Area::Calls => "rules and answers are not touched; consumption may lack calls, which only a backup has",
            Area::Settings => "see `taxd bundle trust list`; remove what is wrong there and trust the key again",
        }
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is about.
    pub area: Area,
    /// What is wrong.
    pub what: String,
}

/// What is wrong with a file: the first findings, and how many there are in each area.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    listed: Vec<Finding>,
    counts: BTreeMap<Area, u64>,
}

impl Findings {
    /// The first of them.
    #[must_use]
    pub fn listed(&self) -> &[Finding] {
        &self.listed
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many there are in an area.
    #[must_use]
    pub fn total_of(&self, area: Area) -> u64 {
        self.counts.get(&area).copied().unwrap_or_default()
    }
}

/// A check under way.
pub struct Checker<'c> {
    findings: Findings,
    on_progress: &'c mut dyn FnMut(u64) -> StoreResult<()>,
}

impl<'c> Checker<'c> {
    /// Calls `on_progress` with the number of rows that were checked since the last call; an error of it ends the
    /// check.
    pub fn new(on_progress: &'c mut dyn FnMut(u64) -> StoreResult<()>) -> Checker<'c> {
        Checker { findings: Findings::default(), on_progress }
    }

    /// Adds a finding. It is only counted if there are many already.
    pub fn add(&mut self, area: Area, what: impl Into<String>) {
        *self.findings.counts.entry(area).or_default() += 1;
        if self.findings.listed.len() < LISTED {
            self.findings.listed.push(Finding { area, what: what.into() });
        }
    }

    /// Reports that so many more rows are checked. Fails if the check is to end.
    pub fn rows(&mut self, count: u64) -> StoreResult<()> {
        (self.on_progress)(count)
    }

    /// What was found so far.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        self.findings
    }
}

//! The findings of a check, and what to do about them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::store::StoreResult;

/// Findings that are listed; further ones are only counted.
const LISTED: usize = 200;

taxd_base::vocabulary! {
    /// The part of the file that a finding concerns. Rules are with their events, accounts with their plans, keys and
    /// subscriptions, calls with the meters.
    pub enum Area {
        Pages = "pages",
        Rules = "rules",
        Examples = "examples",
        Accounts = "accounts",
        Deliveries = "deliveries",
        Calls = "calls",
        Lists = "lists",
        Settings = "settings",
    }
}

impl Area {
    pub const fn advice(self) -> &'static str {
        match self {
            Area::Pages | Area::Rules => {
                "stop the server, keep this file, and restore the latest backup in which `taxd check FILE` finds nothing wrong; answers and listings may be wrong until then"
            }
            Area::Examples => {
                "ask the author of the rule to compare it with its example, and import a corrected version; if the rule is right, this taxd calculates differently from the one that imported it"
            }
            Area::Accounts => {
                "see `taxd account list`, `taxd key list` and `taxd subscription list`; create again what is missing, or restore a backup"
            }
            Area::Deliveries => {
                "subscribers may miss an event, which GET /v1/changelog has; remove the subscription and create it again, or restore a backup"
            }
            Area::Calls => {
                "rules and answers are not affected; the consumption of accounts may lack calls, which only a backup may have"
            }
            Area::Lists => {
                "rules and answers are not affected; see `taxd list show`, and keep the list again with `taxd list put`"
            }
            Area::Settings => "see `taxd bundle trust list`; remove the faulty key and trust it again",
        }
    }
}

/// Something that is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub area: Area,
    pub finding: String,
    pub advice: String,
}

impl Finding {
    pub(super) fn new(area: Area, finding: impl Into<String>) -> Finding {
        Finding { area, finding: finding.into(), advice: area.advice().to_owned() }
    }
}

/// What is wrong with a file: the first findings, and how many there are in each area.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    listed: Vec<Finding>,
    counts: BTreeMap<Area, u64>,
}

impl Findings {
    /// The first of them.
    pub fn listed(&self) -> &[Finding] {
        &self.listed
    }

    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    pub fn total_of(&self, area: Area) -> u64 {
        self.counts.get(&area).copied().unwrap_or_default()
    }
}

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
            self.findings.listed.push(Finding::new(area, what));
        }
    }

    /// Reports that so many more rows are checked. Fails if the check is to end.
    pub fn rows(&mut self, count: u64) -> StoreResult<()> {
        (self.on_progress)(count)
    }

    /// What was found so far.
    pub fn into_findings(self) -> Findings {
        self.findings
    }
}

//! What is found wrong with a file, and what to do about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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

/// What is wrong with a file: as much as anybody reads, and how much it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    listed: Vec<Finding>,
    /// How many there are in each area.
    counts: BTreeMap<Area, u64>,
}

impl Findings {
    /// Something is wrong.
    pub fn add(&mut self, area: Area, what: impl Into<String>) {
        *self.counts.entry(area).or_default() += 1;
        if self.listed.len() < LISTED {
            self.listed.push(Finding { area, what: what.into() });
        }
    }

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

//! Plans: the limits of accounts. An account may override some of them.

use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use serde::{Deserialize, Deserializer, Serialize};

use super::encoding::{decode, encode};
use super::{Store, StoreError, StoreResult, schema};

/// A limit: a number, or none (`null`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limit(pub Option<u64>);

impl Limit {
    /// True if there are `count` already and no more are allowed.
    pub fn is_reached(self, count: u64) -> bool {
        self.0.is_some_and(|most| count >= most)
    }

    /// Reads a member that may be absent: `null` means that there is no limit, and an absent member says nothing.
    pub fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Limit>, D::Error> {
        Limit::deserialize(d).map(Some)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(most) => write!(f, "{most}"),
            None => f.write_str("unlimited"),
        }
    }
}

impl std::str::FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        if text.eq_ignore_ascii_case("unlimited") {
            return Ok(Limit(None));
        }
        let most = text.parse().map_err(|_| format!("\"{text}\" is neither a whole number nor `unlimited`"))?;
        Ok(Limit(Some(most)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountLimits {
    /// Calls in any 60 seconds.
    pub rate_limit: u32,
    /// Calls with production keys in a calendar month, UTC.
    pub monthly_quota: Limit,
    /// Webhook endpoints (contract, section 8).
    pub webhook_endpoints: Limit,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name: the `tier` of the contract's section 2.5.
    pub plan: String,
    #[serde(flatten)]
    pub limits: AccountLimits,
}

/// The limits that an account has in place of those of its plan; `None` is the limit of the plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitOverrides {
    /// In place of [`AccountLimits::rate_limit`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<u32>,
    /// In place of [`AccountLimits::monthly_quota`].
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
    pub monthly_quota: Option<Limit>,
    /// In place of [`AccountLimits::webhook_endpoints`].
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
    pub webhook_endpoints: Option<Limit>,
}

impl LimitOverrides {
    /// The limits of a plan with these in their place.
    pub fn over(self, plan: AccountLimits) -> AccountLimits {
        AccountLimits {
            rate_limit: self.rate_limit.unwrap_or(plan.rate_limit),
            monthly_quota: self.monthly_quota.unwrap_or(plan.monthly_quota),
            webhook_endpoints: self.webhook_endpoints.unwrap_or(plan.webhook_endpoints),
        }
    }
}

/// The plans of a new data file. The numbers of endpoints are from the contract (section 8). The rates are taxd's own:
/// a hundred calls a second for one ERP, a thousand for several, and more than a machine of two cores answers.
fn shipped() -> [Plan; 3] {
    let plan = |name: &str, rate_limit, monthly_quota, endpoints| Plan {
        plan: name.to_owned(),
        limits: AccountLimits { rate_limit, monthly_quota: Limit(monthly_quota), webhook_endpoints: Limit(endpoints) },
    };
    [
        plan("growth", 6_000, Some(1_000_000), Some(5)),
        plan("scale", 60_000, Some(20_000_000), None),
        plan("enterprise", 6_000_000, None, None),
    ]
}

/// Writes the shipped plans if there is no plan.
pub(super) fn begin(txn: &WriteTransaction) -> StoreResult<()> {
    let mut table = txn.open_table(schema::PLANS)?;
    if table.first()?.is_none() {
        for plan in shipped() {
            table.insert(plan.plan.as_str(), encode(&plan)?.as_slice())?;
        }
    }
    Ok(())
}

pub(super) fn all(txn: &ReadTransaction) -> StoreResult<Vec<Plan>> {
    let table = txn.open_table(schema::PLANS)?;
    let plans: StoreResult<Vec<Plan>> = table.iter()?.map(|entry| decode("plan", entry?.1.value())).collect();
    let mut plans = plans?;
    plans.sort_by_key(|plan| plan.limits.rate_limit);
    Ok(plans)
}

impl Store {
    /// Every plan, by rate limit.
    pub fn plans(&self) -> StoreResult<Vec<Plan>> {
        all(&self.begin_read()?)
    }

    /// Sets the limits of a plan to those that `change` returns for its present ones, or creates the plan. Nothing is
    /// written if `change` fails.
    pub fn change_plan<E: From<StoreError>>(
        &self,
        name: &str,
        change: impl FnOnce(Option<AccountLimits>) -> Result<AccountLimits, E>,
    ) -> Result<Plan, E> {
        self.small_write(|txn| {
            let mut table = txn.open_table(schema::PLANS).map_err(StoreError::from)?;
            let known = table.get(name).map_err(StoreError::from)?;
            let known: Option<Plan> = known.map(|bytes| decode("plan", bytes.value())).transpose()?;
            let plan = Plan { plan: name.to_owned(), limits: change(known.map(|plan| plan.limits))? };
            table.insert(name, encode(&plan)?.as_slice()).map_err(StoreError::from)?;
            Ok(plan)
        })
    }
}

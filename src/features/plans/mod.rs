//! Plans: what their accounts may do.

pub mod command;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use crate::core::service::Service;
use crate::core::store::{AccountLimits, Limit, LimitOverrides, Plan};

/// Plans: what the accounts of each may do
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanCommand {
    /// List the plans
    List,
    /// Change a plan; with all three limits given, make a new one
    ///
    /// A change applies from the next call on, to every account of the plan without a limit of its own.
    Set {
        /// The plan
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        limits: PlanLimits,
    },
}

/// The limits to change; an absent one stays as it is. "unlimited" is `null` on the socket, so an absent member must
/// not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct PlanLimits {
    /// Calls in any 60 seconds
    #[arg(long, value_name = "N")]
    rate_limit: Option<u32>,
    /// Production calls in a calendar month (UTC)
    #[arg(long, value_name = "N|unlimited")]
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
    quota: Option<Limit>,
    /// Webhook endpoints
    #[arg(long, value_name = "N|unlimited")]
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "Limit::present")]
    endpoints: Option<Limit>,
}

/// Largest rate limit, in calls a minute: more than any machine answers.
pub(super) const MAX_RATE_LIMIT: u32 = 1_000_000_000;
/// Longest name of a plan, in bytes.
const MAX_NAME_BYTES: usize = 40;

/// Refuses 0 and a rate limit that is too large.
pub(super) fn check_rate_limit(rate_limit: u32) -> Result<(), AdminError> {
    if (1..=MAX_RATE_LIMIT).contains(&rate_limit) {
        return Ok(());
    }
    Err(AdminError::new(format!(
        "a rate limit is 1 to {MAX_RATE_LIMIT} calls a minute; to stop an account use `taxd account suspend`"
    )))
}

/// Returns the plan of that name, in either case. Fails if there is none.
pub(super) fn find(service: &Service, name: &str) -> Result<Plan, AdminError> {
    let plans = service.store().plans()?;
    let names: Vec<&str> = plans.iter().map(|plan| plan.plan.as_str()).collect();
    let wanted = name.trim().to_lowercase();
    plans
        .iter()
        .find(|plan| plan.plan == wanted)
        .cloned()
        .ok_or_else(|| AdminError::new(format!("there is no plan \"{name}\"; the plans are {}", names.join(", "))))
}

/// Changes a plan, or makes a new one if all three limits are given.
pub(super) fn set(service: &Service, name: &str, limits: PlanLimits) -> Result<Plan, AdminError> {
    let name = name.trim().to_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(plain) {
        return Err(AdminError::new(format!(
            "a plan's name has 1 to {MAX_NAME_BYTES} letters a to z, digits, - or _, not \"{name}\""
        )));
    }
    let PlanLimits { rate_limit, quota: monthly_quota, endpoints: webhook_endpoints } = limits;
    let limits = LimitOverrides { rate_limit, monthly_quota, webhook_endpoints };
    rate_limit.map_or(Ok(()), check_rate_limit)?;
    let plan = service.store().change_plan(&name, |known| match (known, limits) {
        (Some(_), limits) if limits == LimitOverrides::default() => {
            Err(AdminError::new("say what to change: --rate-limit, --quota or --endpoints"))
        }
        (Some(known), limits) => Ok(limits.over(known)),
        (
            None,
            LimitOverrides {
                rate_limit: Some(rate_limit),
                monthly_quota: Some(monthly_quota),
                webhook_endpoints: Some(webhook_endpoints),
            },
        ) => Ok(AccountLimits { rate_limit, monthly_quota, webhook_endpoints }),
        (None, _) => Err(AdminError::new(format!(
            "there is no plan \"{name}\"; to make it, give all of --rate-limit, --quota and --endpoints"
        ))),
    })?;
    service.calls().reload(service.store())?;
    let (name, limits) = (&plan.plan, plan.limits);
    tracing::info!(plan = name, rate_limit = limits.rate_limit, monthly_quota = %limits.monthly_quota, "plan {name} set");
    Ok(plan)
}

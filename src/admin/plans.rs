//! Plans: what their accounts may do.

use serde_json::Value;

use super::AdminError;
use super::command::to_value;
use crate::service::Service;
use crate::store::{AccountLimits, Limit, Plan};

/// Largest rate limit, in calls a minute: more than any machine answers.
pub(super) const MAX_RATE_LIMIT: u32 = 1_000_000_000;
/// Longest name of a plan, in bytes.
const MAX_NAME_BYTES: usize = 40;

/// Refuses a rate limit that is none.
pub(super) fn check_rate_limit(rate_limit: u32) -> Result<(), AdminError> {
    if (1..=MAX_RATE_LIMIT).contains(&rate_limit) {
        return Ok(());
    }
    Err(AdminError::new(format!(
        "a rate limit is 1 to {MAX_RATE_LIMIT} calls a minute; to stop an account use `taxd account suspend`"
    )))
}

/// The plan of that name, however it is capitalised.
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

/// Every plan.
pub(super) fn list(service: &Service) -> Result<Value, AdminError> {
    to_value(&service.store().plans()?)
}

/// Changes a plan, or makes one where all of it is given.
pub(super) fn set(
    service: &Service,
    name: &str,
    rate_limit: Option<u32>,
    monthly_quota: Option<Limit>,
    webhook_endpoints: Option<Limit>,
) -> Result<Value, AdminError> {
    let name = name.trim().to_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(plain) {
        return Err(AdminError::new(format!(
            "a plan's name has 1 to {MAX_NAME_BYTES} letters a to z, digits, - or _, not \"{name}\""
        )));
    }
    if let Some(rate_limit) = rate_limit {
        check_rate_limit(rate_limit)?;
    }
    let plan = service.store().change_plan(&name, |known| {
        let all = (rate_limit, monthly_quota, webhook_endpoints);
        match (known, all) {
            (Some(_), (None, None, None)) => {
                Err(AdminError::new("say what to change: --rate-limit, --quota or --endpoints"))
            }
            (Some(known), _) => Ok(AccountLimits {
                rate_limit: rate_limit.unwrap_or(known.rate_limit),
                monthly_quota: monthly_quota.unwrap_or(known.monthly_quota),
                webhook_endpoints: webhook_endpoints.unwrap_or(known.webhook_endpoints),
            }),
            (None, (Some(rate_limit), Some(monthly_quota), Some(webhook_endpoints))) => {
                Ok(AccountLimits { rate_limit, monthly_quota, webhook_endpoints })
            }
            (None, _) => Err(AdminError::new(format!(
                "there is no plan \"{name}\"; to make it, give all of --rate-limit, --quota and --endpoints"
            ))),
        }
    })?;
    service.calls().reload(service.store())?;
    tracing::info!(plan = plan.plan, rate_limit = plan.limits.rate_limit, monthly_quota = %plan.limits.monthly_quota, "plan set");
    to_value(&plan)
}

//! `taxd plan`.

use crate::cli::{CommandResult, Context, output};
use crate::core::store::{AccountLimits, Plan};
use crate::features::Command;
use crate::features::plans::PlanCommand;

pub(crate) fn run(context: &Context, command: PlanCommand) -> CommandResult {
    match command {
        PlanCommand::List => context.show(Command::Plan(command), |plans: Vec<Plan>| table(&plans)),
        PlanCommand::Set { .. } => context.show(Command::Plan(command), |plan: Plan| table(&[plan])),
    }
}

fn table(plans: &[Plan]) -> String {
    let row = |plan: &Plan| std::iter::once(plan.plan.clone()).chain(limits(&plan.limits)).collect();
    output::table(&["PLAN", "CALLS/MIN", "CALLS/MONTH", "ENDPOINTS"], plans.iter().map(row))
}

/// The three limits of a plan or account, for people.
pub(crate) fn limits(limits: &AccountLimits) -> [String; 3] {
    [limits.rate_limit.to_string(), limits.monthly_quota.to_string(), limits.webhook_endpoints.to_string()]
}

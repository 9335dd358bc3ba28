//! `taxd plan`.

use clap::Subcommand;

use crate::cli::{CommandResult, Context, output};
use crate::core::store::{AccountLimits, Limit, LimitOverrides, Plan};
use crate::features::Command;
use crate::features::plans::PlanCommand;

/// Plans: what the accounts of each may do
#[derive(Debug, Subcommand)]
pub(crate) enum PlanArgs {
    /// List the plans
    List,
    /// Change a plan; with all three limits given, make a new one
    ///
    /// A change applies from the next call on, to every account of the plan without a limit of its own.
    Set {
        /// The plan
        #[arg(value_name = "NAME")]
        name: String,
        /// Calls in any 60 seconds
        #[arg(long, value_name = "N")]
        rate_limit: Option<u32>,
        /// Production calls in a calendar month (UTC)
        #[arg(long, value_name = "N|unlimited")]
        quota: Option<Limit>,
        /// Webhook endpoints
        #[arg(long, value_name = "N|unlimited")]
        endpoints: Option<Limit>,
    },
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: PlanArgs) -> CommandResult {
    match args {
        PlanArgs::List => context.show(Command::Plan(PlanCommand::List), |plans: Vec<Plan>| table(&plans)),
        PlanArgs::Set { name, rate_limit, quota, endpoints } => {
            let limits = LimitOverrides { rate_limit, monthly_quota: quota, webhook_endpoints: endpoints };
            context.show(Command::Plan(PlanCommand::Set { name, limits }), |plan: Plan| table(&[plan]))
        }
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

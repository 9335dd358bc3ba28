//! `taxd plan`.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::Value;

use super::{CommandResult, DataDir, Json, output};
use crate::admin::{Command, data_dir};
use crate::store::Limit;

/// Plans: what the accounts of each may do
#[derive(Debug, Subcommand)]
pub(super) enum Plan {
    /// List the plans
    List {
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Change a plan; with all three limits given, make a new one
    ///
    /// A change holds from the next call on, for every account of the plan that has no exception of its own.
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
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Runs the command.
pub(super) fn run(args: &Plan) -> CommandResult {
    let (result, json) = match args {
        Plan::List { data, json } => (data_dir::run(&data.data, Command::PlanList)?, json),
        Plan::Set { name, rate_limit, quota, endpoints, data, json } => {
            let command = Command::PlanSet {
                name: name.clone(),
                rate_limit: *rate_limit,
                monthly_quota: *quota,
                webhook_endpoints: *endpoints,
            };
            (data_dir::run(&data.data, command)?, json)
        }
    };
    if json.json {
        output::json(&result)?;
    } else {
        output::line(&table(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One plan or several as a table.
fn table(plans: &Value) -> String {
    let plans = plans.as_array().map_or(std::slice::from_ref(plans), Vec::as_slice);
    let row = |plan: &Value| vec![output::text(plan, "plan").to_owned()].into_iter().chain(limits(plan)).collect();
    output::table(&["PLAN", "CALLS/MIN", "CALLS/MONTH", "ENDPOINTS"], &plans.iter().map(row).collect::<Vec<_>>())
}

/// The three limits of a plan or account, for people.
pub(super) fn limits(limits: &Value) -> [String; 3] {
    ["rate_limit", "monthly_quota", "webhook_endpoints"].map(|name| output::number(limits, name, "unlimited"))
}

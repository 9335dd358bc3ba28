//! `taxd account`.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::Value;

use super::{CommandResult, DataDir, Json, output};
use crate::admin::{Command, data_dir};

/// Accounts: who may call
#[derive(Debug, Subcommand)]
pub(super) enum Account {
    /// Make an account
    Create {
        /// Name, as people know it
        #[arg(value_name = "NAME")]
        name: String,
        /// Plan: growth, scale or enterprise
        #[arg(long, default_value = "growth")]
        plan: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// List the accounts
    List {
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Runs the command.
pub(super) fn run(args: &Account) -> CommandResult {
    match args {
        Account::Create { name, plan, data, json } => {
            let command = Command::AccountCreate { nome: name.clone(), plan: plan.clone() };
            let account = data_dir::run(&data.data, command)?;
            if json.json {
                output::json(&account)?;
            } else {
                output::line(&format!("account {} made for {name}, plan {plan}", output::text(&account, "client_id")))?;
                output::line(&format!(
                    "next: taxd key create --account {} --kind live",
                    output::text(&account, "client_id")
                ))?;
            }
        }
        Account::List { data, json } => {
            let accounts = data_dir::run(&data.data, Command::AccountList)?;
            if json.json {
                output::json(&accounts)?;
            } else {
                let columns = ["client_id", "nome", "plan", "created_at"];
                let row = |account: &Value| columns.map(|c| output::text(account, c).to_owned()).to_vec();
                let rows: Vec<_> = accounts.as_array().into_iter().flatten().map(row).collect();
                output::line(&output::table(&["CLIENT_ID", "NAME", "PLAN", "CREATED"], &rows))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

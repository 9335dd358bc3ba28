//! `taxd account`.

use std::process::ExitCode;
use std::str::FromStr;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{CommandResult, DataDir, Json, key, output, plan};
use crate::admin::{AdminError, Command, Exception, Exceptions, data_dir};
use crate::store::Limit;

/// Accounts: who may call
#[derive(Debug, Subcommand)]
pub(super) enum Account {
    /// Make an account
    Create {
        /// Name, as people know it
        #[arg(value_name = "NAME")]
        name: String,
        /// Plan: growth, scale, enterprise, or one that `taxd plan set` made
        #[arg(long, default_value = "growth")]
        plan: String,
        #[command(flatten)]
        limits: Limits,
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
    /// Show an account: its limits, keys and consumption
    Show {
        #[command(flatten)]
        account: Id,
        /// How many of its latest calls to show
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=50))]
        recent: u8,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Change an account; the change holds from the next call on
    Set {
        #[command(flatten)]
        account: Id,
        /// New name
        #[arg(long)]
        name: Option<String>,
        /// New plan
        #[arg(long)]
        plan: Option<String>,
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Refuse the account's calls (403), and keep its webhooks waiting, until it is resumed
    Suspend {
        #[command(flatten)]
        account: Id,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Answer the account's calls again
    Resume {
        #[command(flatten)]
        account: Id,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Which account.
#[derive(Debug, Args)]
pub(super) struct Id {
    /// Account, by its id or by a name that no other account has
    #[arg(value_name = "CLIENT_ID|NAME")]
    client_id: String,
}

/// Exceptions from the plan.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Limits {
    /// Calls in any 60 seconds, in place of the plan's; `plan` goes back to that
    #[arg(long, value_name = "N|plan", value_parser = exception::<u32>)]
    rate_limit: Option<Exception<u32>>,
    /// Production calls in a calendar month (UTC), in place of the plan's
    #[arg(long, value_name = "N|unlimited|plan", value_parser = exception::<Limit>)]
    quota: Option<Exception<Limit>>,
    /// Webhook endpoints, in place of the plan's
    #[arg(long, value_name = "N|unlimited|plan", value_parser = exception::<Limit>)]
    endpoints: Option<Exception<Limit>>,
}

fn exception<T: FromStr<Err: std::fmt::Display>>(text: &str) -> Result<Exception<T>, String> {
    if text.eq_ignore_ascii_case("plan") {
        return Ok(Exception::Plan);
    }
    text.parse().map(Exception::Own).map_err(|e| format!("{e}, nor `plan`"))
}

impl Limits {
    fn exceptions(self) -> Exceptions {
        Exceptions {
            rate_limit: self.rate_limit.unwrap_or_default(),
            monthly_quota: self.quota.unwrap_or_default(),
            webhook_endpoints: self.endpoints.unwrap_or_default(),
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &Account) -> CommandResult {
    match args {
        Account::Create { name, plan, limits, data, json } => {
            let command =
                Command::AccountCreate { nome: name.clone(), plan: plan.clone(), exceptions: limits.exceptions() };
            let account = data_dir::run(&data.data, command)?;
            let client_id = output::text(&account, "client_id");
            warn(&account);
            if json.json {
                output::json(&account)?;
            } else {
                output::line(&format!("account {client_id} made for {name}, plan {}", output::text(&account, "plan")))?;
                output::line(&format!("next: taxd key create --account {client_id} --kind live"))?;
            }
        }
        Account::List { data, json } => {
            let accounts = data_dir::run(&data.data, Command::AccountList)?;
            if json.json {
                output::json(&accounts)?;
            } else {
                output::line(&table(accounts.as_array().map_or(&[], Vec::as_slice)))?;
            }
        }
        Account::Show { account, recent, data, json } => {
            let command = Command::AccountShow { client_id: account.client_id.clone(), recent: usize::from(*recent) };
            let shown = data_dir::run(&data.data, command)?;
            if json.json {
                output::json(&shown)?;
            } else {
                show(&shown)?;
            }
        }
        Account::Set { account, name, plan, limits, data, json } => {
            let command = Command::AccountSet {
                client_id: account.client_id.clone(),
                nome: name.clone(),
                plan: plan.clone(),
                exceptions: limits.exceptions(),
            };
            changed(&data_dir::run(&data.data, command)?, *json)?;
        }
        Account::Suspend { account, data, json } => {
            let command = Command::AccountSuspend { client_id: account.client_id.clone() };
            changed(&data_dir::run(&data.data, command)?, *json)?;
        }
        Account::Resume { account, data, json } => {
            let command = Command::AccountResume { client_id: account.client_id.clone() };
            changed(&data_dir::run(&data.data, command)?, *json)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Warns of what the account has in common with others.
fn warn(account: &Value) {
    let warnings = output::member(account, "avisos").as_array().into_iter().flatten();
    warnings.filter_map(Value::as_str).for_each(output::warn);
}

/// The account as it is after a change.
fn changed(account: &Value, json: Json) -> Result<(), AdminError> {
    warn(account);
    if json.json { output::json(account) } else { output::line(&table(std::slice::from_ref(account))) }
}

fn table(accounts: &[Value]) -> String {
    let row = |account: &Value| {
        let state = if account.get("suspended_at").is_some() { "suspended" } else { "active" };
        let limits = plan::limits(account.get("limits").unwrap_or(&Value::Null));
        let text = |name| output::text(account, name).to_owned();
        let mut row = vec![text("client_id"), text("nome"), state.to_owned(), text("plan")];
        row.extend(limits);
        row.push(text("created_at"));
        row
    };
    let headings = ["CLIENT_ID", "NAME", "STATE", "PLAN", "CALLS/MIN", "CALLS/MONTH", "ENDPOINTS", "CREATED"];
    output::table(&headings, &accounts.iter().map(row).collect::<Vec<_>>())
}

/// An account for people.
fn show(shown: &Value) -> Result<(), AdminError> {
    let (account, usage) = (output::member(shown, "account"), output::member(shown, "usage"));
    output::line(&table(std::slice::from_ref(account)))?;
    let (status, latency, quota) =
        (output::member(usage, "status"), output::member(usage, "latencia"), output::member(usage, "cota"));
    let count = |of: &Value, name: &str| output::number(of, name, "0");
    output::line("")?;
    output::line(&format!(
        "calls      {} in all, {} in the last 24 hours, {} of {} production calls in {}",
        count(usage, "total_chamadas"),
        count(usage, "chamadas_24h"),
        count(quota, "usada"),
        output::number(quota, "limite", "unlimited"),
        output::text(quota, "mes"),
    ))?;
    output::line(&format!(
        "status     2xx {}, 3xx {}, 4xx {}, 5xx {}",
        count(status, "sucesso_2xx"),
        count(status, "nao_modificado_3xx"),
        count(status, "erro_cliente_4xx"),
        count(status, "erro_servidor_5xx"),
    ))?;
    output::line(&format!("latency    p50 {} ms, p95 {} ms", count(latency, "p50_ms"), count(latency, "p95_ms")))?;
    output::line("")?;
    output::line(&key::table(output::member(shown, "keys")))?;
    let recent = output::member(usage, "recentes").as_array().map_or(&[][..], Vec::as_slice);
    if recent.is_empty() {
        return Ok(());
    }
    let row = |call: &Value| {
        vec![
            output::text(call, "created_at").to_owned(),
            count(call, "status_code"),
            format!("{} ms", count(call, "latency_ms")),
            if output::member(call, "cached") == true { "cached".to_owned() } else { String::new() },
            output::text(call, "resumo").to_owned(),
            output::text(call, "rule_id").to_owned(),
        ]
    };
    output::line("")?;
    let headings = ["CALLED", "STATUS", "LATENCY", "", "CALL", "RULE"];
    output::line(&output::table(&headings, &recent.iter().map(row).collect::<Vec<_>>()))
}

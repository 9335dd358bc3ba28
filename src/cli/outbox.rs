//! `taxd outbox`: deliveries to subscribers.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{CommandResult, DataDir, Json, output, typed};
use crate::admin::{Command, OutboxCommand, OutboxQuery, data_dir};

/// Deliveries to subscribers: list, send again
#[derive(Debug, Subcommand)]
pub(super) enum Outbox {
    /// List deliveries, the latest first
    List(List),
    /// Send an ended delivery again, or all that failed to a subscription
    Replay(Replay),
}

/// Which deliveries.
#[derive(Debug, Args)]
pub(super) struct List {
    /// pending, delivered or failed
    #[arg(long, value_parser = ["pending", "delivered", "failed"])]
    state: Option<String>,
    /// To this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    /// Of this rule version
    #[arg(long, value_name = "RULE_ID", value_parser = typed::rule)]
    rule: Option<String>,
    /// Most to list
    #[arg(long, default_value_t = 100, value_name = "N")]
    limit: usize,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// What is to be sent again: one delivery, or all that failed.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// Id of a delivery
    #[arg(value_name = "ID", required_unless_present = "subscription", conflicts_with_all = ["subscription", "failed_since"])]
    id: Option<String>,
    /// All that failed to this subscription
    #[arg(long, value_name = "ID", requires = "failed_since")]
    subscription: Option<String>,
    /// From this instant or day (UTC) on: 2026-03-10T12:00:00Z, 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "TIMESTAMP", requires = "subscription", value_parser = typed::day)]
    failed_since: Option<String>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Outbox) -> CommandResult {
    let (command, data, json) = match args {
        Outbox::List(list) => (list.command(), &list.data, list.json),
        Outbox::Replay(replay) => (replay.command(), &replay.data, replay.json),
    };
    let result = data_dir::run(&data.data, Command::Outbox(command))?;
    if json.json {
        output::json(&result)?;
    } else {
        output::line(&text(args, &result))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl List {
    fn command(&self) -> OutboxCommand {
        OutboxCommand::List(OutboxQuery {
            state: self.state.clone(),
            subscription: self.subscription.clone(),
            rule: self.rule.clone(),
            limit: self.limit,
        })
    }
}

impl Replay {
    fn command(&self) -> OutboxCommand {
        match (&self.subscription, &self.failed_since) {
            (Some(subscription), Some(since)) => {
                OutboxCommand::ReplayFailed { subscription: subscription.clone(), since: since.clone() }
            }
            _ => OutboxCommand::Replay { id: self.id.clone().unwrap_or_default() },
        }
    }
}

fn text(args: &Outbox, result: &Value) -> String {
    match args {
        Outbox::Replay(_) => {
            let replayed = output::number(result, "replayed", "0");
            format!("{replayed} put back; a running server sends them now, unless their account is suspended")
        }
        Outbox::List(_) => {
            let row = |delivery: &Value| {
                let cell = |name| output::text(delivery, name).to_owned();
                let attempts = output::number(delivery, "attempts", "0");
                let at = [cell("due_at"), cell("ended_at")].concat();
                let suspended = delivery.get("account_suspended").and_then(Value::as_bool) == Some(true);
                let state = if suspended { "pending (account suspended)".to_owned() } else { cell("state") };
                vec![cell("id"), cell("rule_id"), state, attempts, at, cell("outcome")]
            };
            let rows: Vec<_> =
                result.get("deliveries").and_then(Value::as_array).into_iter().flatten().map(row).collect();
            let table = output::table(&["ID", "RULE", "STATE", "ATTEMPTS", "DUE/ENDED", "LAST ATTEMPT"], &rows);
            let more = result.get("more").and_then(Value::as_bool) == Some(true);
            format!("{table}{}", if more { "\n... and more: narrow the filters, or raise --limit" } else { "" })
        }
    }
}

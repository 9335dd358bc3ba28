//! `taxd outbox`: deliveries to subscribers.

use clap::{Args, Subcommand};

use crate::cli::{CommandResult, Context, output, typed};
use crate::features::Command;
use crate::features::outbox::{DeliveryList, OutboxCommand, OutboxQuery, Replayed, ShownDelivery};

/// Deliveries to subscribers: list, send again
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxArgs {
    /// List deliveries, the latest first
    List(DeliveryListArgs),
    /// Send an ended delivery again, or all that failed to a subscription
    Replay(ReplayArgs),
}

/// Which deliveries.
#[derive(Debug, Args)]
pub(crate) struct DeliveryListArgs {
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
}

/// What to send again: one delivery, or all that failed.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Id of a delivery
    #[arg(value_name = "ID", required_unless_present = "subscription", conflicts_with_all = ["subscription", "failed_since"])]
    id: Option<String>,
    /// All that failed to this subscription
    #[arg(long, value_name = "ID", requires = "failed_since")]
    subscription: Option<String>,
    /// From this instant or day (UTC) on: 2026-03-10T12:00:00Z, 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "TIMESTAMP", requires = "subscription", value_parser = typed::day)]
    failed_since: Option<String>,
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: OutboxArgs) -> CommandResult {
    match args {
        OutboxArgs::List(DeliveryListArgs { state, subscription, rule, limit }) => {
            let command = OutboxCommand::List(OutboxQuery { state, subscription, rule, limit });
            context.show(Command::Outbox(command), list_text)
        }
        OutboxArgs::Replay(ReplayArgs { id, subscription, failed_since }) => {
            let command = match (subscription, failed_since) {
                (Some(subscription), Some(since)) => OutboxCommand::ReplayFailed { subscription, since },
                _ => OutboxCommand::Replay { id: id.unwrap_or_default() },
            };
            context.show(Command::Outbox(command), |Replayed { replayed }| {
                format!("{replayed} put back; a running server sends them now, unless their account is suspended")
            })
        }
    }
}

fn list_text(list: DeliveryList) -> String {
    let row = |delivery: ShownDelivery| {
        let state = if delivery.account_suspended { "pending (account suspended)" } else { delivery.state.as_str() };
        vec![
            delivery.id,
            delivery.rule_id,
            state.to_owned(),
            delivery.attempts.to_string(),
            output::instant(delivery.due_at.or(delivery.ended_at)),
            delivery.outcome.unwrap_or_default(),
        ]
    };
    let headings = ["ID", "RULE", "STATE", "ATTEMPTS", "DUE/ENDED", "LAST ATTEMPT"];
    let table = output::table(&headings, list.deliveries.into_iter().map(row));
    if list.more { format!("{table}\n... and more: narrow the filters, or raise --limit") } else { table }
}

//! `taxd outbox`: deliveries to subscribers.

use crate::cli::{CommandResult, Context, output};
use crate::features::Command;
use crate::features::outbox::{DeliveryList, OutboxCommand, Replayed, ShownDelivery};

pub(crate) fn run(context: &Context, command: OutboxCommand) -> CommandResult {
    match command {
        OutboxCommand::List(_) => context.show(Command::Outbox(command), list_text),
        OutboxCommand::Replay(_) => context.show(Command::Outbox(command), |Replayed { replayed }| {
            format!("{replayed} put back; a running server sends them now, unless their account is suspended")
        }),
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

//! `taxd subscription`: accounts that are notified of rule changes.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use crate::base::value::Secret;
use crate::cli::files::read_text;
use crate::cli::{CommandResult, Context, output};
use crate::features::subscriptions::{
    ListedSubscription, NewSubscription, RemovedSubscription, RotatedSecret, SampleSent, SubscriptionCommand,
    SubscriptionRequest,
};
use crate::features::{AdminError, Command};

fn read_secret(path: Option<&Path>) -> Result<Option<Secret>, AdminError> {
    let Some(path) = path else { return Ok(None) };
    let secret = Secret::parse(&read_text(path)?);
    secret.map(Some).map_err(|why| AdminError::new(format!("{}: {why}", path.display())))
}

/// Reads the files that the command names.
fn read_files(command: &mut SubscriptionCommand) -> Result<(), AdminError> {
    match command {
        SubscriptionCommand::Create(SubscriptionRequest { secret_file, secret, .. })
        | SubscriptionCommand::RotateSecret { secret_file, secret, .. } => {
            *secret = read_secret(secret_file.as_deref())?;
        }
        SubscriptionCommand::Test { ca_file, webhook_ca, .. } => {
            *webhook_ca = ca_file.as_deref().map(read_text).transpose()?;
        }
        SubscriptionCommand::List { .. } | SubscriptionCommand::Remove { .. } => {}
    }
    Ok(())
}

pub(crate) fn run(context: &Context, mut command: SubscriptionCommand) -> CommandResult {
    read_files(&mut command)?;
    match command {
        SubscriptionCommand::Create(_) => context.show(Command::Subscription(command), |new: NewSubscription| {
            let (id, secret) = (new.subscription.id, secret_text(new.secret));
            format!(
                "subscription {id} made; it is notified of what is published from now on\n{secret}next: taxd subscription test {id}"
            )
        }),
        SubscriptionCommand::List { .. } => context.show(Command::Subscription(command), list_text),
        SubscriptionCommand::Remove { .. } => {
            context.show(Command::Subscription(command), |RemovedSubscription { id, pending_dropped, .. }| {
                format!("subscription {id} removed; {pending_dropped} pending deliveries are not sent")
            })
        }
        SubscriptionCommand::RotateSecret { .. } => {
            context.show(Command::Subscription(command), |RotatedSecret { id, old_secret_until, secret }| {
                let until = match old_secret_until {
                    Some(until) => format!("the secret of {id} is replaced; the old one also signs until {until}"),
                    None => format!("the secret of {id} is replaced; the old one no longer signs"),
                };
                format!("{}{until}", secret_text(secret))
            })
        }
        SubscriptionCommand::Test { .. } => {
            let sample: SampleSent = context.ask(Command::Subscription(command))?;
            let shown = context.print(&sample, || sample_text(&sample))?;
            Ok(if sample.delivered { shown } else { ExitCode::FAILURE })
        }
    }
}

fn secret_text(secret: Option<String>) -> String {
    secret.map(|secret| format!("{secret}\nKeep the secret now: it is not shown again.\n")).unwrap_or_default()
}

fn list_text(subscriptions: Vec<ListedSubscription>) -> String {
    let row = |listed: ListedSubscription| {
        let of = listed.subscription;
        let filters = [of.tributo, of.uf_origem, of.uf_destino].map(|filter| filter.unwrap_or("*".to_owned()));
        let failing = listed
            .failing_since
            .map(|since| format!("since {}: {}", since.local(), listed.last_error.as_deref().unwrap_or_default()));
        vec![
            of.id,
            format!("{}{}", of.client_id, if listed.account_suspended { " (suspended)" } else { "" }),
            filters.join("/"),
            listed.pending.to_string(),
            listed.delivered.to_string(),
            listed.failed.to_string(),
            of.url,
            failing.unwrap_or_default(),
        ]
    };
    let headings = ["ID", "ACCOUNT", "TAX/FROM/TO", "PENDING", "DELIVERED", "FAILED", "URL", "FAILING"];
    output::table(&headings, subscriptions.into_iter().map(row))
}

fn sample_text(sample: &SampleSent) -> String {
    let header = |(name, value): (&String, &Value)| format!("  {name}: {}", value.as_str().unwrap_or_default());
    let headers: Vec<String> = sample.headers.iter().map(header).collect();
    let headers = headers.join("\n");
    format!(
        "{} in {} ms from {}

The body, byte for byte:
  {}
The headers that sign it:
{headers}
The receiver should compute, over the raw body:
  X-Service-Signature  hex(HMAC-SHA256(the secret's text, body))
  webhook-signature    v1,base64(HMAC-SHA256(key, webhook-id.webhook-timestamp.body)), where key
                       is what follows whsec_ decoded from base64, else the secret's text",
        sample.outcome, sample.latency_ms, sample.url, sample.body
    )
}

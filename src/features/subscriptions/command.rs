//! `taxd subscription`: accounts that are notified of rule changes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::base::value::Secret;
use crate::cli::files::read_text;
use crate::cli::{CommandResult, Context, duration, output, typed};
use crate::features::AdminError;
use crate::features::Command;
use crate::features::subscriptions::{
    ListedSubscription, NewSubscription, RemovedSubscription, RotatedSecret, SampleSent, SubscriptionCommand,
    SubscriptionRequest,
};

/// Longest overlap of two secrets, in milliseconds: thirty days.
const MAX_OVERLAP_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// Webhook subscriptions: accounts that are notified of rule changes
#[derive(Debug, Subcommand)]
pub(crate) enum SubscriptionArgs {
    /// Make a subscription; a secret made here is shown once
    Create(CreateArgs),
    /// List the subscriptions and the state of their deliveries
    List {
        /// Only those of this account
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: Option<String>,
    },
    /// Remove a subscription and its deliveries; pending ones are not sent
    Remove {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Replace the secret; the old one also signs for a while
    ///
    /// Until the overlap ends, webhook-signature has both signatures, and X-Service-Signature
    /// is made with the old secret. Give the receiver the new one before then.
    RotateSecret {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// How long the old secret also signs; 0s for not at all
        #[arg(long, default_value = "24h", value_name = "DURATION", value_parser = overlap)]
        overlap: u64,
        /// File with the new secret; without it, taxd makes one
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
    },
    /// Post a signed sample now, and show what the receiver should compute
    Test {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// PEM file with roots to trust for this sample, beside the built-in ones; without it, those
        /// of the running server
        #[arg(long, env = "TAXD_WEBHOOK_CA", value_name = "FILE")]
        webhook_ca: Option<PathBuf>,
    },
}

/// A new subscription.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Account that is notified
    #[arg(long, value_name = "CLIENT_ID|NAME")]
    account: String,
    /// Address to post to
    #[arg(long, value_name = "HTTPS_URL")]
    url: String,
    /// Only rules of this tax, in either case
    #[arg(long, value_parser = typed::word)]
    tributo: Option<String>,
    /// Only rules that apply to this origin UF; rules without an origin, as federal ones, apply to all
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    uf_origem: Option<String>,
    /// Only rules that apply to this destination UF; rules without a destination, as federal ones, apply to all
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    uf_destino: Option<String>,
    /// File with the secret; without it, taxd makes one
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
}

fn overlap(text: &str) -> Result<u64, String> {
    let millis = duration::millis(text)?;
    if millis > MAX_OVERLAP_MS { Err("at most 30d".to_owned()) } else { Ok(millis) }
}

fn read_secret(path: Option<&Path>) -> Result<Option<Secret>, AdminError> {
    let Some(path) = path else { return Ok(None) };
    let secret = Secret::parse(&read_text(path)?);
    secret.map(Some).map_err(|why| AdminError::new(format!("{}: {why}", path.display())))
}

/// Runs the command.
pub(crate) fn run(context: &Context, args: SubscriptionArgs) -> CommandResult {
    match args {
        SubscriptionArgs::Create(args) => {
            let secret = read_secret(args.secret_file.as_deref())?;
            let CreateArgs { account, url, tributo, uf_origem, uf_destino, .. } = args;
            let request = SubscriptionRequest { account, url, tributo, uf_origem, uf_destino, secret };
            context.show(Command::Subscription(SubscriptionCommand::Create(request)), |new: NewSubscription| {
                let (id, secret) = (new.subscription.id, secret_text(new.secret));
                format!(
                    "subscription {id} made; it is notified of what is published from now on\n{secret}next: taxd subscription test {id}"
                )
            })
        }
        SubscriptionArgs::List { account } => {
            context.show(Command::Subscription(SubscriptionCommand::List { account }), list_text)
        }
        SubscriptionArgs::Remove { id } => {
            let command = Command::Subscription(SubscriptionCommand::Remove { id });
            context.show(command, |RemovedSubscription { id, pending_dropped, .. }| {
                format!("subscription {id} removed; {pending_dropped} pending deliveries are not sent")
            })
        }
        SubscriptionArgs::RotateSecret { id, overlap, secret_file } => {
            let secret = read_secret(secret_file.as_deref())?;
            let command = SubscriptionCommand::RotateSecret { id, secret, overlap_ms: overlap };
            context.show(Command::Subscription(command), |RotatedSecret { id, old_secret_until, secret }| {
                let until = match old_secret_until {
                    Some(until) => format!("the secret of {id} is replaced; the old one also signs until {until}"),
                    None => format!("the secret of {id} is replaced; the old one no longer signs"),
                };
                format!("{}{until}", secret_text(secret))
            })
        }
        SubscriptionArgs::Test { id, webhook_ca } => {
            let webhook_ca = webhook_ca.as_deref().map(read_text).transpose()?;
            let sample: SampleSent =
                context.ask(Command::Subscription(SubscriptionCommand::Test { id, webhook_ca }))?;
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

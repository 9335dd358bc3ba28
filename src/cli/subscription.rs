//! `taxd subscription`: who hears of rule changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::import::cannot_read;
use super::{CommandResult, DataDir, Json, duration, output, typed};
use crate::admin::{AdminError, Command, NewSubscription, SubscriptionCommand, data_dir};
use crate::value::Secret;

/// Longest overlap of two secrets, in milliseconds: thirty days.
const MAX_OVERLAP_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// Webhook subscriptions: who hears of rule changes
#[derive(Debug, Subcommand)]
pub(super) enum Subscription {
    /// Make a subscription; a secret made here is shown once
    Create(Create),
    /// List the subscriptions, and how their deliveries stand
    List {
        /// Those of this account
        #[arg(long, value_name = "CLIENT_ID|NAME")]
        account: Option<String>,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a subscription and its deliveries; what was pending is not sent
    Remove {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Replace the secret; the old one signs on for a while
    ///
    /// Until the overlap ends, webhook-signature holds both signatures, and X-Service-Signature
    /// is made with the old secret. Give the receiver the new one before then.
    RotateSecret {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// For how long the old secret signs on; 0s for not at all
        #[arg(long, default_value = "24h", value_name = "DURATION", value_parser = overlap)]
        overlap: u64,
        /// File with the new secret, where taxd is not to make it
        #[arg(long, value_name = "FILE")]
        secret_file: Option<PathBuf>,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Post a signed sample now, and show what the receiver should compute
    Test {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// PEM file with roots to trust for this sample, beside the built-in ones; a running
        /// server's own where it is left out
        #[arg(long, env = "TAXD_WEBHOOK_CA", value_name = "FILE")]
        webhook_ca: Option<PathBuf>,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// What a new subscription says.
#[derive(Debug, Args)]
pub(super) struct Create {
    /// Account that hears
    #[arg(long, value_name = "CLIENT_ID|NAME")]
    account: String,
    /// Address to post to
    #[arg(long, value_name = "HTTPS_URL")]
    url: String,
    /// Only rules of this tax, in either case
    #[arg(long, value_parser = typed::word)]
    tributo: Option<String>,
    /// Only rules that answer for this origin UF; those that name none do, as federal rules
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    uf_origem: Option<String>,
    /// Only rules that answer for this destination UF; those that name none do, as federal rules
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    uf_destino: Option<String>,
    /// File with the secret, where taxd is not to make it
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

fn overlap(text: &str) -> Result<u64, String> {
    let millis = duration::millis(text)?;
    if millis > MAX_OVERLAP_MS { Err("at most 30d".to_owned()) } else { Ok(millis) }
}

fn read(path: &Path) -> Result<String, AdminError> {
    fs::read_to_string(path).map_err(|e| cannot_read(path, &e))
}

fn read_secret(path: Option<&Path>) -> Result<Option<Secret>, AdminError> {
    let Some(path) = path else { return Ok(None) };
    let secret = Secret::parse(&read(path)?);
    secret.map(Some).map_err(|why| AdminError::new(format!("{}: {why}", path.display())))
}

/// Runs the command.
pub(super) fn run(args: &Subscription) -> CommandResult {
    let (command, data, json) = match args {
        Subscription::Create(create) => (create.command()?, &create.data, create.json),
        Subscription::List { account, data, json } => {
            (SubscriptionCommand::List { account: account.clone() }, data, *json)
        }
        Subscription::Remove { id, data, json } => (SubscriptionCommand::Remove { id: id.clone() }, data, *json),
        Subscription::RotateSecret { id, overlap, secret_file, data, json } => {
            let secret = read_secret(secret_file.as_deref())?;
            (SubscriptionCommand::RotateSecret { id: id.clone(), secret, overlap_ms: *overlap }, data, *json)
        }
        Subscription::Test { id, webhook_ca, data, json } => {
            let webhook_ca = webhook_ca.as_deref().map(read).transpose()?;
            (SubscriptionCommand::Test { id: id.clone(), webhook_ca }, data, *json)
        }
    };
    let result = data_dir::run(&data.data, Command::Subscription(command))?;
    if json.json {
        output::json(&result)?;
    } else {
        output::line(&text(args, &result))?;
    }
    let refused = result.get("delivered").and_then(Value::as_bool) == Some(false);
    Ok(if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Create {
    fn command(&self) -> Result<SubscriptionCommand, AdminError> {
        Ok(SubscriptionCommand::Create(NewSubscription {
            account: self.account.clone(),
            url: self.url.clone(),
            tributo: self.tributo.clone(),
            uf_origem: self.uf_origem.clone(),
            uf_destino: self.uf_destino.clone(),
            secret: read_secret(self.secret_file.as_deref())?,
        }))
    }
}

fn text(args: &Subscription, result: &Value) -> String {
    let cell = |name| output::text(result, name);
    match args {
        Subscription::Create(_) => {
            let made = format!("subscription {} made; it hears of what is published from now on", cell("id"));
            format!("{made}\n{}next: taxd subscription test {}", secret_text(result), cell("id"))
        }
        Subscription::List { .. } => list_text(result),
        Subscription::Remove { id, .. } => {
            let pending = output::number(result, "pending_dropped", "0");
            format!("subscription {id} removed; {pending} pending deliveries are not sent")
        }
        Subscription::RotateSecret { id, .. } => {
            let until = match result.get("old_secret_until").and_then(Value::as_str) {
                Some(until) => format!("the secret of {id} is replaced; the old one signs on until {until}"),
                None => format!("the secret of {id} is replaced; the old one signs no more"),
            };
            format!("{}{until}", secret_text(result))
        }
        Subscription::Test { .. } => test_text(result),
    }
}

fn secret_text(result: &Value) -> String {
    match output::text(result, "secret") {
        "" => String::new(),
        secret => format!("{secret}\nKeep the secret now: it is not shown again.\n"),
    }
}

fn list_text(result: &Value) -> String {
    let row = |subscription: &Value| {
        let cell = |name| output::text(subscription, name).to_owned();
        let count = |name| output::number(subscription, name, "0");
        let filters = ["tributo", "uf_origem", "uf_destino"].map(|name| match output::text(subscription, name) {
            "" => "*".to_owned(),
            value => value.to_owned(),
        });
        let failing = match output::text(subscription, "failing_since") {
            "" => String::new(),
            since => format!("since {since}: {}", output::text(subscription, "last_error")),
        };
        let suspended = subscription.get("account_suspended").and_then(Value::as_bool) == Some(true);
        let account = format!("{}{}", cell("client_id"), if suspended { " (suspended)" } else { "" });
        let counts = ["pending", "delivered", "failed"].map(count);
        [vec![cell("id"), account, filters.join("/")], counts.to_vec(), vec![cell("url"), failing]].concat()
    };
    let rows: Vec<_> = result.as_array().into_iter().flatten().map(row).collect();
    let headings = ["ID", "ACCOUNT", "TAX/FROM/TO", "PENDING", "DELIVERED", "FAILED", "URL", "FAILING"];
    output::table(&headings, &rows)
}

fn test_text(result: &Value) -> String {
    let cell = |name| output::text(result, name);
    let latency = output::number(result, "latency_ms", "?");
    let mut lines = vec![format!("{} in {latency} ms from {}", cell("outcome"), cell("url")), String::new()];
    lines.push("The body, byte for byte:".to_owned());
    lines.push(format!("  {}", cell("body")));
    lines.push("The headers that sign it:".to_owned());
    let headers = result.get("headers").and_then(Value::as_object).into_iter().flatten();
    lines.extend(headers.map(|(name, value)| format!("  {name}: {}", value.as_str().unwrap_or_default())));
    lines.push("The receiver should compute, over the raw body:".to_owned());
    lines.push("  X-Service-Signature  hex(HMAC-SHA256(the secret's text, body))".to_owned());
    lines.push(
        "  webhook-signature    v1,base64(HMAC-SHA256(key, webhook-id.webhook-timestamp.body)), where key".to_owned(),
    );
    lines.push("                       is what follows whsec_ decoded from base64, else the secret's text".to_owned());
    lines.join("\n")
}

//! Webhook subscriptions: making, listing and removing them, replacing their secrets, sending a sample.

pub mod command;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::AdminError;
use super::{account_names, typed};
use crate::base::value::{Secret, Timestamp, Uf};
use crate::core::calls::Client;
use crate::core::service::Service;
use crate::core::store::{OutboxWriter, PreviousSecret, Subscription, subscription_number};
use crate::core::webhook::{ATTEMPT_TIMEOUT, Https, check_url, send_sample};
use crate::law::tax;

/// Longest overlap of two secrets, in milliseconds: thirty days.
const MAX_OVERLAP_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

// A file that is named is read before the command is sent: the server has another directory and other rights.
/// Webhook subscriptions: accounts that are notified of rule changes
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionCommand {
    /// Make a subscription; a secret made here is shown once
    Create(SubscriptionRequest),
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
        #[arg(long = "overlap", default_value = "24h", value_name = "DURATION", value_parser = overlap)]
        overlap_ms: u64,
        /// File with the new secret; without it, taxd makes one
        #[arg(long, value_name = "FILE")]
        #[serde(skip)]
        secret_file: Option<PathBuf>,
        #[arg(skip)]
        secret: Option<Secret>,
    },
    /// Post a signed sample now, and show what the receiver should compute
    Test {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
        /// PEM file with roots to trust for this sample, beside the built-in ones; without it, those
        /// of the running server
        #[arg(long = "webhook-ca", env = "TAXD_WEBHOOK_CA", value_name = "FILE")]
        #[serde(skip)]
        ca_file: Option<PathBuf>,
        /// The text of that file.
        #[arg(skip)]
        webhook_ca: Option<String>,
    },
}

fn overlap(text: &str) -> Result<u64, String> {
    let millis = typed::millis(text)?;
    if millis > MAX_OVERLAP_MS { Err("at most 30d".to_owned()) } else { Ok(millis) }
}

/// A subscription that the operator asks for. It is notified of rules that apply to its tax and UFs, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct SubscriptionRequest {
    /// Account that is notified
    #[arg(long, value_name = "CLIENT_ID|NAME")]
    pub account: String,
    /// Address to post to
    #[arg(long, value_name = "HTTPS_URL")]
    pub url: String,
    /// Only rules of this tax, in either case
    #[arg(long, value_parser = typed::word)]
    pub tributo: Option<String>,
    /// Only rules that apply to this origin UF; rules without an origin, as federal ones, apply to all
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    pub uf_origem: Option<String>,
    /// Only rules that apply to this destination UF; rules without a destination, as federal ones, apply to all
    #[arg(long, value_name = "UF", value_parser = typed::uf)]
    pub uf_destino: Option<String>,
    /// Also what changes in the kept lists of the account, whatever their taxes and UFs
    #[arg(long)]
    #[serde(default)]
    pub listas: bool,
    /// File with the secret; without it, taxd makes one
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub secret_file: Option<PathBuf>,
    #[arg(skip)]
    pub secret: Option<Secret>,
}

/// A subscription without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownSubscription {
    pub id: String,
    pub client_id: String,
    pub url: String,
    pub tributo: Option<String>,
    pub uf_origem: Option<String>,
    pub uf_destino: Option<String>,
    /// True if it is notified of the account's kept lists too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listas: bool,
    pub created_at: Timestamp,
}

/// A subscription that was just made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSubscription {
    #[serde(flatten)]
    pub subscription: ShownSubscription,
    /// Its secret, if it was made here; no later answer contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// A subscription and its deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSubscription {
    #[serde(flatten)]
    pub subscription: ShownSubscription,
    /// While a secret is being replaced, until when the old one signs too.
    pub old_secret_until: Option<Timestamp>,
    /// True if deliveries wait because the account is suspended.
    pub account_suspended: bool,
    pub pending: u64,
    pub delivered: u64,
    /// Deliveries that failed for good.
    pub failed: u64,
    /// Since when every attempt has failed.
    pub failing_since: Option<Timestamp>,
    /// Result of the last failed attempt.
    pub last_error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedSubscription {
    pub id: String,
    pub removed: bool,
    /// How many pending deliveries were removed with it.
    pub pending_dropped: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RotatedSecret {
    pub id: String,
    /// Until when the old secret signs too.
    pub old_secret_until: Option<Timestamp>,
    /// The new secret, if it was made here; no later answer contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSent {
    pub id: String,
    pub url: String,
    /// True if the receiver accepted the sample.
    pub delivered: bool,
    pub outcome: String,
    pub latency_ms: u64,
    /// The body, byte for byte.
    pub body: String,
    /// The headers that sign it, in the order in which they were sent.
    pub headers: Map<String, Value>,
}

fn unknown(id: &str) -> AdminError {
    AdminError::new(format!("there is no subscription \"{id}\"; `taxd subscription list` shows them"))
}

/// Returns the number in a subscription's id. Fails if the id cannot be one.
pub(super) fn number_of(id: &str) -> Result<u32, AdminError> {
    subscription_number(id).ok_or_else(|| unknown(id))
}

/// Returns the subscription of that id. Fails if there is none.
pub(super) fn find(outbox: &OutboxWriter<'_>, id: &str) -> Result<Subscription, AdminError> {
    outbox.subscription(number_of(id)?)?.ok_or_else(|| unknown(id))
}

fn check_filters(request: &SubscriptionRequest) -> Result<(), AdminError> {
    if let Some(name) = request.tributo.as_deref().filter(|name| tax::find(name).is_none()) {
        return Err(AdminError::new(format!(
            "--tributo: there is no tax \"{name}\"; {}",
            super::rules::taxes_accepted(name)
        )));
    }
    for (option, uf) in [("--uf-origem", &request.uf_origem), ("--uf-destino", &request.uf_destino)] {
        if let Some(uf) = uf.as_deref().filter(|uf| Uf::from_abbreviation(uf).is_none()) {
            return Err(AdminError::new(format!("{option}: \"{uf}\" is not a UF; write its two letters, like SP")));
        }
    }
    Ok(())
}

/// Makes a subscription to what is published from now on.
pub fn create(service: &Service, request: SubscriptionRequest) -> Result<NewSubscription, AdminError> {
    let client = account_names::find(service, &request.account)?;
    check_url(&request.url).map_err(|why| AdminError::new(format!("--url: {why}")))?;
    check_filters(&request)?;
    let made_here = request.secret.is_none();
    let secret = request.secret.map_or_else(Secret::generate, Ok)?;
    let subscription = service.store().write_outbox(|outbox| {
        check_limit(&client, &outbox.subscriptions()?)?;
        let subscription = Subscription {
            number: outbox.next_subscription()?,
            client_id: client.account.client_id.clone(),
            url: request.url,
            tributo: request.tributo,
            uf_origem: request.uf_origem,
            uf_destino: request.uf_destino,
            listas: request.listas,
            secret,
            previous: None,
            created_at: service.engine().now(),
        };
        outbox.put_subscription(&subscription)?;
        Ok::<_, AdminError>(subscription)
    })?;
    let (id, client_id) = (subscription.id(), &subscription.client_id);
    tracing::info!(subscription = id, client_id, "subscription {id} of {client_id} created");
    service.deliveries().wake();
    let secret = made_here.then(|| subscription.secret.reveal().to_owned());
    Ok(NewSubscription { subscription: shown(subscription), secret })
}

fn check_limit(client: &Client, subscriptions: &[Subscription]) -> Result<(), AdminError> {
    let has = subscriptions.iter().filter(|s| s.client_id == client.account.client_id).count();
    let most = client.limits.webhook_endpoints;
    if most.is_reached(u64::try_from(has).unwrap_or(u64::MAX)) {
        return Err(AdminError::new(format!(
            "account {} has {has} endpoints and may have {most} (plan {}); remove one (`taxd subscription remove`), or raise its limit (`taxd account set --plan` or `--endpoints`)",
            client.account.client_id, client.account.plan
        )));
    }
    Ok(())
}

fn shown(subscription: Subscription) -> ShownSubscription {
    ShownSubscription {
        id: subscription.id(),
        client_id: subscription.client_id,
        url: subscription.url,
        tributo: subscription.tributo,
        uf_origem: subscription.uf_origem,
        uf_destino: subscription.uf_destino,
        listas: subscription.listas,
        created_at: subscription.created_at,
    }
}

/// Returns the subscriptions of one account or of all.
pub(super) fn list(service: &Service, account: Option<&str>) -> Result<Vec<ListedSubscription>, AdminError> {
    let client = account.map(|account| account_names::find(service, account)).transpose()?;
    let (store, now) = (service.store(), service.engine().now());
    let outbox = store.read_outbox()?;
    let suspended = store.suspended_accounts()?;
    let mut listed = Vec::new();
    for subscription in store.subscriptions()? {
        if client.as_ref().is_some_and(|client| client.account.client_id != subscription.client_id) {
            continue;
        }
        let endpoint = outbox.endpoint(subscription.number)?;
        let previous = subscription.previous.as_ref().filter(|_| subscription.previous_at(now).is_some());
        listed.push(ListedSubscription {
            old_secret_until: previous.and_then(|previous| Timestamp::from_millis(previous.until_ms)),
            account_suspended: suspended.contains(&subscription.client_id),
            pending: endpoint.pending,
            delivered: endpoint.delivered,
            failed: endpoint.failed,
            failing_since: endpoint.failing_since_ms.and_then(Timestamp::from_millis),
            last_error: endpoint.last_error,
            subscription: shown(subscription),
        });
    }
    Ok(listed)
}

/// Removes a subscription and its deliveries.
pub(super) fn remove(service: &Service, id: String) -> Result<RemovedSubscription, AdminError> {
    let (subscription, pending_dropped) = service.store().write_outbox(|outbox| {
        let subscription = find(outbox, &id)?;
        let pending_dropped = outbox.remove_subscription(subscription.number)?;
        Ok::<_, AdminError>((subscription, pending_dropped))
    })?;
    let client_id = subscription.client_id;
    tracing::info!(subscription = id, client_id, pending = pending_dropped, "subscription {id} of {client_id} removed");
    service.deliveries().wake();
    Ok(RemovedSubscription { id, removed: true, pending_dropped })
}

/// Replaces the secret. The old one also signs for `overlap_ms`; refused if an older one still does.
pub(super) fn rotate_secret(
    service: &Service,
    id: String,
    given: Option<Secret>,
    overlap_ms: u64,
) -> Result<RotatedSecret, AdminError> {
    let now = service.engine().now();
    let made_here = given.is_none();
    let secret = given.map_or_else(Secret::generate, Ok)?;
    let until_ms = now.millis().saturating_add(overlap_ms);
    let subscription = service.store().write_outbox(|outbox| {
        let mut subscription = find(outbox, &id)?;
        if overlap_ms > 0 && subscription.previous_at(now).is_some() {
            return Err(AdminError::new(format!(
                "{id} is already changing its secret, and two can sign at a time; wait for the end that `taxd subscription list` shows, or replace both at once with --overlap 0s"
            )));
        }
        let old = std::mem::replace(&mut subscription.secret, secret);
        subscription.previous = (overlap_ms > 0).then_some(PreviousSecret { secret: old, until_ms });
        outbox.put_subscription(&subscription)?;
        Ok(subscription)
    })?;
    let client_id = &subscription.client_id;
    tracing::info!(subscription = id, client_id, overlap_ms, "subscription {id} of {client_id} has a new secret");
    service.deliveries().wake();
    let old_secret_until = subscription.previous.as_ref().and_then(|p| Timestamp::from_millis(p.until_ms));
    let secret = made_here.then(|| subscription.secret.reveal().to_owned());
    Ok(RotatedSecret { id, old_secret_until, secret })
}

/// Posts a sample with the transport of the running deliveries, or with one of its own if `webhook_ca` is given.
pub(super) fn test(service: &Service, id: String, webhook_ca: Option<&str>) -> Result<SampleSent, AdminError> {
    let number = number_of(&id)?;
    let found = service.store().subscriptions()?.into_iter().find(|s| s.number == number);
    let subscription = found.ok_or_else(|| unknown(&id))?;
    let now = service.engine().now();
    let sample = match (webhook_ca, service.deliveries().transport()) {
        (None, Some(transport)) => send_sample(transport.as_ref(), &subscription, now)?,
        (ca, _) => {
            let own = Https::new(ca, ATTEMPT_TIMEOUT).map_err(|why| AdminError::new(format!("--webhook-ca: {why}")))?;
            send_sample(&own, &subscription, now)?
        }
    };
    Ok(SampleSent {
        id,
        url: subscription.url,
        delivered: sample.outcome.is_delivered(),
        outcome: sample.outcome.to_string(),
        latency_ms: u64::try_from(sample.took.as_millis()).unwrap_or(u64::MAX),
        body: sample.body,
        headers: sample.headers.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
    })
}

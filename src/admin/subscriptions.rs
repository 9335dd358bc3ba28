//! Webhook subscriptions: making, listing, removing, a new secret, a sample.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{AdminError, accounts};
use crate::calls::Client;
use crate::service::Service;
use crate::store::{OutboxWriter, PreviousSecret, Store, Subscription, subscription_number};
use crate::tax;
use crate::value::{Secret, Timestamp, Uf};
use crate::webhook::{ATTEMPT_TIMEOUT, Https, SignatureHeaders, check_url, send_sample};

/// What the operator can ask of subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionCommand {
    /// Make one.
    Create(NewSubscription),
    /// List all, or those of an account.
    List {
        /// Its id or name.
        account: Option<String>,
    },
    /// Remove one, with its deliveries.
    Remove {
        /// Its id.
        id: String,
    },
    /// Give one a new secret.
    RotateSecret {
        /// Its id.
        id: String,
        /// The secret, where taxd is not to make it.
        secret: Option<Secret>,
        /// For how long the old one signs on, in milliseconds.
        overlap_ms: u64,
    },
    /// Post a sample now.
    Test {
        /// Its id.
        id: String,
        /// Text of a PEM file with roots to trust for this sample.
        webhook_ca: Option<String>,
    },
}

/// A subscription as the operator asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSubscription {
    /// Account that hears, by id or name.
    pub account: String,
    /// HTTPS address to post to.
    pub url: String,
    /// Tax that a rule must be of.
    pub tributo: Option<String>,
    /// Origin UF that a rule must answer for.
    pub uf_origem: Option<String>,
    /// Destination UF that a rule must answer for.
    pub uf_destino: Option<String>,
    /// The secret, where taxd is not to make it.
    pub secret: Option<Secret>,
}

/// Does it, and lets running deliveries know.
pub(super) fn run(service: &Service, command: SubscriptionCommand) -> Result<Value, AdminError> {
    let (store, now) = (service.store(), service.engine().now());
    let done = match command {
        SubscriptionCommand::Create(new) => create(service, new, now),
        SubscriptionCommand::List { account } => return list(service, account.as_deref(), now),
        SubscriptionCommand::Remove { id } => remove(store, &id),
        SubscriptionCommand::RotateSecret { id, secret, overlap_ms } => rotate(store, &id, secret, overlap_ms, now),
        SubscriptionCommand::Test { id, webhook_ca } => return test(service, &id, webhook_ca.as_deref()),
    };
    service.deliveries().wake();
    done
}

fn unknown(id: &str) -> AdminError {
    AdminError::new(format!("there is no subscription \"{id}\"; `taxd subscription list` shows them"))
}

/// The number in an id that may be that of a subscription.
pub(super) fn number_of(id: &str) -> Result<u32, AdminError> {
    subscription_number(id).ok_or_else(|| unknown(id))
}

/// The subscription of that id.
pub(super) fn known(outbox: &OutboxWriter<'_>, id: &str) -> Result<Subscription, AdminError> {
    outbox.subscription(number_of(id)?)?.ok_or_else(|| unknown(id))
}

fn check_filters(new: &NewSubscription) -> Result<(), AdminError> {
    if let Some(name) = new.tributo.as_deref().filter(|name| tax::find(name).is_none()) {
        return Err(AdminError::new(format!(
            "--tributo: there is no tax \"{name}\"; the taxes are {}",
            tax::NOMES.join(", ")
        )));
    }
    for (option, uf) in [("--uf-origem", &new.uf_origem), ("--uf-destino", &new.uf_destino)] {
        if let Some(uf) = uf.as_deref().filter(|uf| Uf::from_abbreviation(uf).is_none()) {
            return Err(AdminError::new(format!("{option}: \"{uf}\" is not a UF; write its two letters, like SP")));
        }
    }
    Ok(())
}

fn create(service: &Service, new: NewSubscription, now: Timestamp) -> Result<Value, AdminError> {
    check_url(&new.url).map_err(|why| AdminError::new(format!("--url: {why}")))?;
    check_filters(&new)?;
    let client = service.calls().client(&new.account).ok_or_else(|| accounts::unknown(&new.account))?;
    let made_here = new.secret.is_none();
    let secret = new.secret.map_or_else(Secret::generate, Ok)?;
    let subscription = service.store().write_outbox(|outbox| {
        check_limit(&client, &outbox.subscriptions()?)?;
        let subscription = Subscription {
            number: outbox.next_subscription()?,
            client_id: new.account,
            url: new.url,
            tributo: new.tributo,
            uf_origem: new.uf_origem,
            uf_destino: new.uf_destino,
            secret,
            previous: None,
            created_at: now,
        };
        outbox.put_subscription(&subscription)?;
        Ok::<_, AdminError>(subscription)
    })?;
    tracing::info!(subscription = subscription.id(), client_id = subscription.client_id, "subscription created");
    let mut shown = shown(&subscription);
    if made_here {
        set(&mut shown, "secret", json!(subscription.secret.reveal()));
    }
    Ok(shown)
}

fn check_limit(client: &Client, subscriptions: &[Subscription]) -> Result<(), AdminError> {
    let has = subscriptions.iter().filter(|s| s.client_id == client.account.client_id).count();
    let most = client.limits.webhook_endpoints;
    if most.is_reached(u64::try_from(has).unwrap_or(u64::MAX)) {
        return Err(AdminError::new(format!(
            "account {} has {has} endpoints and may have {most} (plan {}); remove one (`taxd subscription remove`), or `taxd account set` another plan or an exception",
            client.account.client_id, client.account.plan
        )));
    }
    Ok(())
}

fn set(value: &mut Value, name: &str, member: Value) {
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), member);
    }
}

/// A subscription without its secrets.
fn shown(subscription: &Subscription) -> Value {
    json!({
        "id": subscription.id(),
        "client_id": subscription.client_id,
        "url": subscription.url,
        "tributo": subscription.tributo,
        "uf_origem": subscription.uf_origem,
        "uf_destino": subscription.uf_destino,
        "created_at": subscription.created_at,
    })
}

fn list(service: &Service, account: Option<&str>, now: Timestamp) -> Result<Value, AdminError> {
    let store = service.store();
    let outbox = store.read_outbox()?;
    let suspended = store.suspended_accounts()?;
    let mut listed = Vec::new();
    for subscription in store.subscriptions()? {
        if account.is_some_and(|account| account != subscription.client_id) {
            continue;
        }
        let endpoint = outbox.endpoint(subscription.number)?;
        let mut shown = shown(&subscription);
        let overlap = subscription.previous.as_ref().filter(|_| subscription.previous_at(now).is_some());
        set(&mut shown, "old_secret_until", json!(overlap.and_then(|p| Timestamp::from_millis(p.until_ms))));
        set(&mut shown, "account_suspended", json!(suspended.contains(&subscription.client_id)));
        set(&mut shown, "pending", json!(endpoint.pending));
        set(&mut shown, "delivered", json!(endpoint.delivered));
        set(&mut shown, "failed", json!(endpoint.failed));
        set(&mut shown, "failing_since", json!(endpoint.failing_since_ms.and_then(Timestamp::from_millis)));
        set(&mut shown, "last_error", json!(endpoint.last_error));
        listed.push(shown);
    }
    Ok(Value::Array(listed))
}

fn remove(store: &Store, id: &str) -> Result<Value, AdminError> {
    let dropped = store.write_outbox(|outbox| {
        let subscription = known(outbox, id)?;
        Ok::<_, AdminError>(outbox.remove_subscription(subscription.number)?)
    })?;
    tracing::info!(subscription = id, pending = dropped, "subscription removed");
    Ok(json!({ "id": id, "removed": true, "pending_dropped": dropped }))
}

fn rotate(
    store: &Store,
    id: &str,
    given: Option<Secret>,
    overlap_ms: u64,
    now: Timestamp,
) -> Result<Value, AdminError> {
    let made_here = given.is_none();
    let secret = given.map_or_else(Secret::generate, Ok)?;
    let until_ms = now.millis().saturating_add(overlap_ms);
    let subscription = store.write_outbox(|outbox| {
        let mut subscription = known(outbox, id)?;
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
    tracing::info!(subscription = id, overlap_ms, "subscription secret replaced");
    let until = subscription.previous.as_ref().and_then(|p| Timestamp::from_millis(p.until_ms));
    let mut done = json!({ "id": id, "old_secret_until": until });
    if made_here {
        set(&mut done, "secret", json!(subscription.secret.reveal()));
    }
    Ok(done)
}

/// Posts a sample by the transport of the running deliveries, or by one of its own.
fn test(service: &Service, id: &str, webhook_ca: Option<&str>) -> Result<Value, AdminError> {
    let store = service.store();
    let number = number_of(id)?;
    let found = store.subscriptions()?.into_iter().find(|s| s.number == number);
    let subscription = found.ok_or_else(|| unknown(id))?;
    let sample = match (webhook_ca, service.deliveries().transport()) {
        (None, Some(transport)) => send_sample(transport.as_ref(), &subscription, service.engine().now())?,
        (ca, _) => {
            let own = Https::new(ca, ATTEMPT_TIMEOUT).map_err(|why| AdminError::new(format!("--webhook-ca: {why}")))?;
            send_sample(&own, &subscription, service.engine().now())?
        }
    };
    Ok(json!({
        "id": id,
        "url": subscription.url,
        "delivered": sample.outcome.is_delivered(),
        "outcome": sample.outcome.to_string(),
        "latency_ms": millis(sample.took),
        "body": sample.body,
        "headers": headers(&sample.headers),
    }))
}

fn headers(headers: &SignatureHeaders) -> Value {
    headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

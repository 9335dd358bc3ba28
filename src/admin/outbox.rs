//! Deliveries: listing them, and sending ended ones again.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AdminError;
use super::subscriptions::{known, number_of};
use crate::service::Service;
use crate::store::{Delivery, DeliveryState, OutboxWriter, Store, Subscription, subscription_id};
use crate::value::{Date, RuleId, Timestamp};
use crate::webhook::Message;

/// Deliveries that one transaction puts back.
const REPLAYED_AT_ONCE: usize = 10_000;

/// What the operator can ask of deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxCommand {
    /// List some.
    List(OutboxQuery),
    /// Send one again.
    Replay {
        /// Its id.
        id: String,
    },
    /// Send all again that failed.
    ReplayFailed {
        /// To this subscription.
        subscription: String,
        /// From this instant on.
        since: String,
    },
}

/// Which deliveries to list; what is left out matches any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxQuery {
    /// `pending`, `delivered` or `failed`.
    pub state: Option<String>,
    /// Id of a subscription.
    pub subscription: Option<String>,
    /// A rule version.
    pub rule: Option<String>,
    /// Most to list.
    pub limit: usize,
}

/// Does it, and lets running deliveries know.
pub(super) fn run(service: &Service, command: OutboxCommand) -> Result<Value, AdminError> {
    let (store, now) = (service.store(), service.engine().now());
    let done = match command {
        OutboxCommand::List(query) => return list(store, &query),
        OutboxCommand::Replay { id } => replay(store, &id, now),
        OutboxCommand::ReplayFailed { subscription, since } => replay_failed(store, &subscription, &since, now),
    };
    service.deliveries().wake();
    done
}

fn delivery_id(delivery: &Delivery) -> String {
    format!("{}-{}", subscription_id(delivery.subscription), delivery.version)
}

fn list(store: &Store, query: &OutboxQuery) -> Result<Value, AdminError> {
    let states = match query.state.as_deref() {
        None => DeliveryState::ALL.to_vec(),
        Some(word) => vec![DeliveryState::from_word(word).ok_or_else(|| {
            AdminError::new(format!("--state: one of {}, not \"{word}\"", DeliveryState::WORDS.join(", ")))
        })?],
    };
    let wanted = query.subscription.as_deref().map(number_of).transpose()?;
    let subscriptions: Vec<Subscription> =
        store.subscriptions()?.into_iter().filter(|s| wanted.is_none_or(|number| number == s.number)).collect();
    if let (Some(id), true) = (&query.subscription, subscriptions.is_empty()) {
        return Err(AdminError::new(format!("there is no subscription \"{id}\"; `taxd subscription list` shows them")));
    }
    let journal = store.read_journal()?;
    let version = match query.rule.as_deref() {
        None => None,
        Some(text) => {
            let number = RuleId::parse(text).map(|rule| journal.number_of(&rule)).transpose()?.flatten();
            Some(number.ok_or_else(|| {
                AdminError::new(format!("--rule: there is no version \"{text}\"; `taxd rules list` shows them"))
            })?)
        }
    };
    let outbox = store.read_outbox()?;
    let suspended = store.suspended_accounts()?;
    let waits = |delivery: &Delivery| {
        let of = subscriptions.iter().find(|s| s.number == delivery.subscription);
        delivery.state == DeliveryState::Pending && of.is_some_and(|s| suspended.contains(&s.client_id))
    };
    let mut found = Vec::new();
    for subscription in &subscriptions {
        match version {
            Some(version) => {
                let delivery = outbox.delivery(subscription.number, version)?;
                found.extend(delivery.filter(|d| states.contains(&d.state)));
            }
            None => {
                for state in &states {
                    found.extend(outbox.latest(subscription.number, *state, query.limit.saturating_add(1))?);
                }
            }
        }
    }
    found.sort_by_key(|d| std::cmp::Reverse((d.at_ms, d.subscription, d.version)));
    let more = found.len() > query.limit;
    found.truncate(query.limit);
    let rows: Result<Vec<Value>, AdminError> = found
        .iter()
        .map(|delivery| {
            let rule_id = Message::of_record(&journal.record(delivery.version)?)?.rule_id;
            Ok(shown(delivery, &rule_id, waits(delivery)))
        })
        .collect();
    Ok(json!({ "deliveries": rows?, "more": more }))
}

/// A delivery, and whether it waits for its account to be resumed.
fn shown(delivery: &Delivery, rule_id: &str, account_suspended: bool) -> Value {
    let at = Timestamp::from_millis(delivery.at_ms);
    let pending = delivery.state == DeliveryState::Pending;
    json!({
        "id": delivery_id(delivery),
        "subscription": subscription_id(delivery.subscription),
        "rule_id": rule_id,
        "state": delivery.state,
        "account_suspended": account_suspended,
        "attempts": delivery.attempts,
        "due_at": at.filter(|_| pending),
        "ended_at": at.filter(|_| !pending),
        "outcome": Some(&delivery.outcome).filter(|outcome| !outcome.is_empty()),
    })
}

fn replay(store: &Store, id: &str, now: Timestamp) -> Result<Value, AdminError> {
    let unknown =
        || AdminError::new(format!("there is no delivery \"{id}\"; `taxd outbox list` shows them by their ids"));
    let (subscription, version) = id.rsplit_once('-').ok_or_else(unknown)?;
    let number = number_of(subscription).map_err(|_| unknown())?;
    let version: u64 = version.parse().map_err(|_| unknown())?;
    store.write_outbox(|outbox| match outbox.delivery(number, version)? {
        None => Err(unknown()),
        Some(d) if d.state == DeliveryState::Pending => {
            Err(AdminError::new(format!("{id} is pending already; it will be sent by itself")))
        }
        Some(_) => Ok(outbox.enqueue(number, version, now.millis())?),
    })?;
    tracing::info!(delivery = id, "delivery put back");
    Ok(json!({ "replayed": 1 }))
}

fn replay_failed(store: &Store, id: &str, since: &str, now: Timestamp) -> Result<Value, AdminError> {
    let since = read_since(since)?;
    let put_back = |outbox: &mut OutboxWriter<'_>| {
        let number = known(outbox, id)?.number;
        let span = (since.millis(), now.millis());
        let versions = outbox.ended(number, DeliveryState::Failed, span, REPLAYED_AT_ONCE)?;
        for version in &versions {
            outbox.enqueue(number, *version, now.millis())?;
        }
        Ok::<_, AdminError>(versions.len())
    };
    let mut replayed = 0;
    loop {
        let some = store.write_outbox(put_back)?;
        replayed += some;
        if some < REPLAYED_AT_ONCE {
            break;
        }
    }
    tracing::info!(subscription = id, replayed, "failed deliveries put back");
    Ok(json!({ "replayed": replayed }))
}

/// An instant, or a day, which begins at midnight UTC.
fn read_since(text: &str) -> Result<Timestamp, AdminError> {
    let day = Date::parse(text).map(Timestamp::start_of);
    day.or_else(|_| Timestamp::parse(text)).map_err(|_| {
        AdminError::new(format!(
            "--failed-since: \"{text}\" is no instant; write 2026-01-31T12:00:00Z, or 2026-01-31 for its first moment in UTC"
        ))
    })
}

//! Webhook deliveries: listing them, and sending ended ones again.

pub mod command;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::instants::read_since;
use super::subscriptions::{self, number_of};
use super::typed;
use crate::base::value::{RuleId, Timestamp};
use crate::core::service::Service;
use crate::core::store::{
    Delivery, DeliveryState, OutboxWriter, Store, Subscription, notice_of, of_notice, subscription_id,
};
use crate::core::webhook::Message;

/// Deliveries that one transaction queues again.
const REPLAYED_AT_ONCE: usize = 10_000;

/// Deliveries to subscribers: list, send again
#[derive(Debug, Clone, PartialEq, Eq, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboxCommand {
    /// List deliveries, the latest first
    List(OutboxQuery),
    /// Send an ended delivery again, or all that failed to a subscription
    Replay(Replay),
}

/// Which deliveries to list; what is absent matches any.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct OutboxQuery {
    /// pending, delivered or failed
    #[arg(long, value_parser = ["pending", "delivered", "failed"])]
    pub state: Option<String>,
    /// To this subscription
    #[arg(long, value_name = "ID")]
    pub subscription: Option<String>,
    /// Of this rule version
    #[arg(long, value_name = "RULE_ID", value_parser = typed::rule)]
    pub rule: Option<String>,
    /// Most to list
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub limit: usize,
}

/// What to send again: one delivery, or all that failed to a subscription since an instant.
#[derive(Debug, Clone, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct Replay {
    /// Id of a delivery
    #[arg(value_name = "ID", required_unless_present = "subscription", conflicts_with_all = ["subscription", "failed_since"])]
    pub id: Option<String>,
    /// All that failed to this subscription
    #[arg(long, value_name = "ID", requires = "failed_since")]
    pub subscription: Option<String>,
    /// From this instant or day (UTC) on: 2026-03-10T12:00:00Z, 2026-03-10 or 10/03/2026
    #[arg(long, value_name = "TIMESTAMP", requires = "subscription", value_parser = typed::day)]
    pub failed_since: Option<String>,
}

/// Deliveries, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryList {
    pub deliveries: Vec<ShownDelivery>,
    /// True if there are more than the limit.
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownDelivery {
    pub id: String,
    pub subscription: String,
    /// The version, or what a notice is about.
    pub rule_id: String,
    pub state: DeliveryState,
    /// True if it waits because its account is suspended.
    pub account_suspended: bool,
    pub attempts: u8,
    /// When its next attempt is due.
    pub due_at: Option<Timestamp>,
    /// When it was delivered, or failed for good.
    pub ended_at: Option<Timestamp>,
    pub outcome: Option<String>,
}

/// How many deliveries are sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    pub replayed: usize,
}

/// Returns the deliveries that match the query.
pub(super) fn list(store: &Store, query: &OutboxQuery) -> Result<DeliveryList, AdminError> {
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
    let shown = |delivery: Delivery| {
        let rule_id = Message::of(store, delivery.version)?.rule_id;
        Ok::<_, AdminError>(shown(&delivery, rule_id, waits(&delivery)))
    };
    Ok(DeliveryList { deliveries: found.into_iter().map(shown).collect::<Result<_, _>>()?, more })
}

fn shown(delivery: &Delivery, rule_id: String, account_suspended: bool) -> ShownDelivery {
    let at = Timestamp::from_millis(delivery.at_ms);
    let pending = delivery.state == DeliveryState::Pending;
    let subscription = subscription_id(delivery.subscription);
    ShownDelivery {
        id: match notice_of(delivery.version) {
            Some(notice) => format!("{subscription}-a{notice}"),
            None => format!("{subscription}-{}", delivery.version),
        },
        subscription,
        rule_id,
        state: delivery.state,
        account_suspended,
        attempts: delivery.attempts,
        due_at: at.filter(|_| pending),
        ended_at: at.filter(|_| !pending),
        outcome: Some(delivery.outcome.clone()).filter(|outcome| !outcome.is_empty()),
    }
}

/// Sends a delivery again, or all that failed to a subscription.
pub(super) fn replay(service: &Service, asked: &Replay) -> Result<Replayed, AdminError> {
    let replayed = match asked {
        Replay { subscription: Some(id), failed_since: Some(since), .. } => replay_failed(service, id, since)?,
        Replay { id, .. } => replay_one(service, id.as_deref().unwrap_or_default())?,
    };
    Ok(Replayed { replayed })
}

/// Sends a delivery again. Fails if it is pending.
fn replay_one(service: &Service, id: &str) -> Result<usize, AdminError> {
    let unknown =
        || AdminError::new(format!("there is no delivery \"{id}\"; `taxd outbox list` shows them by their ids"));
    let (subscription, version) = id.rsplit_once('-').ok_or_else(unknown)?;
    let number = number_of(subscription).map_err(|_| unknown())?;
    let version = match version.strip_prefix('a') {
        Some(notice) => notice.parse().map(of_notice),
        None => version.parse(),
    };
    let version: u64 = version.map_err(|_| unknown())?;
    let now = service.engine().now();
    service.store().write_outbox(|outbox| match outbox.delivery(number, version)? {
        None => Err(unknown()),
        Some(d) if d.state == DeliveryState::Pending => {
            Err(AdminError::new(format!("{id} is pending already; it will be sent by itself")))
        }
        Some(_) => Ok(outbox.enqueue(number, version, now.millis())?),
    })?;
    tracing::info!(delivery = id, "delivery {id} put back");
    service.deliveries().wake();
    Ok(1)
}

/// Sends again every delivery to a subscription that failed at or after an instant.
fn replay_failed(service: &Service, id: &str, since: &str) -> Result<usize, AdminError> {
    let (since, now) = (read_since("--failed-since", since)?, service.engine().now());
    let requeue = |outbox: &mut OutboxWriter<'_>| {
        let number = subscriptions::find(outbox, id)?.number;
        let span = (since.millis(), now.millis());
        let versions = outbox.ended(number, DeliveryState::Failed, span, REPLAYED_AT_ONCE)?;
        for version in &versions {
            outbox.enqueue(number, *version, now.millis())?;
        }
        Ok::<_, AdminError>(versions.len())
    };
    let mut replayed = 0;
    loop {
        let some = service.store().write_outbox(requeue)?;
        replayed += some;
        // After each part: those of it are sent even if the next one cannot be written.
        service.deliveries().wake();
        if some < REPLAYED_AT_ONCE {
            break;
        }
    }
    tracing::info!(subscription = id, replayed, "{replayed} failed deliveries to {id} put back");
    Ok(replayed)
}

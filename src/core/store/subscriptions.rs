//! Webhook subscriptions.

use redb::ReadableTable;
use serde::{Deserialize, Serialize};

use super::encoding::{decode, encode};
use super::outbox::OutboxWriter;
use super::{Account, Store, StoreResult, schema};
use crate::base::value::{Secret, Timestamp};

/// A subscription (contract, section 2.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its number; its id is `sub_` and the number.
    pub number: u32,
    pub client_id: String,
    /// HTTPS address for the POST requests.
    pub url: String,
    /// Tax of the rules; `None` matches any.
    pub tributo: Option<String>,
    /// Origin UF of the rules; `None` matches any.
    pub uf_origem: Option<String>,
    /// Destination UF of the rules; `None` matches any.
    pub uf_destino: Option<String>,
    /// True if it is also notified of what changes in the kept lists of the account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listas: bool,
    pub secret: Secret,
    /// Secret that is being replaced, if both sign.
    pub previous: Option<PreviousSecret>,
    pub created_at: Timestamp,
}

/// A secret that is being replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousSecret {
    pub secret: Secret,
    /// Until when it signs too, in milliseconds since 1970.
    pub until_ms: u64,
}

impl Subscription {
    /// Its id, as people and headers have it.
    pub fn id(&self) -> String {
        subscription_id(self.number)
    }

    /// The secret that is being replaced, while it still signs.
    pub fn previous_at(&self, now: Timestamp) -> Option<&Secret> {
        self.previous.as_ref().filter(|previous| now.millis() < previous.until_ms).map(|previous| &previous.secret)
    }
}

pub fn subscription_id(number: u32) -> String {
    format!("sub_{number}")
}

/// The number in a subscription's id.
pub fn subscription_number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix("sub_")?;
    digits.parse().ok().filter(|number| subscription_id(*number) == id)
}

impl Store {
    pub fn subscriptions(&self) -> StoreResult<Vec<Subscription>> {
        all(&self.begin_read()?.open_table(schema::SUBSCRIPTIONS)?)
    }
}

pub(super) fn all(table: &impl ReadableTable<u32, &'static [u8]>) -> StoreResult<Vec<Subscription>> {
    table.iter()?.map(|entry| decode("subscription", entry?.1.value())).collect()
}

impl OutboxWriter<'_> {
    pub fn subscriptions(&self) -> StoreResult<Vec<Subscription>> {
        all(&self.subscriptions)
    }

    /// True if the account is suspended; false if it does not exist.
    pub fn is_suspended(&self, client_id: &str) -> StoreResult<bool> {
        let account: Option<Account> =
            self.accounts.get(client_id)?.map(|bytes| decode("account", bytes.value())).transpose()?;
        Ok(account.is_some_and(|account| account.suspended_at.is_some()))
    }

    pub fn subscription(&self, number: u32) -> StoreResult<Option<Subscription>> {
        self.subscriptions.get(number)?.map(|bytes| decode("subscription", bytes.value())).transpose()
    }

    /// A number that no subscription has had.
    pub fn next_subscription(&mut self) -> StoreResult<u32> {
        let last = self.meta.get(schema::META_LAST_SUBSCRIPTION)?.map_or(0, |n| n.value());
        self.meta.insert(schema::META_LAST_SUBSCRIPTION, last + 1)?;
        u32::try_from(last + 1).map_err(|_| super::StoreError::Corrupt("number of the last subscription".to_owned()))
    }

    pub fn put_subscription(&mut self, subscription: &Subscription) -> StoreResult<()> {
        self.subscriptions.insert(subscription.number, encode(subscription)?.as_slice())?;
        Ok(())
    }

    /// Removes a subscription with every delivery to it. Returns how many of them were pending.
    pub fn remove_subscription(&mut self, number: u32) -> StoreResult<u64> {
        let pending = self.endpoint(number)?.pending;
        self.subscriptions.remove(number)?;
        self.forget_endpoint(number)?;
        Ok(pending)
    }
}

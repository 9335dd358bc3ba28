//! Which subscriptions receive what is published (contract, section 6.1).

use crate::base::value::{Timestamp, Tributo, Uf};
use crate::store::{OutboxWriter, StoreResult, Subscription};

/// The members of a published version that filters test.
#[derive(Debug, Clone, Copy)]
pub struct PublishedVersion {
    pub version: u64,
    pub tributo: Tributo,
    pub uf_origem: Option<Uf>,
    pub uf_destino: Option<Uf>,
}

/// True if the version could answer a calculation that the subscription's filters describe. A side that the
/// version leaves open, as a federal rule does, answers for every UF, so it passes every filter on that
/// side: a message too many is harmless, a missing one leaves a stale answer in the subscriber's cache.
pub fn wants(subscription: &Subscription, published: PublishedVersion) -> bool {
    fn passes(filter: Option<&str>, value: Option<&str>) -> bool {
        filter.is_none() || value.is_none() || filter == value
    }
    passes(subscription.tributo.as_deref(), Some(published.tributo.as_str()))
        && passes(subscription.uf_origem.as_deref(), published.uf_origem.map(Uf::as_str))
        && passes(subscription.uf_destino.as_deref(), published.uf_destino.map(Uf::as_str))
}

/// Returns those of the `asking` subscriptions to which something may be sent. Those of suspended accounts get nothing;
/// after they are resumed, they catch up from the changelog.
fn recipients(outbox: &OutboxWriter<'_>, asking: impl Fn(&Subscription) -> bool) -> StoreResult<Vec<Subscription>> {
    let mut found = Vec::new();
    for subscription in outbox.subscriptions()?.into_iter().filter(asking) {
        if !outbox.is_suspended(&subscription.client_id)? {
            found.push(subscription);
        }
    }
    Ok(found)
}

/// Those that ask for what changes in the kept lists of their account.
pub fn recipients_of_lists(outbox: &OutboxWriter<'_>) -> StoreResult<Vec<Subscription>> {
    recipients(outbox, |subscription| subscription.listas)
}

/// Writes a pending delivery, due at `due`, for each published version and each subscription that it
/// passes. Must run in the transaction that publishes the versions.
pub fn enqueue(
    outbox: &mut OutboxWriter<'_>,
    due: Timestamp,
    published: &(impl Iterator<Item = StoreResult<PublishedVersion>> + Clone),
) -> StoreResult<()> {
    for subscription in recipients(outbox, |_| true)? {
        for one in published.clone() {
            let one = one?;
            if wants(&subscription, one) {
                outbox.enqueue(subscription.number, one.version, due.millis())?;
            }
        }
    }
    Ok(())
}

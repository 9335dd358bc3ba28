//! Which subscriptions a published version concerns (contract, section 6.1).

use crate::store::{OutboxWriter, StoreResult, Subscription};
use crate::value::{Instante, Tributo, Uf};

/// A version that was published, as far as a subscription asks of it.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    /// Its number.
    pub version: u64,
    /// Its tax.
    pub tributo: Tributo,
    /// Origin UF of its scope.
    pub uf_origem: Option<Uf>,
    /// Destination UF of its scope.
    pub uf_destino: Option<Uf>,
}

/// True where a version passes every filter of the subscription. A filter asks for equality: a UF is
/// not passed by a federal rule, which names none.
#[must_use]
pub fn wants(subscription: &Subscription, published: Published) -> bool {
    let passes = |filter: &Option<String>, value: Option<&str>| filter.is_none() || filter.as_deref() == value;
    passes(&subscription.tributo, Some(published.tributo.as_str()))
        && passes(&subscription.uf_origem, published.uf_origem.map(Uf::as_str))
        && passes(&subscription.uf_destino, published.uf_destino.map(Uf::as_str))
}

/// Lets every subscription that wants to hear of the published versions hear of them, from `due` on:
/// inside the transaction that publishes them. A suspended account hears of nothing; the changelog
/// tells it later.
pub fn enqueue(
    outbox: &mut OutboxWriter<'_>,
    due: Instante,
    published: &(impl Iterator<Item = StoreResult<Published>> + Clone),
) -> StoreResult<()> {
    for subscription in outbox.subscriptions()? {
        if outbox.is_suspended(&subscription.client_id)? {
            continue;
        }
        for one in published.clone() {
            let one = one?;
            if wants(&subscription, one) {
                outbox.enqueue(subscription.number, one.version, due.millis())?;
            }
        }
    }
    Ok(())
}

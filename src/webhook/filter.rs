//! Which subscriptions a published version concerns (contract, section 6.1).

use crate::rule::Escopo;
use crate::store::{OutboxWriter, StoreResult, Subscription};
use crate::value::{Instante, Tributo, Uf};

/// True where a rule of that tax and scope passes every filter of the subscription. A filter
/// asks for equality: a UF is not passed by a federal rule, which names none.
#[must_use]
pub fn wants(subscription: &Subscription, tributo: Tributo, escopo: &Escopo) -> bool {
    let passes = |filter: &Option<String>, value: Option<&str>| filter.is_none() || filter.as_deref() == value;
    passes(&subscription.tributo, Some(tributo.as_str()))
        && passes(&subscription.uf_origem, escopo.uf_origem.map(Uf::as_str))
        && passes(&subscription.uf_destino, escopo.uf_destino.map(Uf::as_str))
}

/// Lets every subscription that wants to hear of the published versions (number, tax, scope)
/// hear of them, from `due` on: inside the transaction that publishes them. A suspended
/// account hears of nothing; the changelog tells it later.
pub fn enqueue<'a>(
    outbox: &mut OutboxWriter<'_>,
    due: Instante,
    published: &(impl Iterator<Item = (u64, Tributo, &'a Escopo)> + Clone),
) -> StoreResult<()> {
    for subscription in outbox.subscriptions()? {
        if outbox.is_suspended(&subscription.client_id)? {
            continue;
        }
        for (version, tributo, escopo) in published.clone() {
            if wants(&subscription, tributo, escopo) {
                outbox.enqueue(subscription.number, version, due.millis())?;
            }
        }
    }
    Ok(())
}

//! Webhooks without network or wall clock: single decisions, and simulations of many days.

mod outbox;
mod retry;
mod scheduler;
mod secret;
mod signature;
mod simulation;
mod workers;

use taxd_base::value::{Secret, Timestamp};
use taxd_core::store::{PreviousSecret, Subscription};

/// A subscription without filters.
fn subscription(number: u32) -> Subscription {
    Subscription {
        number,
        client_id: "acc_test".to_owned(),
        url: format!("https://receiver-{number}.example/hook?token=abc"),
        tributo: None,
        uf_origem: None,
        uf_destino: None,
        listas: false,
        secret: Secret::parse("um segredo bem guardado").unwrap(),
        previous: None,
        created_at: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
    }
}

/// The same while another secret is being replaced.
fn rotating(number: u32, old: &str, until_ms: u64) -> Subscription {
    let previous = PreviousSecret { secret: Secret::parse(old).unwrap(), until_ms };
    Subscription { previous: Some(previous), ..subscription(number) }
}

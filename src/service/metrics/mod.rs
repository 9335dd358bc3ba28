//! The figures in the text forms that Prometheus reads.
//!
//! What each metric says stands beside it in [`collect`], and for the operator in
//! `packaging/prometheus/README.md`; a test holds the two together.

mod collect;
mod form;

pub use form::Form;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use super::figures::Figures;

/// The figures as text of that form.
#[must_use]
pub fn metrics(figures: Figures, form: Form) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(figures));
    let mut text = String::new();
    // Writing into a `String` fails only where a figure refuses to be written, which none does.
    if encode(&mut text, &registry).is_err() {
        tracing::error!("the metrics could not be written");
    }
    form.of_open_metrics(text)
}

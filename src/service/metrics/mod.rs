//! The figures in the text forms that Prometheus reads.
//!
//! What each metric says stands beside it in [`collect`], and for the operator in
//! `packaging/prometheus/README.md`; a test holds the two together.

mod collect;
mod text_format;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
pub use text_format::TextFormat;

use super::statistics::Statistics;

/// The figures as text of that form.
#[must_use]
pub fn metrics(statistics: Statistics, text_format: TextFormat) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(statistics));
    let mut text = String::new();
    // Writing into a `String` fails only where a figure refuses to be written, which none does.
    if encode(&mut text, &registry).is_err() {
        tracing::error!("the metrics could not be written");
    }
    text_format.of_open_metrics(text)
}

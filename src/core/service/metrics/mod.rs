//! The statistics in the text formats of Prometheus.
//!
//! Each metric is described in [`collect`], and for the operator in `packaging/prometheus/README.md`; a test compares
//! the two lists.

mod collect;
mod text_format;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
pub use text_format::TextFormat;

use super::statistics::Statistics;

#[must_use]
pub fn metrics(statistics: Statistics, text_format: TextFormat) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(statistics));
    let mut text = String::new();
    // Writing to a `String` does not fail, and neither does any of the metrics.
    if encode(&mut text, &registry).is_err() {
        tracing::error!("the metrics could not be encoded; they are incomplete");
    }
    text_format.of_open_metrics(text)
}

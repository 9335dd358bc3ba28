//! The statistics in the text formats of Prometheus.
//!
//! Each metric is described in [`collect`], and for the operator in `packaging/prometheus/README.md`; a test compares
//! the two lists.

mod collect;

use std::collections::HashSet;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use super::statistics::Statistics;

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

/// The media type in `Accept` of a scraper that reads `OpenMetrics`.
const OPEN_METRICS: &str = "application/openmetrics-text";

/// A text format: `OpenMetrics` 1.0, or the older one of Prometheus, which every tool reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    OpenMetrics,
    /// Version 0.0.4 of Prometheus' own format.
    Plain,
}

impl TextFormat {
    /// Returns the format for a scraper that sends this `Accept`.
    pub fn accepted(accept: &str) -> TextFormat {
        if accept.to_ascii_lowercase().contains(OPEN_METRICS) { TextFormat::OpenMetrics } else { TextFormat::Plain }
    }

    /// Returns the media type, for the `Content-Type` header.
    pub fn content_type(self) -> &'static str {
        match self {
            TextFormat::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            TextFormat::Plain => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Converts text from `OpenMetrics` to this format. The formats differ in two ways: `OpenMetrics` has an end mark,
    /// and describes a counter by its name without `_total`.
    fn of_open_metrics(self, text: String) -> String {
        if self == TextFormat::OpenMetrics {
            return text;
        }
        let lines = || text.lines().filter(|line| *line != "# EOF");
        let counter = |line: &'_ str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(str::to_owned);
        let counters: HashSet<String> = lines().filter_map(counter).collect();
        let mut plain = String::with_capacity(text.len() + 16 * counters.len());
        for line in lines() {
            let mut words = line.splitn(4, ' ');
            let described = (words.next(), words.next(), words.next(), words.next());
            match described {
                (Some("#"), Some(what), Some(name), Some(rest)) if counters.contains(name) => {
                    for part in ["# ", what, " ", name, "_total ", rest] {
                        plain.push_str(part);
                    }
                }
                _ => plain.push_str(line),
            }
            plain.push('\n');
        }
        plain
    }
}

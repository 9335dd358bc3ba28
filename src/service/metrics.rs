//! The figures in the text form that Prometheus reads (`OpenMetrics` 1.0).

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::figures::{CLASSES, Figures};

/// Type of the text, for the `Content-Type` header.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The figures as text.
#[must_use]
pub fn metrics(figures: Figures) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(figures));
    let mut text = String::new();
    // Writing into a `String` fails only where a figure refuses to be written, which none does.
    if encode(&mut text, &registry).is_err() {
        tracing::error!("the metrics could not be written");
    }
    text
}

/// Name and value of each label of a figure.
type Labels<'a> = Vec<(&'static str, &'a str)>;

/// Writes one metric: its name, what it says, and its figures by label.
fn write<M: EncodeMetric>(
    encoder: &mut DescriptorEncoder<'_>,
    (name, help): (&str, &str),
    figures: &[(Labels<'_>, M)],
) -> fmt::Result {
    let Some((_, first)) = figures.first() else { return Ok(()) };
    let mut encoder = encoder.encode_descriptor(name, help, None, first.metric_type())?;
    for (labels, figure) in figures {
        figure.encode(encoder.encode_family(labels)?)?;
    }
    Ok(())
}

/// Writes what goes up and down.
fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, figure: u64) -> fmt::Result {
    let figure = ConstGauge::new(figure);
    figure.encode(encoder.encode_descriptor(name, help, None, figure.metric_type())?)
}

/// Writes what only goes up; its name ends in `_total` in the text.
fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, figure: u64) -> fmt::Result {
    let figure = ConstCounter::new(figure);
    figure.encode(encoder.encode_descriptor(name, help, None, figure.metric_type())?)
}

impl Collector for Figures {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let to = &mut encoder;
        gauge(to, "taxd_uptime_seconds", "Time since the server started", self.uptime_s.unwrap_or_default())?;
        let rules: Vec<_> =
            self.rules.iter().map(|(tributo, n)| (vec![("tributo", *tributo)], ConstGauge::new(*n))).collect();
        write(to, ("taxd_rule_versions", "Rule versions, by tax"), &rules)?;
        gauge(to, "taxd_accounts", "Accounts", self.accounts as u64)?;
        gauge(to, "taxd_accounts_suspended", "Accounts whose calls are refused", self.suspended as u64)?;
        let classes = CLASSES.map(|class| format!("{class}xx"));
        let calls: Vec<_> = classes
            .iter()
            .zip(self.calls_by_class)
            .map(|(class, calls)| (vec![("status", class.as_str())], ConstCounter::new(calls)))
            .collect();
        write(to, ("taxd_calls", "Calls of all accounts since they were made, by class of status"), &calls)?;
        counter(to, "taxd_cache_hits", "Calculations that the result cache answered", self.cache.hits)?;
        counter(to, "taxd_cache_misses", "Calculations that it could not answer", self.cache.misses)?;
        gauge(to, "taxd_cache_entries", "Answers that the result cache holds", self.cache.entries as u64)?;
        gauge(to, "taxd_log_pending", "Calls answered and not yet written to the call log", self.log.pending)?;
        counter(to, "taxd_log_lost", "Calls that could not be logged and are only counted", self.log.lost)?;
        gauge(to, "taxd_log_failing", "1 while the call log cannot be written", u64::from(self.log.failing))?;
        let keys = [("mistyped", self.refused_keys.mistyped), ("unknown", self.refused_keys.unknown)];
        let keys = keys.map(|(why, calls)| (vec![("why", why)], ConstCounter::new(calls)));
        write(to, ("taxd_refused_keys", "Calls refused because their key opens nothing"), &keys)?;
        self.encode_outbox(to)?;
        gauge(to, "taxd_data_file_bytes", "Size of the data file", self.file_bytes.unwrap_or_default())?;
        match self.free_bytes {
            Some(free) => gauge(to, "taxd_disk_free_bytes", "Free bytes on the disk of the data file", free),
            None => Ok(()),
        }
    }
}

impl Figures {
    fn encode_outbox(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let outbox = &self.outbox;
        let states = [("pending", outbox.pending), ("delivered", outbox.delivered), ("failed", outbox.failed)];
        let states = states.map(|(state, n)| (vec![("state", state)], ConstGauge::new(n)));
        write(to, ("taxd_webhook_deliveries", "Webhook deliveries that are kept, by state"), &states)?;
        let overdue_s = outbox.overdue_ms.unwrap_or_default() / 1_000;
        gauge(to, "taxd_webhook_overdue_seconds", "For how long the longest due delivery has been due", overdue_s)?;
        gauge(to, "taxd_webhook_endpoints", "Webhook subscriptions", outbox.endpoints as u64)?;
        let failing = outbox.failing.len() as u64;
        gauge(to, "taxd_webhook_endpoints_failing", "Webhook subscriptions that take nothing", failing)?;
        let each: Vec<_> = outbox
            .failing
            .iter()
            .map(|endpoint| {
                let labels = vec![("subscription", endpoint.id.as_str()), ("client_id", endpoint.client_id.as_str())];
                (labels, ConstGauge::new(1_u64))
            })
            .collect();
        write(to, ("taxd_webhook_endpoint_failing", "1 for each webhook subscription that takes nothing"), &each)
    }
}

//! Each metric: its name, its help text, its values.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::base::value::Tributo;
use crate::calls::{Latencies, STEPS_US};
use crate::service::process::Process;
use crate::service::statistics::{CLASSES, Statistics};
use crate::store::SCHEMA_VERSION;

/// The label of calls that were refused before their tax was known.
const NO_TAX: &str = "nenhum";
/// The label of statuses that are not counted separately.
const OTHER_STATUS: &str = "outro";
/// Ages are known in days; Prometheus wants its base unit.
const SECONDS_A_DAY: u64 = 86_400;

type Encoder<'a> = DescriptorEncoder<'a>;

/// Name and value of each label of a metric.
type Labels<'a> = Vec<(&'static str, &'a str)>;

/// Writes one metric: its name, its help text, and its values by label.
fn write<M: EncodeMetric>(
    encoder: &mut Encoder<'_>,
    (name, help): (&str, &str),
    metrics: &[(Labels<'_>, M)],
) -> fmt::Result {
    let Some((_, first)) = metrics.first() else { return Ok(()) };
    let mut encoder = encoder.encode_descriptor(name, help, None, first.metric_type())?;
    for (labels, metric) in metrics {
        metric.encode(encoder.encode_family(labels)?)?;
    }
    Ok(())
}

fn write_one(encoder: &mut Encoder<'_>, name: &str, help: &str, figure: &impl EncodeMetric) -> fmt::Result {
    figure.encode(encoder.encode_descriptor(name, help, None, figure.metric_type())?)
}

fn gauge(encoder: &mut Encoder<'_>, name: &str, help: &str, figure: u64) -> fmt::Result {
    write_one(encoder, name, help, &ConstGauge::new(figure))
}

/// Writes a gauge, if its value is known.
fn known(encoder: &mut Encoder<'_>, name: &str, help: &str, figure: Option<u64>) -> fmt::Result {
    figure.map_or(Ok(()), |figure| gauge(encoder, name, help, figure))
}

/// Writes a counter. The text has its name with `_total`.
fn counter(encoder: &mut Encoder<'_>, name: &str, help: &str, figure: u64) -> fmt::Result {
    write_one(encoder, name, help, &ConstCounter::new(figure))
}

/// Writes a counter with one label.
fn counters(
    encoder: &mut Encoder<'_>,
    named: (&str, &str),
    label: &'static str,
    statistics: &[(&str, u64)],
) -> fmt::Result {
    let statistics: Vec<_> = statistics.iter().map(|(word, n)| (vec![(label, *word)], ConstCounter::new(*n))).collect();
    write(encoder, named, &statistics)
}

fn gauges(
    encoder: &mut Encoder<'_>,
    named: (&str, &str),
    label: &'static str,
    statistics: &[(&str, u64)],
) -> fmt::Result {
    let statistics: Vec<_> = statistics.iter().map(|(word, n)| (vec![(label, *word)], ConstGauge::new(*n))).collect();
    write(encoder, named, &statistics)
}

/// A histogram of latencies, in seconds.
struct Histogram<'a>(&'a Latencies);

impl EncodeMetric for Histogram<'_> {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let ends = STEPS_US.iter().map(|us| f64::from(*us) / 1e6).chain([f64::INFINITY]);
        let steps: Vec<(f64, u64)> = ends.zip(self.0.counts).collect();
        encoder.encode_histogram::<NoLabelSet>(
            Duration::from_micros(self.0.sum_us).as_secs_f64(),
            self.0.calls(),
            &steps,
            None,
        )
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}

impl Collector for Statistics {
    fn encode(&self, mut encoder: Encoder<'_>) -> fmt::Result {
        let to = &mut encoder;
        let schema = SCHEMA_VERSION.to_string();
        let build = vec![("version", env!("CARGO_PKG_VERSION")), ("schema", schema.as_str())];
        write(
            to,
            ("taxd_build_info", "Version of taxd and of the format of its data file"),
            &[(build, ConstGauge::new(1_u64))],
        )?;
        gauge(to, "taxd_uptime_seconds", "Time since the server started", self.uptime_s.unwrap_or_default())?;
        self.encode_rules(to)?;
        self.encode_calls(to)?;
        self.encode_cache_and_log(to)?;
        self.encode_outbox(to)?;
        self.encode_kept_lists(to)?;
        known(to, "taxd_data_file_bytes", "Size of the data file", self.file_bytes)?;
        known(to, "taxd_disk_free_bytes", "Free bytes on the disk of the data file", self.free_bytes)?;
        let tls_end_s = self.tls_not_after.map(|end| end.millis() / 1_000);
        known(to, "taxd_tls_not_after_seconds", "End of the TLS certificate, since 1970", tls_end_s)?;
        self.process.as_ref().map_or(Ok(()), |process| self.encode_process(to, process))
    }
}

impl Statistics {
    fn encode_rules(&self, to: &mut Encoder<'_>) -> fmt::Result {
        gauges(to, ("taxd_rule_versions", "Rule versions, by tax"), "tributo", &self.rules)?;
        let imports = [
            ("published", self.imports.published),
            ("unchanged", self.imports.unchanged),
            ("refused", self.imports.refused),
        ];
        counters(to, ("taxd_imports", "Imports since the start, by result"), "result", &imports)?;
        let each = self.ending.iter().flat_map(|ending| {
            let days = ending.within_days.to_string();
            ending.fins.by_word().map(|(then, rules)| (days.clone(), then.as_str(), rules))
        });
        let each: Vec<_> = each.collect();
        let ending: Vec<_> = each
            .iter()
            .map(|(days, then, rules)| (vec![("within_days", days.as_str()), ("then", *then)], ConstGauge::new(*rules)))
            .collect();
        write(to, ("taxd_rules_ending", "Rules that end within so many days, by what answers then"), &ending)?;
        let mut oldest: BTreeMap<&str, u64> = BTreeMap::new();
        for table in &self.tables {
            let age = oldest.entry(table.tabela.nome.as_str()).or_default();
            *age = (*age).max(table.idade_dias);
        }
        let ages: Vec<_> = oldest
            .into_iter()
            .map(|(name, days)| (vec![("table", name)], ConstGauge::new(days * SECONDS_A_DAY)))
            .collect();
        let help = "Age of the version of each official table that the rules follow; of several versions, the oldest";
        write(to, ("taxd_official_table_age_seconds", help), &ages)?;
        let last_s = self.last_publication_ms.map(|ms| ms / 1_000);
        known(to, "taxd_last_publication_timestamp_seconds", "When rules were last published", last_s)
    }

    fn encode_calls(&self, to: &mut Encoder<'_>) -> fmt::Result {
        let tax = |tributo: Option<Tributo>| tributo.map_or(NO_TAX, Tributo::as_str);
        let each = self.traffic.iter().flat_map(|calls| {
            calls.statuses().map(|(status, n)| {
                (tax(calls.tributo), status.map_or_else(|| OTHER_STATUS.to_owned(), |s| s.to_string()), n)
            })
        });
        let each: Vec<_> = each.collect();
        let calls: Vec<_> = each
            .iter()
            .map(|(tax, status, n)| (vec![("tributo", *tax), ("status", status.as_str())], ConstCounter::new(*n)))
            .collect();
        write(to, ("taxd_calls", "Calls of the API since the start, by tax and status"), &calls)?;
        let both = self.traffic.iter().flat_map(|calls| {
            [("false", &calls.calculated), ("true", &calls.cached)]
                .map(|(cached, steps)| (calls.tributo, cached, steps))
        });
        let latencies: Vec<_> = both
            .filter(|(.., steps)| steps.calls() > 0)
            .map(|(tributo, cached, steps)| (vec![("tributo", tax(tributo)), ("cached", cached)], Histogram(steps)))
            .collect();
        let help = "From a call's head to its answer, by tax and whether the result cache answered";
        write(to, ("taxd_call_duration_seconds", help), &latencies)?;
        let keys = [("mistyped", self.refused_keys.mistyped), ("unknown", self.refused_keys.unknown)];
        counters(to, ("taxd_refused_keys", "Calls refused because of their key"), "why", &keys)?;
        gauge(to, "taxd_connections", "Connections of callers that are open", self.connections.open)?;
        let accepted = self.connections.accepted;
        counter(to, "taxd_connections_accepted", "Connections of callers since the start", accepted)?;
        let refused = self.connections.refused;
        counter(to, "taxd_connections_refused", "Connections beyond the limit, answered 503", refused)?;
        gauge(to, "taxd_accounts", "Accounts", self.accounts as u64)?;
        gauge(to, "taxd_accounts_suspended", "Accounts whose calls are refused", self.suspended as u64)?;
        let classes = CLASSES.map(|class| format!("{class}xx"));
        let by_class: Vec<_> = classes.iter().map(String::as_str).zip(self.calls_by_class).collect();
        let help = "Calls of all accounts since their creation, by class of status";
        counters(to, ("taxd_account_calls", help), "status", &by_class)
    }

    fn encode_cache_and_log(&self, to: &mut Encoder<'_>) -> fmt::Result {
        let (cache, log) = (&self.cache, &self.log);
        counter(to, "taxd_cache_hits", "Calculations that the result cache answered", cache.hits)?;
        counter(to, "taxd_cache_misses", "Calculations that the result cache could not answer", cache.misses)?;
        counter(to, "taxd_cache_evictions", "Answers that were evicted from the result cache", cache.evictions)?;
        gauge(to, "taxd_cache_entries", "Answers in the result cache", cache.entries as u64)?;
        gauge(to, "taxd_cache_bytes", "Approximate memory of the answers in the result cache", cache.bytes as u64)?;
        gauge(to, "taxd_log_pending", "Calls that were answered and are not yet in the call log", log.pending)?;
        counter(to, "taxd_log_lost", "Calls that could not be logged and are only counted", log.lost)?;
        gauge(to, "taxd_log_failing", "1 while the call log cannot be written", u64::from(log.failing))
    }

    fn encode_outbox(&self, to: &mut Encoder<'_>) -> fmt::Result {
        let outbox = &self.outbox;
        let states = [("pending", outbox.pending), ("delivered", outbox.delivered), ("failed", outbox.failed)];
        gauges(to, ("taxd_webhook_deliveries", "Stored webhook deliveries, by state"), "state", &states)?;
        let overdue_s = outbox.overdue_ms.unwrap_or_default() / 1_000;
        gauge(
            to,
            "taxd_webhook_overdue_seconds",
            "For how long the oldest due delivery has been due, without those of suspended accounts",
            overdue_s,
        )?;
        gauge(to, "taxd_webhook_endpoints", "Webhook subscriptions", outbox.endpoints as u64)?;
        let failing = outbox.failing.len() as u64;
        gauge(to, "taxd_webhook_endpoints_failing", "Webhook subscriptions whose endpoint fails", failing)?;
        let each: Vec<_> = outbox
            .failing
            .iter()
            .map(|endpoint| {
                let labels = vec![("subscription", endpoint.id.as_str()), ("client_id", endpoint.client_id.as_str())];
                (labels, ConstGauge::new(1_u64))
            })
            .collect();
        write(to, ("taxd_webhook_endpoint_failing", "1 for each webhook subscription whose endpoint fails"), &each)
    }

    fn encode_kept_lists(&self, to: &mut Encoder<'_>) -> fmt::Result {
        let kept = &self.kept_lists;
        gauge(to, "taxd_kept_lists", "Lists that accounts keep", kept.lists)?;
        gauge(to, "taxd_kept_list_lines", "Lines of these lists", kept.lines)?;
        let help = "For how long the first publication or day whose changes in kept lists are not written has waited";
        gauge(to, "taxd_kept_lists_overdue_seconds", help, kept.overdue_ms.unwrap_or_default() / 1_000)?;
        let failing = u64::from(kept.failing);
        gauge(to, "taxd_kept_lists_failing", "1 if the last work on the kept lists failed", failing)
    }

    /// Writes the metrics of the process, under the names that all Prometheus clients use.
    fn encode_process(&self, to: &mut Encoder<'_>, process: &Process) -> fmt::Result {
        let cpu = ConstCounter::new(process.cpu.as_secs_f64());
        write_one(to, "process_cpu_seconds", "Processor time of the server", &cpu)?;
        known(to, "process_resident_memory_bytes", "Resident memory of the server", process.resident_bytes)?;
        known(to, "process_virtual_memory_bytes", "Virtual memory of the server", process.virtual_bytes)?;
        known(to, "process_open_fds", "Open file descriptors", process.open_fds)?;
        known(to, "process_max_fds", "Limit of open file descriptors", process.max_fds)?;
        known(to, "process_threads", "Threads", process.threads)?;
        let started_s = ConstGauge::new(Duration::from_millis(self.started_at.millis()).as_secs_f64());
        write_one(to, "process_start_time_seconds", "When the server started", &started_s)
    }
}

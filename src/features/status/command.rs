//! `taxd status`, `taxd metrics` and `taxd health`: three forms of the same figures.

use std::process::ExitCode;

use clap::Args;

use crate::base::value::counted;
use crate::cli::{CommandResult, Context, output};
use crate::core::engine::TableAge;
use crate::core::service::{EndingRules, Health};
use crate::core::watch::KeptListsState;
use crate::core::webhook::OutboxSummary;
use crate::features::corrections::{CorrectionsFound, CorrectionsState};
use crate::features::status::{MetricsText, ServiceStatus};
use crate::features::{AdminError, Command, control};

/// The state of the service: uptime, rules, cache, call log, webhooks, disk
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

pub(crate) fn run(context: &Context) -> CommandResult {
    context.show(Command::Status, |status: ServiceStatus| {
        lines(&status).iter().map(|(name, text)| format!("{name:<10} {text}")).collect::<Vec<_>>().join("\n")
    })
}

/// The figures of `status` as Prometheus reads them
///
/// `taxd serve --metrics-listen` serves the same at /metrics.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {}

pub(crate) fn metrics(context: &Context) -> CommandResult {
    context.show(Command::Metrics, |MetricsText { metrics }| metrics.trim_end().to_owned())
}

/// Whether the server answers, for a supervisor or a container
///
/// Exit status 0 if a server is running, even if it is degraded, which a restart does not repair: the output then
/// says what is wrong. Exit status 1 if no server answers, or if its data file has been unusable for 30 seconds.
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {}

pub(crate) fn health(context: &Context) -> CommandResult {
    let not_running = || AdminError::new(format!("no server is running on {}", context.dir().display()));
    let answer = control::call(context.dir(), &Command::Health, &mut |_| {}).ok_or_else(not_running)??;
    let health: Health = serde_json::from_str(answer.get())?;
    let shown = context.print(&health, || health_text(&health))?;
    Ok(if health.is_failing() { ExitCode::FAILURE } else { shown })
}

fn lines(status: &ServiceStatus) -> Vec<(&'static str, String)> {
    let ServiceStatus { rules, accounts, cache, log, refused_keys: keys, disk, .. } = status;
    let server = match status.uptime_s {
        Some(seconds) if status.running => format!("up for {}", uptime(seconds)),
        _ => "not running; the figures are those of the data file".to_owned(),
    };
    let by_tax: Vec<String> = rules.by_tax.iter().map(|(tributo, versions)| format!("{tributo} {versions}")).collect();
    let asked = cache.hits + cache.misses;
    let rate = match (cache.hits * 100).checked_div(asked) {
        None => "nothing asked yet".to_owned(),
        Some(rate) => format!("{rate} % of {asked} calculations"),
    };
    let failing = if log.failing { ", FAILING: see the server's log" } else { "" };
    let mut lines = vec![
        ("taxd", format!("{}, {server}", status.version)),
        ("health", health_text(&status.health)),
        ("rules", format!("{}: {}", counted(rules.versions, "version", "versions"), by_tax.join(", "))),
        (
            "accounts",
            format!(
                "{}, {} suspended, {} in all",
                accounts.total,
                accounts.suspended,
                counted(accounts.calls, "call", "calls")
            ),
        ),
        ("cache", format!("answered {rate}; holds {}", cache.entries)),
        ("call log", format!("{} to write, {} lost{failing}", log.pending, log.lost)),
        ("webhooks", webhooks(&status.outbox)),
        ("corrected", corrections(&status.corrections)),
        ("kept lists", kept_lists(&status.kept_lists)),
        ("keys", format!("refused: {} mistyped, {} unknown or no longer good", keys.mistyped, keys.unknown)),
        ("disk", format!("data file {}, free {}", output::size(disk.file_bytes), output::size(disk.free_bytes))),
    ];
    let ending = status.ending.iter().max_by_key(|ending| ending.within_days);
    lines.extend(ending.map(|ending| ("ending", ending_text(ending))));
    let followed = &status.health.tables;
    lines.extend((!followed.is_empty()).then(|| ("tables", tables(followed))));
    lines.extend(status.tls.as_ref().map(|tls| ("tls", format!("certificate good until {}", tls.not_after))));
    lines
}

/// Writes `ok`, `degraded` or `failing`, with a line for each trouble and notice.
pub(super) fn health_text(health: &Health) -> String {
    let troubles =
        health.troubles.iter().chain(&health.notices).map(|trouble| format!("\n{:<10} {}", "", trouble.what));
    std::iter::once(health.state.to_string()).chain(troubles).collect()
}

fn ending_text(ending: &EndingRules) -> String {
    let EndingRules { within_days, fins } = ending;
    format!(
        "{} within {within_days} days: {} with a new version, {} to the general rule, {} with the tax, {} followed by a version without a figure, {} without a successor",
        counted(fins.total(), "rule", "rules"),
        fins.nova_versao,
        counted(fins.regra_geral, "returns", "return"),
        fins.extintas,
        fins.sem_figura,
        fins.sem_sucessora
    )
}

/// A line for each version of an official table, and one for each known change since.
fn tables(tables: &[TableAge]) -> String {
    let mut lines = Vec::new();
    for TableAge { tabela, idade_dias, pacotes } in tables {
        let ended = tabela.vigente_ate.map(|ate| format!(", until before {ate}")).unwrap_or_default();
        let by = counted(pacotes.len() as u64, "bundle", "bundles");
        let days = counted(*idade_dias, "day", "days");
        lines.push(format!("{} of {}, {days} old{ended} ({by}): {}", tabela.nome, tabela.data, tabela.versao));
        lines.extend(tabela.mudancas.iter().map(|change| format!("  {change}")));
    }
    lines.join(&format!("\n{:<11}", ""))
}

fn webhooks(outbox: &OutboxSummary) -> String {
    let behind = match outbox.overdue_ms {
        Some(ms) if ms >= 1_000 => format!(" (overdue for {})", uptime(ms / 1_000)),
        _ => String::new(),
    };
    let mut lines = vec![format!(
        "{}, {} pending{behind}, {} failed",
        counted(outbox.endpoints, "endpoint", "endpoints"),
        outbox.pending,
        outbox.failed
    )];
    for endpoint in &outbox.failing {
        let (id, url, since) = (&endpoint.id, &endpoint.url, output::instant(endpoint.since));
        lines.push(format!("{:<10} {id} {url} takes nothing since {since}: {}", "", endpoint.last_error));
    }
    lines.join("\n")
}

/// What the last publication that corrected given answers corrected, and what is still to do.
fn corrections(corrections: &CorrectionsState) -> String {
    let waiting = match corrections.pendentes {
        0 => String::new(),
        waiting => format!("; {} not looked through yet", counted(waiting, "publication", "publications")),
    };
    let last = corrections.ultima.map_or_else(
        || "no answer of the log".to_owned(),
        |CorrectionsFound { publicacao, publicado_em, contas, chamadas }| {
            let day = publicado_em.map(|at| format!(" of {}", at.day())).unwrap_or_default();
            let answers = counted(chamadas, "answer", "answers");
            let accounts = counted(contas, "account", "accounts");
            format!("{answers} of {accounts} by publication {publicacao}{day}; GET /v1/correcoes lists them to each")
        },
    );
    format!("{last}{waiting}")
}

/// The kept lists, and how far the work on them is behind the last publication.
fn kept_lists(kept: &KeptListsState) -> String {
    let behind = match kept.overdue_ms {
        Some(ms) if kept.pending == 0 => format!("behind by days that began, for {}", uptime(ms / 1_000)),
        Some(ms) => {
            format!("{} behind, for {}", counted(kept.pending, "publication", "publications"), uptime(ms / 1_000))
        }
        None => "up to date".to_owned(),
    };
    let failing = if kept.failing { ", FAILING: see the server's log" } else { "" };
    let (lists, lines) = (counted(kept.lists, "list", "lists"), counted(kept.lines, "line", "lines"));
    if kept.lists == 0 { "none".to_owned() } else { format!("{lists} with {lines}; {behind}{failing}") }
}

fn uptime(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

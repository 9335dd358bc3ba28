//! `taxd status`.

use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::{CommandResult, DataDir, Json, output};
use crate::admin::{Command, data_dir};

/// How the service does: uptime, rules, cache, call log, webhooks, disk
#[derive(Debug, Args)]
pub(super) struct Status {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Status) -> CommandResult {
    let status = data_dir::run(&args.data.data, Command::Status)?;
    if args.json.json {
        output::json(&status)?;
    } else {
        for (name, text) in lines(&status) {
            output::line(&format!("{name:<10} {text}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(status: &Value) -> Vec<(&'static str, String)> {
    let count = |of: &str, name: &str| output::number(&status[of], name, "?");
    let server = if output::member(status, "running") == true {
        format!("up for {}", uptime(output::member(status, "uptime_s").as_u64().unwrap_or_default()))
    } else {
        "not running; what follows was read from the data file".to_owned()
    };
    let by_tax = output::member(output::member(status, "rules"), "by_tax").as_object().into_iter().flatten();
    let by_tax: Vec<String> = by_tax.map(|(tributo, versions)| format!("{tributo} {versions}")).collect();
    let (hits, misses) = (
        output::member(output::member(status, "cache"), "hits").as_u64(),
        output::member(output::member(status, "cache"), "misses").as_u64(),
    );
    let rate = match (hits.unwrap_or_default(), misses.unwrap_or_default()) {
        (0, 0) => "nothing asked yet".to_owned(),
        (hits, misses) => format!("{} % of {} calculations", hits * 100 / (hits + misses), hits + misses),
    };
    let failing = if output::member(output::member(status, "log"), "failing") == true {
        ", FAILING: see the server's log"
    } else {
        ""
    };
    let mut lines = vec![
        ("taxd", format!("{}, {server}", output::text(status, "version"))),
        ("health", health(output::member(status, "health"))),
        ("rules", format!("{} versions: {}", count("rules", "versions"), by_tax.join(", "))),
        (
            "accounts",
            format!(
                "{}, {} suspended, {} calls in all",
                count("accounts", "total"),
                count("accounts", "suspended"),
                count("accounts", "calls")
            ),
        ),
        ("cache", format!("answered {rate}; holds {}", count("cache", "entries"))),
        ("call log", format!("{} to write, {} lost{failing}", count("log", "pending"), count("log", "lost"))),
        ("webhooks", webhooks(output::member(status, "outbox"))),
        (
            "keys",
            format!(
                "refused: {} mistyped, {} unknown or no longer good",
                count("refused_keys", "mistyped"),
                count("refused_keys", "unknown")
            ),
        ),
        (
            "disk",
            format!(
                "data file {}, free {}",
                output::size(output::member(output::member(status, "disk"), "file_bytes")),
                output::size(output::member(output::member(status, "disk"), "free_bytes"))
            ),
        ),
    ];
    if let Some(end) = output::member(output::member(status, "tls"), "not_after").as_str() {
        lines.push(("tls", format!("certificate good until {end}")));
    }
    lines
}

/// `ok`, or `degraded` with a line for each trouble.
pub(super) fn health(health: &Value) -> String {
    let troubles = output::member(health, "troubles").as_array().into_iter().flatten();
    let told = troubles.map(|trouble| format!("\n{:<10} {}", "", output::text(trouble, "what")));
    std::iter::once(output::text(health, "state").to_owned()).chain(told).collect()
}

fn webhooks(outbox: &Value) -> String {
    let count = |name: &str| output::number(outbox, name, "?");
    let behind = match output::member(outbox, "overdue_ms").as_u64() {
        Some(ms) if ms >= 1_000 => format!(" (overdue for {})", uptime(ms / 1_000)),
        _ => String::new(),
    };
    let mut lines = vec![format!(
        "{} endpoints, {} pending{behind}, {} failed",
        count("endpoints"),
        count("pending"),
        count("failed")
    )];
    for endpoint in output::member(outbox, "failing").as_array().into_iter().flatten() {
        let cell = |name: &str| output::text(endpoint, name);
        let (id, url, since) = (cell("id"), cell("url"), cell("since"));
        lines.push(format!("{:<10} {id} {url} takes nothing since {since}: {}", "", cell("last_error")));
    }
    lines.join("\n")
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

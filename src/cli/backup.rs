//! `taxd backup`, `taxd restore` and `taxd check`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::{CommandResult, DataDir, Json, output, progress};
use crate::admin::{self, AdminError};

/// Write a backup of all data to a file, also while the server runs
///
/// The backup is the data file as it is at one instant, compact, its own pages verified. It holds
/// webhook secrets: only its owner can read it. Calls and publications go on meanwhile.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// File to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write over FILE where it is there already; never over data that a taxd has open
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Put a backup in the place of the data; the server must be stopped
///
/// The backup is checked first, as `taxd check` does, and refused where its pages or rules are at
/// fault; other findings are told. One of an older taxd is migrated. FILE itself is left as it is.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// Backup to restore
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Take the place of data that are there already; they are kept beside, under another name
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Look whether the data, or a backup, are whole
///
/// Every page, record and worked example is looked at, and nothing is written. Beside a running
/// server it works on what the server has open; the checksums of pages are then not verified. Exit
/// status 1 where anything is wrong.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Backup or data file to check, in the place of the data of --data
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs `taxd backup`.
pub(super) fn backup(args: &Backup) -> CommandResult {
    if args.file == Path::new("-") {
        return Err(AdminError::new(
            "a backup is written to a file, not to stdout; write it to one and send that, or name it ./-",
        ));
    }
    let done = progress::shown(|step| admin::backup(&args.data.data, &args.file, args.force, step))?;
    if args.json.json {
        output::json(&done)?;
    } else {
        output::line(&format!(
            "{}: {}, as of {}\n{}\nSHA-256 {}",
            output::text(&done, "file"),
            output::size(output::member(&done, "bytes")),
            output::text(&done, "taken_at"),
            holdings(&done),
            output::text(&done, "sha256")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `taxd restore`.
pub(super) fn restore(args: &Restore) -> CommandResult {
    let done = progress::shown(|step| admin::restore(&args.data.data, &args.file, args.force, step))?;
    if args.json.json {
        output::json(&done)?;
    } else {
        output::line(&format!(
            "{} is restored from {}\n{}",
            output::text(&done, "restored"),
            output::text(&done, "from"),
            holdings(&done)
        ))?;
        if let Some(kept) = output::member(&done, "kept").as_str() {
            output::line(&format!("the data of before are kept as {kept}"))?;
        }
        let findings = output::member(&done, "findings").as_array().map(Vec::as_slice).unwrap_or_default();
        for finding in findings {
            output::warn(&format!("{}: {}", output::text(finding, "area"), output::text(finding, "finding")));
        }
        let total = output::member(&done, "findings_total").as_u64().unwrap_or_default();
        let more = total.saturating_sub(findings.len() as u64);
        if more > 0 {
            output::warn(&format!("and {more} more findings; `taxd check` tells what to do about them"));
        }
        let failing = output::member(&done, "examples_failing").as_u64().unwrap_or_default();
        if failing > 0 {
            output::warn(&format!("{failing} worked examples do not hold by this taxd; `taxd check` shows them"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `taxd check`.
pub(super) fn check(args: &Check) -> CommandResult {
    let report = progress::shown(|step| admin::check_file(&args.data.data, args.file.as_deref(), step))?;
    if args.json.json {
        output::json(&report)?;
    } else {
        output::line(&report_text(&report))?;
    }
    Ok(if output::member(&report, "whole") == true { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn holdings(of: &Value) -> String {
    let count = |name: &str| output::number(of, name, "?");
    format!(
        "{} rule versions of {} publications, {} accounts",
        count("rules"),
        count("publications"),
        count("accounts")
    )
}

fn report_text(report: &Value) -> String {
    let mut lines = Vec::new();
    // A file that cannot be opened at all has nothing to be counted.
    if let Some(examples) = report.get("examples") {
        lines.push(format!("{}, {} rows in all", holdings(report), output::number(report, "rows", "?")));
        lines.push(format!(
            "{} worked examples hold; {} more held until a later publication",
            output::number(examples, "hold", "?"),
            output::number(examples, "overtaken", "?")
        ));
    }
    if output::member(report, "pages_verified") == false {
        lines.push(
            "the server has the file, so the checksums of its pages are not verified; they are once it is stopped"
                .to_owned(),
        );
    }
    let findings = output::member(report, "findings").as_array().map(Vec::as_slice).unwrap_or_default();
    let total = output::member(report, "findings_total").as_u64().unwrap_or_default();
    let mut areas: Vec<&Value> = Vec::new();
    for finding in findings {
        lines.push(format!("{}: {}", output::text(finding, "area"), output::text(finding, "finding")));
        if !areas.iter().any(|told| output::member(told, "area") == output::member(finding, "area")) {
            areas.push(finding);
        }
    }
    let listed = findings.len() as u64;
    if total > listed {
        lines.push(format!("... and {} more", total - listed));
    }
    for area in areas {
        lines.push(format!("what to do about {}: {}", output::text(area, "area"), output::text(area, "advice")));
    }
    lines.push(match total {
        0 => "nothing is wrong".to_owned(),
        1 => "1 finding".to_owned(),
        total => format!("{total} findings"),
    });
    lines.join("\n")
}

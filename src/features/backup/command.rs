//! `taxd backup`, `taxd restore` and `taxd check`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::base::value::counted;
use crate::cli::{CommandResult, Context, output, progress};
use crate::features::AdminError;
use crate::features::backup::restore::RestoreReport;
use crate::features::backup::{self, BackupReport};
use crate::features::check::{CheckReport, Finding};
use crate::features::control::data_dir;

/// Write a backup of all data to a file, also while the server runs
///
/// A backup is a consistent, compacted, verified snapshot. It contains webhook secrets: only its owner
/// can read it. Calls and publications go on meanwhile.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// File to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Overwrite FILE if it exists; never data that a taxd has open
    #[arg(long)]
    force: bool,
}

/// Replace the data by a backup; the server must be stopped
///
/// The backup is checked first, as `taxd check` does, and refused if its pages or rules are damaged;
/// other findings are reported. One of an older taxd is migrated. FILE itself is not changed.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Backup to restore
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace data that exist; they are kept beside the new ones, under another name
    #[arg(long)]
    force: bool,
}

/// Check the data, or a backup, for damage
///
/// Every page, record and worked example is checked, and nothing is written. A running server checks
/// the file that it has open; the checksums of pages are then not verified. Exit status 1 if anything
/// is wrong.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Backup or data file to check, instead of the data directory
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn backup(context: &Context, args: &BackupArgs) -> CommandResult {
    if args.file == Path::new("-") {
        return Err(AdminError::new(
            "a backup is written to a file, not to stdout; write it to one and send that, or name it ./-",
        ));
    }
    let done: BackupReport = progress::shown(|step| backup::backup(context.dir(), &args.file, args.force, step))?;
    context.print(&done, || {
        let holdings = holdings(done.rules, done.publications, done.accounts);
        format!(
            "{}: {}, as of {}\n{holdings}\nSHA-256 {}",
            done.file,
            output::size(Some(done.bytes)),
            done.taken_at,
            done.sha256
        )
    })
}

pub(crate) fn restore(context: &Context, args: &RestoreArgs) -> CommandResult {
    let done: RestoreReport =
        progress::shown(|step| backup::restore::restore(context.dir(), &args.file, args.force, step))?;
    context.print(&done, || {
        let holdings = holdings(done.rules, done.publications, done.accounts);
        let kept = done.kept.as_ref().map(|kept| format!("\nthe previous data are kept as {kept}"));
        format!("{} is restored from {}\n{holdings}{}", done.restored, done.from, kept.unwrap_or_default())
    })?;
    if !context.json {
        warn_of_findings(&done);
    }
    Ok(ExitCode::SUCCESS)
}

fn warn_of_findings(done: &RestoreReport) {
    let mut warnings: Vec<String> =
        done.findings.iter().map(|finding| format!("{}: {}", finding.area, finding.finding)).collect();
    let more = done.findings_total.saturating_sub(done.findings.len() as u64);
    if more > 0 {
        warnings.push(format!("and {more} more findings; `taxd check` says what to do about them"));
    }
    if done.examples_failing > 0 {
        let failing = done.examples_failing;
        warnings.push(format!("{failing} worked examples do not hold by this taxd; `taxd check` shows them"));
    }
    output::warn(&warnings);
}

pub(crate) fn check(context: &Context, args: &CheckArgs) -> CommandResult {
    let report = progress::shown(|step| data_dir::check(context.dir(), args.file.as_deref(), step))?;
    let shown = context.print(&report, || report_text(&report))?;
    Ok(if report.whole { shown } else { ExitCode::FAILURE })
}

fn holdings(rules: u64, publications: u64, accounts: u64) -> String {
    format!("{rules} rule versions of {publications} publications, {accounts} accounts")
}

fn report_text(report: &CheckReport) -> String {
    let mut lines = Vec::new();
    if let Some(counts) = &report.counts {
        let holdings = holdings(counts.rules, counts.publications, counts.accounts);
        lines.push(format!("{holdings}, {} rows in all", counts.rows));
        lines.push(format!(
            "{} worked examples hold; {} more held until a later publication",
            counts.examples.hold, counts.examples.overtaken
        ));
    }
    if !report.pages_verified {
        lines.push(
            "the server has the file open, so the checksums of its pages are not verified; stop it to verify them"
                .to_owned(),
        );
    }
    let mut areas: Vec<&Finding> = Vec::new();
    for finding in &report.findings {
        lines.push(format!("{}: {}", finding.area, finding.finding));
        if areas.iter().all(|listed| listed.area != finding.area) {
            areas.push(finding);
        }
    }
    let more = report.findings_total.saturating_sub(report.findings.len() as u64);
    if more > 0 {
        lines.push(format!("... and {more} more"));
    }
    lines.extend(areas.iter().map(|area| format!("what to do about {}: {}", area.area, area.advice)));
    lines.push(match report.findings_total {
        0 => "nothing is wrong".to_owned(),
        total => counted(total, "finding", "findings"),
    });
    lines.join("\n")
}

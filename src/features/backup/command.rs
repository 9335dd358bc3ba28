//! `taxd backup` and `taxd restore`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::{CommandResult, Context, output, progress};
use crate::features::AdminError;
use crate::features::backup::restore::RestoreReport;
use crate::features::backup::{self, BackupReport};
use crate::features::check::holdings;

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

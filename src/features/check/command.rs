//! `taxd check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{CheckReport, Finding, holdings};
use crate::base::value::counted;
use crate::cli::{CommandResult, Context, progress};
use crate::features::control::data_dir;

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

pub(crate) fn run(context: &Context, args: &CheckArgs) -> CommandResult {
    let report = progress::shown(|step| data_dir::check(context.dir(), args.file.as_deref(), step))?;
    let shown = context.print(&report, || report_text(&report))?;
    Ok(if report.whole { shown } else { ExitCode::FAILURE })
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

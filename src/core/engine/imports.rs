//! The results of imports: a line in the log for each, and counts since the start.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::bundle_faults::BundleFile;
use super::outcome::{ImportError, ImportReport};
use super::provenance::BundleRecord;
use crate::base::value::shorten;

/// Most bundles or files that a line of the log names; it counts the others.
const MAX_NAMED: usize = 8;

#[derive(Debug, Default)]
pub struct Imports {
    published: AtomicU64,
    unchanged: AtomicU64,
    refused: AtomicU64,
}

/// Counts of imports since the start, by result; dry runs are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportCounts {
    /// Those that published something.
    pub published: u64,
    /// Those whose versions had all been published before.
    pub unchanged: u64,
    /// Those that were refused, or failed.
    pub refused: u64,
}

impl Imports {
    /// Logs and counts an import that was not a dry run.
    pub(super) fn record(&self, files: &[BundleFile], done: &Result<ImportReport, ImportError>, took: Duration) {
        match done {
            Ok(report) => self.done(report, took),
            Err(ImportError::Store(error)) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                tracing::error!(files = listed(names(files)), %error, "an import failed");
            }
            Err(ImportError::Clock(behind)) => self.refuse(names(files), &behind.to_string()),
            Err(ImportError::Faults(faults)) => {
                self.refuse(names(files), &format!("faults in the bundles: {}", faults.len()));
            }
        }
    }

    fn done(&self, report: &ImportReport, took: Duration) {
        let published = report.publicadas.len();
        let count = if published > 0 { &self.published } else { &self.unchanged };
        count.fetch_add(1, Ordering::Relaxed);
        tracing::info!(
            bundles = listed(report.pacotes.iter().map(|bundle| format!("{} {}", bundle.pacote, bundle.versao))),
            signed_by = signers(&report.pacotes),
            published,
            superseded = report.substituidas.len(),
            unchanged = report.inalteradas,
            warnings = (!report.avisos.is_empty()).then(|| report.avisos.join("; ")),
            elapsed_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "imported"
        );
    }

    /// Logs and counts an import that was refused. The reason must not quote the contents of the files.
    pub fn refuse(&self, files: impl ExactSizeIterator<Item = String>, reason: &str) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        tracing::info!(files = listed(files), reason, "an import was refused");
    }

    pub fn counts(&self) -> ImportCounts {
        ImportCounts {
            published: self.published.load(Ordering::Relaxed),
            unchanged: self.unchanged.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }
}

fn names(files: &[BundleFile]) -> impl ExactSizeIterator<Item = String> {
    files.iter().map(|file| file.name.clone())
}

fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let listed = names.take(MAX_NAMED).map(|name| shorten(&name)).collect::<Vec<_>>().join(", ");
    match more {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// The signers of the bundles, each once; "nobody" for a bundle without a signature.
fn signers(bundles: &[BundleRecord]) -> String {
    let mut signers: Vec<&str> = bundles.iter().map(|b| b.assinado_por.as_deref().unwrap_or("nobody")).collect();
    signers.sort_unstable();
    signers.dedup();
    signers.join(", ")
}

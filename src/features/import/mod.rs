//! Import: checks who signed each bundle, then publishes them all.

pub mod command;

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::trust;
use super::trust::signature::{self, Signer, TrustedKey};
use crate::core::engine::{BundleFile, ImportOptions, ImportReport, Progress, Signed};
use crate::core::rulesets;
use crate::core::service::Service;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportFile {
    /// Its name, for faults.
    pub name: String,
    /// Its text. On the control socket it follows the command, because it may be long.
    #[serde(skip)]
    pub text: String,
    /// The text of the signature file beside it.
    #[serde(default)]
    pub signature: Option<String>,
}

/// Load rule bundles: all of them, or none if one has a fault
///
/// Every fault is reported with its file, line and JSON path. Loading a bundle again publishes
/// nothing. Works while the server runs.
#[expect(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct ImportCommand {
    /// Bundle files, or directories whose *.json files are all loaded
    #[arg(required_unless_present = "builtin", value_name = "FILE|DIR")]
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
    /// Load the bundles compiled into this taxd: after an upgrade, or if bundles were imported before the first serve
    #[arg(long)]
    #[serde(skip)]
    pub builtin: bool,
    /// The files under the paths, and the built-in ones: read before the command is sent.
    #[arg(skip)]
    pub files: Vec<ImportFile>,
    /// Refuse bundles without a signature (FILE.sig beside each) by a trusted key
    #[arg(long)]
    pub require_signature: bool,
    /// Show what would be published and superseded, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Publish even if the clock is more than a day behind the last publication (the new one is dated right after
    /// it), or so far ahead of it that the clock is probably wrong
    #[arg(long)]
    #[serde(default)]
    pub accept_future_date: bool,
    /// How many versions each list of the answer has at most; `None` for all.
    #[arg(skip)]
    #[serde(default)]
    pub listed: Option<usize>,
}

/// Imports the files: all of them, or none if one is at fault. Starts the webhook deliveries.
pub(super) fn import(
    service: &Service,
    command: ImportCommand,
    progress: Progress<'_>,
) -> Result<ImportReport, AdminError> {
    let ImportCommand { files, dry_run, require_signature, accept_future_date, listed, .. } = command;
    let engine = service.engine();
    let required = require_signature || trust::is_required(engine.store())?;
    let trusted = trust::keys(engine.store())?;
    let mut bundles = Vec::with_capacity(files.len());
    let mut avisos = Vec::new();
    for file in files {
        let (signed, warning) = signature_of(&file, &trusted, required).inspect_err(|error| {
            if !dry_run {
                engine.imports().refuse([file.name.clone()].into_iter(), &error.to_string());
            }
        })?;
        avisos.extend(warning);
        bundles.push(BundleFile { name: file.name, bytes: file.text.into_bytes().into(), signed });
    }
    let options = ImportOptions { dry_run, accept_future_date, is_proven: false };
    let mut report = engine.import_with_progress(&bundles, options, progress)?;
    service.deliveries().wake();
    service.wake_follower();
    avisos.append(&mut report.avisos);
    report.avisos = avisos;
    if let Some(listed) = listed {
        report.shorten(listed);
    }
    Ok(report)
}

/// Returns who signed the file, and a warning for the operator. Fails if a signature is required and
/// missing, or if the file was changed after it was signed.
fn signature_of(
    file: &ImportFile,
    trusted: &[TrustedKey],
    required: bool,
) -> Result<(Option<Signed>, Option<String>), AdminError> {
    let refuse = |why: String| AdminError::new(format!("{}: {why}; nothing was imported", file.name));
    let signer = signature::verify(file.signature.as_deref(), file.text.as_bytes(), trusted)
        .map_err(|error| refuse(error.to_string()))?;
    let built_in = || rulesets::signed(&file.text);
    match signer {
        Signer::Trusted(signed) => Ok((Some(signed), None)),
        Signer::Nobody => match built_in() {
            None if required => Err(refuse(format!(
                "is not signed, and a signature is required (expected beside it: {}.sig)",
                file.name
            ))),
            signed => Ok((signed, None)),
        },
        Signer::Stranger(id) => match built_in() {
            None if required => Err(refuse(format!(
                "is signed by key {id}, which is not trusted; `taxd bundle trust add` trusts a key"
            ))),
            signed => {
                Ok((signed, Some(format!("{}: signed by a key that is not trusted: fingerprint {id}", file.name))))
            }
        },
    }
}

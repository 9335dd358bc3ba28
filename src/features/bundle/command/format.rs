//! `taxd bundle format`: bundle files in canonical form.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::cli::files::{self, bundle_files, cannot_write, with_suffix};
use crate::cli::{CommandResult, Context, output};
use crate::core::engine::{BundleFile, canonical_texts};
use crate::features::AdminError;

/// Write bundles in their canonical order and layout, so that an edit gives a small diff
///
/// No value is changed: the same rules, under the same hashes. All files are written, or none if one of them has a
/// fault of form. A signature no longer fits a file that was changed: sign it again.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// Bundle files, or directories whose *.json files are all formatted
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Write nothing; exit with status 1 if a file is not in canonical form
    #[arg(long)]
    check: bool,
}

/// What was done, or would be done.
#[derive(Serialize)]
struct FormatReport {
    files: Vec<FormattedFile>,
}

#[derive(Serialize)]
struct FormattedFile {
    file: String,
    changed: bool,
}

pub(super) fn run(context: &Context, args: &FormatArgs) -> CommandResult {
    let paths = bundle_files(&args.paths)?;
    let read = |path: &PathBuf| {
        let bytes = files::read(path)?;
        Ok(BundleFile::unsigned(path.display().to_string(), bytes))
    };
    let files = paths.iter().map(read).collect::<Result<Vec<_>, AdminError>>()?;
    let texts = canonical_texts(&files).map_err(|faults| AdminError::of_bundles(faults, "written"))?;
    let mut shown = Vec::new();
    let mut changed = 0;
    for ((path, file), text) in paths.iter().zip(&files).zip(&texts) {
        let changes = file.bytes != text.as_bytes();
        changed += usize::from(changes);
        shown.push(FormattedFile { file: file.name.clone(), changed: changes });
        if !changes {
            continue;
        }
        if !args.check {
            replace(path, text).map_err(|e| cannot_write(path, &e))?;
            if with_suffix(path, ".sig").exists() {
                output::warn(&[format!("{}.sig is of the file before it was formatted; sign it again", file.name)]);
            }
        }
        if !context.json {
            output::line(&format!("{}: {}", if args.check { "not formatted" } else { "formatted" }, file.name))?;
        }
    }
    if context.json {
        output::line(&serde_json::to_string(&FormatReport { files: shown })?)?;
    } else if changed == 0 {
        output::line(&format!("nothing to change in {} file{}", files.len(), if files.len() == 1 { "" } else { "s" }))?;
    }
    Ok(if args.check && changed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Replaces the file by one with this text, and with its owner and permissions: at every moment the name leads to
/// the whole old text or to the whole new one. A link stays a link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path)?;
    let staged = with_suffix(&target, &format!(".{}.tmp", std::process::id()));
    let written = write_like(&target, &staged, text).and_then(|()| fs::rename(&staged, &target));
    if written.is_err() {
        let _ = fs::remove_file(&staged);
        return written;
    }
    target.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

fn write_like(target: &Path, staged: &Path, text: &str) -> io::Result<()> {
    let like = fs::metadata(target)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(staged)?;
    file.write_all(text.as_bytes())?;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        fchown(&file, Some(like.uid()), Some(like.gid()))?;
    }
    file.set_permissions(like.permissions())?;
    file.sync_all()
}

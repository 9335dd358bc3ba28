//! `taxd import`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CommandResult, DataDir, Json, bundle, output, progress};
use crate::admin::{AdminError, Command, ImportCommand, ImportFile, data_dir};
use crate::rulesets;

/// Versions that the text report lists; --json lists all.
const MAX_LISTED: usize = 40;

/// Load rule bundles: all of them, or nothing
///
/// Every fault is reported with its file, line and JSON path. Loading a bundle again publishes
/// nothing. Works while the server runs.
#[expect(clippy::struct_excessive_bools, reason = "each is an option that is typed or not")]
#[derive(Debug, Args)]
pub(super) struct Import {
    /// Bundle files, or directories whose *.json files are all loaded
    #[arg(required_unless_present = "builtin", value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Load the bundles compiled into this taxd: after an upgrade, or where a first import came before the first serve
    #[arg(long)]
    builtin: bool,
    /// Refuse bundles without a signature (FILE.sig beside each) by a trusted key
    #[arg(long)]
    require_signature: bool,
    /// Show what would be published and superseded, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Publish although the clock is more than a day behind the last publication (the new one is dated right after it), or
    /// so far after it that it is probably ahead
    #[arg(long)]
    accept_future_date: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    json: Json,
}

/// Runs the command.
pub(super) fn run(args: &Import) -> CommandResult {
    let mut files = read_all(&args.paths)?;
    if args.builtin {
        files.extend(rulesets::files().map(|(name, text)| ImportFile { name, text, signature: None }));
    }
    let command = Command::Import(ImportCommand {
        files,
        dry_run: args.dry_run,
        require_signature: args.require_signature,
        accept_future_date: args.accept_future_date,
        listed: listed(args.json),
    });
    let imported = progress::shown(|step| data_dir::run_as_text(&args.data.data, command, step));
    show(&imported?, args.json)
}

/// How many versions of each list are wanted of the report.
pub(super) fn listed(json: Json) -> Option<usize> {
    (!json.json).then_some(MAX_LISTED)
}

/// What is read of a report that is printed as it is.
#[derive(Deserialize)]
struct Warnings {
    avisos: Vec<String>,
}

/// Shows the report of an import.
pub(super) fn show(report: &RawValue, json: Json) -> CommandResult {
    let unread = |e: serde_json::Error| AdminError::new(format!("the report of the import: {e}"));
    if json.json {
        output::line(report.get())?;
    } else {
        output::line(&report_text(&serde_json::from_str(report.get()).map_err(unread)?))?;
    }
    let Warnings { avisos } = serde_json::from_str(report.get()).map_err(unread)?;
    for warning in &avisos {
        output::warn(warning);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the bundle files under the paths, each with the signature beside it.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<Vec<ImportFile>, AdminError> {
    bundle_files(paths)?.iter().map(|path| read_one(path)).collect()
}

/// The bundle files under the paths, in order of their names; one that is reached twice is listed once.
pub(super) fn bundle_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AdminError> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = found.len();
            collect(path, &mut found)?;
            if found.len() == before {
                return Err(AdminError::new(format!("{} holds no *.json file", path.display())));
            }
        } else {
            found.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    let mut files = Vec::with_capacity(found.len());
    for path in found {
        if seen.insert(fs::canonicalize(&path).map_err(|e| cannot_read(&path, &e))?) {
            files.push(path);
        }
    }
    Ok(files)
}

fn collect(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), AdminError> {
    let listed = || fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    let mut entries = listed().map_err(|e| cannot_read(dir, &e))?;
    entries.sort();
    for entry in entries {
        // Links to directories are left alone: they may lead round in a circle.
        if entry.is_dir() && !entry.is_symlink() {
            collect(&entry, found)?;
        } else if entry.extension().is_some_and(|e| e == "json") {
            found.push(entry);
        }
    }
    Ok(())
}

fn read_one(path: &Path) -> Result<ImportFile, AdminError> {
    let bytes = fs::read(path).map_err(|e| cannot_read(path, &e))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        AdminError::new(format!("{} is not UTF-8 (byte {})", path.display(), e.utf8_error().valid_up_to()))
    })?;
    let beside = bundle::with_suffix(path, ".sig");
    let signature = match fs::read_to_string(&beside) {
        Ok(signature) => Some(signature),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(cannot_read(&beside, &e)),
    };
    Ok(ImportFile { name: path.display().to_string(), text, signature })
}

/// What is said of a file that the system refuses to read.
pub(super) fn cannot_read(path: &Path, error: &std::io::Error) -> AdminError {
    AdminError::new(format!("cannot read {}: {error}", path.display()))
}

fn report_text(report: &Value) -> String {
    let list = |name: &str| report.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |name: &str| report.get(name).and_then(Value::as_u64).unwrap_or_default();
    let (published, superseded) = (list("publicadas"), list("substituidas"));
    let total = |name: &str, list: &[Value]| {
        let told = report.pointer(&format!("/totais/{name}")).and_then(Value::as_u64);
        told.and_then(|n| usize::try_from(n).ok()).unwrap_or(list.len())
    };
    let (new, moved) = (total("publicadas", &published), total("substituidas", &superseded));
    let until = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or("open").to_owned();
    let mut parts = Vec::new();
    if !published.is_empty() {
        let rows: Vec<Vec<String>> = published
            .iter()
            .take(MAX_LISTED)
            .map(|row| {
                let cell = |name| output::text(row, name).to_owned();
                vec![cell("rule_id"), cell("tributo"), cell("vigente_de"), until(row, "vigente_ate")]
            })
            .collect();
        parts.push(output::table(&["NEW VERSION", "TAX", "FROM", "UNTIL"], &rows));
        parts.extend(rest(new));
    }
    if !superseded.is_empty() {
        let rows: Vec<Vec<String>> = superseded
            .iter()
            .take(MAX_LISTED)
            .map(|row| {
                let cell = |name| output::text(row, name).to_owned();
                let mut ends = format!("{} -> {}", until(row, "vigente_ate_anterior"), until(row, "vigente_ate"));
                if let Some(gap) = row.get("lacuna_de").and_then(Value::as_str) {
                    ends = format!("{ends}; NO RULE from {gap}{}", left(row));
                }
                vec![cell("rule_id"), cell("tipo"), cell("substituida_por"), ends]
            })
            .collect();
        parts.push(output::table(&["SUPERSEDED", "HOW", "BY", "END"], &rows));
        parts.extend(rest(moved));
    }
    for bundle in list("pacotes") {
        parts.extend(output::signed_by(&bundle).map(|by| format!("{}: {by}", output::text(&bundle, "file"))));
    }
    parts.extend(list("avisos").iter().filter_map(Value::as_str).map(str::to_owned));
    let dry = report.get("dry_run").and_then(Value::as_bool).unwrap_or_default();
    parts.push(format!(
        "{}{} new, {} superseded, {} already there; {} worked examples hold",
        if dry { "dry run, nothing written: " } else { "" },
        new,
        moved,
        number("inalteradas"),
        number("exemplos")
    ));
    parts.join("\n")
}

/// The scopes that a gap leaves without a rule, if the report names them.
fn left(row: &Value) -> String {
    let Some(first) = row.get("lacuna_em").and_then(Value::as_str) else { return String::new() };
    match row.get("lacuna_escopos").and_then(Value::as_u64) {
        Some(scopes @ 2..) => format!(" for {first} and {} more", scopes - 1),
        _ => format!(" for {first}"),
    }
}

fn rest(count: usize) -> Option<String> {
    (count > MAX_LISTED).then(|| format!("... and {} more (--json lists all)", count - MAX_LISTED))
}

//! `taxd bundle`: signing, trusting and checking bundles.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::bundle_format::{self, FormatArgs};
use super::import::{cannot_read, listed, read_all, show};
use super::{CommandResult, DataDir, DataDirOrBuiltIn, Json, output};
use crate::admin::signature::{self, TrustedKey};
use crate::admin::{AdminError, Command, ImportCommand, data_dir, execute_as_text};
use crate::rulesets;
use crate::service::Service;
use crate::value::Clock;

/// Rule bundles: check, format, sign, trust
#[derive(Debug, Subcommand)]
pub(super) enum Bundle {
    /// Check bundles as an import would, and whose they are; nothing is written
    ///
    /// Against the rules of the data directory. If none is named and there is no ./taxd-data, against the built-in ones.
    Check {
        /// Bundle files, or directories whose *.json files are all checked
        #[arg(required = true, value_name = "FILE|DIR")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        data: DataDirOrBuiltIn,
        #[command(flatten)]
        json: Json,
    },
    Format(FormatArgs),
    /// Make a pair of keys: FILE (private, keep it) and FILE.pub (for whoever trusts it)
    Keygen {
        /// Where the private key goes
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        json: Json,
    },
    /// Sign bundle files: FILE.sig beside each
    Sign {
        /// Bundle files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Private key made by `taxd bundle keygen`
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        #[command(flatten)]
        json: Json,
    },
    /// Keys whose bundles are trusted
    #[command(subcommand)]
    Trust(Trust),
}

/// Keys whose bundles are trusted
#[derive(Debug, Subcommand)]
pub(super) enum Trust {
    /// Trust a key
    Add {
        /// A name for it, shown by `rules history`
        #[arg(value_name = "NAME")]
        name: String,
        /// Public key file
        #[arg(value_name = "FILE.pub")]
        file: PathBuf,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// List the trusted keys
    List {
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Trust a key no longer
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
    /// Refuse every import that no trusted key has signed, or no longer
    Require {
        /// on or off
        #[arg(value_parser = ["on", "off"])]
        state: String,
        #[command(flatten)]
        data: DataDir,
        #[command(flatten)]
        json: Json,
    },
}

/// Runs the command.
pub(super) fn run(args: &Bundle) -> CommandResult {
    match args {
        Bundle::Check { paths, data, json } => check(paths, data, *json),
        Bundle::Format(args) => bundle_format::run(args),
        Bundle::Keygen { file, json } => keygen(file, *json),
        Bundle::Sign { files, key, json } => sign(files, key, *json),
        Bundle::Trust(trust) => run_trust(trust),
    }
}

fn check(paths: &[PathBuf], data: &DataDirOrBuiltIn, json: Json) -> CommandResult {
    // The bundle is checked, not the clock of this machine.
    let files = read_all(paths)?;
    let command = Command::Import(ImportCommand {
        files,
        dry_run: true,
        require_signature: false,
        accept_future_date: true,
        listed: listed(json),
    });
    let report = if let Some(dir) = data.find()? {
        data_dir::run_as_text(dir, command, &mut |_| {})?
    } else {
        let engine = rulesets::in_memory(Clock::system())?;
        execute_as_text(&Service::open(engine)?, command, &mut |_| {})?
    };
    show(&report, json)
}

fn keygen(file: &Path, json: Json) -> CommandResult {
    let (private, public) = signature::generate()?;
    let public_file = with_suffix(file, ".pub");
    let failed = |path: &Path, e: std::io::Error| AdminError::new(format!("cannot write {}: {e}", path.display()));
    if public_file.exists() {
        return Err(AdminError::new(format!("{} is there already; choose another name", public_file.display())));
    }
    let mut made =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(|e| failed(file, e))?;
    made.write_all(private.as_bytes()).map_err(|e| failed(file, e))?;
    fs::write(&public_file, &public).map_err(|e| failed(&public_file, e))?;
    let key_id = signature::key_id(&signature::read_public(&public)?);
    if json.json {
        let shown = |path: &Path| path.display().to_string();
        output::json(&json!({ "private": shown(file), "public": shown(&public_file), "key_id": key_id }))?;
    } else {
        output::line(&format!("key {key_id}: {} (keep it secret) and {}", file.display(), public_file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn sign(files: &[PathBuf], key: &Path, json: Json) -> CommandResult {
    let read = |path: &Path| fs::read(path).map_err(|e| cannot_read(path, &e));
    let private = String::from_utf8_lossy(&read(key)?).into_owned();
    let mut signed = Vec::new();
    for file in files {
        let text = signature::sign(&private, &read(file)?)?;
        let beside = with_suffix(file, ".sig");
        fs::write(&beside, text).map_err(|e| AdminError::new(format!("cannot write {}: {e}", beside.display())))?;
        signed.push(beside.display().to_string());
    }
    if json.json {
        output::json(&json!({ "signatures": signed }))?;
    } else {
        for file in &signed {
            output::line(&format!("signed: {file}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run_trust(args: &Trust) -> CommandResult {
    let (command, data, json) = match args {
        Trust::Add { name, file, data, json } => {
            let public_key = fs::read_to_string(file).map_err(|e| cannot_read(file, &e))?;
            (Command::Trust(TrustedKey { name: name.clone(), public_key }), data, json)
        }
        Trust::List { data, json } => (Command::TrustList, data, json),
        Trust::Remove { name, data, json } => (Command::Distrust { name: name.clone() }, data, json),
        Trust::Require { state, data, json } => (Command::RequireSignature { required: state == "on" }, data, json),
    };
    let result = data_dir::run(&data.data, command)?;
    if json.json {
        output::json(&result)?;
    } else {
        output::line(&trust_text(args, &result))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn trust_text(args: &Trust, result: &Value) -> String {
    match args {
        Trust::Add { name, .. } => format!("bundles signed by {name} ({}) are trusted", output::text(result, "key_id")),
        Trust::Remove { name, .. } => format!("bundles signed by {name} are no longer trusted"),
        Trust::Require { state, .. } if state == "on" => "every import now needs a trusted signature".to_owned(),
        Trust::Require { .. } => "imports no longer need a signature".to_owned(),
        Trust::List { .. } => {
            let keys = result.get("keys").and_then(Value::as_array).cloned().unwrap_or_default();
            let row = |key: &Value| vec![output::text(key, "name").to_owned(), output::text(key, "key_id").to_owned()];
            let table = output::table(&["NAME", "KEY"], &keys.iter().map(row).collect::<Vec<_>>());
            let required = result.get("require_signature").and_then(Value::as_bool).unwrap_or_default();
            format!("{table}\nsignature required: {}", if required { "yes" } else { "no" })
        }
    }
}

/// The path with something after its whole name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

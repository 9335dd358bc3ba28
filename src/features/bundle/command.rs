//! `taxd bundle`: signing, trusting and checking bundles.

pub mod format;

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde::Serialize;

use self::format::FormatArgs;
use crate::cli::files::{self, cannot_write, read_bundles, read_text, with_suffix};
use crate::cli::{CommandResult, Context, output};
use crate::features::import::ImportCommand;
use crate::features::import::command::{listed, show};
use crate::features::office_rules::command::NewArgs;
use crate::features::rule_sheets::command::{SheetArgs, TemplateArgs};
use crate::features::sources::command::FromArgs;
use crate::features::trust::{RemovedKey, SignaturePolicy, TrustCommand, TrustList, TrustedKeyId, signature};
use crate::features::{AdminError, Command, office_rules, rule_sheets, sources};

/// Rule bundles: make, check, format, sign, trust
#[derive(Debug, Subcommand)]
pub(crate) enum BundleArgs {
    /// Check bundles as an import would, with their signatures; nothing is written
    ///
    /// Against the rules of the data directory. If none is named and there is no ./taxd-data, against the built-in ones.
    Check {
        /// Bundle files, or directories whose *.json files are all checked
        #[arg(required = true, value_name = "FILE|DIR")]
        paths: Vec<PathBuf>,
    },
    Format(FormatArgs),
    #[command(subcommand)]
    From(FromArgs),
    FromSheet(SheetArgs),
    /// Make a pair of keys: FILE (private, keep it) and FILE.pub (for everyone who trusts it)
    Keygen {
        /// Where to write the private key
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    New(NewArgs),
    /// Sign bundle files: FILE.sig beside each
    Sign {
        /// Bundle files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Private key made by `taxd bundle keygen`
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    Template(TemplateArgs),
    /// Keys whose bundles are trusted
    #[command(subcommand)]
    Trust(TrustCommand),
}

#[derive(Serialize)]
struct KeyPairFiles {
    private: String,
    public: String,
    key_id: String,
}

/// Signature files that were written.
#[derive(Serialize)]
struct SignatureFiles {
    signatures: Vec<String>,
}

pub(crate) fn run(context: &Context, args: BundleArgs) -> CommandResult {
    match args {
        BundleArgs::Check { paths } => check(context, &paths),
        BundleArgs::Format(args) => format::run(context, &args),
        BundleArgs::From(args) => sources::command::run(context, &args),
        BundleArgs::FromSheet(args) => rule_sheets::command::from_sheet(context, &args),
        BundleArgs::Keygen { file } => keygen(context, &file),
        BundleArgs::Sign { files, key } => sign(context, &files, &key),
        BundleArgs::New(args) => office_rules::command::run(context, &args),
        BundleArgs::Template(args) => rule_sheets::command::template(context, &args),
        BundleArgs::Trust(args) => trust(context, args),
    }
}

fn check(context: &Context, paths: &[PathBuf]) -> CommandResult {
    let command = Command::Import(ImportCommand {
        files: read_bundles(paths, false)?,
        dry_run: true,
        // This checks the bundle, not the clock of this machine.
        accept_future_date: true,
        listed: listed(context),
        ..ImportCommand::default()
    });
    show(context, &context.run_on_rules(command)?)
}

fn keygen(context: &Context, file: &Path) -> CommandResult {
    let (private, public) = signature::generate()?;
    let public_file = with_suffix(file, ".pub");
    if public_file.exists() {
        return Err(AdminError::new(format!("{} already exists; choose another name", public_file.display())));
    }
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.and_then(|mut made| made.write_all(private.as_bytes())).map_err(|e| cannot_write(file, &e))?;
    fs::write(&public_file, &public).map_err(|e| cannot_write(&public_file, &e))?;
    let pair = KeyPairFiles {
        private: file.display().to_string(),
        public: public_file.display().to_string(),
        key_id: signature::key_id(&signature::read_public(&public)?),
    };
    context.print(&pair, || format!("key {}: {} (keep it secret) and {}", pair.key_id, pair.private, pair.public))
}

fn sign(context: &Context, files: &[PathBuf], key: &Path) -> CommandResult {
    let read = |path: &Path| files::read(path);
    let private = String::from_utf8_lossy(&read(key)?).into_owned();
    let mut signatures = Vec::new();
    for file in files {
        let text = signature::sign(&private, &read(file)?)?;
        let beside = with_suffix(file, ".sig");
        fs::write(&beside, text).map_err(|e| cannot_write(&beside, &e))?;
        signatures.push(beside.display().to_string());
    }
    let signed = SignatureFiles { signatures };
    context.print(&signed, || {
        signed.signatures.iter().map(|file| format!("signed: {file}")).collect::<Vec<_>>().join("\n")
    })
}

fn trust(context: &Context, mut command: TrustCommand) -> CommandResult {
    if let TrustCommand::Add { file, public_key, .. } = &mut command {
        *public_key = read_text(file)?;
    }
    match command {
        TrustCommand::Add { .. } => context.show(Command::Trust(command), |key: TrustedKeyId| {
            format!("bundles signed by {} ({}) are trusted", key.name, key.key_id)
        }),
        TrustCommand::List => context.show(Command::Trust(command), list_text),
        TrustCommand::Remove { .. } => context.show(Command::Trust(command), |key: RemovedKey| {
            format!("bundles signed by {} are no longer trusted", key.name)
        }),
        TrustCommand::Require { .. } => context.show(Command::Trust(command), |policy: SignaturePolicy| {
            let require = "every import now needs a trusted signature";
            if policy.require_signature { require } else { "imports no longer need a signature" }.to_owned()
        }),
    }
}

fn list_text(list: TrustList) -> String {
    let required = if list.require_signature { "yes" } else { "no" };
    let rows = list.keys.into_iter().map(|key| vec![key.name, key.key_id]);
    format!("{}\nsignature required: {required}", output::table(&["NAME", "KEY"], rows))
}

//! The command line: what the operator and the analyst type.
//!
//! Each command is declared with its help in its own file. People get text, scripts get one
//! JSON document with `--json`. Exit status: 0 done, 1 refused or failed, 2 wrong usage.

mod account;
mod backup;
mod bundle;
mod bundle_format;
mod calc;
mod completions;
mod duration;
mod health;
mod import;
mod key;
mod log;
mod man;
mod metrics;
mod openapi;
mod outbox;
mod output;
mod plan;
mod progress;
mod rules;
mod serve;
mod status;
mod subscription;
mod typed;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing::level_filters::LevelFilter;

use crate::admin::{AdminError, data_dir};
use crate::defect;

/// A rule-based tax engine for Brazil: one binary, one file, every answer with its rule.
#[derive(Debug, Parser)]
#[command(name = "taxd", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Import(import::Import),
    Calc(calc::Calc),
    #[command(subcommand)]
    Rules(rules::Rules),
    #[command(subcommand)]
    Bundle(bundle::Bundle),
    #[command(subcommand)]
    Plan(plan::Plan),
    #[command(subcommand)]
    Account(account::Account),
    #[command(subcommand)]
    Key(key::Key),
    Status(status::Status),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Check(backup::Check),
    Metrics(metrics::Metrics),
    Health(health::Health),
    #[command(subcommand)]
    Subscription(subscription::Subscription),
    #[command(subcommand)]
    Outbox(outbox::Outbox),
    #[command(name = "openapi")]
    OpenApi(openapi::OpenApi),
    Completions(completions::Completions),
    Man(man::Man),
}

/// The data directory if none is named.
const DEFAULT_DATA: &str = "./taxd-data";

/// Where the data lies; every command that needs it takes it.
#[derive(Debug, Clone, Args)]
struct DataDir {
    /// Data directory, with the data file and the control socket
    #[arg(long, env = "TAXD_DATA", default_value = DEFAULT_DATA, value_name = "DIR")]
    data: PathBuf,
}

/// The same for a command that uses the built-in rules if there is no data directory.
#[derive(Debug, Clone, Args)]
struct DataDirOrBuiltIn {
    /// Data directory, which must be there if it is named [default: ./taxd-data, or else the built-in rules]
    #[arg(long, env = "TAXD_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataDirOrBuiltIn {
    /// The directory to use; `None` for the built-in rules. Fails if the directory that was named has no data: a
    /// misspelt name must not get the answers of the built-in rules for those of the operator's own.
    fn find(&self) -> Result<Option<&Path>, AdminError> {
        let dir = self.data.as_deref().unwrap_or(Path::new(DEFAULT_DATA));
        match &self.data {
            _ if data_dir::has_file(dir) => Ok(Some(dir)),
            None => Ok(None),
            Some(named) => Err(AdminError::new(format!(
                "there is no taxd data in {}; name another directory with --data, or none (nor in TAXD_DATA) for the built-in rules",
                named.display()
            ))),
        }
    }
}

/// For scripts.
#[derive(Debug, Clone, Copy, Args)]
struct Json {
    /// Print one JSON document on stdout instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let mut matches = command().get_matches_from(&typed);
    let mut settings = Vec::new();
    if let Some(given) = matches.subcommand_matches("serve") {
        (matches, settings) = match serve::complete(&command(), typed, given) {
            Ok(completed) => completed,
            Err(error) => return failed(&error, &matches),
        };
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // A server tells its story; a command speaks through its output, and logs only what went wrong.
    let (serves, logs_failure) = match &cli.command {
        Command::Serve(args) => (Some(args.log_format), args.log_format == log::Format::Json && !args.check_config),
        _ => (None, false),
    };
    log::init(if serves.is_some() { LevelFilter::INFO } else { LevelFilter::WARN }, serves);
    defect::tell_by_log();
    let result = match cli.command {
        Command::Serve(args) => serve::run(&args, &settings),
        Command::Import(args) => import::run(&args),
        Command::Calc(args) => calc::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Bundle(args) => bundle::run(&args),
        Command::Account(args) => account::run(&args),
        Command::Key(args) => key::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Backup(args) => backup::backup(&args),
        Command::Restore(args) => backup::restore(&args),
        Command::Check(args) => backup::check(&args),
        Command::Metrics(args) => metrics::run(&args),
        Command::Health(args) => health::run(&args),
        Command::Subscription(args) => subscription::run(&args),
        Command::Outbox(args) => outbox::run(&args),
        Command::OpenApi(args) => openapi::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) if logs_failure => {
            tracing::error!(%error, "failed");
            ExitCode::FAILURE
        }
        Err(error) => failed(&error, &matches),
    }
}

/// The whole command line, as it is declared.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Tells the error in the way that was asked for.
fn failed(error: &AdminError, matches: &ArgMatches) -> ExitCode {
    if wants_json(matches) {
        output::error_json(error);
    } else {
        output::complain(error);
    }
    ExitCode::FAILURE
}

/// True where the command that was typed has `--json`, and it was given.
fn wants_json(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some((_, inner)) => wants_json(inner),
        None => matches.try_get_one("json").ok().flatten() == Some(&true),
    }
}

/// What a command comes to.
type CommandResult = Result<ExitCode, AdminError>;

//! The command line: what the operator and the analyst type.
//!
//! Each command is declared with its help in its own file. People get text, scripts get one
//! JSON document with `--json`. Exit status: 0 done, 1 refused or failed, 2 wrong usage.

mod completions;
pub(crate) mod engine;
mod examples;
pub(crate) mod files;
mod log;
mod man;
mod openapi;
pub(crate) mod output;
pub(crate) mod progress;
mod serve;
mod table;
pub(crate) mod table_output;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tracing::level_filters::LevelFilter;

use crate::base::defect;
use crate::base::value::Clock;
use crate::core::rulesets;
use crate::features::accounts::{AccountCommand, command as account};
use crate::features::audit::command as audit;
use crate::features::backup::command as backup;
use crate::features::bundle::command as bundle;
use crate::features::calc::command as calc;
use crate::features::changes::{ChangesQuery, command as changes};
use crate::features::check::command as check;
use crate::features::codes::{CodesQuery, command as codes};
use crate::features::control::data_dir;
use crate::features::impact::{ImpactCommand, command as impact};
use crate::features::import::{ImportCommand, command as import};
use crate::features::kept_lists::{KeptListCommand, command as list};
use crate::features::keys::{KeyCommand, command as key};
use crate::features::mcp::command as mcp;
use crate::features::outbox::{OutboxCommand, command as outbox};
use crate::features::plans::{PlanCommand, command as plan};
use crate::features::rules::{RulesCommand, command as rules};
use crate::features::status::command as status;
use crate::features::subscriptions::{SubscriptionCommand, command as subscription};
use crate::features::verify::command as verify;
use crate::features::{self, AdminError};

/// A rule-based tax engine for Brazil: one binary, one file, every answer with its rule.
#[derive(Debug, Parser)]
#[command(name = "taxd", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    context: Context,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::ServeArgs),
    Import(ImportCommand),
    Impact(ImpactCommand),
    Calc(calc::CalcArgs),
    Audit(audit::AuditArgs),
    Verify(verify::VerifyArgs),
    #[command(subcommand)]
    Rules(RulesCommand),
    Changes(ChangesQuery),
    Codes(CodesQuery),
    #[command(subcommand)]
    Bundle(bundle::BundleArgs),
    #[command(subcommand)]
    Plan(PlanCommand),
    #[command(subcommand)]
    Account(AccountCommand),
    #[command(subcommand)]
    Key(KeyCommand),
    Status(status::StatusArgs),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Check(check::CheckArgs),
    Metrics(status::MetricsArgs),
    Health(status::HealthArgs),
    #[command(subcommand)]
    Subscription(SubscriptionCommand),
    #[command(subcommand)]
    Outbox(OutboxCommand),
    #[command(subcommand)]
    List(KeptListCommand),
    #[command(name = "openapi")]
    OpenApi(openapi::OpenApiArgs),
    Mcp(mcp::McpArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The data directory if none is named.
pub(crate) const DEFAULT_DATA: &str = "./taxd-data";

/// The options that every command takes, and what each command does with them.
#[derive(Debug, Clone, Args)]
pub(crate) struct Context {
    /// Data directory, with the data file and the control socket [default: ./taxd-data]
    #[arg(long, global = true, env = "TAXD_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print one JSON document on stdout instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Context {
    pub(crate) fn dir(&self) -> &Path {
        self.data.as_deref().unwrap_or(Path::new(DEFAULT_DATA))
    }

    /// The data directory with the operator's rules; `None` for the built-in rules. Fails if the directory was
    /// named and has no data: a misspelt name must not silently select the built-in rules.
    pub(crate) fn rules_dir(&self) -> Result<Option<&Path>, AdminError> {
        match &self.data {
            _ if data_dir::has_file(self.dir()) => Ok(Some(self.dir())),
            None => Ok(None),
            Some(named) => Err(AdminError::new(format!(
                "there is no taxd data in {}; name another directory with --data, or none (nor in TAXD_DATA) for the built-in rules",
                named.display()
            ))),
        }
    }

    /// Runs a command in the server or here, and returns its answer as JSON text.
    fn run(&self, command: features::Command) -> Result<Box<RawValue>, AdminError> {
        data_dir::run(self.dir(), command, &mut |_| {})
    }

    /// Runs a command in the server or here, and returns its answer.
    pub(crate) fn ask<T: DeserializeOwned>(&self, command: features::Command) -> Result<T, AdminError> {
        Ok(serde_json::from_str(self.run(command)?.get())?)
    }

    /// Runs a command in the server or here, and prints its answer: with --json as it is, else as `text`.
    pub(crate) fn show<T: DeserializeOwned>(
        &self,
        command: features::Command,
        text: impl FnOnce(T) -> String,
    ) -> CommandResult {
        self.show_answer(&self.run(command)?, text)
    }

    /// Runs a command on the operator's rules, or on the built-in ones, and returns its answer as JSON text.
    pub(crate) fn run_on_rules(&self, command: features::Command) -> Result<Box<RawValue>, AdminError> {
        match self.rules_dir()? {
            Some(dir) => data_dir::run(dir, command, &mut |_| {}),
            None => data_dir::run_alone(rulesets::in_memory(Clock::system())?, command, &mut |_| {}),
        }
    }

    /// Prints an answer: with --json as it is, else as `text`.
    pub(crate) fn show_answer<T: DeserializeOwned>(
        &self,
        answer: &RawValue,
        text: impl FnOnce(T) -> String,
    ) -> CommandResult {
        let shown = if self.json { answer.get().to_owned() } else { text(serde_json::from_str(answer.get())?) };
        output::line(&shown).map(|()| ExitCode::SUCCESS)
    }

    /// Prints a result: with --json as a JSON document, else as `text`.
    pub(crate) fn print(&self, result: &impl Serialize, text: impl FnOnce() -> String) -> CommandResult {
        let shown = if self.json { serde_json::to_string(result)? } else { text() };
        output::line(&shown).map(|()| ExitCode::SUCCESS)
    }
}

/// Commands that ignore one of the options that every command takes; their help does not show it.
const IGNORED: [(&[&str], &str); 11] = [
    (&["codes"], "data"),
    (&["bundle", "keygen"], "data"),
    (&["bundle", "sign"], "data"),
    (&["bundle", "format"], "data"),
    (&["mcp"], "json"),
    (&["openapi"], "data"),
    (&["openapi"], "json"),
    (&["completions"], "data"),
    (&["completions"], "json"),
    (&["man"], "data"),
    (&["man"], "json"),
];

/// What people type in Portuguese, by how it begins, and the command that it is.
const PORTUGUESE: [(&str, &str); 28] = [
    ("assinatura", "subscription"),
    ("audit", "audit"),
    ("busca", "codes"),
    ("calc", "calc"),
    ("calend", "rules upcoming"),
    ("cest", "codes WORDS --tabela cest"),
    ("cfop", "codes WORDS --tabela cfop"),
    ("chave", "key"),
    ("cst", "codes WORDS --tabela cst"),
    ("clastrib", "codes WORDS --tabela classificacao"),
    ("cclasstrib", "codes WORDS --tabela classificacao"),
    ("cobertura", "rules coverage"),
    ("codig", "codes"),
    ("código", "codes"),
    ("conf", "verify"),
    ("conta", "account"),
    ("estado", "status"),
    ("importa", "import"),
    ("lista", "calc"),
    ("mudan", "changes"),
    ("nbs", "codes WORDS --tabela nbs"),
    ("ncm", "codes WORDS --tabela ncm"),
    ("pacote", "bundle"),
    ("plano", "plan"),
    ("regra", "rules"),
    ("restaura", "restore"),
    ("servi", "serve"),
    ("verifica", "verify"),
];

/// The error with the command that a Portuguese word means, if it is about one.
fn in_portuguese(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    let typed = typed.to_lowercase();
    if let Some((_, command)) = PORTUGUESE.iter().find(|(word, _)| typed.starts_with(word)) {
        let command = ContextValue::Strings(vec![(*command).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, command);
    }
    error
}

/// Hides an option from the help of the command on the path below `command`.
fn hide(command: clap::Command, path: &[&str], option: &Arg) -> clap::Command {
    examples::on(command, path, &|inner| inner.arg(option.clone().hide(true)))
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let mut matches = command().try_get_matches_from(&typed).unwrap_or_else(|error| {
        if error.kind() == ErrorKind::MissingSubcommand {
            // For clap, a variable is an argument: with TAXD_DATA set, a lone `taxd account` would not show its help.
            command().mut_arg("data", |data| data.env(Resettable::Reset)).get_matches_from(&typed);
        }
        in_portuguese(error).exit()
    });
    let json = matches.get_flag("json");
    let mut settings = Vec::new();
    if let Some(given) = matches.subcommand_matches("serve") {
        (matches, settings) = match serve::complete(&command(), typed, given) {
            Ok(completed) => completed,
            Err(error) => return failed(&error, json),
        };
    }
    let Cli { context, command } = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // A server logs what it does; a command reports by its output, and logs only failures.
    let (serves, logs_failure) = match &command {
        Command::Serve(args) => (Some(args.log_format), args.log_format == log::Format::Json && !args.check_config),
        _ => (None, false),
    };
    log::init(if serves.is_some() { LevelFilter::INFO } else { LevelFilter::WARN }, serves);
    defect::log_panics();
    let stopped = |defect| {
        Err(AdminError::new(format!(
            "taxd stopped at a defect ({defect}). `taxd check` says whether the data file is damaged; if it is whole, please report this line"
        )))
    };
    match defect::caught(|| run_command(&context, command, &settings)).unwrap_or_else(stopped) {
        Ok(code) => code,
        Err(error) if logs_failure => {
            tracing::error!(%error, "failed");
            ExitCode::FAILURE
        }
        Err(error) => failed(&error, json),
    }
}

fn run_command(context: &Context, command: Command, settings: &[serve::Setting]) -> CommandResult {
    match command {
        Command::Serve(args) => serve::run(&args, settings),
        Command::Import(args) => import::run(context, args),
        Command::Impact(args) => impact::run(context, args),
        Command::Calc(args) => calc::run(context, &args),
        Command::Audit(args) => audit::run(context, &args),
        Command::Verify(args) => verify::run(context, &args),
        Command::Rules(args) => rules::run(context, args),
        Command::Changes(args) => changes::run(context, args),
        Command::Codes(args) => codes::run(context, &args),
        Command::Bundle(args) => bundle::run(context, args),
        Command::Account(args) => account::run(context, args),
        Command::Key(args) => key::run(context, args),
        Command::Plan(args) => plan::run(context, args),
        Command::Status(_) => status::run(context),
        Command::Backup(args) => backup::backup(context, &args),
        Command::Restore(args) => backup::restore(context, &args),
        Command::Check(args) => check::run(context, &args),
        Command::Metrics(_) => status::metrics(context),
        Command::Health(_) => status::health(context),
        Command::Subscription(args) => subscription::run(context, args),
        Command::Outbox(args) => outbox::run(context, args),
        Command::List(args) => list::run(context, args),
        Command::OpenApi(_) => openapi::run(),
        Command::Mcp(_) => mcp::run(context),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}

/// The whole command line, as it is declared.
pub fn command() -> clap::Command {
    let declared = Cli::command();
    let options: Vec<Arg> = declared.get_arguments().cloned().collect();
    let shown = IGNORED.iter().fold(declared, |command, (path, ignored)| {
        let option = options.iter().find(|option| option.get_id() == ignored);
        option.map_or(command.clone(), |option| hide(command, path, option))
    });
    examples::add(shown)
}

/// Reports an error as text, or as the JSON document of `--json`.
fn failed(error: &AdminError, json: bool) -> ExitCode {
    if json {
        output::error_json(error);
    } else {
        output::complain(error);
    }
    ExitCode::FAILURE
}

/// The exit status of a command, or its error.
pub(crate) type CommandResult = Result<ExitCode, AdminError>;

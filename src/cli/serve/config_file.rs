//! The configuration file: TOML, whose keys are the long options of `taxd serve` with `_` for `-`.
//!
//! The options are its schema: each value is parsed by the parser of its option, and all faults are reported at once,
//! each with its line.

use std::collections::BTreeMap;
use std::path::Path;

use clap::builder::Resettable;
use clap::{Arg, Command};
use toml::de::{DeTable, DeValue};

use crate::base::document::nearest;
use crate::base::value::shorten;
use crate::cli::files::read_text;
use crate::features::{AdminError, InputFault};

/// For the id of each option in the file, the option as it would be typed.
pub(super) type Typed = BTreeMap<String, String>;

/// Returns the options of `serve` that are settings: those with a variable, except the one that names the file.
pub(super) fn settings(serve: &Command) -> impl Iterator<Item = &Arg> {
    serve.get_arguments().filter(|arg| arg.get_env().is_some() && arg.get_id() != "config")
}

/// Returns the key of an option in the file.
fn key_of(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// Reads the file. Fails with all its faults.
pub(super) fn read(path: &Path, serve: &Command) -> Result<Typed, AdminError> {
    let text = read_text(path)?;
    let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let mut faults = Vec::new();
    let file = path.display().to_string();
    let mut add = |at: usize, key: &str, detail: String| {
        let (file, line) = (Some(file.clone()), Some(line(at)));
        faults.push(InputFault { file, line, path: key.to_owned(), codigo: None, detail: detail.into() });
    };
    let (table, broken) = DeTable::parse_recoverable(&text);
    for error in &broken {
        add(error.span().map_or(0, |span| span.start), "", error.message().to_owned());
    }
    let known: BTreeMap<String, &Arg> = settings(serve).map(|arg| (key_of(arg), arg)).collect();
    // Without the variables, whose faults are not faults of the file.
    let alone = serve.clone().mut_args(|arg| arg.env(Resettable::Reset));
    let mut typed = Typed::new();
    for (key, value) in table.get_ref() {
        let (at, key) = (key.span().start, key.get_ref().as_ref());
        let Some(arg) = known.get(key) else {
            add(at, key, unknown(key, known.keys()));
            continue;
        };
        match type_out(arg, value.get_ref()).and_then(|word| check(&alone, &word).map(|()| word)) {
            Ok(word) => drop(typed.insert(arg.get_id().to_string(), word)),
            Err(detail) => add(at, key, detail),
        }
    }
    if faults.is_empty() {
        return Ok(typed);
    }
    faults.sort();
    Err(AdminError::Faults { message: format!("the configuration file {file} cannot be used"), faults })
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let near = nearest(&key.replace('-', "_").to_lowercase(), known.map(String::as_str));
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    format!("there is no such setting{hint}")
}

/// Returns the option with the value as it would be typed.
fn type_out(arg: &Arg, value: &DeValue<'_>) -> Result<String, String> {
    let long = arg.get_long().unwrap_or_default();
    match value {
        DeValue::String(text) => Ok(format!("--{long}={text}")),
        DeValue::Integer(number) => Ok(format!("--{long}={number}")),
        other => Err(format!("it takes text or a whole number, not a TOML {}", other.type_str())),
    }
}

/// Parses the word with the parser of its option.
fn check(serve: &Command, word: &str) -> Result<(), String> {
    let Err(error) = serve.clone().no_binary_name(true).try_get_matches_from([word]) else { return Ok(()) };
    let value = shorten(word.split_once('=').map_or(word, |(_, value)| value));
    let why = match std::error::Error::source(&error) {
        Some(reason) => reason.to_string(),
        None => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    };
    Err(format!("\"{value}\" is not accepted: {why}"))
}

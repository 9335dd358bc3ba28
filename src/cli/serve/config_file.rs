//! The configuration file: TOML, whose keys are the long options of `taxd serve` with `_` for `-`.
//!
//! The options themselves are its schema: a value goes through the parser of the option that it stands
//! for, and every fault is told with its line, all at once.

use std::collections::BTreeMap;
use std::path::Path;

use clap::builder::Resettable;
use clap::{Arg, Command};
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use crate::admin::AdminError;
use crate::cli::import::cannot_read;
use crate::document::nearest;
use crate::value::shorten;

/// What the file says: by the id of an option, what would be typed for it.
pub(super) type Typed = BTreeMap<String, String>;

/// The options of `serve` that are settings: those that the environment may set too, but for the one
/// that names the file.
pub(super) fn settings(serve: &Command) -> impl Iterator<Item = &Arg> {
    serve.get_arguments().filter(|arg| arg.get_env().is_some() && arg.get_id() != "config")
}

/// The name of an option in the file.
fn key_of(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// Reads the file.
pub(super) fn read(path: &Path, serve: &Command) -> Result<Typed, AdminError> {
    let text = std::fs::read_to_string(path).map_err(|e| cannot_read(path, &e))?;
    let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let mut faults = Vec::new();
    let mut tell = |at: usize, key: &str, detail: String| faults.push((line(at), key.to_owned(), detail));
    let (table, broken) = DeTable::parse_recoverable(&text);
    for error in &broken {
        tell(error.span().map_or(0, |span| span.start), "", error.message().to_owned());
    }
    let known: BTreeMap<String, &Arg> = settings(serve).map(|arg| (key_of(arg), arg)).collect();
    // The environment was read before, and is no fault of the file.
    let alone = serve.clone().mut_args(|arg| arg.env(Resettable::Reset));
    let mut typed = Typed::new();
    for (key, value) in table.get_ref() {
        let (at, key) = (key.span().start, key.get_ref().as_ref());
        let Some(arg) = known.get(key) else {
            tell(at, key, unknown(key, known.keys()));
            continue;
        };
        match type_out(arg, value.get_ref()).and_then(|word| check(&alone, &word).map(|()| word)) {
            Ok(word) => drop(typed.insert(arg.get_id().to_string(), word)),
            Err(detail) => tell(at, key, detail),
        }
    }
    if faults.is_empty() {
        return Ok(typed);
    }
    faults.sort();
    let file = path.display().to_string();
    let told = |(line, path, detail): (usize, String, String)| -> Value {
        json!({"file": file, "line": line, "path": path, "detail": detail})
    };
    Err(AdminError {
        message: format!("the configuration file {file} cannot be used"),
        faults: faults.into_iter().map(told).collect(),
    })
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> String {
    let near = nearest(&key.replace('-', "_").to_lowercase(), known.map(String::as_str));
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    format!("there is no such setting{hint}")
}

/// What would be typed for a value.
fn type_out(arg: &Arg, value: &DeValue<'_>) -> Result<String, String> {
    let long = arg.get_long().unwrap_or_default();
    match value {
        DeValue::String(text) => Ok(format!("--{long}={text}")),
        DeValue::Integer(number) => Ok(format!("--{long}={number}")),
        other => Err(format!("it takes text or a whole number, not a TOML {}", other.type_str())),
    }
}

/// Lets the option's own parser have the word.
fn check(serve: &Command, word: &str) -> Result<(), String> {
    let Err(error) = serve.clone().no_binary_name(true).try_get_matches_from([word]) else { return Ok(()) };
    let value = shorten(word.split_once('=').map_or(word, |(_, value)| value));
    let told = match std::error::Error::source(&error) {
        Some(reason) => reason.to_string(),
        None => error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
    };
    Err(format!("\"{value}\" is not accepted: {told}"))
}

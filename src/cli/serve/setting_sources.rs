//! Where each setting of the server comes from: a flag, the environment, the file, or its default.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use serde::Serialize;

use super::config_file::{self, Typed};
use crate::base::document::nearest;
use crate::features::{AdminError, InputFault};

/// Variables of `taxd` that are not options; `TAXD_KEY` is used in the `curl` commands of the sandbox.
const OWN_VARIABLES: [&str; 2] = ["TAXD_LOG", "TAXD_KEY"];

/// A setting in force.
#[derive(Serialize)]
pub(in crate::cli) struct Setting {
    #[serde(rename = "name")]
    pub(in crate::cli) option: String,
    /// Its value as it would be typed; `None` if it is not set and has no default.
    pub(in crate::cli) value: Option<String>,
    /// `flag`, `environment`, `file` or `default`.
    pub(in crate::cli) from: &'static str,
}

/// Adds the settings of the configuration file to what was `typed` for `taxd serve`, and parses all of it again.
/// Returns the result, and the settings in the order of the help. A flag overrides a variable, and a variable
/// overrides the file.
pub(in crate::cli) fn complete(
    command: &Command,
    mut typed: Vec<OsString>,
    given: &ArgMatches,
) -> Result<(ArgMatches, Vec<Setting>), AdminError> {
    let set = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    check_environment(command, set)?;
    let serve = command.find_subcommand("serve").cloned().unwrap_or_default();
    let file = match given.get_one::<PathBuf>("config") {
        Some(path) => config_file::read(path, &serve)?,
        None => Typed::new(),
    };
    // Where each setting comes from, and if that is the file, the option as it would be typed.
    let source = |id: &str| match (given.value_source(id), file.get(id)) {
        (Some(ValueSource::CommandLine), _) => ("flag", None),
        (Some(ValueSource::EnvVariable), _) => ("environment", None),
        (_, Some(word)) => ("file", Some(word)),
        _ => ("default", None),
    };
    let sources: Vec<_> = config_file::settings(&serve).map(|arg| (arg, source(arg.get_id().as_str()))).collect();
    typed.extend(sources.iter().filter_map(|(_, (_, word))| word.map(OsString::from)));
    let matches = command.clone().get_matches_from(typed);
    let effective = matches.subcommand_matches("serve").unwrap_or(given);
    let settings = sources.iter().map(|(arg, (from, _))| Setting {
        option: arg.get_long().unwrap_or_default().to_owned(),
        value: effective
            .get_raw(arg.get_id().as_str())
            .and_then(|mut raw| raw.next())
            .map(|raw| raw.to_string_lossy().into_owned()),
        from,
    });
    let settings = settings.collect();
    Ok((matches, settings))
}

/// Refuses unknown variables that begin with `TAXD_`: a misspelt setting would silently have its default.
fn check_environment(command: &Command, set: impl Iterator<Item = (String, OsString)>) -> Result<(), AdminError> {
    let mut known = OWN_VARIABLES.map(str::to_owned).to_vec();
    variables(command, &mut known);
    let mut unknown: Vec<String> = set
        .filter(|(name, _)| name.starts_with("TAXD_") && !known.contains(name))
        .filter(|(name, value)| !is_of_a_neighbour(name, &value.to_string_lossy()))
        .map(|(name, _)| name)
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    unknown.sort();
    let fault = |name: String| {
        let hint = nearest(&name, known.iter().map(String::as_str)).map(|near| format!("; did you mean {near}?"));
        let detail = format!("there is no such variable{}", hint.unwrap_or_default());
        InputFault { path: name, detail: detail.into(), ..InputFault::default() }
    };
    let faults = unknown.into_iter().map(fault).collect();
    Err(AdminError::Faults { message: "the environment has variables that taxd does not know".to_owned(), faults })
}

/// True for the variables that Docker and Kubernetes set for other services whose names begin with `taxd`:
/// `TAXD_METRICS_SERVICE_HOST`, `TAXD_PORT_8080_TCP_ADDR`, and `TAXD_PORT` with an address such as
/// `tcp://10.0.0.1:8080`.
fn is_of_a_neighbour(name: &str, value: &str) -> bool {
    ["_SERVICE_HOST", "_SERVICE_PORT", "_TCP", "_UDP"].iter().any(|part| name.contains(part))
        || name.ends_with("_PORT") && value.contains("://")
}

/// Collects the variables of the options of a command and of its subcommands.
fn variables(command: &Command, found: &mut Vec<String>) {
    found.extend(command.get_arguments().filter_map(|arg| arg.get_env()?.to_str().map(str::to_owned)));
    command.get_subcommands().for_each(|inner| variables(inner, found));
}

//! `taxd completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, CommandResult, output};

/// Print what completes commands and options in a shell
///
/// For bash: `taxd completions bash > /etc/bash_completion.d/taxd`. The Debian package brings those of bash,
/// zsh and fish.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &Completions) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "taxd", &mut script);
    output::page(&script)?;
    Ok(ExitCode::SUCCESS)
}

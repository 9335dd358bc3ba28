//! `taxd completions`.

use std::process::ExitCode;

use clap::Args;
use clap_complete::{Shell, generate};

use super::{CommandResult, command, output};

/// Print the completions of commands and options for a shell
///
/// For bash: `taxd completions bash > /etc/bash_completion.d/taxd`. The Debian package includes those for bash,
/// zsh and fish.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    generate(args.shell, &mut command(), "taxd", &mut script);
    output::page(&script).map(|()| ExitCode::SUCCESS)
}

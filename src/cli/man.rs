//! `taxd man`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;

use super::{CommandResult, command, examples, output};
use crate::admin::AdminError;

/// Write the manual pages
///
/// `taxd man | man -l -` shows the first of them.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Directory for the pages, one a command, made if it is missing; without it, the page of taxd
    /// itself is written to stdout
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &ManArgs) -> CommandResult {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(command().disable_help_subcommand(true)).render(&mut page);
        written.map_err(|e| AdminError::new(format!("the manual page could not be made: {e}")))?;
        return output::page(&page).map(|()| ExitCode::SUCCESS);
    };
    let written = fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(command(), dir))
        .and_then(|()| name_examples(dir));
    written.map_err(|e| AdminError::new(format!("cannot write the manual pages into {}: {e}", dir.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// Gives the section of the examples its usual name.
fn name_examples(dir: &Path) -> io::Result<()> {
    let unnamed = format!(".SH EXTRA\n{}", examples::HEADING);
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let page = fs::read_to_string(&path)?;
        if page.contains(&unnamed) {
            fs::write(&path, page.replace(&unnamed, ".SH EXAMPLES"))?;
        }
    }
    Ok(())
}

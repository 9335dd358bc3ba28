//! `taxd man`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;

use super::{CommandResult, command, examples, output};
use crate::features::AdminError;

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

pub(super) fn run(args: &ManArgs) -> CommandResult {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(command().disable_help_subcommand(true)).render(&mut page);
        written.map_err(|e| AdminError::new(format!("the manual page could not be made: {e}")))?;
        let page = with_named_sections(&String::from_utf8_lossy(&page));
        return output::page(page.as_bytes()).map(|()| ExitCode::SUCCESS);
    };
    let written = fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(command(), dir))
        .and_then(|()| name_sections(dir));
    written.map_err(|e| AdminError::new(format!("cannot write the manual pages into {}: {e}", dir.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// Gives the sections of all pages in a directory their usual names.
fn name_sections(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let page = fs::read_to_string(&path)?;
        fs::write(&path, with_named_sections(&page))?;
    }
    Ok(())
}

/// A page whose last section is named for what it is, as in other manual pages.
fn with_named_sections(page: &str) -> String {
    let names = [(examples::HEADING, "EXAMPLES"), (examples::EXIT_STATUS, "EXIT STATUS")];
    names.iter().fold(page.to_owned(), |page, (heading, name)| {
        page.replace(&format!(".SH EXTRA\n{heading}"), &format!(".SH {name}"))
    })
}

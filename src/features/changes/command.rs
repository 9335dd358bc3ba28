//! `taxd changes`.

use std::process::ExitCode;

use crate::cli::table_output::print_csv;
use crate::cli::{CommandResult, Context};
use crate::features::Command;
use crate::features::changes::table::{columns, rows};
use crate::features::changes::{Changes, ChangesQuery};

pub(crate) fn run(context: &Context, query: ChangesQuery) -> CommandResult {
    if !query.csv {
        return context.show(Command::Changes(query), |changes: Changes| changes.to_text());
    }
    let changes: Changes = context.ask(Command::Changes(query))?;
    print_csv(&columns(), rows(&changes)).map(|()| ExitCode::SUCCESS)
}

//! `taxd impact`.

mod output;

use crate::cli::{CommandResult, Context, files, progress};
use crate::features::Command;
use crate::features::control::{data_dir, misunderstood};
use crate::features::impact::{ImpactCommand, ImpactReport};

pub(crate) fn run(context: &Context, mut command: ImpactCommand) -> CommandResult {
    if command.since.is_none() && command.supondo.is_empty() {
        command.files = files::read_bundles(&command.paths, command.builtin)?;
    }
    let (csv, supondo) = (command.csv, command.supondo.clone());
    let report = progress::shown(|step| data_dir::run(context.dir(), Command::Impact(command), step))?;
    let read: ImpactReport = serde_json::from_str(report.get())?;
    if read.suposicoes != supondo {
        // A server that does not know the option compares nothing.
        return Err(misunderstood(None));
    }
    if csv {
        return output::csv(&read);
    }
    context.show_answer(&report, |report| output::text(&report))
}

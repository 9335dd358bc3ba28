//! `taxd impact`.

mod output;

use crate::cli::{CommandResult, Context, files, progress};
use crate::features::Command;
use crate::features::control::data_dir;
use crate::features::impact::ImpactCommand;

pub(crate) fn run(context: &Context, mut command: ImpactCommand) -> CommandResult {
    if command.since.is_none() {
        command.files = files::read_bundles(&command.paths, command.builtin)?;
    }
    let csv = command.csv;
    let report = progress::shown(|step| data_dir::run(context.dir(), Command::Impact(command), step))?;
    if csv {
        return output::csv(&serde_json::from_str(report.get())?);
    }
    context.show_answer(&report, |report| output::text(&report))
}

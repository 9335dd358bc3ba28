//! A progress bar, if stderr is a terminal.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::base::value::with_separators;
use crate::core::engine::{Progress, Stage, Step};

/// Does `work` with a progress bar for each stage. indicatif removes a bar that is dropped.
pub(crate) fn shown<T>(work: impl FnOnce(Progress<'_>) -> T) -> T {
    let mut current: Option<(Stage, ProgressBar)> = None;
    work(&mut |Step { stage, done, total }| {
        // The bar of another stage goes before the next one is drawn.
        let known = current.take().filter(|(known, _)| *known == stage).map(|(_, bar)| bar);
        let bar = known.unwrap_or_else(|| styled(total, "{msg:16} {wide_bar} {pos}/{len}").with_message(stage.label()));
        bar.set_length(total);
        bar.set_position(done);
        current = Some((stage, bar));
    })
}

pub(crate) fn of_files(total: u64) -> ProgressBar {
    styled(total, "{wide_bar} {pos}/{len} arquivos, faltam {eta}")
}

/// A bar of the rows of a list, whose reports are Portuguese: rows, rate and time left.
pub(crate) fn of_rows() -> ProgressBar {
    let count = |count: u64| with_separators(&count.to_string());
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("{wide_bar} {rows} linhas, {rate}/s, faltam {eta}") {
        Ok(style) => bar.with_style(
            style
                .with_key("rows", move |state: &ProgressState, to: &mut dyn Write| {
                    let of = state.len().unwrap_or_default();
                    let _ = write!(to, "{} de cerca de {}", count(state.pos()), count(of));
                })
                .with_key("rate", move |state: &ProgressState, to: &mut dyn Write| {
                    let _ = write!(to, "{}", with_separators(&format!("{:.0}", state.per_sec())));
                }),
        ),
        Err(_) => bar,
    }
}

/// Shows how many rows are done. How many there are is estimated by the bytes that were read, of all.
pub(crate) fn rows_done(bar: &ProgressBar, rows: u64, (read, total): (u64, u64)) {
    let all = u128::from(rows) * u128::from(total) / u128::from(read.max(1));
    bar.set_length(u64::try_from(all).unwrap_or(u64::MAX).max(rows));
    bar.set_position(rows);
}

/// A bar of that form; indicatif draws it on stderr, and only on a terminal.
fn styled(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

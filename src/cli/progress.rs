//! A progress bar, if stderr is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

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
    styled(total, "{wide_bar} {pos}/{len} files, {eta} left")
}

/// A bar of that form; indicatif draws it on stderr, and only on a terminal.
fn styled(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

//! A progress bar, if stderr is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::admin::{Progress, Stage, Step};

/// Does `work` with a progress bar, which is removed at the end.
pub(super) fn shown<T>(work: impl FnOnce(Progress<'_>) -> T) -> T {
    let mut bar = Bar::new();
    let done = work(&mut |step| bar.show(step));
    bar.finish();
    done
}

/// A bar that counts files.
pub(super) fn of_files(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The current progress bar; indicatif draws it on stderr, and only on a terminal.
struct Bar {
    current: Option<(Stage, ProgressBar)>,
}

impl Bar {
    fn new() -> Bar {
        Bar { current: None }
    }

    /// Shows the progress; each stage has a bar of its own.
    fn show(&mut self, step: Step) {
        if self.current.as_ref().is_none_or(|(stage, _)| *stage != step.stage) {
            self.finish();
            let bar = ProgressBar::new(u64::try_from(step.total).unwrap_or(u64::MAX));
            if let Ok(style) = ProgressStyle::with_template("{msg:16} {wide_bar} {pos}/{len}") {
                bar.set_style(style);
            }
            bar.set_message(step.stage.label());
            self.current = Some((step.stage, bar));
        }
        if let Some((_, bar)) = &self.current {
            bar.set_length(u64::try_from(step.total).unwrap_or(u64::MAX));
            bar.set_position(u64::try_from(step.done).unwrap_or(u64::MAX));
        }
    }

    /// Removes the bar.
    fn finish(&mut self) {
        if let Some((_, bar)) = self.current.take() {
            bar.finish_and_clear();
        }
    }
}

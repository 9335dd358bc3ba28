//! A progress bar on the terminal, and nothing where there is none.

use indicatif::{ProgressBar, ProgressStyle};

use crate::admin::{Progress, Stage, Step};

/// Does `work`, showing how far it has come; the bar is gone when it ends.
pub(super) fn shown<T>(work: impl FnOnce(Progress<'_>) -> T) -> T {
    let mut bar = Bar::new();
    let done = work(&mut |step| bar.show(step));
    bar.finish();
    done
}

/// The bar of one piece of work; indicatif draws it on stderr, and only on a terminal.
struct Bar {
    current: Option<(Stage, ProgressBar)>,
}

impl Bar {
    fn new() -> Bar {
        Bar { current: None }
    }

    /// Shows how far the work has come; each stage has a bar of its own.
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

    /// Takes the bar away.
    fn finish(&mut self) {
        if let Some((_, bar)) = self.current.take() {
            bar.finish_and_clear();
        }
    }
}

//! Panics. A panic is a defect of taxd: it costs the work that it met, and is told once.
//!
//! Work that must not take other work along is [`caught`], and whoever catches tells of it, with
//! what is known of that work. Every other panic is told by the log as it happens
//! ([`tell_by_log`]). What a panic says may hold what a caller sent, so of its words only those are
//! told that stand in the source.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::thread;

/// A panic that was caught: where it was, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect(String);

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

thread_local! {
    /// True where the thread is in [`caught`].
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The last panic there, until it is caught.
    static LAST: RefCell<Option<Defect>> = const { RefCell::new(None) };
}

/// Does `work`; a panic in it ends there.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Defect> {
    let outer = CATCHING.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    done.map_err(|_| LAST.take().unwrap_or_else(|| Defect("a panic".to_owned())))
}

/// Has every panic of this process that is not [`caught`] told by the log, in the place of the
/// standard library's message, which may hold anything.
pub fn tell_by_log() {
    std::panic::set_hook(Box::new(|info| {
        let defect = described(info);
        if CATCHING.get() {
            LAST.set(Some(defect));
        } else {
            let thread = thread::current();
            tracing::error!(thread = thread.name().unwrap_or_default(), %defect, "a thread panicked");
        }
    }));
}

fn described(info: &PanicHookInfo<'_>) -> Defect {
    let place = info.location().map_or_else(|| "a panic".to_owned(), |at| format!("a panic at {at}"));
    // Words that were put together at run time are a `String`.
    Defect(match info.payload().downcast_ref::<&'static str>() {
        Some(words) => format!("{place}: {words}"),
        None => place,
    })
}

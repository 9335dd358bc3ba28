//! Panics. A panic is a defect of taxd: it ends the work that caused it, and is logged once.
//!
//! Work that must not end other work runs in [`caught`]; its caller logs the panic, with what it knows of
//! that work. Every other panic is logged as it happens ([`log_panics`]). The message of a panic may contain
//! data of a caller, so only string literals from the source are logged.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::{fmt, thread};

/// A panic that was caught, with its place in the source if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect(String);

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

thread_local! {
    /// True while the thread is in [`caught`].
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The last panic in [`caught`], until it returns.
    static LAST: RefCell<Option<Defect>> = const { RefCell::new(None) };
}

/// Does `work`, and returns a panic in it as an error.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Defect> {
    let outer = CATCHING.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    done.map_err(|_| LAST.take().unwrap_or_else(|| Defect("a panic".to_owned())))
}

/// Logs every panic of this process that is not [`caught`]. Replaces the message of the standard library, which
/// may contain data of callers.
pub fn log_panics() {
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
    // A message formatted at run time is a `String`; it may contain data of callers.
    Defect(match info.payload().downcast_ref::<&'static str>() {
        Some(words) => format!("{place}: {words}"),
        None => place,
    })
}

//! Ends the loops of a test, also if the test fails.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when it is dropped.
pub struct AtEnd<'a>(pub &'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

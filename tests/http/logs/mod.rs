//! What the log says, and what it never says.

mod format;
mod lines;
mod silence;

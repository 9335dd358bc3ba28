//! Kept lists: payloads of an account whose answers are followed.
//!
//! A line without a date follows today: it is answered for today and for the days up to [`AHEAD_DAYS`] ahead, so that
//! what is published for a later day is seen before it begins. A line with a date is of that day. Each publication
//! answers again only the lines that looked up a key that it touches, and writes what changed; each day that comes within
//! reach does the same for the lines whose answer may change on it.
//!
//! [`catch_up`] is the work: publication by publication, in their order and by the rules of each, from the one up to
//! which everything is written. A batch of lines is one transaction, with their changes, so a process that is killed
//! continues where it was, and each change is written exactly once. It runs beside calculations, on a thread of its own
//! at a low priority.

mod diff;
mod notice;
mod put;
mod read;
mod state;
mod work;

pub use diff::{Changed, differences};
pub use put::{PutReport, put, remove};
pub use read::{NewLine, check_name, read_lines};
pub use state::KeptListsState;
pub use work::{BATCH_LINES, CaughtUp, catch_up};

/// Days ahead for which a line that follows today is answered.
pub const AHEAD_DAYS: u32 = 60;
/// Most lines of an account, over all its lists.
pub const MAX_LINES: usize = 10_000;
/// Most lists of an account.
pub const MAX_LISTS: usize = 50;
/// Changes of a list that are kept: the oldest are removed.
pub const KEPT_CHANGES: u64 = 10_000;
/// Notices that are kept, over all accounts; the oldest are removed, with their deliveries.
const KEPT_NOTICES: u64 = 100_000;

//! What a file used up of the quota. The same file, asked again within half an hour, uses up nothing: a person who saves a
//! report, or sends a list once more, does not pay twice for it.
//!
//! Only a digest and a count are kept, in memory: a restart forgets them, and the file is charged again.

use std::collections::VecDeque;

/// For how long a file that was charged costs nothing, in minutes.
pub const FREE_MINUTES: u64 = 30;
/// Most files of an account that are remembered; the oldest is forgotten first.
const MAX_FILES: usize = 16;

/// SHA-256 of a file and of all that its answer depends on.
pub type FileDigest = [u8; 32];

/// The files that an account was charged for.
#[derive(Default)]
pub struct PaidFiles(VecDeque<PaidFile>);

pub(super) struct PaidFile {
    pub(super) digest: FileDigest,
    /// The sandbox keys whose quota was used up, which have one of their own; `None` for the quota of the account.
    pub(super) lineage: Option<String>,
    pub(super) calls: u64,
    /// Monotonic time, in milliseconds.
    pub(super) free_until_ms: u64,
}

impl PaidFiles {
    /// The calls that were used up for the file and are still free.
    pub(super) fn paid(&self, digest: &FileDigest, lineage: Option<&str>, now_ms: u64) -> u64 {
        let is_it = |file: &&PaidFile| file.digest == *digest && file.lineage.as_deref() == lineage;
        self.0.iter().find(is_it).filter(|file| now_ms < file.free_until_ms).map_or(0, |file| file.calls)
    }

    /// Remembers a file in the place of what is known of it.
    pub(super) fn remember(&mut self, paid: PaidFile, now_ms: u64) {
        let is_other = |file: &PaidFile| file.digest != paid.digest || file.lineage != paid.lineage;
        self.0.retain(|file| is_other(file) && now_ms < file.free_until_ms);
        if self.0.len() >= MAX_FILES {
            self.0.pop_front();
        }
        self.0.push_back(paid);
    }
}

//! The data file as a file: created, locked, opened, opened again, copied and replaced.
//!
//! Nothing here knows what the tables mean. A file gets its name only once all of it is on the disk, and stays
//! locked for as long as this process may write to it.

mod atomic;
mod backup;
mod copy_on_write;
mod fenced;
mod free_space;
mod handle;
mod locked;
mod snapshot;
mod staged;

pub use atomic::persist_new;
pub use backup::{begin_restore, finish_restore, write_backup};
pub use fenced::{OpenStorage, OpenedStorage, Outage};
pub use snapshot::{Contents, Snapshot};
pub use staged::StagedFile;

pub(super) use copy_on_write::{in_memory, open as open_copy_on_write};
pub(super) use handle::Handle;
pub(super) use locked::{open_data_file, open_to_read};
pub use snapshot::contents;
pub(super) use staged::migrate;

use super::{SCHEMA_VERSION, Store, StoreError, StoreResult, migration, schema};

/// Size of redb's page cache. Its default of 1 GiB is too much for a server that shares a machine; the built-in
/// rules take a few MiB.
pub(super) const CACHE_BYTES: usize = 12 * 1024 * 1024;
/// Size of a page of the system's cache, and of the pages that a copy on write keeps.
const PAGE_BYTES: usize = 4096;

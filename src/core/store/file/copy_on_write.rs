//! A database that is opened copy on write: what redb writes when it opens, repairs, migrates or closes the file
//! stays in memory. Without a file, all of it is in memory, as far as it was written: redb's own backend would hold the
//! unused half of the last doubling too.
//!
//! redb's own `ReadOnlyDatabase` does not serve: it refuses a file that was not closed cleanly, and can neither
//! verify pages nor be migrated.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::{Builder, Database, StorageBackend};

use super::{CACHE_BYTES, PAGE_BYTES, StoreResult, atomic};

type Page = Box<[u8; PAGE_BYTES]>;

/// The file, if there is one, and the pages that were written.
#[derive(Debug)]
struct CopyOnWrite {
    file: Option<File>,
    over: Mutex<Layer>,
}

#[derive(Debug)]
struct Layer {
    bytes: u64,
    /// Length of the part of the file that can still be read. It shrinks with the database, and never grows.
    file_bytes: u64,
    pages: HashMap<u64, Page>,
}

/// Opens a file copy on write, and locks it against writers.
pub(in crate::store) fn open(path: &Path) -> StoreResult<Database> {
    let file = atomic::open_to_read(path)?;
    let bytes = file.metadata()?.len();
    database(Some(file), bytes)
}

pub(in crate::store) fn in_memory() -> StoreResult<Database> {
    database(None, 0)
}

fn database(file: Option<File>, bytes: u64) -> StoreResult<Database> {
    let over = Mutex::new(Layer { bytes, file_bytes: bytes, pages: HashMap::new() });
    Ok(Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(CopyOnWrite { file, over })?)
}

/// Splits `len` bytes from `offset` on at the bounds of pages: number of the page, offset in it, and range in the
/// bytes.
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let page_bytes = PAGE_BYTES as u64;
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = offset + done as u64;
        let within = usize::try_from(at % page_bytes).unwrap_or_default();
        let count = (PAGE_BYTES - within).min(len - done);
        let piece = (at / page_bytes, within, done..done + count);
        done += count;
        (count > 0).then_some(piece)
    })
}

impl CopyOnWrite {
    fn over(&self) -> MutexGuard<'_, Layer> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the file alone; beyond its end there are zeros.
    fn read_file(&self, over: &Layer, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = usize::try_from(over.file_bytes.saturating_sub(offset)).unwrap_or(usize::MAX).min(out.len());
        let (there, beyond) = out.split_at_mut_checked(there).ok_or(io::ErrorKind::InvalidInput)?;
        if let Some(file) = &self.file {
            file.read_exact_at(there, offset)?;
        }
        beyond.fill(0);
        Ok(())
    }
}

impl StorageBackend for CopyOnWrite {
    fn len(&self) -> io::Result<u64> {
        Ok(self.over().bytes)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let over = self.over();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > over.bytes) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(&over, offset, out)?;
        for (page, within, piece) in pieces(offset, out.len()) {
            if let Some(written) = over.pages.get(&page)
                && let (Some(out), Some(rest)) = (out.get_mut(piece), written.get(within..))
            {
                out.iter_mut().zip(rest).for_each(|(out, byte)| *out = *byte);
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut over = self.over();
        if len < over.bytes {
            // What is cut off must read as zeros if the database grows again.
            let page_bytes = PAGE_BYTES as u64;
            over.file_bytes = over.file_bytes.min(len);
            over.pages.retain(|page, _| *page < len.div_ceil(page_bytes));
            let within = usize::try_from(len % page_bytes).unwrap_or_default();
            if let Some(last) = over.pages.get_mut(&(len / page_bytes)) {
                last.iter_mut().skip(within).for_each(|byte| *byte = 0);
            }
        }
        over.bytes = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut over = self.over();
        for (page, within, piece) in pieces(offset, data.len()) {
            if !over.pages.contains_key(&page) {
                let mut before: Page = Box::new([0; PAGE_BYTES]);
                self.read_file(&over, page * PAGE_BYTES as u64, before.as_mut_slice())?;
                over.pages.insert(page, before);
            }
            if let Some(written) = over.pages.get_mut(&page)
                && let (Some(written), Some(data)) = (written.get_mut(within..), data.get(piece))
            {
                written.iter_mut().zip(data).for_each(|(byte, new)| *byte = *new);
            }
        }
        Ok(())
    }
}

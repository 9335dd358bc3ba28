//! Turns of long work on files. A place counts work: it is held neither while a reader or memory is waited for, nor for
//! long while other work waits for one.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::refusal;
use crate::base::problem::Problem;

/// How long work keeps its place while other work waits.
const SLICE: Duration = Duration::from_millis(100);
/// How long work waits for memory.
const PATIENCE: Duration = Duration::from_secs(30);
/// Memory for what work keeps of its file beside the bytes, over all accounts.
const WORK_BYTES: usize = 64 * 1024 * 1024;
/// Work needs no memory of that for so much: the number of files limits it.
pub(crate) const UNCOUNTED_BYTES: u64 = 1024 * 1024;
/// The unit in which that memory is counted.
const UNIT_BYTES: usize = 64 * 1024;

/// What all work on files shares.
#[derive(Clone)]
pub(super) struct Turns {
    /// A permit for each place, given out first come, first served.
    places: Arc<Semaphore>,
    /// A permit for each [`UNIT_BYTES`] of [`WORK_BYTES`].
    memory: Arc<Semaphore>,
}

/// The turn of one piece of work. Its methods wait, so they are for blocking threads.
#[derive(Clone)]
pub(crate) struct Turn(Arc<State>);

struct State {
    turns: Turns,
    runtime: Handle,
    /// The place and since when it is held; `None` while something is waited for.
    held: Mutex<Option<(OwnedSemaphorePermit, Instant)>>,
}

/// Memory of some work, given back on drop; `None` if it is too little to be counted.
pub(crate) type WorkMemory = Option<OwnedSemaphorePermit>;

/// A file whose every reading and writing may pass the turn on.
#[derive(Clone)]
pub(crate) struct Paced<F> {
    file: F,
    turn: Turn,
}

impl Turns {
    pub(super) fn new(places: usize) -> Turns {
        Turns { places: Arc::new(Semaphore::new(places)), memory: Arc::new(Semaphore::new(WORK_BYTES / UNIT_BYTES)) }
    }

    /// Waits for a place.
    pub(super) async fn begin(&self) -> Result<Turn, Box<Problem>> {
        let place = timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or_else(|| Box::new(refusal::too_many_files()))?;
        let held = Mutex::new(Some((place, Instant::now())));
        Ok(Turn(Arc::new(State { turns: self.clone(), runtime: Handle::current(), held })))
    }
}

impl Turn {
    /// Lets other work have the place if this work had it for long. Returns when it has a place again.
    pub(crate) fn pass(&self) {
        let is_long = self.held().as_ref().is_some_and(|(_, since)| since.elapsed() >= SLICE);
        if is_long {
            self.aside(|| ());
        }
    }

    /// Gives the place back while `wait` runs.
    pub(super) fn aside<T>(&self, wait: impl FnOnce() -> T) -> T {
        drop(self.held().take());
        let waited = wait();
        // The semaphore is never closed.
        let place = self.0.runtime.block_on(Arc::clone(&self.0.turns.places).acquire_owned()).ok();
        *self.held() = place.map(|place| (place, Instant::now()));
        waited
    }

    /// Waits for memory for so many bytes; more than there is counts as all of it. Work that has memory must not wait for
    /// more: two could wait for one another.
    pub(crate) fn memory(&self, bytes: u64) -> Result<WorkMemory, Box<Problem>> {
        if bytes <= UNCOUNTED_BYTES {
            return Ok(None);
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(WORK_BYTES);
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let all = &self.0.turns.memory;
        if let Ok(permit) = Arc::clone(all).try_acquire_many_owned(units) {
            return Ok(Some(permit));
        }
        let acquired = async { timeout(PATIENCE, Arc::clone(all).acquire_many_owned(units)).await };
        let acquired = self.aside(|| self.0.runtime.block_on(acquired));
        let permit = acquired.ok().and_then(Result::ok).ok_or_else(|| Box::new(refusal::too_many_files()))?;
        Ok(Some(permit))
    }

    /// The file, whose reading passes the turn on.
    pub(crate) fn paced<F>(&self, file: F) -> Paced<F> {
        Paced { file, turn: self.clone() }
    }

    fn held(&self) -> MutexGuard<'_, Option<(OwnedSemaphorePermit, Instant)>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Read> Read for Paced<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.turn.pass();
        self.file.read(buffer)
    }
}

impl<F: Write> Write for Paced<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.turn.pass();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<F: Seek> Seek for Paced<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

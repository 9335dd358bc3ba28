//! A disk in memory that fails, or loses power, at any of its operations.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;
use taxd_core::store::{OpenStorage, OpenedStorage};

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// With this error. A failed sync leaves what was written readable but not durable, and no later
    /// sync makes it so: what Linux does.
    Error(rustix::io::Errno),
    /// A failed sync throws away what was written, too: it reads as it was at the last sync.
    Reverting,
    /// Half of a write is done before the disk is full.
    Short,
    /// The power is cut: this and all later operations fail.
    PowerCut,
}

/// What becomes of writes that were not synced when the power is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsynced {
    Dropped,
    Kept,
    /// Every second one is kept, the last one by half.
    Torn,
}

#[derive(Debug, Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Length(u64),
}

#[derive(Debug, Default)]
struct State {
    live: Vec<u8>,
    durable: Vec<u8>,
    /// Since the last sync.
    unsynced: Vec<Change>,
    /// How many operations there were.
    operations: usize,
    /// By number of the operation.
    faults: BTreeMap<usize, Fault>,
    /// Every operation fails with EIO.
    dead: bool,
    cut: bool,
}

fn apply(image: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(offset, data) => {
            let start = usize::try_from(*offset).unwrap();
            let end = start + data.len();
            image.resize(image.len().max(end), 0);
            image[start..end].copy_from_slice(data);
        }
        Change::Length(length) => image.resize(usize::try_from(*length).unwrap(), 0),
    }
}

/// The disk; a clone is the same disk.
#[derive(Debug, Clone, Default)]
pub struct Disk(Arc<Mutex<State>>);

impl Disk {
    /// A disk with this file on it.
    pub fn of(image: &[u8]) -> Disk {
        let state = State { live: image.to_vec(), durable: image.to_vec(), ..State::default() };
        Disk(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// How a store opens it.
    pub fn opener(&self) -> OpenStorage {
        let disk = self.clone();
        Box::new(move || Ok(OpenedStorage { backend: Box::new(disk.clone()), file: None }))
    }

    /// Has `count` operations from that one on fail.
    pub fn fail_at(&self, operation: usize, count: usize, fault: Fault) {
        self.state().faults.extend((operation..operation + count).map(|at| (at, fault)));
    }

    /// Has every operation fail from now on, or none.
    pub fn set_dead(&self, dead: bool) {
        self.state().dead = dead;
    }

    /// How many operations there were.
    pub fn operations(&self) -> usize {
        self.state().operations
    }

    /// True once a fault has come.
    pub fn has_failed(&self) -> bool {
        let state = self.state();
        state.faults.first_key_value().is_some_and(|(first, _)| *first <= state.operations)
    }

    /// What is on it.
    pub fn image(&self) -> Vec<u8> {
        self.state().live.clone()
    }

    /// What is on it after a loss of power.
    pub fn image_after_cut(&self, unsynced: Unsynced) -> Vec<u8> {
        let state = self.state();
        let mut image = state.durable.clone();
        let last = state.unsynced.len().saturating_sub(1);
        for (at, change) in state.unsynced.iter().enumerate() {
            match (unsynced, change) {
                (Unsynced::Dropped, _) => {}
                (Unsynced::Torn, Change::Write(offset, data)) if at == last => {
                    apply(&mut image, &Change::Write(*offset, data[..data.len() / 2].to_vec()));
                }
                (Unsynced::Torn, Change::Write(..)) if at % 2 == 1 => {}
                _ => apply(&mut image, change),
            }
        }
        image
    }

    /// Counts an operation; the fault that it meets.
    fn begin(&self) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.state();
        state.operations += 1;
        let fault = state.faults.get(&state.operations).copied();
        state.cut |= fault == Some(Fault::PowerCut);
        if state.cut || state.dead {
            return Err(rustix::io::Errno::IO.into());
        }
        Ok((state, fault))
    }
}

fn error(fault: Fault) -> io::Error {
    match fault {
        Fault::Error(errno) => errno.into(),
        Fault::Short => rustix::io::Errno::NOSPC.into(),
        Fault::Reverting | Fault::PowerCut => rustix::io::Errno::IO.into(),
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        let (state, fault) = self.begin()?;
        fault.map_or(Ok(state.live.len() as u64), |fault| Err(error(fault)))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let (state, fault) = self.begin()?;
        if let Some(fault) = fault {
            return Err(error(fault));
        }
        let start = usize::try_from(offset).unwrap();
        let there = state.live.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(there);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let (mut state, fault) = self.begin()?;
        if let Some(fault) = fault {
            return Err(error(fault));
        }
        let change = Change::Length(len);
        apply(&mut state.live, &change);
        state.unsynced.push(change);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let (mut state, fault) = self.begin()?;
        let unsynced = std::mem::take(&mut state.unsynced);
        if let Some(fault) = fault {
            // The length is kept by the journal of the file system, which was not what failed.
            for change in unsynced.iter().filter(|change| matches!(change, Change::Length(_))) {
                apply(&mut state.durable, change);
            }
            if fault == Fault::Reverting {
                let State { live, durable, .. } = &mut *state;
                live.clone_from(durable);
            }
            return Err(error(fault));
        }
        for change in &unsynced {
            apply(&mut state.durable, change);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.begin()?;
        let written = match fault {
            None => data,
            Some(Fault::Short) => &data[..data.len() / 2],
            Some(fault) => return Err(error(fault)),
        };
        let change = Change::Write(offset, written.to_vec());
        apply(&mut state.live, &change);
        state.unsynced.push(change);
        fault.map_or(Ok(()), |fault| Err(error(fault)))
    }
}

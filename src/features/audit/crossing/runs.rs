//! Records sorted by their keys in bounded memory: runs in temporary files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Bytes of records in memory before they become a run: a gigabyte of them is some sixty runs.
const RUN_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a run that are read together while the runs are merged.
const READ_BYTES: usize = 64 * 1024;

/// Takes records in any order.
#[derive(Default)]
pub(super) struct Sorter {
    bytes: Vec<u8>,
    /// Of each record in memory: where it begins, and the lengths of its key and its value.
    records: Vec<(usize, u32, u32)>,
    runs: Vec<File>,
}

/// A key, the run that it is of, and its value: of equal keys the one that came first is the first.
type Head = Reverse<(Vec<u8>, usize, Vec<u8>)>;

/// The records in order.
pub(super) struct Merged {
    runs: Vec<BufReader<File>>,
    heads: BinaryHeap<Head>,
}

impl Sorter {
    /// Takes a record. Fails if a temporary file cannot be written.
    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(io::Error::other);
        self.records.push((self.bytes.len(), length(key)?, length(value)?));
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        if self.bytes.len() >= RUN_BYTES { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        let (bytes, mut records) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.records));
        let part = |start: usize, length: u32| {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            bytes.get(start..start.saturating_add(length)).unwrap_or_default()
        };
        records.sort_by(|(a, a_key, _), (b, b_key, _)| part(*a, *a_key).cmp(part(*b, *b_key)));
        let mut file = BufWriter::new(tempfile::tempfile()?);
        for (start, key, value) in records {
            file.write_all(&key.to_le_bytes())?;
            file.write_all(&value.to_le_bytes())?;
            file.write_all(part(start, key.saturating_add(value)))?;
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// The records by their keys, those of one key as they came.
    pub(super) fn sorted(mut self) -> io::Result<Merged> {
        self.spill()?;
        let runs = self.runs.into_iter().map(|run| BufReader::with_capacity(READ_BYTES, run)).collect::<Vec<_>>();
        let mut merged = Merged { heads: BinaryHeap::with_capacity(runs.len()), runs };
        for run in 0..merged.runs.len() {
            merged.advance(run)?;
        }
        Ok(merged)
    }
}

impl Merged {
    /// The next record: its key and its value; `None` after the last one.
    pub(super) fn next(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some(Reverse((key, run, value))) = self.heads.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some((key, value)))
    }

    /// Reads the next record of a run.
    fn advance(&mut self, run: usize) -> io::Result<()> {
        let Some(file) = self.runs.get_mut(run) else { return Ok(()) };
        let Some(key) = length(file)? else { return Ok(()) };
        let value = length(file)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut part = |length: usize| {
            let mut bytes = vec![0; length];
            file.read_exact(&mut bytes).map(|()| bytes)
        };
        let (key, value) = (part(key)?, part(value)?);
        self.heads.push(Reverse((key, run, value)));
        Ok(())
    }
}

/// A length; `None` at the end of the run.
fn length(file: &mut impl Read) -> io::Result<Option<usize>> {
    let mut bytes = [0; 4];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(usize::try_from(u32::from_le_bytes(bytes)).ok()),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

//! What has one access key: documents of the books, and those of the run.

use std::io;

use super::books::Book;
use super::entry::BookEntry;
use super::record::{CarriedNote, Crossed, CrossedNote, CrossedService};
use super::runs::Merged;

/// Most bytes of what has one access key: further records are left out.
const MAX_JOINED_BYTES: usize = 8 * 1024 * 1024;

/// All that has one access key.
pub(super) struct Joined<'j> {
    pub(super) books: &'j [Book],
    pub(super) note: Option<&'j CrossedNote<'j>>,
    /// What carries the note with the key.
    pub(super) carried: Vec<&'j CarriedNote<'j>>,
    /// An NFS-e, which may have several services.
    pub(super) services: Vec<&'j CrossedService<'j>>,
    /// Documents of the books that are crossed.
    pub(super) entries: Vec<BookEntry<'j>>,
}

impl<'j> Joined<'j> {
    pub(super) fn of(books: &'j [Book], group: &'j [Crossed<'j>]) -> Joined<'j> {
        let mut joined = Joined { books, note: None, carried: Vec::new(), services: Vec::new(), entries: Vec::new() };
        for record in group {
            match record {
                Crossed::Note(note) => joined.note = joined.note.or(Some(note)),
                Crossed::Service(service) => joined.services.push(service),
                Crossed::Carried(carried) => joined.carried.push(carried),
                Crossed::Document(_) => {}
            }
        }
        let documents = group.iter().filter_map(|record| match record {
            Crossed::Document(document) => Some(document),
            _ => None,
        });
        let entries = documents.filter_map(|document| {
            let book = books.get(usize::try_from(document.book).ok()?)?;
            BookEntry::of(book, document, joined.note).filter(|_| book.left_out.is_none())
        });
        joined.entries = entries.collect();
        joined
    }
}

/// The values of the records of one access key.
pub(super) type CrossedGroup = Vec<Vec<u8>>;

/// What the records of a group say.
pub(super) fn decoded(group: &CrossedGroup) -> io::Result<Vec<Crossed<'_>>> {
    group.iter().map(|value| postcard::from_bytes(value).map_err(io::Error::other)).collect()
}

/// The sorted records, in groups of one access key.
pub(super) struct CrossedGroups {
    merged: Merged,
    next: Option<(Vec<u8>, Vec<u8>)>,
}

impl CrossedGroups {
    pub(super) fn of(merged: Merged) -> CrossedGroups {
        CrossedGroups { merged, next: None }
    }

    /// The next groups: at most so many, and none after so many bytes. None after the last one.
    pub(super) fn batch(&mut self, (groups, bytes): (usize, usize)) -> io::Result<Vec<CrossedGroup>> {
        let (mut batch, mut read) = (Vec::new(), 0);
        while batch.len() < groups && read < bytes {
            let Some(group) = self.next()? else { break };
            read += group.iter().map(Vec::len).sum::<usize>();
            batch.push(group);
        }
        Ok(batch)
    }

    fn next(&mut self) -> io::Result<Option<CrossedGroup>> {
        let first = match self.next.take() {
            Some(first) => Some(first),
            None => self.merged.next()?,
        };
        let Some((key, value)) = first else { return Ok(None) };
        let (mut bytes, mut group) = (value.len(), vec![value]);
        while let Some((next, value)) = self.merged.next()? {
            if next != key {
                self.next = Some((next, value));
                break;
            }
            bytes += value.len();
            if bytes <= MAX_JOINED_BYTES {
                group.push(value);
            }
        }
        Ok(Some(group))
    }
}

//! The files of a run, in order: each is opened when its turn comes, and an archive is read one entry at a time.

pub(super) mod archive;
pub(super) mod file_kind;
pub(super) mod folder;

use std::fs::{self, File};
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::thread;

use crate::law::nfe::OtherFile;
use archive::{Archive, FileLimits, Input, UnreadFile, fault, limited, read_head, reading_failed};
use file_kind::{FileKind, HEAD_BYTES, kind_of};
use folder::FolderFiles;

/// A file of a run, which is opened when its turn comes.
#[derive(Debug)]
pub struct NamedFile<'f> {
    pub name: String,
    /// False if the name says nothing of its kind: then the first bytes decide.
    pub is_named: bool,
    /// It was named as digital books: anything else is a fault.
    pub is_books: bool,
    pub content: Content<'f>,
}

/// Where the bytes of a file come from.
#[derive(Debug)]
pub enum Content<'f> {
    Path(PathBuf),
    Bytes(&'f [u8]),
    /// A temporary file with what came through a pipe.
    Spooled(File),
    /// The files below a directory.
    Folder(FolderFiles),
    /// It was found before the run that the file is not read.
    Unread(UnreadFile),
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

type OpenArchive<'f> = Archive<Box<dyn ReadSeek + 'f>>;

enum Opened<'f> {
    Document(Box<dyn Read + 'f>),
    Archive(OpenArchive<'f>),
    Books(Box<dyn Read + 'f>, OtherFile),
}

/// The files that a run has not read yet.
pub struct Inputs<'f> {
    files: &'f [NamedFile<'f>],
    /// `expanded` is what all further archives together may expand to.
    limits: FileLimits,
    /// The next one of `files`.
    next: usize,
    begun: usize,
    /// The directory that is being read, and the place in it.
    folder: Option<(&'f FolderFiles, usize)>,
    archive: Option<OpenArchive<'f>>,
    /// Files and entries that were passed, without those of the open archive.
    passed: usize,
}

impl<'f> Inputs<'f> {
    /// The files from the first one.
    pub fn of(files: &'f [NamedFile<'f>], limits: FileLimits) -> Inputs<'f> {
        Inputs { files, limits, next: 0, begun: 0, folder: None, archive: None, passed: 0 }
    }

    /// How many files were begun; an archive is one.
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// How many files were passed; the entries of an archive count one by one.
    pub fn passed(&self) -> usize {
        self.passed + self.archive.as_ref().map_or(0, Archive::passed)
    }

    /// How many files there are in all, counted as [`passed`](Self::passed) counts them. Opens each.
    pub fn total(files: &[NamedFile<'_>], limits: FileLimits) -> usize {
        let of_file = |file: &NamedFile<'_>| match file.open(limits) {
            Ok(Opened::Archive(archive)) => archive.entries(),
            Ok(Opened::Document(_) | Opened::Books(..)) | Err(_) => file.count(),
        };
        files.iter().map(of_file).sum()
    }

    /// The next files: at most so many, and none after so many bytes. `None` after the last one.
    pub fn next_batch(&mut self, (files, bytes): (usize, usize)) -> Option<Vec<Input>> {
        let (mut batch, mut read) = (Vec::new(), 0);
        while batch.len() < files && read < bytes {
            let Some(input) = self.next_input() else { break };
            read += input.bytes.as_ref().map_or(0, Vec::len);
            batch.push(input);
        }
        (!batch.is_empty()).then_some(batch)
    }

    /// Does `work`, and gives the next files. If a batch has several, they are read meanwhile: to open a file takes longer
    /// than to search it.
    pub fn next_beside<E>(
        &mut self,
        most: (usize, usize),
        work: impl FnOnce() -> Result<(), E>,
    ) -> Result<Option<Vec<Input>>, E> {
        let is_read = self.archive.is_none() && self.folder.is_none() && self.next == self.files.len();
        if most.0 == 1 || is_read {
            work()?;
            return Ok(self.next_batch(most));
        }
        thread::scope(|scope| {
            let reading = scope.spawn(|| self.next_batch(most));
            work()?;
            Ok(reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn next_input(&mut self) -> Option<Input> {
        loop {
            if let Some(archive) = &mut self.archive {
                if let Some(entry) = archive.next_entry() {
                    return Some(entry);
                }
                self.passed += archive.entries();
                self.limits.expanded = self.limits.expanded.saturating_sub(archive.expanded());
                self.archive = None;
            }
            let input = if let Some(path) = self.next_of_folder() {
                let file = NamedFile::on_disk(path.clone());
                let opened = on_disk(&path).and_then(|reader| file.opened(reader, self.limits));
                self.input(&file, opened)
            } else {
                let file = self.files.get(self.next)?;
                self.next += 1;
                if let Content::Folder(folder) = &file.content {
                    self.folder = Some((folder, 0));
                    continue;
                }
                self.input(file, file.open(self.limits))
            };
            if input.is_some() {
                return input;
            }
        }
    }

    fn next_of_folder(&mut self) -> Option<PathBuf> {
        let (folder, place) = self.folder.as_mut()?;
        let path = folder.path_at(place);
        if path.is_none() {
            self.folder = None;
        }
        path
    }

    /// Reads a file; `None` if it is an archive, which is open now.
    fn input(&mut self, file: &NamedFile<'_>, opened: Result<Opened<'f>, UnreadFile>) -> Option<Input> {
        self.begun += 1;
        let bytes = match opened {
            Ok(Opened::Archive(archive)) => {
                self.archive = Some(archive);
                return None;
            }
            Ok(Opened::Document(document)) => limited(document, self.limits.xml).map_err(UnreadFile::from),
            Ok(Opened::Books(books, other)) if self.limits.with_books => {
                self.passed += 1;
                return Some(file.books(books, self.limits.expanded, other));
            }
            Ok(Opened::Books(_, other)) => Err(other.into()),
            Err(unread) => Err(unread),
        };
        self.passed += 1;
        Some(Input { name: file.name.clone(), bytes, books: None })
    }
}

impl<'f> NamedFile<'f> {
    /// A file with a name, whose bytes are in memory.
    pub fn in_memory(name: &str, bytes: &'f [u8]) -> NamedFile<'f> {
        NamedFile { name: name.to_owned(), is_named: true, is_books: false, content: Content::Bytes(bytes) }
    }

    /// How many files it is: a directory has several, or none.
    pub fn count(&self) -> usize {
        if let Content::Folder(folder) = &self.content { folder.count() } else { 1 }
    }
}

/// Opens a file on disk.
fn on_disk(path: &Path) -> Result<Box<dyn ReadSeek>, UnreadFile> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // Opening a pipe would wait for its writer.
        let detail = "não é um arquivo comum (um pipe, por exemplo): passe o XML ou o ZIP";
        return Err(fault("arquivo_ilegivel", detail.to_owned()).into());
    }
    Ok(Box::new(BufReader::new(File::open(path).map_err(|e| reading_failed(&e))?)))
}

impl NamedFile<'_> {
    /// A file that is opened by its path.
    pub fn on_disk(path: PathBuf) -> NamedFile<'static> {
        NamedFile { name: path.display().to_string(), is_named: true, is_books: false, content: Content::Path(path) }
    }

    fn open(&self, limits: FileLimits) -> Result<Opened<'_>, UnreadFile> {
        let reader: Box<dyn ReadSeek> = match &self.content {
            Content::Path(path) => on_disk(path)?,
            Content::Bytes(bytes) => Box::new(Cursor::new(bytes)),
            Content::Spooled(file) => {
                let mut file: &File = file;
                file.rewind().map_err(|e| reading_failed(&e))?;
                Box::new(BufReader::new(file))
            }
            Content::Folder(_) => return Err(fault("arquivo_ilegivel", "é uma pasta".to_owned()).into()),
            Content::Unread(unread) => return Err(unread.clone()),
        };
        self.opened(reader, limits)
    }

    /// Looks at the first bytes of the file, which the reader has.
    fn opened<'r>(&self, mut reader: Box<dyn ReadSeek + 'r>, limits: FileLimits) -> Result<Opened<'r>, UnreadFile> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        read_head(&mut reader, &mut head)?;
        match kind_of(if self.is_named { &self.name } else { "" }, &head) {
            FileKind::Efd(other) => Ok(Opened::Books(Box::new(Cursor::new(head).chain(reader)), other)),
            _ if self.is_books => {
                let detail = "não é uma EFD ICMS/IPI nem uma EFD-Contribuições: a primeira linha não é o registro 0000";
                Err(fault("escrituracao_ilegivel", detail.to_owned()).into())
            }
            FileKind::Xml => Ok(Opened::Document(Box::new(Cursor::new(head).chain(reader)))),
            FileKind::Zip => Ok(Opened::Archive(Archive::open(self.name.clone(), reader, limits)?)),
            FileKind::Other(other) => Err(other.into()),
        }
    }

    /// The digital books that the file is: itself if it is on disk, or else a copy on disk.
    fn books(&self, books: impl Read, most: u64, other: OtherFile) -> Input {
        match &self.content {
            Content::Path(path) => match File::open(path) {
                Ok(file) => Input { name: self.name.clone(), bytes: Err(other.into()), books: Some(file) },
                Err(error) => Input::unread(self.name.clone(), reading_failed(&error)),
            },
            _ => Input::books(self.name.clone(), books, most, other).1,
        }
    }
}

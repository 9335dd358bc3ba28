//! The files of an audit: XML, and archives of them, read one entry at a time.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use super::file_kind::{FileKind, HEAD_BYTES, hidden_files, is_hidden, kind_of};
use crate::law::nfe::{OtherFile, XmlFault, XmlLimits};

/// What precedes each entry in the directory of a ZIP.
const ENTRY_MAGIC: &[u8] = b"PK\x01\x02";
/// Bytes of an archive that are looked at together.
const CHUNK_BYTES: u64 = 64 * 1024;

/// What the files of an audit may have at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    pub xml: XmlLimits,
    pub entries: usize,
    /// Bytes of all entries of an archive, expanded.
    pub expanded: u64,
    /// Bytes of an archive in another, which is copied to a temporary file.
    pub inner: u64,
    /// The digital books are opened, to be read; else they are only named.
    pub with_books: bool,
}

impl Default for FileLimits {
    /// Those of the command line, whose files are its user's own.
    fn default() -> Self {
        FileLimits {
            xml: XmlLimits::default(),
            entries: 1_000_000,
            expanded: u64::MAX,
            inner: 1 << 30,
            with_books: false,
        }
    }
}

/// A file, or an entry of an archive.
#[derive(Debug)]
pub struct Input {
    /// Its path, and for an entry its name in the archive.
    pub name: String,
    /// Its bytes, or why it has none.
    pub bytes: Result<Vec<u8>, UnreadFile>,
    /// The digital books that the file is, if the run reads them now.
    pub books: Option<File>,
}

/// Why the bytes of a file are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadFile {
    Fault(XmlFault),
    Other(OtherFile),
}

impl From<XmlFault> for UnreadFile {
    fn from(fault: XmlFault) -> UnreadFile {
        UnreadFile::Fault(fault)
    }
}

impl From<OtherFile> for UnreadFile {
    fn from(other: OtherFile) -> UnreadFile {
        UnreadFile::Other(other)
    }
}

/// An archive in another.
type InnerArchive = Archive<BufReader<File>>;

pub struct Archive<R> {
    path: String,
    zip: ZipArchive<R>,
    limits: FileLimits,
    next: usize,
    /// The archive in it that is being read.
    inner: Option<Box<InnerArchive>>,
    /// It is an archive in another, and none in it is opened.
    is_inner: bool,
    expanded: u64,
    /// Files that were passed over and are only counted.
    hidden: u64,
    /// No file was found so far.
    is_barren: bool,
}

pub(crate) fn fault(codigo: &'static str, detail: String) -> XmlFault {
    XmlFault { line: 1, codigo, detail }
}

fn too_many_entries(limits: FileLimits) -> XmlFault {
    fault("zip_grande_demais", format!("o ZIP tem mais de {} arquivos; divida-o", limits.entries))
}

/// The fault of a file whose reading failed.
pub fn reading_failed(error: &io::Error) -> XmlFault {
    fault("arquivo_ilegivel", format!("a leitura falhou ({error})"))
}

/// Room for the bytes of a document of few items.
const USUAL_BYTES: usize = 8 * 1024;

/// Reads to the end, at most one byte more than a document may have: that byte makes it refused as too large.
pub(super) fn limited(reader: impl Read, limits: XmlLimits) -> Result<Vec<u8>, XmlFault> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    let most = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    match reader.take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(reading_failed(&error)),
    }
}

/// Reads the first bytes of a file, which [`kind_of`] takes.
pub fn read_head(file: &mut impl Read, head: &mut Vec<u8>) -> Result<(), XmlFault> {
    let most = u64::try_from(HEAD_BYTES).unwrap_or(u64::MAX);
    file.take(most).read_to_end(head).map(|_| ()).map_err(|error| reading_failed(&error))
}

impl<R: Read + Seek> Archive<R> {
    /// Opens an archive, whose entries are named below `path`. Fails if it is not whole, or has too many entries.
    pub fn open(path: String, source: R, limits: FileLimits) -> Result<Archive<R>, XmlFault> {
        let zip = ZipArchive::new(source).map_err(|e| fault("zip_invalido", format!("não é um ZIP inteiro ({e})")))?;
        if zip.len() > limits.entries {
            return Err(too_many_entries(limits));
        }
        Ok(Archive {
            path,
            zip,
            limits,
            next: 0,
            inner: None,
            is_inner: false,
            expanded: 0,
            hidden: 0,
            is_barren: true,
        })
    }

    /// How many entries it has, of whatever kind.
    pub fn entries(&self) -> usize {
        self.zip.len()
    }

    pub fn passed(&self) -> usize {
        self.next
    }

    /// Bytes of the entries that were read, expanded.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// The next file of the archive: a document, or why it is not read. Hidden files have one line in the end, and so has
    /// an archive without a file.
    pub fn next_entry(&mut self) -> Option<Input> {
        let found = self.next_file();
        if found.is_some() {
            self.is_barren = false;
            return found;
        }
        let hidden = std::mem::take(&mut self.hidden);
        let unread = if hidden > 0 {
            self.is_barren = false;
            UnreadFile::from(hidden_files(hidden))
        } else if std::mem::take(&mut self.is_barren) {
            UnreadFile::from(fault("zip_sem_documento", "o ZIP não tem nenhum arquivo".to_owned()))
        } else {
            return None;
        };
        Some(Input::unread(self.path.clone(), unread))
    }

    fn next_file(&mut self) -> Option<Input> {
        loop {
            if let Some(found) = self.next_of_inner() {
                return Some(found);
            }
            let index = Some(self.next).filter(|index| *index < self.zip.len())?;
            self.next += 1;
            if let Some(found) = self.file(index) {
                return Some(found);
            }
        }
    }

    /// The next file of the archive in it that is being read.
    fn next_of_inner(&mut self) -> Option<Input> {
        let inner = self.inner.as_mut()?;
        let found = inner.next_entry();
        if found.is_none() {
            self.expanded = self.expanded.saturating_add(inner.expanded());
            self.inner = None;
        }
        found
    }

    /// The file at a place of the directory; `None` if there is none, or it is an archive that is open now.
    fn file(&mut self, index: usize) -> Option<Input> {
        let path = &self.path;
        let unread = |name: String, codigo, detail| Some(Input::unread(name, fault(codigo, detail)));
        if self.expanded > self.limits.expanded {
            self.next = self.zip.len();
            let most = self.limits.expanded / (1024 * 1024);
            let detail = format!("o ZIP passa de {most} MiB depois de aberto: daqui em diante não foi lido");
            return unread(path.clone(), "zip_grande_demais", detail);
        }
        let mut entry = match self.zip.by_index(index) {
            Ok(entry) => entry,
            Err(error) => return unread(format!("{path}/{index}"), "zip_invalido", why_unopened(&error)),
        };
        let inner = entry.name().map_or_else(|_| index.to_string(), std::borrow::Cow::into_owned);
        if entry.is_dir() {
            return None;
        }
        if is_hidden(&inner) {
            self.hidden += 1;
            return None;
        }
        let name = format!("{path}/{inner}");
        let mut head = Vec::new();
        if let Err(fault) = read_head(&mut entry, &mut head) {
            return Some(Input::unread(name, fault));
        }
        let left = FileLimits { expanded: self.limits.expanded.saturating_sub(self.expanded), ..self.limits };
        let bytes = match kind_of(&inner, &head) {
            // The limit is on what is expanded, not on the size that the archive claims.
            FileKind::Xml => limited(head.as_slice().chain(entry), self.limits.xml).map_err(UnreadFile::from),
            FileKind::Zip if self.is_inner => {
                let detail = "é um ZIP dentro de outro, que também está em um: extraia-o antes";
                Err(fault("zip_em_zip", detail.to_owned()).into())
            }
            FileKind::Zip => {
                let (copied, opened) = open_inner(&name, head.as_slice().chain(entry), left);
                self.expanded = self.expanded.saturating_add(copied);
                match opened {
                    Ok(inner) => {
                        self.inner = Some(Box::new(inner));
                        return None;
                    }
                    Err(fault) => Err(fault.into()),
                }
            }
            FileKind::Efd(other) if self.limits.with_books => {
                let (copied, input) = Input::books(name, head.as_slice().chain(entry), left.expanded, other);
                self.expanded = self.expanded.saturating_add(copied);
                return Some(input);
            }
            FileKind::Efd(other) | FileKind::Other(other) => Err(other.into()),
        };
        let read = bytes.as_ref().map_or(head.len(), Vec::len);
        self.expanded += u64::try_from(read).unwrap_or(u64::MAX);
        Some(Input { name, bytes, books: None })
    }
}

fn why_unopened(error: &ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => "o ZIP tem senha: extraia-o antes".to_owned(),
        error => format!("um arquivo do ZIP não pode ser lido ({error})"),
    }
}

impl Input {
    pub(super) fn unread(name: String, why: impl Into<UnreadFile>) -> Input {
        Input { name, bytes: Err(why.into()), books: None }
    }

    /// Digital books, copied to a temporary file: they are read line by line, and may be larger than the memory. Returns
    /// the bytes that were copied, too.
    pub(super) fn books(name: String, books: impl Read, most: u64, other: OtherFile) -> (u64, Input) {
        match copied(books, most) {
            Ok((file, length)) if length <= most => {
                (length, Input { name, bytes: Err(other.into()), books: Some(file) })
            }
            Ok((_, length)) => {
                let detail = format!("a escrituração passa de {} MiB", most / (1024 * 1024));
                (length, Input::unread(name, fault("arquivo_grande_demais", detail)))
            }
            Err(error) => (most, Input::unread(name, reading_failed(&error))),
        }
    }
}

/// Copies to a temporary file at most one byte more than `most`, and goes back to its start.
fn copied(from: impl Read, most: u64) -> io::Result<(File, u64)> {
    let mut file = tempfile::tempfile()?;
    let length = io::copy(&mut from.take(most.saturating_add(1)), &mut file)?;
    file.rewind()?;
    Ok((file, length))
}

/// How many entries an archive may have, by what begins each of them.
fn entries(archive: &mut (impl Read + Seek)) -> io::Result<usize> {
    let (mut chunk, mut found) = (Vec::new(), 0);
    loop {
        // The end of a chunk may be the beginning of an entry.
        chunk.drain(..chunk.len().saturating_sub(ENTRY_MAGIC.len() - 1));
        if archive.take(CHUNK_BYTES).read_to_end(&mut chunk)? == 0 {
            archive.rewind()?;
            return Ok(found);
        }
        found += chunk.windows(ENTRY_MAGIC.len()).filter(|window| *window == ENTRY_MAGIC).count();
    }
}

/// Fails if an archive has too many entries: its directory is in memory while it is read, so they are counted first.
pub(in crate::features::audit) fn check_entries(
    archive: &mut (impl Read + Seek),
    limits: FileLimits,
) -> Result<(), XmlFault> {
    match entries(archive) {
        Ok(found) if found > limits.entries => Err(too_many_entries(limits)),
        Ok(_) => Ok(()),
        Err(error) => Err(reading_failed(&error)),
    }
}

/// Copies an archive that is in another to a temporary file, and opens it: its directory is at its end. Returns the bytes
/// that were copied, whether it opens or not.
fn open_inner(path: &str, archive: impl Read, limits: FileLimits) -> (u64, Result<InnerArchive, XmlFault>) {
    let most = limits.expanded.min(limits.inner);
    let (mut file, length) = match copied(archive, most) {
        Ok((file, length)) => (BufReader::new(file), length),
        // How much of it there was is not known.
        Err(error) => return (most, Err(reading_failed(&error))),
    };
    if length > most {
        let most = most / (1024 * 1024);
        let detail = format!("é um ZIP dentro de outro, e passa de {most} MiB: extraia-o antes");
        return (length, Err(fault("zip_grande_demais", detail)));
    }
    let open = || {
        check_entries(&mut file, limits)?;
        Ok(Archive { is_inner: true, ..Archive::open(path.to_owned(), file, limits)? })
    };
    (length, open())
}

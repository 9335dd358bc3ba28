//! The files of an audit: XML, and archives of them, read one entry at a time.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use super::kinds::{FileKind, HEAD_BYTES, hidden_files, is_hidden, kind_of};
use crate::law::nfe::{OtherFile, XmlFault, XmlLimits};

/// What the files of an audit may have at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    pub xml: XmlLimits,
    pub entries: usize,
    /// Bytes of all entries of an archive, expanded.
    pub expanded: u64,
}

impl Default for FileLimits {
    /// Those of the command line, whose files are its user's own.
    fn default() -> Self {
        FileLimits { xml: XmlLimits::default(), entries: 1_000_000, expanded: u64::MAX }
    }
}

/// A file, or an entry of an archive.
#[derive(Debug)]
pub struct Input {
    /// Its path, and for an entry its name in the archive.
    pub name: String,
    /// Its bytes, or why it has none.
    pub bytes: Result<Vec<u8>, UnreadFile>,
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

pub struct Archive<R> {
    path: String,
    zip: ZipArchive<R>,
    limits: FileLimits,
    next: usize,
    expanded: u64,
    /// Files that were passed over and are only counted.
    hidden: u64,
    /// No file was found so far.
    is_barren: bool,
}

pub(crate) fn fault(codigo: &'static str, detail: String) -> XmlFault {
    XmlFault { line: 1, codigo, detail }
}

/// The fault of a file whose reading failed.
#[must_use]
pub fn reading_failed(error: &io::Error) -> XmlFault {
    fault("arquivo_ilegivel", format!("a leitura falhou ({error})"))
}

/// Reads to the end, at most one byte more than a document may have: that byte makes it refused as too large.
pub(super) fn limited(reader: impl Read, limits: XmlLimits) -> Result<Vec<u8>, XmlFault> {
    let mut bytes = Vec::new();
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
            let detail = format!("o ZIP tem mais de {} arquivos", limits.entries);
            return Err(fault("zip_grande_demais", detail));
        }
        Ok(Archive { path, zip, limits, next: 0, expanded: 0, hidden: 0, is_barren: true })
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
        Some(Input { name: self.path.clone(), bytes: Err(unread) })
    }

    fn next_file(&mut self) -> Option<Input> {
        while self.next < self.zip.len() {
            let index = self.next;
            self.next += 1;
            let path = &self.path;
            let unread = |name: String, codigo, detail| Some(Input { name, bytes: Err(fault(codigo, detail).into()) });
            if self.expanded > self.limits.expanded {
                self.next = self.zip.len();
                let most = self.limits.expanded / (1024 * 1024);
                let detail = format!("o ZIP passa de {most} MiB depois de aberto: daqui em diante não foi lido");
                return unread(path.clone(), "zip_grande_demais", detail);
            }
            let mut entry = match self.zip.by_index(index) {
                Ok(entry) => entry,
                Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                    let detail = "o ZIP tem senha: extraia-o antes".to_owned();
                    return unread(format!("{path}/{index}"), "zip_invalido", detail);
                }
                Err(error) => {
                    let detail = format!("um arquivo do ZIP não pode ser lido ({error})");
                    return unread(format!("{path}/{index}"), "zip_invalido", detail);
                }
            };
            let inner = entry.name().map_or_else(|_| index.to_string(), std::borrow::Cow::into_owned);
            if entry.is_dir() {
                continue;
            }
            if is_hidden(&inner) {
                self.hidden += 1;
                continue;
            }
            let name = format!("{path}/{inner}");
            let mut head = Vec::new();
            if let Err(fault) = read_head(&mut entry, &mut head) {
                return Some(Input { name, bytes: Err(fault.into()) });
            }
            let bytes = match kind_of(&inner, &head) {
                // The limit is on what is expanded, not on the size that the archive claims.
                FileKind::Xml => limited(head.as_slice().chain(entry), self.limits.xml).map_err(UnreadFile::from),
                FileKind::Zip => {
                    Err(fault("zip_em_zip", "é um ZIP dentro de outro: extraia-o antes".to_owned()).into())
                }
                FileKind::Other(other) => Err(other.into()),
            };
            let read = bytes.as_ref().map_or(head.len(), Vec::len);
            self.expanded += u64::try_from(read).unwrap_or(u64::MAX);
            return Some(Input { name, bytes });
        }
        None
    }
}

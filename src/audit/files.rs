//! The files of an audit: XML, and archives of them, read one entry at a time.

use std::io::{self, Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::nfe::{XmlFault, XmlLimits};

/// First bytes of a ZIP: of its first entry, or of its end if it has none.
const ZIP_MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// True for the first bytes of a ZIP.
#[must_use]
pub fn is_zip(bytes: &[u8]) -> bool {
    ZIP_MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// What the files of an audit may have at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Each XML.
    pub xml: XmlLimits,
    /// Entries of an archive.
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
    pub bytes: Result<Vec<u8>, XmlFault>,
}

/// An archive that is being read.
pub struct Archive<R> {
    path: String,
    zip: ZipArchive<R>,
    limits: FileLimits,
    next: usize,
    expanded: u64,
    /// No document and no fault was found so far.
    is_barren: bool,
}

fn fault(codigo: &'static str, detail: String) -> XmlFault {
    XmlFault { line: 1, codigo, detail }
}

/// The fault of a file whose reading failed.
#[must_use]
pub fn reading_failed(error: &io::Error) -> XmlFault {
    fault("arquivo_ilegivel", format!("a leitura falhou ({error})"))
}

/// Reads to the end, at most one byte more than a document may have: that byte makes it refused as too large.
pub fn limited(reader: impl Read, limits: XmlLimits) -> Result<Vec<u8>, XmlFault> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    match reader.take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(reading_failed(&error)),
    }
}

impl<R: Read + Seek> Archive<R> {
    /// Opens an archive, whose entries are named below `path`. Fails if it is not whole, or has too many entries.
    pub fn open(path: String, source: R, limits: FileLimits) -> Result<Archive<R>, XmlFault> {
        let zip = ZipArchive::new(source).map_err(|e| fault("zip_invalido", format!("não é um ZIP inteiro ({e})")))?;
        if zip.len() > limits.entries {
            let detail = format!("o ZIP tem mais de {} arquivos", limits.entries);
            return Err(fault("zip_grande_demais", detail));
        }
        Ok(Archive { path, zip, limits, next: 0, expanded: 0, is_barren: true })
    }

    /// How many entries it has, of whatever kind.
    pub fn entries(&self) -> usize {
        self.zip.len()
    }

    /// How many of them were passed.
    pub fn passed(&self) -> usize {
        self.next
    }

    /// Bytes of the entries that were read, expanded.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// The next document of the archive. Other files in it are skipped; an archive inside is reported, and that there is
    /// no document at all.
    pub fn next_entry(&mut self) -> Option<Input> {
        let found = self.next_document();
        if found.is_none() && std::mem::take(&mut self.is_barren) {
            let bytes = Err(fault("zip_sem_documento", "o ZIP não tem nenhum arquivo .xml".to_owned()));
            return Some(Input { name: self.path.clone(), bytes });
        }
        self.is_barren = false;
        found
    }

    fn next_document(&mut self) -> Option<Input> {
        while self.next < self.zip.len() {
            let index = self.next;
            self.next += 1;
            let path = &self.path;
            if self.expanded > self.limits.expanded {
                self.next = self.zip.len();
                let most = self.limits.expanded / (1024 * 1024);
                let detail = format!("o ZIP passa de {most} MiB depois de aberto: daqui em diante não foi lido");
                return Some(Input { name: path.clone(), bytes: Err(fault("zip_grande_demais", detail)) });
            }
            let entry = match self.zip.by_index(index) {
                Ok(entry) => entry,
                Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                    let bytes = Err(fault("zip_invalido", "o ZIP tem senha: extraia-o antes".to_owned()));
                    return Some(Input { name: format!("{path}/{index}"), bytes });
                }
                Err(error) => {
                    let bytes = Err(fault("zip_invalido", format!("um arquivo do ZIP não pode ser lido ({error})")));
                    return Some(Input { name: format!("{path}/{index}"), bytes });
                }
            };
            let inner = entry.name().map_or_else(|_| index.to_string(), std::borrow::Cow::into_owned);
            let name = format!("{path}/{inner}");
            let ends = |ending: &str| {
                inner.get(inner.len().saturating_sub(4)..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
            };
            if ends(".xml") {
                // The limit is on what is expanded, not on the size that the archive claims.
                let bytes = limited(entry, self.limits.xml);
                self.expanded += bytes.as_ref().map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX));
                return Some(Input { name, bytes });
            }
            if ends(".zip") {
                let bytes = Err(fault("zip_em_zip", "é um ZIP dentro de outro: extraia-o antes".to_owned()));
                return Some(Input { name, bytes });
            }
        }
        None
    }
}

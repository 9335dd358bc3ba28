//! The files of an audit, in order and in batches that fit in memory.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use crate::admin::AdminError;
use crate::cli::files::cannot_read;
use crate::nfe::{MAX_XML_BYTES, XmlFault};

/// Most files of a batch.
const BATCH_FILES: usize = 1_024;
/// Bytes after which a batch takes no further file.
const BATCH_BYTES: usize = 32 * 1024 * 1024;
/// Most bytes of stdin and of a pipe, which are kept in memory: a document has fewer, an archive may have as many.
const MAX_PIPED: u64 = 256 * 1024 * 1024;
/// Most entries of an archive.
const MAX_ENTRIES: usize = 1_000_000;
/// First bytes of a ZIP.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// A file, or an entry of an archive.
pub(super) struct Input {
    /// Its path, and for an entry its name in the archive.
    pub(super) name: String,
    /// Its bytes, or why it has none.
    pub(super) bytes: Result<Vec<u8>, XmlFault>,
}

/// What an archive is read from.
trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

type Archive = ZipArchive<Box<dyn ReadSeek>>;

/// An archive that is being read.
struct OpenArchive {
    path: String,
    archive: Archive,
    next: usize,
}

/// A file of the list.
#[derive(Clone)]
enum Listed {
    File(PathBuf),
    /// Stdin or a pipe, which can be read only once, with its bytes or why it has none.
    Piped(String, Result<Arc<[u8]>, XmlFault>),
}

/// The files to come.
pub(super) struct Inputs {
    listed: VecDeque<Listed>,
    total: usize,
    archive: Option<OpenArchive>,
}

impl Inputs {
    /// Lists the files under the paths. Fails if a path does not exist, or a directory has no document.
    pub(super) fn of(paths: &[PathBuf]) -> Result<Inputs, AdminError> {
        let mut listed = VecDeque::new();
        for path in paths {
            let name = path.display().to_string();
            if name == "-" {
                listed.push_back(Listed::Piped(name, piped(io::stdin().lock())));
                continue;
            }
            let metadata = fs::metadata(path).map_err(|e| cannot_read(path, &e))?;
            if !metadata.is_dir() {
                listed.push_back(if metadata.is_file() {
                    Listed::File(path.clone())
                } else {
                    let bytes = File::open(path).map_err(unreadable).and_then(piped);
                    Listed::Piped(name, bytes)
                });
                continue;
            }
            let before = listed.len();
            collect(path, &mut listed)?;
            if listed.len() == before {
                return Err(AdminError::new(format!("{} has no *.xml or *.zip file", path.display())));
            }
        }
        Ok(Inputs { total: listed.len(), listed, archive: None })
    }

    /// The same files from the beginning. Call it before the first one is taken.
    pub(super) fn again(&self) -> Inputs {
        Inputs { listed: self.listed.clone(), total: self.total, archive: None }
    }

    /// How many files were listed; an archive is one.
    pub(super) fn total(&self) -> u64 {
        u64::try_from(self.total).unwrap_or(u64::MAX)
    }

    /// How many of them were begun.
    pub(super) fn taken(&self) -> u64 {
        u64::try_from(self.total - self.listed.len()).unwrap_or(u64::MAX)
    }

    /// The next files; `None` after the last one.
    pub(super) fn next_batch(&mut self) -> Option<Vec<Input>> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH_FILES && bytes < BATCH_BYTES {
            let Some(input) = self.next_input() else { break };
            bytes += input.bytes.as_ref().map_or(0, Vec::len);
            batch.push(input);
        }
        (!batch.is_empty()).then_some(batch)
    }

    fn next_input(&mut self) -> Option<Input> {
        loop {
            if let Some(archive) = &mut self.archive {
                if let Some(entry) = archive.next_entry() {
                    return Some(entry);
                }
                self.archive = None;
            }
            let (name, opened) = match self.listed.pop_front()? {
                Listed::File(path) => (path.display().to_string(), open(&path)),
                Listed::Piped(name, bytes) => (name, bytes.and_then(open_piped)),
            };
            match opened {
                Ok(Opened::Document(bytes)) => return Some(Input { name, bytes: Ok(bytes) }),
                Ok(Opened::Archive(archive)) => {
                    self.archive = Some(OpenArchive { path: name, archive, next: 0 });
                }
                Err(fault) => return Some(Input { name, bytes: Err(fault) }),
            }
        }
    }
}

/// Adds the documents and archives below a directory, in order of their names.
fn collect(dir: &Path, listed: &mut VecDeque<Listed>) -> Result<(), AdminError> {
    let entries = || fs::read_dir(dir)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<PathBuf>>>();
    let mut entries = entries().map_err(|e| cannot_read(dir, &e))?;
    entries.sort();
    for entry in entries {
        // Links to directories are not followed: they may form a circle.
        if entry.is_dir() && !entry.is_symlink() {
            collect(&entry, listed)?;
        } else if entry.is_file()
            && entry.extension().is_some_and(|e| e.eq_ignore_ascii_case("xml") || e.eq_ignore_ascii_case("zip"))
        {
            listed.push_back(Listed::File(entry));
        }
    }
    Ok(())
}

fn fault(codigo: &'static str, detail: String) -> XmlFault {
    XmlFault { line: 1, codigo, detail }
}

/// Reads to the end, at most one byte more than a document may have: that byte makes it refused as too large.
fn limited(reader: impl Read) -> Result<Vec<u8>, XmlFault> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_XML_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    match reader.take(most).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(error)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form of an argument of map_err")]
fn unreadable(error: io::Error) -> XmlFault {
    fault("arquivo_ilegivel", format!("a leitura falhou ({error})"))
}

/// Reads stdin or a pipe to the end.
fn piped(reader: impl Read) -> Result<Arc<[u8]>, XmlFault> {
    let mut bytes = Vec::new();
    reader.take(MAX_PIPED + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > MAX_PIPED) {
        let detail = format!("passa do limite de {} MiB da entrada padrão", MAX_PIPED / (1024 * 1024));
        return Err(fault("arquivo_grande_demais", detail));
    }
    Ok(bytes.into())
}

enum Opened {
    Document(Vec<u8>),
    Archive(Archive),
}

fn open(path: &Path) -> Result<Opened, XmlFault> {
    let mut magic = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?;
    file.by_ref().take(4).read_to_end(&mut magic).map_err(unreadable)?;
    if magic != ZIP_MAGIC {
        return limited(magic.chain(file)).map(Opened::Document);
    }
    let file = File::open(path).map_err(unreadable)?;
    open_archive(Box::new(BufReader::new(file)))
}

fn open_piped(bytes: Arc<[u8]>) -> Result<Opened, XmlFault> {
    if bytes.starts_with(ZIP_MAGIC) {
        return open_archive(Box::new(Cursor::new(bytes)));
    }
    limited(&*bytes).map(Opened::Document)
}

fn open_archive(source: Box<dyn ReadSeek>) -> Result<Opened, XmlFault> {
    let archive = ZipArchive::new(source).map_err(|e| fault("zip_invalido", format!("não é um ZIP inteiro ({e})")))?;
    if archive.len() > MAX_ENTRIES {
        return Err(fault("zip_grande_demais", format!("o ZIP tem mais de {MAX_ENTRIES} arquivos")));
    }
    Ok(Opened::Archive(archive))
}

impl OpenArchive {
    /// The next document of the archive. Other files in it are skipped; an archive inside is reported.
    fn next_entry(&mut self) -> Option<Input> {
        while self.next < self.archive.len() {
            let index = self.next;
            self.next += 1;
            let path = &self.path;
            let entry = match self.archive.by_index(index) {
                Ok(entry) => entry,
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
                return Some(Input { name, bytes: limited(entry) });
            }
            if ends(".zip") {
                let bytes = Err(fault("zip_em_zip", "é um ZIP dentro de outro: extraia-o antes".to_owned()));
                return Some(Input { name, bytes });
            }
        }
        None
    }
}

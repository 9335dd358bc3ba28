//! The files of an audit, in order and in batches that fit in memory.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::admin::AdminError;
use crate::audit::{Archive, FileLimits, Input, is_zip, limited, reading_failed};
use crate::cli::files::{cannot_read, collect, has_extension};
use crate::nfe::{XmlFault, XmlLimits};

/// Most files of a batch.
const BATCH_FILES: usize = 256;
/// Bytes after which a batch takes no further file.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// Most bytes of stdin and of a pipe, which are kept in memory: a document has fewer, an archive may have as many.
const MAX_PIPED: u64 = 256 * 1024 * 1024;

/// What an archive is read from.
trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

type OpenArchive = Archive<Box<dyn ReadSeek>>;

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
                    let bytes = File::open(path).map_err(|e| reading_failed(&e)).and_then(piped);
                    Listed::Piped(name, bytes)
                });
                continue;
            }
            let mut found = Vec::new();
            // A link to nothing is listed, too: that it cannot be read is a line of the report.
            let is_input = |file: &Path| !file.is_dir() && has_extension(file, &["xml", "zip"]);
            collect(path, &is_input, &mut found)?;
            if found.is_empty() {
                return Err(AdminError::new(format!("{} has no *.xml or *.zip file", path.display())));
            }
            listed.extend(found.into_iter().map(Listed::File));
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
                Listed::Piped(name, bytes) => (name.clone(), bytes.and_then(|bytes| open_piped(name, bytes))),
            };
            match opened {
                Ok(Opened::Document(bytes)) => return Some(Input { name, bytes: Ok(bytes) }),
                Ok(Opened::Archive(archive)) => self.archive = Some(archive),
                Err(fault) => return Some(Input { name, bytes: Err(fault) }),
            }
        }
    }
}

fn fault(codigo: &'static str, detail: String) -> XmlFault {
    XmlFault { line: 1, codigo, detail }
}

/// Reads stdin or a pipe to the end.
fn piped(reader: impl Read) -> Result<Arc<[u8]>, XmlFault> {
    let mut bytes = Vec::new();
    reader.take(MAX_PIPED + 1).read_to_end(&mut bytes).map_err(|e| reading_failed(&e))?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > MAX_PIPED) {
        let detail = format!("passa do limite de {} MiB da entrada padrão", MAX_PIPED / (1024 * 1024));
        return Err(fault("arquivo_grande_demais", detail));
    }
    Ok(bytes.into())
}

enum Opened {
    Document(Vec<u8>),
    Archive(OpenArchive),
}

fn open(path: &Path) -> Result<Opened, XmlFault> {
    let mut magic = Vec::new();
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // Opening a pipe would wait for its writer.
        return Err(fault(
            "arquivo_ilegivel",
            "não é um arquivo comum (um pipe, por exemplo): passe o XML ou o ZIP".to_owned(),
        ));
    }
    let mut file = File::open(path).map_err(|e| reading_failed(&e))?;
    file.by_ref().take(4).read_to_end(&mut magic).map_err(|e| reading_failed(&e))?;
    if !is_zip(&magic) {
        return limited(magic.chain(file), XmlLimits::default()).map(Opened::Document);
    }
    let file = File::open(path).map_err(|e| reading_failed(&e))?;
    open_archive(path.display().to_string(), Box::new(BufReader::new(file)))
}

fn open_piped(name: String, bytes: Arc<[u8]>) -> Result<Opened, XmlFault> {
    if is_zip(&bytes) {
        return open_archive(name, Box::new(Cursor::new(bytes)));
    }
    limited(&*bytes, XmlLimits::default()).map(Opened::Document)
}

fn open_archive(path: String, source: Box<dyn ReadSeek>) -> Result<Opened, XmlFault> {
    Archive::open(path, source, FileLimits::default()).map(Opened::Archive)
}

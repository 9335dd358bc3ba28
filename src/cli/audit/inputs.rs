//! The files of an audit, in order and in batches that fit in memory.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::admin::AdminError;
use crate::audit::{
    Archive, FileKind, FileLimits, Input, UnreadFile, hidden_files, is_hidden, kind_of, limited, read_head,
    reading_failed,
};
use crate::cli::files::{cannot_read, collect};
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
    /// Hidden files of a folder, which are only counted.
    Hidden(PathBuf, u64),
}

/// The files to come.
pub(super) struct Inputs {
    listed: VecDeque<Listed>,
    total: usize,
    archive: Option<OpenArchive>,
}

impl Inputs {
    /// Lists the files under the paths, without `but`, which is not one of them though it may be in their folder. Fails if
    /// a path does not exist, or a directory has no file.
    pub(super) fn of(paths: &[PathBuf], but: Option<&Path>) -> Result<Inputs, AdminError> {
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
            let (mut found, hidden) = (Vec::new(), Cell::new(0));
            // A link to nothing is listed, too: that it cannot be read is a line of the report.
            let is_input = |file: &Path| {
                let below = file.strip_prefix(path).unwrap_or(file).to_string_lossy();
                let is_file = !file.is_dir() && !is_same(file, but);
                let is_hidden = is_file && is_hidden(&below);
                hidden.set(hidden.get() + u64::from(is_hidden));
                is_file && !is_hidden
            };
            collect(path, &is_input, &mut found)?;
            if found.is_empty() && hidden.get() == 0 {
                return Err(AdminError::new(format!("{} has no file", path.display())));
            }
            listed.extend(found.into_iter().map(Listed::File));
            if hidden.get() > 0 {
                listed.push_back(Listed::Hidden(path.clone(), hidden.get()));
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
                Listed::Piped(name, bytes) => {
                    (name.clone(), bytes.map_err(UnreadFile::from).and_then(|bytes| open_piped(name, bytes)))
                }
                Listed::Hidden(path, count) => (path.display().to_string(), Err(hidden_files(count).into())),
            };
            match opened {
                Ok(Opened::Document(bytes)) => return Some(Input { name, bytes: Ok(bytes) }),
                Ok(Opened::Archive(archive)) => self.archive = Some(archive),
                Err(unread) => return Some(Input { name, bytes: Err(unread) }),
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

fn open(path: &Path) -> Result<Opened, UnreadFile> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // Opening a pipe would wait for its writer.
        let detail = "não é um arquivo comum (um pipe, por exemplo): passe o XML ou o ZIP";
        return Err(fault("arquivo_ilegivel", detail.to_owned()).into());
    }
    let mut head = Vec::new();
    let mut file = File::open(path).map_err(|e| reading_failed(&e))?;
    read_head(&mut file, &mut head)?;
    match kind_of(&path.to_string_lossy(), &head) {
        FileKind::Xml => Ok(Opened::Document(limited(head.chain(file), XmlLimits::default())?)),
        FileKind::Zip => {
            let file = File::open(path).map_err(|e| reading_failed(&e))?;
            open_archive(path.display().to_string(), Box::new(BufReader::new(file)))
        }
        FileKind::Other(other) => Err(other.into()),
    }
}

fn open_piped(name: String, bytes: Arc<[u8]>) -> Result<Opened, UnreadFile> {
    // What comes through a pipe has no name of its own.
    match kind_of("", &bytes) {
        FileKind::Xml => Ok(Opened::Document(limited(&*bytes, XmlLimits::default())?)),
        FileKind::Zip => open_archive(name, Box::new(Cursor::new(bytes))),
        FileKind::Other(other) => Err(other.into()),
    }
}

fn open_archive(path: String, source: Box<dyn ReadSeek>) -> Result<Opened, UnreadFile> {
    Ok(Opened::Archive(Archive::open(path, source, FileLimits::default())?))
}

/// Whether both paths lead to one file.
fn is_same(file: &Path, other: Option<&Path>) -> bool {
    // Names are compared first: to resolve a path costs a call of the system for each of its parts.
    let same_name = other.is_some_and(|other| other.file_name() == file.file_name());
    same_name && other.and_then(|other| other.canonicalize().ok()) == file.canonicalize().ok()
}

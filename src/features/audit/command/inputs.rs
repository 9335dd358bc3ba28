//! The files of an audit, in order and in batches that fit in memory.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::files::{self, cannot_read, collect, spooled};
use crate::features::AdminError;
use crate::features::audit::{
    Archive, FileKind, FileLimits, Input, UnreadFile, hidden_files, is_hidden, kind_of, limited, read_head,
    reading_failed,
};
use crate::law::nfe::{XmlFault, XmlLimits};

/// Most files of a batch.
const BATCH_FILES: usize = 256;
/// Bytes after which a batch takes no further file.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
/// Most bytes of an archive on stdin or in a pipe.
const MAX_PIPED: u64 = 256 * 1024 * 1024;

/// What an archive is read from.
trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

type OpenArchive = Archive<Box<dyn ReadSeek>>;

#[derive(Clone)]
enum Listed {
    File(PathBuf),
    /// Stdin or a pipe, which can be read only once, with what it had or why it has nothing.
    Piped(String, Result<Piped, XmlFault>),
    /// Hidden files of a folder, which are only counted.
    Hidden(PathBuf, u64),
}

/// What was read of stdin or of a pipe.
#[derive(Clone)]
enum Piped {
    Document(Arc<[u8]>),
    /// A temporary file without a name.
    Archive(Arc<File>),
}

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
                let file = files::open(path)?;
                listed.push_back(if metadata.is_file() {
                    Listed::File(path.clone())
                } else {
                    Listed::Piped(name, piped(file))
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
                Listed::Piped(name, piped) => {
                    (name.clone(), piped.map_err(UnreadFile::from).and_then(|piped| open_piped(name, piped)))
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

/// Reads stdin or a pipe: an archive to its end, a document as far as one may go.
fn piped(mut reader: impl Read) -> Result<Piped, XmlFault> {
    let mut magic = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut magic).map_err(|e| reading_failed(&e))?;
    let is_archive = matches!(kind_of("", &magic), FileKind::Zip);
    let reader = magic.as_slice().chain(reader);
    if !is_archive {
        return Ok(Piped::Document(limited(reader, XmlLimits::default())?.into()));
    }
    match spooled(reader, MAX_PIPED) {
        Ok((file, _)) => Ok(Piped::Archive(Arc::new(file))),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let most = MAX_PIPED / (1024 * 1024);
            let detail = format!("passa do limite de {most} MiB da entrada padrão; salve-o como arquivo");
            Err(fault("arquivo_grande_demais", detail))
        }
        Err(error) => Err(reading_failed(&error)),
    }
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

fn open_piped(name: String, piped: Piped) -> Result<Opened, UnreadFile> {
    let bytes = match piped {
        Piped::Document(bytes) => bytes.to_vec(),
        Piped::Archive(mut file) => {
            file.rewind().map_err(|e| reading_failed(&e))?;
            return open_archive(name, Box::new(BufReader::new(file)));
        }
    };
    // What comes through a pipe has no name of its own.
    match kind_of("", &bytes) {
        FileKind::Other(other) if bytes.len() <= XmlLimits::default().bytes => Err(other.into()),
        // One that is too large is refused when it is read.
        _ => Ok(Opened::Document(bytes)),
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

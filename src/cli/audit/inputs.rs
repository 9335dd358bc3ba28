//! The files of an audit, in order and in batches that fit in memory.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::admin::AdminError;
use crate::cli::files::cannot_read;
use crate::nfe::{MAX_XML_BYTES, XmlFault};

/// Most files of a batch.
const BATCH_FILES: usize = 1_024;
/// Bytes after which a batch takes no further file.
const BATCH_BYTES: usize = 32 * 1024 * 1024;
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

/// An archive that is being read.
struct OpenArchive {
    path: String,
    archive: ZipArchive<BufReader<File>>,
    next: usize,
}

/// The files to come.
pub(super) struct Inputs {
    paths: VecDeque<PathBuf>,
    total: usize,
    archive: Option<OpenArchive>,
}

impl Inputs {
    /// Lists the files under the paths. Fails if a path does not exist, or a directory has no document.
    pub(super) fn of(paths: &[PathBuf]) -> Result<Inputs, AdminError> {
        let mut listed = VecDeque::new();
        for path in paths {
            if path.as_os_str() == "-" {
                listed.push_back(path.clone());
                continue;
            }
            if !fs::metadata(path).map_err(|e| cannot_read(path, &e))?.is_dir() {
                listed.push_back(path.clone());
                continue;
            }
            let before = listed.len();
            collect(path, &mut listed)?;
            if listed.len() == before {
                return Err(AdminError::new(format!("{} has no *.xml or *.zip file", path.display())));
            }
        }
        Ok(Inputs { total: listed.len(), paths: listed, archive: None })
    }

    /// How many files were listed; an archive is one.
    pub(super) fn total(&self) -> u64 {
        u64::try_from(self.total).unwrap_or(u64::MAX)
    }

    /// How many of them were begun.
    pub(super) fn taken(&self) -> u64 {
        u64::try_from(self.total - self.paths.len()).unwrap_or(u64::MAX)
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
            let path = self.paths.pop_front()?;
            let name = path.display().to_string();
            if path.as_os_str() == "-" {
                return Some(Input { name, bytes: limited(io::stdin().lock()) });
            }
            match open(&path) {
                Ok(Opened::Document(bytes)) => return Some(Input { name, bytes: Ok(bytes) }),
                Ok(Opened::Archive(archive)) => {
                    self.archive = Some(OpenArchive { path: name, archive: *archive, next: 0 });
                }
                Err(fault) => return Some(Input { name, bytes: Err(fault) }),
            }
        }
    }
}

/// Adds the documents and archives below a directory, in order of their names.
fn collect(dir: &Path, listed: &mut VecDeque<PathBuf>) -> Result<(), AdminError> {
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
            listed.push_back(entry);
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
        Err(error) => Err(fault("arquivo_ilegivel", format!("a leitura falhou ({error})"))),
    }
}

enum Opened {
    Document(Vec<u8>),
    Archive(Box<ZipArchive<BufReader<File>>>),
}

fn open(path: &Path) -> Result<Opened, XmlFault> {
    let unreadable = |error: io::Error| fault("arquivo_ilegivel", format!("a leitura falhou ({error})"));
    let mut magic = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?;
    file.by_ref().take(4).read_to_end(&mut magic).map_err(unreadable)?;
    if magic != ZIP_MAGIC {
        return limited(magic.chain(file)).map(Opened::Document);
    }
    let file = File::open(path).map_err(unreadable)?;
    let archive = ZipArchive::new(BufReader::new(file))
        .map_err(|e| fault("zip_invalido", format!("não é um ZIP inteiro ({e})")))?;
    if archive.len() > MAX_ENTRIES {
        return Err(fault("zip_grande_demais", format!("o ZIP tem mais de {MAX_ENTRIES} arquivos")));
    }
    Ok(Opened::Archive(Box::new(archive)))
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

//! Reading the files that the operator names.

use std::collections::HashSet;
use std::fs::{self, DirEntry, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

use crate::core::rulesets;
use crate::core::store::persist_new;
use crate::features::AdminError;
use crate::features::import::ImportFile;

/// Reads the bundle files under the paths, each with the signature beside it, and then the built-in ones if wanted.
pub(crate) fn read_bundles(paths: &[PathBuf], builtin: bool) -> Result<Vec<ImportFile>, AdminError> {
    let read = bundle_files(paths)?.into_iter().map(|path| read_bundle(&path));
    let built_in = builtin.then(rulesets::files).into_iter().flatten();
    read.chain(built_in.map(|(name, text)| Ok(ImportFile { name, text: text.to_owned(), signature: None }))).collect()
}

/// Returns the bundle files under the paths, in order of their names. A file that is reached twice is listed once.
pub(crate) fn bundle_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, AdminError> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = found.len();
            collect(path, &|file| file.extension().is_some_and(|e| e == "json"), &mut found)?;
            if found.len() == before {
                return Err(AdminError::new(format!("{} has no *.json file", path.display())));
            }
        } else {
            found.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    let mut files = Vec::with_capacity(found.len());
    for path in found {
        if seen.insert(fs::canonicalize(&path).map_err(|e| cannot_read(&path, &e))?) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Adds the wanted files below a directory, in order of their names.
pub(crate) fn collect(
    dir: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), AdminError> {
    // Links to directories are not followed: they may form a circle.
    let typed = |entry: DirEntry| (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let listed = || fs::read_dir(dir)?.map(|entry| entry.map(typed)).collect::<io::Result<Vec<(PathBuf, bool)>>>();
    let mut entries = listed().map_err(|e| cannot_read(dir, &e))?;
    entries.sort();
    for (entry, is_dir) in entries {
        if is_dir {
            collect(&entry, is_wanted, found)?;
        } else if is_wanted(&entry) {
            found.push(entry);
        }
    }
    Ok(())
}

fn read_bundle(path: &Path) -> Result<ImportFile, AdminError> {
    let bytes = read(path)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        AdminError::new(format!("{} is not UTF-8 (byte {})", path.display(), e.utf8_error().valid_up_to()))
    })?;
    let beside = with_suffix(path, ".sig");
    let signature = match fs::read_to_string(&beside) {
        Ok(signature) => Some(signature),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(cannot_read(&beside, &e)),
    };
    Ok(ImportFile { name: path.display().to_string(), text, signature })
}

/// True for a file whose name ends with one of these extensions, in any case.
pub(crate) fn has_extension(file: &Path, known: &[&str]) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    known.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Fails if the name is taken: what an operator has is not overwritten.
pub(crate) fn require_new(path: &Path) -> Result<(), AdminError> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let why = if path.exists() { "already exists" } else { "is a link to a file that does not exist" };
    Err(AdminError::new(format!("{} {why}; choose another name, or move it away first", path.display())))
}

/// A new file, which appears under its name once all of it is on the disk. Until then it has no name, so that nothing is
/// left of it however the process ends. On a file system without files of no name, its name ends with `.tmp`.
pub(super) struct NewFile {
    target: PathBuf,
    /// The name that the file has until then; `None` for a file without a name.
    staged: Option<PathBuf>,
    file: File,
}

impl NewFile {
    /// Begins the file on the disk of its place.
    pub(super) fn begin(target: &Path) -> io::Result<NewFile> {
        let dir = target.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let readable = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let unnamed = openat(CWD, dir, flags, readable).ok().map(File::from);
        // Such a file gets its name by its path below `/proc`.
        if let Some(file) = unnamed.filter(|file| fs::metadata(path_of(file)).is_ok()) {
            return Ok(NewFile { target: target.to_owned(), staged: None, file });
        }
        let staged = with_suffix(target, &format!(".{}.tmp", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&staged)?;
        Ok(NewFile { target: target.to_owned(), staged: Some(staged), file })
    }

    pub(super) fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives the file its name. Fails if a file has it.
    pub(super) fn persist(self) -> io::Result<()> {
        self.file.sync_all()?;
        match &self.staged {
            Some(staged) => persist_new(staged, &self.target),
            None => Ok(linkat(CWD, path_of(&self.file), CWD, &self.target, AtFlags::SYMLINK_FOLLOW)?),
        }
    }
}

fn path_of(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Fails for a file that has its name.
        let _ = self.staged.as_ref().map(fs::remove_file);
    }
}

/// Writes a file that must not exist.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), AdminError> {
    let written = NewFile::begin(path).and_then(|file| {
        file.writer()?.write_all(bytes)?;
        file.persist()
    });
    written.map_err(|e| cannot_write(path, &e))
}

/// Most bytes of a text that is read from a pipe or a device, which may never end.
const MAX_PIPED_TEXT: u64 = 16 * 1024 * 1024;

/// Reads a text in UTF-8, as [`read_small`] does.
pub(crate) fn read_text(path: &Path) -> Result<String, AdminError> {
    let not_utf8 = |_| cannot_read(path, &io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"));
    String::from_utf8(read_small(path)?).map_err(not_utf8)
}

pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>, AdminError> {
    let failed = |e| cannot_read(path, &e);
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    if file.metadata().map_err(failed)?.is_file() {
        file.read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes);
    }
    file.take(MAX_PIPED_TEXT + 1).read_to_end(&mut bytes).map_err(failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_PIPED_TEXT) {
        let most = MAX_PIPED_TEXT / (1024 * 1024);
        return Err(cannot_read(path, &io::Error::other(format!("a pipe has at most {most} MiB; save it as a file"))));
    }
    Ok(bytes)
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, AdminError> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|e| cannot_read(path, &e))?;
    Ok(bytes)
}

/// Opens a file that the operator names. A named pipe is refused: opening it would wait for its writer, perhaps for ever.
/// A pipe that the shell has opened (`/dev/stdin`, `<(...)`) has a writer already.
pub(crate) fn open(path: &Path) -> Result<File, AdminError> {
    if is_named_pipe(path) {
        let why = "it is a named pipe; pass its data on stdin, or save them as a file";
        return Err(cannot_read(path, &io::Error::other(why)));
    }
    File::open(path).map_err(|e| cannot_read(path, &e))
}

/// True for a named pipe, also behind a link.
pub(super) fn is_named_pipe(path: &Path) -> bool {
    // A pipe without a name has no path that could be followed to its end.
    let followed = fs::canonicalize(path).and_then(fs::symlink_metadata);
    followed.is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Copies what can be read only once to a temporary file without a name: an archive has its directory at the end. `most`
/// bounds its bytes. Returns the file at its beginning, and its length.
pub(crate) fn spooled(reader: impl Read, most: u64) -> io::Result<(File, u64)> {
    let mut file = tempfile::tempfile()?;
    let length = io::copy(&mut reader.take(most + 1), &mut file)?;
    if length > most {
        let most = most / (1024 * 1024);
        let why = format!("stdin and a pipe have at most {most} MiB; save the data as a file, and name it");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    file.rewind()?;
    Ok((file, length))
}

pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> AdminError {
    AdminError::new(format!("cannot read {}: {error}", path.display()))
}

/// The error of a file that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> AdminError {
    AdminError::new(format!("cannot write {}: {error}", path.display()))
}

/// Returns the path with a suffix after its whole name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

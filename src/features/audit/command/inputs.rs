//! The files of an audit that its command names.

use std::cell::Cell;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cli::files::{self, cannot_read, collect, spooled};
use crate::features::AdminError;
use crate::features::audit::{
    Content, FileKind, FolderFiles, NamedFile, UnreadFile, fault, hidden_files, is_hidden, kind_of, reading_failed,
};
use crate::law::nfe::{XmlFault, XmlLimits};

/// Most bytes of an archive or of digital books on stdin or in a pipe.
const MAX_PIPED: u64 = 256 * 1024 * 1024;
/// The first bytes of digital books.
const BOOKS_MAGIC: &[u8] = b"|000";

/// Lists the digital books, then the files under the paths, without `but`, which is not one of them though it may be in their folder. Fails if
/// a path does not exist, or a directory has no file.
pub(super) fn listed(
    paths: &[PathBuf],
    books: &[PathBuf],
    but: Option<&Path>,
) -> Result<Vec<NamedFile<'static>>, AdminError> {
    let mut listed = Vec::new();
    for path in books {
        files::open(path)?;
        listed.push(NamedFile { is_books: true, ..NamedFile::on_disk(path.clone()) });
    }
    for path in paths {
        let name = path.display().to_string();
        if name == "-" {
            listed.push(piped(name, io::stdin().lock()));
            continue;
        }
        let metadata = fs::metadata(path).map_err(|e| cannot_read(path, &e))?;
        if !metadata.is_dir() {
            let file = files::open(path)?;
            listed.push(if metadata.is_file() { NamedFile::on_disk(path.clone()) } else { piped(name, file) });
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
        let content = Content::Folder(FolderFiles::of(path, found));
        listed.push(NamedFile { name: name.clone(), is_named: true, is_books: false, content });
        if hidden.get() > 0 {
            let content = Content::Unread(hidden_files(hidden.get()).into());
            listed.push(NamedFile { name, is_named: true, is_books: false, content });
        }
    }
    Ok(listed)
}

/// A file that comes through stdin or a pipe, which can be read only once.
fn piped(name: String, reader: impl Read) -> NamedFile<'static> {
    let content = read_piped(reader).unwrap_or_else(|fault| Content::Unread(UnreadFile::from(fault)));
    NamedFile { name, is_named: false, is_books: false, content }
}

/// Reads an archive or digital books to the end, a document as far as one may go.
fn read_piped(mut reader: impl Read) -> Result<Content<'static>, XmlFault> {
    let mut magic = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut magic).map_err(|e| reading_failed(&e))?;
    let is_archive = matches!(kind_of("", &magic), FileKind::Zip) || magic == BOOKS_MAGIC;
    // One byte more than a document may have makes it refused as too large.
    let document = u64::try_from(XmlLimits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let most = if is_archive { u64::MAX } else { document };
    match spooled(magic.as_slice().chain(reader).take(most), MAX_PIPED) {
        Ok((file, _)) => Ok(Content::Spooled(file)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let most = MAX_PIPED / (1024 * 1024);
            let detail = format!("passa do limite de {most} MiB da entrada padrão; salve-o como arquivo");
            Err(fault("arquivo_grande_demais", detail))
        }
        Err(error) => Err(reading_failed(&error)),
    }
}

/// Whether both paths lead to one file.
fn is_same(file: &Path, other: Option<&Path>) -> bool {
    // Names are compared first: to resolve a path costs a call of the system for each of its parts.
    let same_name = other.is_some_and(|other| other.file_name() == file.file_name());
    same_name && other.and_then(|other| other.canonicalize().ok()) == file.canonicalize().ok()
}

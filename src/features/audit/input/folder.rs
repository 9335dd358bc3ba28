//! The files below a directory, in little memory: a month may have a million of them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Ends each path; no path has it.
const END: u8 = 0;

/// The files below a directory, in order.
#[derive(Debug)]
pub struct FolderFiles {
    dir: PathBuf,
    /// Their paths below it, each with its end.
    paths: Vec<u8>,
    count: usize,
}

impl FolderFiles {
    /// Keeps the paths of files that are below the directory.
    pub fn of(dir: &Path, files: Vec<PathBuf>) -> FolderFiles {
        let (mut paths, count) = (Vec::new(), files.len());
        for file in files {
            paths.extend_from_slice(file.strip_prefix(dir).unwrap_or(&file).as_os_str().as_bytes());
            paths.push(END);
        }
        paths.shrink_to_fit();
        FolderFiles { dir: dir.to_owned(), paths, count }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The path that begins at a place, which becomes that of the next one.
    pub(super) fn path_at(&self, place: &mut usize) -> Option<PathBuf> {
        let path = self.paths.get(*place..)?.split(|byte| *byte == END).next().filter(|path| !path.is_empty())?;
        *place += path.len() + 1;
        Some(self.dir.join(OsStr::from_bytes(path)))
    }
}

//! A small disk of its own, which a test may fill; gone with the value.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

/// The disk, mounted at a path.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// A disk of that size. `None`, and a word on why, where this machine does not let tests mount.
    pub fn at(path: PathBuf, mib: usize) -> Option<SmallDisk> {
        fs::create_dir_all(&path).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={mib}m"), "tmpfs"]).arg(&path).output();
        if mounted.as_ref().is_ok_and(|done| done.status.success()) {
            return Some(SmallDisk(path));
        }
        eprintln!("not tested: no disk can be mounted here ({mounted:?})");
        None
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    /// Fills the disk but for so many bytes.
    pub fn fill(&self, left: usize) {
        let disk = rustix::fs::statvfs(&self.0).unwrap();
        let free = usize::try_from(disk.f_bavail * disk.f_frsize).unwrap();
        match fs::write(self.ballast(), vec![1; free - left]) {
            // The server wrote a page in between: what was asked for is reached all the same.
            Err(error) if error.kind() == ErrorKind::StorageFull => {}
            written => written.unwrap(),
        }
    }

    /// Takes away what filled it.
    pub fn make_room(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server that a failed test leaves may still be ending.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

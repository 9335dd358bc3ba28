//! A small disk that a test may fill; unmounted when dropped.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

/// Path at which the disk is mounted.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts a disk of that size. Prints the reason and returns `None` if this machine does not allow it.
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

    /// Fills the disk until `left` bytes are free.
    pub fn fill(&self, left: usize) {
        let disk = rustix::fs::statvfs(&self.0).unwrap();
        let free = usize::try_from(disk.f_bavail * disk.f_frsize).unwrap();
        match fs::write(self.ballast(), vec![1; free - left]) {
            // The server wrote a page in between: the disk is as full as wanted.
            Err(error) if error.kind() == ErrorKind::StorageFull => {}
            written => written.unwrap(),
        }
    }

    /// Removes the file that filled the disk.
    pub fn make_room(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, because the server of a failed test may still have files open.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

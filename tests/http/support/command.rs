//! The command line, run to its end.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::DataDir;

/// What a command came to.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// The one JSON document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The lines of stdout, each a JSON document.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
    }

    /// The command, which must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Done {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

/// Runs `taxd` on the data directory.
pub fn taxd<A: AsRef<OsStr>>(dir: &DataDir, args: impl IntoIterator<Item = A>) -> Done {
    taxd_with_input(dir, args, b"")
}

/// The same, with something to read on stdin.
pub fn taxd_with_input<A: AsRef<OsStr>>(dir: &DataDir, args: impl IntoIterator<Item = A>, input: &[u8]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
    command.env_clear().env("TAXD_DATA", dir.path()).args(args);
    finish(command, input)
}

/// Runs `taxd` with no data directory named, in a directory that holds none, and leaves none there.
#[track_caller]
pub fn taxd_nowhere<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>, input: &[u8]) -> Done {
    let empty = tempfile::TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxd"));
    command.env_clear().current_dir(empty.path()).args(args);
    let done = finish(command, input);
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "it left something behind: {done:?}");
    done
}

/// Runs a command to its end.
pub fn finish(mut command: Command, input: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A command that does not read its input closes it: that is no failure.
        scope.spawn(move || stdin.write_all(input).is_ok());
        let out = child.wait_with_output().unwrap();
        Done {
            code: out.status.code().expect("killed by a signal"),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
        }
    })
}

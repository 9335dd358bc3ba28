//! Runs commands of taxd to their end.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::Value;

use super::DataDir;

/// Result of a command.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// Returns the JSON document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Returns the JSON documents on stdout, one per line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
    }

    /// Returns the result, which must be a success.
    #[track_caller]
    pub fn ok(self) -> Done {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

/// The path of the `taxd` that is tested: that of this build, or the one that `TESTED_TAXD` names, such as the released one.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> =
        LazyLock::new(|| env::var("TESTED_TAXD").unwrap_or_else(|_| env!("CARGO_BIN_EXE_taxd").to_owned()));
    &PROGRAM
}

/// Runs `taxd` on the data directory.
pub fn taxd<A: AsRef<OsStr>>(dir: &DataDir, args: impl IntoIterator<Item = A>) -> Done {
    taxd_with_input(dir, args, b"")
}

/// Runs `taxd` on the data directory, with input on stdin.
pub fn taxd_with_input<A: AsRef<OsStr>>(dir: &DataDir, args: impl IntoIterator<Item = A>, input: &[u8]) -> Done {
    let mut command = Command::new(program());
    command.env_clear().env("TAXD_DATA", dir.path()).args(args);
    finish(command, input)
}

/// Runs `taxd` without a data directory, and asserts that it creates none.
#[track_caller]
pub fn taxd_nowhere<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>, input: &[u8]) -> Done {
    let empty = tempfile::TempDir::new().unwrap();
    let mut command = Command::new(program());
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
        // Ignored: a command may close its input without reading it.
        scope.spawn(move || stdin.write_all(input).is_ok());
        let out = child.wait_with_output().unwrap();
        Done {
            code: out.status.code().expect("killed by a signal"),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
        }
    })
}

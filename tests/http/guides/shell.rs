//! One `bash` that runs block after block, its variables and files kept between them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::program;

/// Longest that a block may take before the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_mins(2);

/// Notes every command that fails, also inside a pipe.
const PREAMBLE: &str = "set -o pipefail\ntrap 'echo \"$BASH_COMMAND\" >> failed' ERR\n";

pub struct Shell {
    child: Child,
    stdin: ChildStdin,
    ended: Receiver<String>,
    home: PathBuf,
}

impl Shell {
    /// A shell in the directory, which is its home, with the `taxd` of this build first on its path.
    pub fn open(home: &Path) -> Shell {
        let taxd = Path::new(program()).parent().unwrap();
        let path = format!("{}:{}", taxd.display(), std::env::var("PATH").unwrap());
        let mut child = Command::new("bash")
            .env_clear()
            .env("PATH", path)
            .env("HOME", home)
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(PREAMBLE.as_bytes()).unwrap();
        let (tell, ended) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Shell { child, stdin, ended, home: home.to_owned() }
    }

    /// Runs the commands; what they print, or which of them failed and what it said.
    pub fn run(&mut self, commands: &str) -> Result<String, String> {
        let read = |name: &str| fs::read_to_string(self.home.join(name)).unwrap_or_default();
        fs::write(self.home.join("block"), commands).unwrap();
        self.stdin.write_all(b". ./block >out 2>err </dev/null; echo ended\n").unwrap();
        match self.ended.recv_timeout(PATIENCE) {
            Ok(_) if read("failed").is_empty() => Ok(read("out")),
            Ok(_) => Err(format!("failed: {}{}{}", read("failed"), read("out"), read("err"))),
            Err(e) => Err(format!("{e}: {}{}", read("out"), read("err"))),
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Its own child; nothing is left to do where it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

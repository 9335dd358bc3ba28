//! The folder in which the commands of a transcript run, and the server beside them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::folder;
use super::names::Names;
use crate::support::{DataDir, Done, Reply, Server, finish, golden, program};

/// JSON is recorded as lines down to this depth.
const DEPTH: usize = 3;

pub(super) struct Session {
    home: PathBuf,
    names: Names,
    server: Option<Server>,
    dir: DataDir,
}

impl Session {
    pub(super) fn begin() -> Session {
        let dir = DataDir::empty();
        let home = dir.path().parent().unwrap().to_owned();
        for entry in fs::read_dir(folder().join("files")).unwrap() {
            let from = entry.unwrap().path();
            fs::copy(&from, home.join(from.file_name().unwrap())).unwrap();
        }
        let names = Names::new(home.to_str().unwrap().to_owned());
        Session { home, names, server: None, dir }
    }

    /// Runs a command. Returns its output as it is recorded.
    pub(super) fn run(&mut self, command: &str) -> String {
        let command = self.names.real(command);
        let words: Vec<&str> = command.split(' ').collect();
        let body = |name: &&str| fs::read(self.home.join(name)).unwrap();
        let done = match words.as_slice() {
            ["golden"] => {
                fs::create_dir(self.dir.path()).unwrap();
                fs::write(self.dir.file(), golden::current().file).unwrap();
                return String::new();
            }
            ["serve"] => {
                self.server = Some(self.dir.serve_as(self.names.key()));
                return String::new();
            }
            ["logged"] => {
                self.dir.wait_until_logged();
                return String::new();
            }
            ["GET", path] => answered(&self.server().get_own(path)),
            ["POST", path, file] => answered(&self.server().post(path, body(file))),
            ["FORM", path, file, company] => {
                let server = self.server();
                let company = String::from_utf8(body(company)).unwrap();
                let (file, bytes) = (*file, body(file));
                answered(&server.post_form(&server.key, path, &[(file, &bytes)], &[("empresa", &company)]))
            }
            _ => self.shell(&command),
        };
        self.recorded(&done)
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("no server runs: $ serve")
    }

    /// Runs a line of the shell, with the `taxd` of this build.
    fn shell(&self, line: &str) -> Done {
        let taxd = Path::new(program()).parent().unwrap().to_str().unwrap();
        let path = format!("{taxd}:{}", env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.env_clear().env("PATH", path).env("TAXD_DATA", "data").env("TZ", "UTC").env("LC_ALL", "C");
        command.current_dir(&self.home).args(["-c", line]);
        finish(command, b"")
    }

    fn recorded(&mut self, done: &Done) -> String {
        let mut shown = String::new();
        for (mark, text) in [('|', &done.stdout), ('!', &done.stderr)] {
            let masked = self.names.masked(text);
            let lines = masked.strip_suffix('\n').unwrap_or(&masked).split('\n').filter(|_| !masked.is_empty());
            for line in lines.flat_map(|line| unfolded(&visible(line))) {
                let gap = if line.is_empty() { "" } else { " " };
                writeln!(shown, "{mark}{gap}{line}").unwrap();
            }
        }
        if done.code != 0 {
            writeln!(shown, "= {}", done.code).unwrap();
        }
        shown
    }
}

/// An answer of the server, as the output of a command.
fn answered(reply: &Reply) -> Done {
    let kind = reply.header("content-type").unwrap_or_default();
    let body = String::from_utf8(reply.body.clone()).unwrap_or_else(|_| "(not text)".to_owned());
    Done { code: 0, stdout: format!("{} {kind}\n{body}", reply.status), stderr: String::new() }
}

/// A line with its control characters as escapes.
fn visible(line: &str) -> String {
    let shown =
        |c: char| if c.is_control() || c == '\u{feff}' { c.escape_default().to_string() } else { c.to_string() };
    line.chars().map(shown).collect()
}

/// The lines of a JSON document, which is compact; other lines as they are.
fn unfolded(line: &str) -> Vec<String> {
    if !line.starts_with(['{', '[']) || line.len() < 100 {
        return vec![line.to_owned()];
    }
    let (mut lines, mut depth, mut quoted, mut escaped) = (vec![String::new()], 0_usize, false, false);
    for c in line.chars() {
        let text = lines.last_mut().unwrap();
        text.push(c);
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => quoted = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth <= DEPTH => lines.push("  ".repeat(depth)),
            _ => {}
        }
    }
    lines
}

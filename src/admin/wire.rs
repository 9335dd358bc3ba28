//! How a command and its answers are written on the control socket: a line of JSON each. The text of
//! a file may be long, so it is in no line: after the command come the files' texts, each as it is
//! after a line that says how many bytes it has.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Step;
use super::command::{AdminError, Command};
use crate::store::Contents;

/// Most digits of a length, and the end of their line.
const LENGTH_LINE_BYTES: u64 = 21;

/// What a client of the socket may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Largest command, in bytes.
    pub command_bytes: u64,
    /// How long a client may take to send its next bytes, or to take the next ones.
    pub patience: Duration,
}

impl Default for Bounds {
    /// 1 GiB, of which a bundle of a million rules has about half; 30 seconds.
    fn default() -> Self {
        Bounds { command_bytes: 1024 * 1024 * 1024, patience: Duration::from_secs(30) }
    }
}

/// What the server says on the way, and at the end: with the document, which it writes out as it
/// goes and of which the caller takes the text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply<D> {
    /// The first line, before the command is read: the version of the server.
    Hello(String),
    /// The command is still being done.
    Alive,
    Progress(Step),
    /// What the snapshot holds whose rows follow.
    Snapshot(Contents),
    /// Rows of a table; after the line come so many bytes of them.
    Rows {
        table: String,
        count: u64,
        bytes: usize,
    },
    Done(D),
    Refused(AdminError),
}

/// Writes a command.
pub(super) fn send_command(stream: &UnixStream, command: &Command) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    serde_json::to_writer(&mut out, command)?;
    out.write_all(b"\n")?;
    for file in command.files() {
        writeln!(out, "{}", file.text.len())?;
        out.write_all(file.text.as_bytes())?;
    }
    out.flush()
}

/// Reads a command; why not, where it cannot be read.
pub(super) fn read_command(stream: &UnixStream, bounds: Bounds) -> Result<Command, String> {
    stream.set_read_timeout(Some(bounds.patience)).map_err(|e| e.to_string())?;
    stream.set_write_timeout(Some(bounds.patience)).map_err(|e| e.to_string())?;
    let too_long = || {
        let most = bounds.command_bytes / (1024 * 1024);
        format!(
            "the command has more than {most} MiB, which is the most that a running server takes: import fewer files at once, or stop the server and import without it"
        )
    };
    let lost = |e: io::Error| format!("the command did not arrive: {e}");
    let strange = |what: &dyn std::fmt::Display| {
        format!("not a command of this version of the server, taxd {}: {what}", env!("CARGO_PKG_VERSION"))
    };
    let mut from = BufReader::new(stream).take(bounds.command_bytes + 1);
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line).map_err(lost)?;
    if from.limit() == 0 {
        return Err(too_long());
    }
    let mut command: Command = serde_json::from_slice(&line).map_err(|e| strange(&e))?;
    drop(line);
    for file in command.files_mut() {
        let mut length = String::new();
        (&mut from).take(LENGTH_LINE_BYTES).read_line(&mut length).map_err(lost)?;
        let bytes: u64 = length.trim_end().parse().map_err(|e| strange(&e))?;
        if bytes >= from.limit() {
            return Err(too_long());
        }
        let mut text = Vec::with_capacity(usize::try_from(bytes).map_err(|e| strange(&e))?);
        (&mut from).take(bytes).read_to_end(&mut text).map_err(lost)?;
        if text.len() as u64 != bytes {
            return Err(lost(io::ErrorKind::UnexpectedEof.into()));
        }
        file.text = String::from_utf8(text).map_err(|e| strange(&e))?;
    }
    Ok(command)
}

/// Writes an answer.
pub(super) fn send(stream: &UnixStream, reply: &Reply<impl Serialize>) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    serde_json::to_writer(&mut out, reply)?;
    out.write_all(b"\n")?;
    out.flush()
}

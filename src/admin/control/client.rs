//! The side of the caller: a command goes to the server of a directory, and its answer comes back.
//!
//! A server greets at once and gives signs of life while it works, so a caller never waits for a frozen one.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde_json::Value;
use serde_json::value::RawValue;

use super::through;
use crate::admin::Progress;
use crate::admin::command::{AdminError, Command};
use crate::admin::wire::{Reply, send_command};
use crate::store::{Contents, TableRows};

/// How long a server may say nothing before its caller gives up.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);

/// A part of a snapshot.
pub enum Part<'a> {
    /// What it holds: the first part, and no later one.
    Contents(Contents),
    /// Rows of a table.
    Rows(TableRows<'a>),
}

/// What takes the parts of a snapshot.
pub type TakePart<'t> = &'t mut dyn FnMut(Part<'_>) -> Result<(), AdminError>;

/// Sends the command to the server of the directory; `None` where no server is up.
#[must_use]
pub fn call(dir: &Path, command: &Command, progress: Progress<'_>) -> Option<Result<Value, AdminError>> {
    let text = call_as_text(dir, command, progress)?;
    Some(text.and_then(|text| serde_json::from_str(text.get()).map_err(|e| AdminError::new(e.to_string()))))
}

/// The same, for the text of the answer.
#[must_use]
pub fn call_as_text(
    dir: &Path,
    command: &Command,
    progress: Progress<'_>,
) -> Option<Result<Box<RawValue>, AdminError>> {
    let take: TakePart<'_> = &mut |_| Err(AdminError::new("the running server sent parts of a snapshot unasked"));
    Some(connected(dir)?.and_then(|stream| exchange(dir, &stream, command, progress, take)))
}

/// Has `take` take a snapshot of the file from the server of the directory; `None` where no server is up.
#[must_use]
pub fn snapshot(dir: &Path, take: TakePart<'_>) -> Option<Result<(), AdminError>> {
    let sent = |stream: UnixStream| exchange(dir, &stream, &Command::Snapshot, &mut |_| {}, take).map(drop);
    Some(connected(dir)?.and_then(sent))
}

/// A connection to the server of the directory, on which no wait is longer than [`SILENCE_LIMIT`].
fn connected(dir: &Path) -> Option<Result<UnixStream, AdminError>> {
    let stream = through(dir, |path| {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        // The limit for sending also bounds `connect`, which waits if the server accepts nothing and its queue is full.
        set_socket_timeout(&socket, Timeout::Send, Some(SILENCE_LIMIT))?;
        set_socket_timeout(&socket, Timeout::Recv, Some(SILENCE_LIMIT))?;
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok(UnixStream::from(socket))
    });
    match stream {
        Ok(stream) => Some(Ok(stream)),
        Err(error) if is_timeout(&error) => Some(Err(silent(dir))),
        Err(_) => None,
    }
}

/// The error of a socket whose time limit ran out.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The refusal if the server does not greet.
fn silent(dir: &Path) -> AdminError {
    AdminError::new(format!(
        "a server is running on {}, but it has not answered for {} seconds, so nothing was done; its process is suspended or overloaded, or it is older than this taxd: look at its log, restart it, and try again",
        dir.display(),
        SILENCE_LIMIT.as_secs()
    ))
}

/// The refusal if the server says nothing more in the middle of a command.
fn fell_silent(dir: &Path) -> AdminError {
    AdminError::new(format!(
        "the server on {} took the command, and then nothing came from it for {} seconds; its process is suspended or overloaded: look at its log, and restart it if need be; whether the command was done, its own listing tells",
        dir.display(),
        SILENCE_LIMIT.as_secs()
    ))
}

/// The refusal if the answer cannot be read; `version` is the server's, if it said so.
fn misunderstood(version: Option<&str>) -> AdminError {
    const OWN: &str = env!("CARGO_PKG_VERSION");
    AdminError::new(match version {
        Some(version) if version != OWN => {
            format!("the running server is taxd {version} and this is taxd {OWN}; restart the server with this version")
        }
        _ => "the running server answered something that this taxd does not understand; are both of the same version?"
            .to_owned(),
    })
}

/// Waits for the greeting of the server; the version that it is of.
fn greeting(dir: &Path, replies: &mut impl BufRead) -> Result<String, AdminError> {
    let mut line = Vec::new();
    match replies.read_until(b'\n', &mut line) {
        Err(error) if is_timeout(&error) => return Err(silent(dir)),
        Err(error) => return Err(lost(&error)),
        Ok(0) => return Err(AdminError::new("the running server is stopping; nothing was done")),
        Ok(_) => {}
    }
    match serde_json::from_slice(&line) {
        Ok(Reply::<Box<RawValue>>::Hello(version)) => Ok(version),
        _ => Err(misunderstood(None)),
    }
}

fn lost(error: &io::Error) -> AdminError {
    AdminError::new(format!("the running server did not answer on its control socket: {error}"))
}

fn exchange(
    dir: &Path,
    stream: &UnixStream,
    command: &Command,
    progress: Progress<'_>,
    take: TakePart<'_>,
) -> Result<Box<RawValue>, AdminError> {
    let mut replies = BufReader::new(stream);
    let version = greeting(dir, &mut replies)?;
    let lost = |error: io::Error| if is_timeout(&error) { fell_silent(dir) } else { lost(&error) };
    // A server that refuses what it has seen so far closes early; what it said of it can be read.
    let sent = send_command(stream, command);
    let (mut line, mut rows) = (Vec::new(), Vec::new());
    while replies.read_until(b'\n', &mut line).map_err(lost)? > 0 {
        match serde_json::from_slice(&line) {
            Ok(Reply::Alive) => {}
            Ok(Reply::Progress(step)) => progress(step),
            Ok(Reply::Snapshot(contents)) => take(Part::Contents(contents))?,
            Ok(Reply::Rows { table, count, bytes }) => {
                rows.resize(bytes, 0);
                replies.read_exact(&mut rows).map_err(lost)?;
                take(Part::Rows(TableRows { table: &table, count, bytes: &rows }))?;
            }
            Ok(Reply::Done(text)) => return Ok(text),
            Ok(Reply::Refused(error)) => return Err(error),
            Ok(Reply::Hello(_)) | Err(_) => return Err(misunderstood(Some(&version))),
        }
        line.clear();
    }
    sent.map_err(lost)?;
    Err(AdminError::new(
        "the running server stopped before it answered; whether the command was done, its own listing tells",
    ))
}

//! The caller's side of the control socket: sends a request to the server of a directory and reads the answer.
//!
//! A server greets at once and sends keep-alive lines while it works, so a caller never waits for a
//! suspended one.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde_json::value::RawValue;

use super::through;
use crate::core::engine::Progress;
use crate::features::check::CheckReport;
use crate::features::control::wire::{Request, Response, send_request};
use crate::features::{AdminError, Command};

/// Longest wait for the next line of a server.
const SILENCE_LIMIT: Duration = Duration::from_secs(5);

/// True if a server accepts connections on the control socket of the directory. A suspended server does.
pub fn is_running(dir: &Path) -> bool {
    connected(dir).is_some()
}

/// Has the server of the directory run the command, and returns the JSON text of the answer; `None` if no
/// server is running.
#[must_use]
pub fn call(dir: &Path, command: &Command, progress: Progress<'_>) -> Option<Result<Box<RawValue>, AdminError>> {
    ask(dir, &Request::Run(Cow::Borrowed(command)), progress)
}

/// Has the server of the directory check its data; `None` if no server is running.
#[must_use]
pub fn check(dir: &Path, progress: Progress<'_>) -> Option<Result<CheckReport, AdminError>> {
    let report = ask(dir, &Request::Check, progress)?;
    Some(report.and_then(|report| Ok(serde_json::from_str(report.get())?)))
}

fn ask(dir: &Path, request: &Request<'_>, progress: Progress<'_>) -> Option<Result<Box<RawValue>, AdminError>> {
    Some(connected(dir)?.and_then(|stream| exchange(dir, &stream, request, progress)))
}

/// Connects to the server of the directory, with [`SILENCE_LIMIT`] as the time limit of each read and write;
/// `None` if no server is running.
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

/// True for the error of a socket whose time limit expired.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// The error if the server does not greet.
fn silent(dir: &Path) -> AdminError {
    AdminError::new(format!(
        "a server is running on {}, but it has not answered for {} seconds, so nothing was done; its process is suspended or overloaded, or it is older than this taxd: look at its log, restart it, and try again",
        dir.display(),
        SILENCE_LIMIT.as_secs()
    ))
}

/// The error if the server stops sending in the middle of a request.
fn fell_silent(dir: &Path) -> AdminError {
    AdminError::new(format!(
        "the server on {} took the command, and then sent nothing for {} seconds; its process is suspended or overloaded: look at its log, restart it if needed, and list what the command changes to see whether it was done",
        dir.display(),
        SILENCE_LIMIT.as_secs()
    ))
}

/// The error if the answer cannot be read; `version` is the server's, if it is known.
pub(crate) fn misunderstood(version: Option<&str>) -> AdminError {
    const OWN: &str = env!("CARGO_PKG_VERSION");
    AdminError::new(match version {
        Some(version) if version != OWN => {
            format!("the running server is taxd {version} and this is taxd {OWN}; restart the server with this version")
        }
        _ => "the running server answered something that this taxd does not understand; are both of the same version?"
            .to_owned(),
    })
}

/// Waits for the greeting of the server, and returns its version.
fn greeting(dir: &Path, replies: &mut impl BufRead) -> Result<String, AdminError> {
    let mut line = Vec::new();
    match replies.read_until(b'\n', &mut line) {
        Err(error) if is_timeout(&error) => return Err(silent(dir)),
        Err(error) => return Err(lost(&error)),
        Ok(0) => return Err(AdminError::new("the running server is stopping; nothing was done")),
        Ok(_) => {}
    }
    match serde_json::from_slice(&line) {
        Ok(Response::<Box<RawValue>>::Hello(version)) => Ok(version),
        _ => Err(misunderstood(None)),
    }
}

fn lost(error: &io::Error) -> AdminError {
    AdminError::new(format!("the running server did not answer on its control socket: {error}"))
}

/// Sends the request, and returns the JSON text of the answer.
fn exchange(
    dir: &Path,
    stream: &UnixStream,
    request: &Request<'_>,
    progress: Progress<'_>,
) -> Result<Box<RawValue>, AdminError> {
    let mut replies = BufReader::new(stream);
    let version = greeting(dir, &mut replies)?;
    let lost = |error: io::Error| if is_timeout(&error) { fell_silent(dir) } else { lost(&error) };
    // A server that refuses an incomplete request closes early, but its refusal can still be read.
    let sent = send_request(stream, request);
    let mut line = Vec::new();
    while replies.read_until(b'\n', &mut line).map_err(lost)? > 0 {
        match serde_json::from_slice(&line) {
            Ok(Response::Alive) => {}
            Ok(Response::Progress(step)) => progress(step),
            Ok(Response::Done(text)) => return Ok(text),
            Ok(Response::Refused(error)) => return Err(error),
            Ok(Response::Hello(_)) | Err(_) => return Err(misunderstood(Some(&version))),
        }
        line.clear();
    }
    sent.map_err(lost)?;
    Err(AdminError::new(
        "the running server stopped before it answered; list what the command changes to see whether it was done",
    ))
}

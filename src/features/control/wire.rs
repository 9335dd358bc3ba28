//! The protocol of the control socket: each request and each response is one line of JSON.
//!
//! Bundles and lists are long, so they are not part of the line. They follow the request, each after a line with its
//! length in bytes.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::core::engine::Step;
use crate::features::kept_lists::KeptListCommand;
use crate::features::rules::RulesCommand;
use crate::features::{AdminError, Command};

/// Longest line with a length: the digits of a 64-bit number and the line break.
const LENGTH_LINE_BYTES: u64 = 21;

/// What a client of the socket may cost.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Largest request, in bytes.
    pub command_bytes: u64,
    /// Longest wait for the client to send or to read the next bytes.
    pub patience: Duration,
}

impl Default for Bounds {
    /// 1 GiB, of which a bundle of a million rules has about half; 30 seconds.
    fn default() -> Self {
        Bounds { command_bytes: 1024 * 1024 * 1024, patience: Duration::from_secs(30) }
    }
}

/// What a client asks of the server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request<'c> {
    /// Run a command. Borrowed by the client: the files of an import may be large.
    Run(Cow<'c, Command>),
    Check,
}

impl Request<'_> {
    /// The texts that follow the request.
    fn texts(&self) -> Vec<&[u8]> {
        match self {
            Request::Run(command) => command.texts(),
            Request::Check => Vec::new(),
        }
    }

    fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Request::Run(command) => command.to_mut().texts_mut(),
            Request::Check => Vec::new(),
        }
    }

    /// True for a request that may take seconds of CPU time.
    pub(super) fn is_long(&self) -> bool {
        match self {
            Request::Check => true,
            Request::Run(command) => {
                matches!(
                    &**command,
                    Command::Import(_)
                        | Command::Impact(_)
                        | Command::List(KeptListCommand::Put(_))
                        | Command::Rules(RulesCommand::Coverage { .. })
                )
            }
        }
    }
}

/// A line of the server. The answer `D` is serialised straight to the socket, because that of an import
/// may be long; the client reads it as text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response<D> {
    /// The version of the server. The first line, sent before the request is read.
    Hello(String),
    /// The request is still being worked on.
    Alive,
    Progress(Step),
    /// The answer. The last line.
    Done(D),
    /// The refusal. The last line.
    Refused(AdminError),
}

pub(super) fn send_request(stream: &UnixStream, request: &Request<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    serde_json::to_writer(&mut out, request)?;
    out.write_all(b"\n")?;
    for text in request.texts() {
        out.write_all(text.len().to_string().as_bytes())?;
        out.write_all(b"\n")?;
        out.write_all(text)?;
    }
    out.flush()
}

/// Reads a request; `None` if the client closes the connection without one, as
/// [`is_running`](super::is_running) does. Fails if the request is too long, incomplete or unknown.
pub(super) fn read_request(stream: &UnixStream, bounds: Bounds) -> Result<Option<Request<'static>>, String> {
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
    if from.read_until(b'\n', &mut line).map_err(lost)? == 0 {
        return Ok(None);
    }
    if from.limit() == 0 {
        return Err(too_long());
    }
    let mut request: Request<'static> = serde_json::from_slice(&line).map_err(|e| strange(&e))?;
    drop(line);
    for text in request.texts_mut() {
        let mut length = String::new();
        (&mut from).take(LENGTH_LINE_BYTES).read_line(&mut length).map_err(lost)?;
        let bytes: u64 = length.trim_end().parse().map_err(|e| strange(&e))?;
        if bytes >= from.limit() {
            return Err(too_long());
        }
        let mut read = vec![0; usize::try_from(bytes).map_err(|e| strange(&e))?];
        from.read_exact(&mut read).map_err(lost)?;
        *text = String::from_utf8(read).map_err(|e| strange(&e))?;
    }
    Ok(Some(request))
}

pub(super) fn send(stream: &UnixStream, response: &Response<impl Serialize>) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    serde_json::to_writer(&mut out, response)?;
    out.write_all(b"\n")?;
    out.flush()
}

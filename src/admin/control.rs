//! The control socket: a command and its result, one line of JSON each.
//!
//! It lies in a directory of its own inside the data directory, which only its owner may
//! enter: whoever may open it may administer. One command a connection.

use std::fs::{DirBuilder, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::{AdminError, Command, execute};
use super::{Progress, Step};
use crate::service::Service;

/// Largest command: a bundle of a million rules has about half of it.
const MAX_COMMAND_BYTES: u64 = 1024 * 1024 * 1024;
/// How long a client may take to send its next bytes.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Progress(Step),
    Done(Value),
    Refused(AdminError),
}

fn socket_path(dir: &Path) -> PathBuf {
    dir.join("control").join("sock")
}

/// Sends the command to the server of the directory; `None` where no server is up.
#[must_use]
pub fn call(dir: &Path, command: &Command, progress: Progress<'_>) -> Option<Result<Value, AdminError>> {
    let stream = UnixStream::connect(socket_path(dir)).ok()?;
    Some(exchange(stream, command, progress))
}

fn exchange(mut stream: UnixStream, command: &Command, progress: Progress<'_>) -> Result<Value, AdminError> {
    let lost =
        |e: std::io::Error| AdminError::new(format!("the running server did not answer on its control socket: {e}"));
    let mut line = serde_json::to_vec(command).map_err(|e| AdminError::new(e.to_string()))?;
    line.push(b'\n');
    stream.write_all(&line).map_err(lost)?;
    for reply in BufReader::new(stream).lines() {
        match serde_json::from_str(&reply.map_err(lost)?) {
            Ok(Reply::Progress(step)) => progress(step),
            Ok(Reply::Done(value)) => return Ok(value),
            Ok(Reply::Refused(error)) => return Err(error),
            Err(_) => {
                return Err(AdminError::new(
                    "the running server answered something else than this taxd understands; are both of the same version?",
                ));
            }
        }
    }
    Err(AdminError::new(
        "the running server stopped before it answered; whether the command was done, its own listing tells",
    ))
}

/// The listening socket of a server; its file goes with it.
pub struct ControlSocket {
    path: PathBuf,
}

impl ControlSocket {
    /// Listens in the directory and serves each connection on a thread of its own. The data
    /// file is already open here, so a socket file that is there was left by a killed server.
    pub fn listen(dir: &Path, service: Arc<Service>) -> Result<ControlSocket, AdminError> {
        let path = socket_path(dir);
        let failed = |e: std::io::Error| AdminError::new(format!("cannot listen on {}: {e}", path.display()));
        // Closed before the socket is there, so that there is no moment at which others could connect.
        let own = dir.join("control");
        DirBuilder::new().recursive(true).mode(0o700).create(&own).map_err(failed)?;
        std::fs::set_permissions(&own, Permissions::from_mode(0o700)).map_err(failed)?;
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        std::thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || {
                for stream in listener.incoming().flatten() {
                    let service = Arc::clone(&service);
                    let spawned = std::thread::Builder::new()
                        .name("control-command".to_owned())
                        .spawn(move || serve(&stream, &service));
                    if let Err(error) = spawned {
                        tracing::warn!(%error, "a control command could not be served");
                    }
                }
            })
            .map_err(failed)?;
        Ok(ControlSocket { path })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "the control socket could not be removed");
        }
    }
}

fn serve(stream: &UnixStream, service: &Service) {
    let mut progress = |step| {
        // A caller that went away does not stop the work that it began.
        let _ = send(stream, &Reply::Progress(step));
    };
    let reply = match read_command(stream) {
        Ok(command) => match execute(service, command, &mut progress) {
            Ok(value) => Reply::Done(value),
            Err(error) => Reply::Refused(error),
        },
        Err(message) => Reply::Refused(AdminError::new(message)),
    };
    if let Err(error) = send(stream, &reply) {
        tracing::warn!(%error, "the caller of a control command went away before its answer");
    }
}

fn send(mut stream: &UnixStream, reply: &Reply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn read_command(stream: &UnixStream) -> Result<Command, String> {
    stream.set_read_timeout(Some(READ_TIMEOUT)).map_err(|e| e.to_string())?;
    let mut line = Vec::new();
    BufReader::new(stream)
        .take(MAX_COMMAND_BYTES)
        .read_until(b'\n', &mut line)
        .map_err(|e| format!("the command did not arrive: {e}"))?;
    serde_json::from_slice(&line).map_err(|e| format!("not a command of this version: {e}"))
}

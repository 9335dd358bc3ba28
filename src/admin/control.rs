//! The control socket: a command and its result.
//!
//! It lies in a directory of its own inside the data directory, which only its owner may
//! enter: whoever may open it may administer. One command a connection.

use std::cell::Cell;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

pub use super::wire::Bounds;

use super::command::{AdminError, Command, Document, perform};
use super::wire::{Reply, read_command, send, send_command};
use super::{Progress, check};
use crate::service::{Service, lower_priority};
use crate::store::{Contents, Rows, StoreError};

/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long commands under way may take to finish after a stop, and to tell their callers.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// Held by what is under way; says nothing, and its end is heard.
type UnderWay = Sender<()>;

/// A part of a snapshot.
pub enum Part<'a> {
    /// What it holds: the first part, and no later one.
    Contents(Contents),
    /// Rows of a table.
    Rows(Rows<'a>),
}

/// What takes the parts of a snapshot.
pub type TakePart<'t> = &'t mut dyn FnMut(Part<'_>) -> Result<(), AdminError>;

fn socket_path(dir: &Path) -> PathBuf {
    dir.join("control").join("sock")
}

/// Calls `with` with a path by which the system takes the socket of the directory. It takes no
/// path of more than about a hundred bytes; a longer one is taken through the open directory.
fn through<T>(dir: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = socket_path(dir);
    if SocketAddr::from_pathname(&path).is_ok() {
        return with(&path);
    }
    let own = File::open(dir.join("control"))?;
    with(&PathBuf::from(format!("/proc/self/fd/{}/sock", own.as_raw_fd()))).map_err(|e| {
        let length = path.as_os_str().len();
        io::Error::new(e.kind(), format!("a socket's path may not have {length} bytes, and the way round by /proc fails ({e}); choose a shorter --data"))
    })
}

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
    let stream = through(dir, |path| UnixStream::connect(path)).ok()?;
    Some(exchange(stream, command, progress, &mut |_| Err(misunderstood())))
}

/// Has `take` take a snapshot of the file from the server of the directory; `None` where no server is up.
#[must_use]
pub fn snapshot(dir: &Path, take: TakePart<'_>) -> Option<Result<(), AdminError>> {
    let stream = through(dir, |path| UnixStream::connect(path)).ok()?;
    Some(exchange(stream, &Command::Snapshot, &mut |_| {}, take).map(drop))
}

fn misunderstood() -> AdminError {
    AdminError::new(
        "the running server answered something else than this taxd understands; are both of the same version?",
    )
}

fn exchange(
    stream: UnixStream,
    command: &Command,
    progress: Progress<'_>,
    take: TakePart<'_>,
) -> Result<Box<RawValue>, AdminError> {
    let lost = |e: io::Error| AdminError::new(format!("the running server did not answer on its control socket: {e}"));
    // A server that refuses what it has seen so far closes early; what it said of it can be read.
    let sent = send_command(&stream, command);
    let mut replies = BufReader::new(stream);
    let (mut line, mut rows) = (Vec::new(), Vec::new());
    while replies.read_until(b'\n', &mut line).map_err(lost)? > 0 {
        match serde_json::from_slice(&line) {
            Ok(Reply::Progress(step)) => progress(step),
            Ok(Reply::Snapshot(contents)) => take(Part::Contents(contents))?,
            Ok(Reply::Rows { table, count, bytes }) => {
                rows.resize(bytes, 0);
                replies.read_exact(&mut rows).map_err(lost)?;
                take(Part::Rows(Rows { table: &table, count, bytes: &rows }))?;
            }
            Ok(Reply::Done(text)) => return Ok(text),
            Ok(Reply::Refused(error)) => return Err(error),
            Err(_) => return Err(misunderstood()),
        }
        line.clear();
    }
    sent.map_err(lost)?;
    Err(AdminError::new(
        "the running server stopped before it answered; whether the command was done, its own listing tells",
    ))
}

/// The listening socket of a server; its file and its thread go with it, once the commands under
/// way are done.
pub struct ControlSocket {
    dir: PathBuf,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Lent to commands while they are done; taken away by the stop, after which none begins.
    under_way: Option<Arc<UnderWay>>,
    /// Ends with the last of them.
    ended: Receiver<()>,
}

impl ControlSocket {
    /// Listens in the directory and serves each connection on a thread of its own. The data
    /// file is already open here, so a socket file that is there was left by a killed server.
    pub fn listen(dir: &Path, service: Arc<Service>, bounds: Bounds) -> Result<ControlSocket, AdminError> {
        let path = socket_path(dir);
        let failed = |e: io::Error| AdminError::new(format!("cannot listen on {}: {e}", path.display()));
        // Closed before the socket is there, so that there is no moment at which others could connect.
        let own = dir.join("control");
        DirBuilder::new().recursive(true).mode(0o700).create(&own).map_err(failed)?;
        std::fs::set_permissions(&own, Permissions::from_mode(0o700)).map_err(failed)?;
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
        let listener = through(dir, |path| UnixListener::bind(path)).map_err(failed)?;
        let stopping = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&stopping);
        let (under_way, ended) = channel();
        let under_way = Arc::new(under_way);
        let lent = Arc::downgrade(&under_way);
        let thread = thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || accept(&listener, &service, bounds, &stops, &lent))
            .map_err(failed)?;
        Ok(ControlSocket { dir: dir.to_owned(), stopping, thread: Some(thread), under_way: Some(under_way), ended })
    }
}

/// True for a command that may compute for seconds.
fn is_long(command: &Command) -> bool {
    matches!(command, Command::Import(_) | Command::Snapshot | Command::Check)
}

/// Serves every connection, each on a thread of its own, until it is told to stop.
fn accept(
    listener: &UnixListener,
    service: &Arc<Service>,
    bounds: Bounds,
    stopping: &AtomicBool,
    lent: &Weak<UnderWay>,
) {
    for stream in listener.incoming() {
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let spawned = stream.and_then(|stream| {
            let service = Arc::clone(service);
            let lent = Weak::clone(lent);
            let serve = move || serve(&stream, &service, bounds, &lent);
            thread::Builder::new().name("control-command".to_owned()).spawn(serve)
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "a control connection could not be served");
            thread::sleep(ACCEPT_PAUSE);
        }
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // The thread waits for a connection: this one tells it to stop, and to let go of the
        // service, so that the data file is closed in order.
        let told = through(&self.dir, |path| UnixStream::connect(path));
        if let Some(thread) = self.thread.take().filter(|_| told.is_ok())
            && thread.join().is_err()
        {
            tracing::error!("the thread of the control socket panicked");
        }
        // An import that is told of as done is worth more than a stop that is quick.
        self.under_way = None;
        if self.ended.recv_timeout(DRAIN_LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(limit_s = DRAIN_LIMIT.as_secs(), "a command did not finish and is cut off");
        }
        if let Err(error) = std::fs::remove_file(socket_path(&self.dir)) {
            tracing::warn!(%error, "the control socket could not be removed");
        }
    }
}

fn serve(stream: &UnixStream, service: &Service, bounds: Bounds, lent: &Weak<UnderWay>) {
    // A caller that went away, or does not read, does not stop the work that it began, but for a check,
    // which changes nothing; it is told nothing more, so that it holds up neither the work nor this thread.
    let mut heard = Ok(());
    let mut tell = |reply: &Reply<Document>| {
        if heard.is_ok() {
            heard = send(stream, reply);
        }
        heard.is_ok()
    };
    let read = read_command(stream, bounds);
    // Only from here on: a client that says nothing holds up no stop.
    let under_way = lent.upgrade();
    if read.as_ref().is_ok_and(is_long) {
        lower_priority();
    }
    let reply = match read {
        _ if under_way.is_none() => Reply::Refused(StoreError::Ending.into()),
        Ok(Command::Snapshot) => answer(send_snapshot(stream, service).map(|()| Document::Short(Value::Null))),
        Ok(Command::Check) => {
            let gone = Cell::new(false);
            let mut progress = |step| gone.set(!tell(&Reply::Progress(step)));
            answer(check::run(service, &|| gone.get(), &mut progress).map(Document::Short))
        }
        Ok(command) => {
            let mut progress = |step| {
                tell(&Reply::Progress(step));
            };
            answer(perform(service, command, &mut progress))
        }
        Err(message) => Reply::Refused(AdminError::new(message)),
    };
    tell(&reply);
    if let Err(error) = heard {
        tracing::warn!(%error, "the caller of a control command did not take its answer");
    }
}

fn answer(done: Result<Document, AdminError>) -> Reply<Document> {
    done.map_or_else(Reply::Refused, Reply::Done)
}

/// Sends the file as it is now. Nobody is served by the rest of it once the caller is gone, or by
/// a stop that waits for it.
fn send_snapshot(mut stream: &UnixStream, service: &Service) -> Result<(), AdminError> {
    let gone = |e: io::Error| AdminError::new(format!("the caller did not take the snapshot: {e}"));
    let snapshot = service.store().snapshot()?;
    let head = |reply: &Reply<()>| send(stream, reply);
    head(&Reply::Snapshot(snapshot.contents().clone())).map_err(gone)?;
    snapshot.send(&mut |rows: Rows<'_>| {
        if service.is_stopping() {
            return Err(StoreError::Ending.into());
        }
        let Rows { table, count, bytes } = rows;
        head(&Reply::Rows { table: table.to_owned(), count, bytes: bytes.len() })
            .and_then(|()| stream.write_all(bytes))
            .map_err(gone)
    })?;
    let contents = snapshot.contents();
    tracing::info!(rows = contents.total(), taken_at = %contents.taken_at, "snapshot sent for a backup");
    Ok(())
}

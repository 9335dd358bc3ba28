//! The control socket: a command and its result.
//!
//! It lies in a directory of its own inside the data directory, which only its owner may
//! enter: whoever may open it may administer. One command a connection.

mod client;

use std::cell::Cell;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use super::wire::Bounds;
pub use client::{Part, TakePart, call, call_as_text, snapshot};

use super::check;
use super::command::{AdminError, Command, Document, perform};
use super::wire::{Reply, read_command, send};
use crate::service::{Service, lower_priority};
use crate::store::{StoreError, TableRows};

/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time between two signs of life of a server that is busy with a command.
const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// How long commands under way may take to finish after a stop, and to tell their callers.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// Held by what is under way; says nothing, and its end is heard.
type UnderWay = Sender<()>;

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

/// The client of a connection. Its command answers it, and meanwhile a second thread sends it signs of life.
struct Caller<'s> {
    stream: &'s UnixStream,
    /// Why it could not be reached; nothing more is sent then, so that it delays neither the command nor a thread.
    gone: Mutex<Option<io::ErrorKind>>,
}

impl Caller<'_> {
    /// Sends a reply, and the bytes that belong to it.
    fn tell(&self, reply: &Reply<impl Serialize>, bytes: &[u8]) -> io::Result<()> {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = *gone {
            return Err(kind.into());
        }
        let mut stream = self.stream;
        let told = send(stream, reply).and_then(|()| stream.write_all(bytes));
        *gone = told.as_ref().err().map(io::Error::kind);
        told
    }

    /// Sends signs of life until the command has ended.
    fn reassure(&self, ended: &Receiver<()>) {
        while ended.recv_timeout(ALIVE_EVERY) == Err(RecvTimeoutError::Timeout) {
            if self.tell(&Reply::<()>::Alive, &[]).is_err() {
                return;
            }
        }
    }
}

/// Serves a connection.
fn serve(stream: &UnixStream, service: &Service, bounds: Bounds, lent: &Weak<UnderWay>) {
    let caller = Caller { stream, gone: Mutex::default() };
    thread::scope(|scope| {
        // The second thread ends when `_working` is dropped.
        let (_working, ended) = channel();
        let caller = &caller;
        let alive = thread::Builder::new().name("control-alive".to_owned());
        match alive.spawn_scoped(scope, move || caller.reassure(&ended)) {
            Ok(_) => serve_one(caller, service, bounds, lent),
            Err(error) => tracing::warn!(%error, "a control connection could not be served"),
        }
    });
}

fn serve_one(caller: &Caller<'_>, service: &Service, bounds: Bounds, lent: &Weak<UnderWay>) {
    let hello = Reply::<()>::Hello(env!("CARGO_PKG_VERSION").to_owned());
    let read = caller.tell(&hello, &[]).map_err(|e| e.to_string()).and_then(|()| read_command(caller.stream, bounds));
    // Only from here on: a client that says nothing holds up no stop.
    let under_way = lent.upgrade();
    if read.as_ref().is_ok_and(is_long) {
        lower_priority();
    }
    // A caller that went away, or does not read, does not stop the work that it began, but for a check,
    // which changes nothing.
    let tell_step = |step| caller.tell(&Reply::<()>::Progress(step), &[]);
    let reply = match read {
        _ if under_way.is_none() => Reply::Refused(StoreError::Ending.into()),
        Ok(Command::Snapshot) => answer(send_snapshot(caller, service).map(|()| Document::Short(Value::Null))),
        Ok(Command::Check) => {
            let gone = Cell::new(false);
            let mut progress = |step| gone.set(tell_step(step).is_err());
            answer(check::run(service, &|| gone.get(), &mut progress).map(Document::Short))
        }
        Ok(command) => answer(perform(service, command, &mut |step| drop(tell_step(step)))),
        Err(message) => Reply::Refused(AdminError::new(message)),
    };
    if let Err(error) = caller.tell(&reply, &[]) {
        tracing::warn!(%error, "the caller of a control command did not take its answer");
    }
}

fn answer(done: Result<Document, AdminError>) -> Reply<Document> {
    done.map_or_else(Reply::Refused, Reply::Done)
}

/// Sends the file as it is now. Nobody is served by the rest of it once the caller is gone, or by
/// a stop that waits for it.
fn send_snapshot(caller: &Caller<'_>, service: &Service) -> Result<(), AdminError> {
    let gone = |e: io::Error| AdminError::new(format!("the caller did not take the snapshot: {e}"));
    let snapshot = service.store().snapshot()?;
    caller.tell(&Reply::<()>::Snapshot(snapshot.contents().clone()), &[]).map_err(gone)?;
    snapshot.send(&mut |rows: TableRows<'_>| {
        if service.is_stopping() {
            return Err(StoreError::Ending.into());
        }
        let TableRows { table, count, bytes } = rows;
        let head = Reply::<()>::Rows { table: table.to_owned(), count, bytes: bytes.len() };
        caller.tell(&head, bytes).map_err(gone)
    })?;
    let contents = snapshot.contents();
    tracing::info!(rows = contents.total(), taken_at = %contents.taken_at, "snapshot sent for a backup");
    Ok(())
}

//! The control socket: a request and its answer on each connection.
//!
//! The socket is in a directory of its own inside the data directory, which only its owner may enter:
//! any user who can open the socket can administer the service.

mod client;
pub mod data_dir;
pub mod wire;

use std::cell::Cell;
use std::fs::{DirBuilder, File, Permissions};
use std::io;
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

pub use self::wire::Bounds;
pub(crate) use client::misunderstood;
pub use client::{call, check, is_running};

use self::wire::{Request, Response, read_request, send};
use super::check::{self as data_check, CheckReport};
use super::command::{Reply, execute};
use super::error::AdminError;
use crate::core::service::{Service, lower_priority};
use crate::core::store::StoreError;

/// Pause after a failed accept, so that a lack of descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time between two keep-alive lines of a server that is busy with a request.
const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// How long a stop waits for running requests to finish and to be answered.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// Every running request holds a clone; the channel closes when the last one is dropped.
type UnderWay = Sender<()>;

fn socket_path(dir: &Path) -> PathBuf {
    dir.join("control").join("sock")
}

/// Calls `with` with a path to the socket of the directory that the system accepts. The system accepts
/// about a hundred bytes; a longer path is replaced by one through the open directory.
fn through<T>(dir: &Path, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = socket_path(dir);
    if SocketAddr::from_pathname(&path).is_ok() {
        return with(&path);
    }
    let own = File::open(dir.join("control"))?;
    with(&PathBuf::from(format!("/proc/self/fd/{}/sock", own.as_raw_fd()))).map_err(|e| {
        let length = path.as_os_str().len();
        io::Error::new(e.kind(), format!("a socket's path may not have {length} bytes, and opening it through /proc failed ({e}); choose a shorter --data"))
    })
}

/// The listening socket of a server. Dropping it stops its thread, waits for the running requests, and
/// removes its file.
pub struct ControlSocket {
    dir: PathBuf,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// `None` once stopping: no new request starts.
    under_way: Option<Arc<UnderWay>>,
    /// Disconnects when the last running request ends.
    ended: Receiver<()>,
}

impl ControlSocket {
    /// Listens in the directory and serves each connection on a thread of its own. The data
    /// file is already open here, so a socket file that is there was left by a killed server.
    pub fn listen(dir: &Path, service: Arc<Service>, bounds: Bounds) -> Result<ControlSocket, AdminError> {
        let path = socket_path(dir);
        let failed = |e: io::Error| AdminError::new(format!("cannot listen on {}: {e}", path.display()));
        // The directory is closed to others before the socket exists, so nobody else can ever connect.
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
        let running = Arc::downgrade(&under_way);
        let thread = thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || accept(&listener, &service, bounds, &stops, &running))
            .map_err(failed)?;
        Ok(ControlSocket { dir: dir.to_owned(), stopping, thread: Some(thread), under_way: Some(under_way), ended })
    }
}

/// Serves every connection on a thread of its own, until `stopping`.
fn accept(
    listener: &UnixListener,
    service: &Arc<Service>,
    bounds: Bounds,
    stopping: &AtomicBool,
    running: &Weak<UnderWay>,
) {
    for stream in listener.incoming() {
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let spawned = stream.and_then(|stream| {
            let service = Arc::clone(service);
            let running = Weak::clone(running);
            let serve = move || serve(&stream, &service, bounds, &running);
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
        // The thread is blocked in accept: this connection wakes it, so that it stops and drops the
        // service, and the data file is closed properly.
        let woken = through(&self.dir, |path| UnixStream::connect(path));
        if let Some(thread) = self.thread.take().filter(|_| woken.is_ok())
            && thread.join().is_err()
        {
            tracing::error!("the thread of the control socket panicked");
        }
        // An import that is reported as done is worth more than a quick stop.
        self.under_way = None;
        if self.ended.recv_timeout(DRAIN_LIMIT) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!(limit_s = DRAIN_LIMIT.as_secs(), "a command did not finish and is cut off");
        }
        if let Err(error) = std::fs::remove_file(socket_path(&self.dir)) {
            tracing::warn!(%error, "the control socket could not be removed");
        }
    }
}

/// The client of a connection. One thread answers it, and meanwhile a second one sends keep-alive lines.
struct Caller<'s> {
    stream: &'s UnixStream,
    /// Why a write failed. Nothing is written after that, so a client that has gone delays nothing.
    gone: Mutex<Option<io::ErrorKind>>,
}

impl Caller<'_> {
    fn send(&self, response: &Response<impl Serialize>) -> io::Result<()> {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = *gone {
            return Err(kind.into());
        }
        let sent = send(self.stream, response);
        *gone = sent.as_ref().err().map(io::Error::kind);
        sent
    }

    /// Sends keep-alive lines until the request has ended.
    fn keep_alive(&self, ended: &Receiver<()>) {
        while ended.recv_timeout(ALIVE_EVERY) == Err(RecvTimeoutError::Timeout) {
            if self.send(&Response::<()>::Alive).is_err() {
                return;
            }
        }
    }
}

fn serve(stream: &UnixStream, service: &Service, bounds: Bounds, running: &Weak<UnderWay>) {
    let caller = Caller { stream, gone: Mutex::default() };
    thread::scope(|scope| {
        // The second thread ends when `_working` is dropped.
        let (_working, ended) = channel();
        let caller = &caller;
        let alive = thread::Builder::new().name("control-alive".to_owned());
        match alive.spawn_scoped(scope, move || caller.keep_alive(&ended)) {
            Ok(_) => serve_one(caller, service, bounds, running),
            Err(error) => tracing::warn!(%error, "a control connection could not be served"),
        }
    });
}

/// Reads the request of a connection, and answers it.
fn serve_one(caller: &Caller<'_>, service: &Service, bounds: Bounds, running: &Weak<UnderWay>) {
    let hello = Response::<()>::Hello(env!("CARGO_PKG_VERSION").to_owned());
    if caller.send(&hello).is_err() {
        return;
    }
    let Some(request) = read_request(caller.stream, bounds).transpose() else { return };
    // Only from here on: a client that sends nothing must not delay a stop.
    let under_way = running.upgrade();
    if request.as_ref().is_ok_and(Request::is_long) {
        lower_priority();
    }
    // If the caller goes away, its command still runs to its end; only a check, which changes nothing, is cancelled.
    let send_step = |step| caller.send(&Response::<()>::Progress(step));
    let response = match request {
        _ if under_way.is_none() => Response::Refused(StoreError::Ending.into()),
        Ok(Request::Check) => {
            let gone = Cell::new(false);
            let mut progress = |step| gone.set(send_step(step).is_err());
            answer(data_check::check(service, &|| gone.get(), &mut progress).map(Answer::Check))
        }
        Ok(Request::Run(command)) => {
            answer(execute(service, command.into_owned(), &mut |step| drop(send_step(step))).map(Answer::Command))
        }
        Err(message) => Response::Refused(AdminError::new(message)),
    };
    if let Err(error) = caller.send(&response) {
        tracing::warn!(%error, "the caller of a control command did not take its answer");
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Command(Reply),
    Check(CheckReport),
}

fn answer(done: Result<Answer, AdminError>) -> Response<Answer> {
    done.map_or_else(Response::Refused, Response::Done)
}

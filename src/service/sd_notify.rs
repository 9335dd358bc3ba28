//! Telling the service manager how the service stands (`sd_notify(3)` of systemd).
//!
//! One datagram a message, to the socket that `NOTIFY_SOCKET` names. Without one, nobody is told. A
//! manager that does not listen never holds up the service.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

/// How long a message may wait for room in the manager's queue.
const PATIENCE: Duration = Duration::from_millis(100);

/// The service manager, where there is one.
#[derive(Default)]
pub struct ServiceManager {
    socket: Option<UnixDatagram>,
    /// Within which time it wants to hear that the service still answers.
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// The manager that the environment names.
    #[must_use]
    pub fn from_env() -> ServiceManager {
        let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return ServiceManager::default() };
        ServiceManager::new(&path, watchdog_of_env()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the service manager cannot be told anything: NOTIFY_SOCKET does not lead to it");
            ServiceManager::default()
        })
    }

    /// The manager that listens at `path`, or by an abstract name where it begins with `@`, and
    /// restarts what says nothing for as long as `watchdog`.
    pub fn new(path: &OsStr, watchdog: Option<Duration>) -> io::Result<ServiceManager> {
        let address = match path.as_bytes().strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(path)?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.connect_addr(&address)?;
        socket.set_write_timeout(Some(PATIENCE))?;
        Ok(ServiceManager { socket: Some(socket), watchdog })
    }

    /// True where what the service prints is kept: by the journal, or by a manager, also one that
    /// cannot be told anything.
    #[must_use]
    pub fn keeps_output() -> bool {
        std::env::var_os("NOTIFY_SOCKET").is_some() || is_the_journal(1)
    }

    /// The service is not up yet, for this reason.
    pub fn status(&self, status: &str) {
        self.tell(&format!("STATUS={status}"));
    }

    /// The service answers from now on.
    pub fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={status}"));
    }

    /// The service finishes what is in flight, and ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=finishing what is in flight");
    }

    /// Tells the manager twice within its patience, for ever, that the service answers; only after
    /// `answers`, which is given that patience, has come to true, so that a service that hangs is restarted.
    pub async fn watch<F: Future<Output = bool>>(&self, answers: impl Fn(Duration) -> F) {
        let Some(patience) = self.watchdog else { return std::future::pending().await };
        let mut beat = tokio::time::interval(patience / 2);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beat.tick().await;
            if answers(patience).await {
                self.tell("WATCHDOG=1");
            } else {
                tracing::error!("the service does not answer itself; the service manager will restart it");
            }
        }
    }

    fn tell(&self, state: &str) {
        let sent = self.socket.as_ref().map(|socket| socket.send(state.as_bytes()));
        if let Some(Err(error)) = sent {
            tracing::warn!(%error, state, "the service manager could not be told");
        }
    }
}

/// True where this descriptor of the process leads to the journal (`JOURNAL_STREAM`, systemd.exec(5)).
#[must_use]
pub fn is_the_journal(descriptor: u32) -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let open = std::fs::metadata(format!("/proc/self/fd/{descriptor}"));
    open.is_ok_and(|open| format!("{}:{}", open.dev(), open.ino()) == stream)
}

/// What `WATCHDOG_USEC` asks of this process.
fn watchdog_of_env() -> Option<Duration> {
    let usec = std::env::var("WATCHDOG_USEC").ok()?;
    // A child of the service that is watched is not itself watched.
    if std::env::var("WATCHDOG_PID").is_ok_and(|pid| pid != std::process::id().to_string()) {
        return None;
    }
    match usec.parse::<u64>() {
        // The clock that counts it has milliseconds, and half of it is counted.
        Ok(usec) if usec >= 2_000 => Some(Duration::from_micros(usec)),
        _ => {
            tracing::warn!(usec, "WATCHDOG_USEC is not understood: nobody is told that the service answers");
            None
        }
    }
}

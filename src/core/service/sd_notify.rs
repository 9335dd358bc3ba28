//! Messages to the service manager (`sd_notify(3)` of systemd): ready, stopping, status, watchdog.
//!
//! Each message is one datagram to the socket in `NOTIFY_SOCKET`; without that variable nothing is sent. A manager
//! that does not read must never block the service. The `sd-notify` crate (0.5) cannot promise that: it sends without a
//! timeout, and it takes an abstract socket for a file.

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

#[derive(Default)]
pub struct ServiceManager {
    socket: Option<UnixDatagram>,
    /// How often the manager expects a watchdog message; after that time without one it restarts the service.
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// Returns the manager of the environment. If its socket cannot be used, logs a warning and sends nothing.
    pub fn from_env() -> ServiceManager {
        let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return ServiceManager::default() };
        ServiceManager::new(&path, watchdog_of_env()).unwrap_or_else(|error| {
            tracing::warn!(%error, "the service manager gets no messages: the socket in NOTIFY_SOCKET cannot be used");
            ServiceManager::default()
        })
    }

    /// Returns the manager that listens at `path`, which is an abstract name if it begins with `@`. Fails if no
    /// socket is there.
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

    /// True if stdout is captured, by the journal or by any service manager (even if its socket cannot be used).
    pub fn keeps_output() -> bool {
        std::env::var_os("NOTIFY_SOCKET").is_some() || is_the_journal(1)
    }

    /// Reports what the service is doing, before it is ready.
    pub fn status(&self, status: &str) {
        self.send(&format!("STATUS={status}"));
    }

    /// Reports that the service answers from now on, at this address.
    pub fn ready(&self, address: std::net::SocketAddr) {
        self.send(&format!("READY=1\nSTATUS=listening on {address}"));
    }

    /// Reports that the service finishes the requests in flight and stops.
    pub fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=finishing what is in flight");
    }

    /// Sends the watchdog message for ever, twice within the manager's patience, and only while `answers` returns
    /// true within that patience: a service that hangs is restarted.
    pub async fn watch<F: Future<Output = bool>>(&self, answers: impl Fn(Duration) -> F) {
        let Some(patience) = self.watchdog else { return std::future::pending().await };
        let mut beat = tokio::time::interval(patience / 2);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beat.tick().await;
            if answers(patience).await {
                self.send("WATCHDOG=1");
            } else {
                tracing::error!("the service does not answer its own check; the service manager will restart it");
            }
        }
    }

    fn send(&self, state: &str) {
        let sent = self.socket.as_ref().map(|socket| socket.send(state.as_bytes()));
        if let Some(Err(error)) = sent {
            tracing::warn!(%error, state, "a message to the service manager could not be sent");
        }
    }
}

/// True if this descriptor is connected to the journal (`JOURNAL_STREAM`, systemd.exec(5)).
pub fn is_the_journal(descriptor: u32) -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let open = std::fs::metadata(format!("/proc/self/fd/{descriptor}"));
    open.is_ok_and(|open| format!("{}:{}", open.dev(), open.ino()) == stream)
}

/// Returns the interval in `WATCHDOG_USEC`, if it is meant for this process.
fn watchdog_of_env() -> Option<Duration> {
    let usec = std::env::var("WATCHDOG_USEC").ok()?;
    // A child process inherits the variable of the watched service, but is not watched.
    if std::env::var("WATCHDOG_PID").is_ok_and(|pid| pid != std::process::id().to_string()) {
        return None;
    }
    match usec.parse::<u64>() {
        // The timer has a resolution of one millisecond, and runs twice within the interval.
        Ok(usec) if usec >= 2_000 => Some(Duration::from_micros(usec)),
        _ => {
            tracing::warn!(usec, "WATCHDOG_USEC is not understood: no watchdog messages are sent");
            None
        }
    }
}

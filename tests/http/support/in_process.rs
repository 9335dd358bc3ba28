//! A server in the test's own process, on a clock that the test moves.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use taxd::base::value::{Clock, Timestamp};
use taxd::core::engine::{Engine, Step};
use taxd::core::service::{Running, Service};
use taxd::core::store::Store;
use taxd::core::webhook::{ATTEMPT_TIMEOUT, Https, Transport};
use taxd::features::accounts::{AccountChange, AccountCommand, OverrideChanges, create as create_account};
use taxd::features::keys::KeyCommand;
use taxd::features::{AdminError, Command, execute};
use taxd::http::{ConnectionLimits, Server};
use tokio::runtime::{Builder, Runtime};

use super::{Client, Key};

/// How long logged calls are kept.
const KEEP: Duration = Duration::from_hours(30 * 24);

thread_local! {
    /// Wall clock of this thread, if it differs from the server's, in milliseconds since 1970.
    static OWN_MS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// A transport for a server without subscriptions.
fn no_subscribers() -> Arc<dyn Transport> {
    Arc::new(Https::new(None, ATTEMPT_TIMEOUT).unwrap())
}

/// The server, its clock, and an account of the plan `growth` whose key the requests carry.
pub struct InProcess {
    client: Client,
    /// The account.
    pub client_id: String,
    service: Arc<Service>,
    /// The wall clock, in milliseconds since 1970.
    now_ms: Arc<AtomicU64>,
    /// The monotonic clock, in milliseconds.
    uptime_ms: Arc<AtomicU64>,
    /// Stops the server when dropped, and aborts requests in flight.
    _runtime: Runtime,
    _running: Mutex<Running>,
}

impl InProcess {
    /// Starts a server without rules at that instant. A body must arrive within a fifth of a second.
    pub fn start(at: &str) -> InProcess {
        InProcess::on(Store::in_memory().unwrap(), at)
    }

    /// Starts a server on that store.
    pub fn on(store: Store, at: &str) -> InProcess {
        let now_ms = Arc::new(AtomicU64::new(Timestamp::parse(at).unwrap().millis()));
        let uptime_ms = Arc::new(AtomicU64::new(0));
        let clock = {
            let (now_ms, uptime_ms) = (Arc::clone(&now_ms), Arc::clone(&uptime_ms));
            let read = move || OWN_MS.get().unwrap_or_else(|| now_ms.load(Ordering::SeqCst));
            Clock::new(move || Timestamp::from_millis(read()).unwrap())
                .with_uptime(move || uptime_ms.load(Ordering::SeqCst))
        };
        let engine = Engine::new(store, 64).with_clock(clock);
        let service = Arc::new(Service::open(engine).unwrap());
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let limits = ConnectionLimits {
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_millis(200),
            max_connections: 256,
        };
        let address = "127.0.0.1:0".parse().unwrap();
        let bound = runtime.block_on(Server::bind(address, Arc::clone(&service), limits, "t".to_owned())).unwrap();
        let port = bound.local_addr().unwrap().port();
        runtime.spawn(bound.serve(std::future::pending()));
        let running = Mutex::new(service.start(KEEP, no_subscribers(), KEEP).unwrap());
        let client = Client::new(port, String::new(), Duration::from_mins(1));
        let mut server = InProcess {
            client,
            client_id: String::new(),
            service,
            now_ms,
            uptime_ms,
            _runtime: runtime,
            _running: running,
        };
        let made = create_account(&server.service, "Um", "growth", OverrideChanges::default()).unwrap();
        server.client_id = made.account.client_id;
        server.client.key = server.new_key("live").key;
        server
    }

    /// The engine of the server.
    pub fn engine(&self) -> &Engine {
        self.service.engine()
    }

    /// Executes a command of the operator, which must succeed.
    #[track_caller]
    pub fn admin(&self, command: Command) -> Value {
        self.try_admin(command).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Executes a command of the operator.
    pub fn try_admin(&self, command: Command) -> Result<Value, AdminError> {
        execute(&self.service, command, &mut |_| {}).map(|reply| serde_json::to_value(reply).unwrap())
    }

    /// Executes a command while this thread reads the wall clock `at`; `progress` receives each step.
    #[track_caller]
    pub fn admin_at(&self, at: &str, command: Command, progress: &mut dyn FnMut(Step)) -> Value {
        OWN_MS.set(Some(Timestamp::parse(at).unwrap().millis()));
        let done = execute(&self.service, command, progress);
        OWN_MS.set(None);
        serde_json::to_value(done.unwrap_or_else(|e| panic!("{e}"))).unwrap()
    }

    /// Creates a key of the account.
    pub fn new_key(&self, kind: &str) -> Key {
        Key::of(&self.admin(Command::Key(KeyCommand::Create {
            account: self.client_id.clone(),
            kind: kind.to_owned(),
            name: None,
        })))
    }

    /// Changes the account's own limits.
    pub fn except(&self, changes: OverrideChanges) {
        self.admin(Command::Account(AccountCommand::Set(AccountChange {
            account: self.client_id.clone(),
            limits: changes,
            ..AccountChange::default()
        })));
    }

    /// Advances both clocks.
    pub fn pass(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap();
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
        self.uptime_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// Returns the day in UTC.
    pub fn day(&self) -> String {
        Timestamp::from_millis(self.now_ms.load(Ordering::SeqCst)).unwrap().day().to_string()
    }

    /// Sets the wall clock and leaves the monotonic clock.
    pub fn set_clock(&self, at: &str) {
        self.now_ms.store(Timestamp::parse(at).unwrap().millis(), Ordering::SeqCst);
    }
}

impl Deref for InProcess {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

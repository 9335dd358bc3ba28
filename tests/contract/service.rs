//! Servers for the tests: one with round figures of our own, one with the built-in rules.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;

use crate::api::Api;
use crate::support::{DataDir, Server, taxd};

/// Round figures for every tax. Amounts of these tests can be checked by hand, and no law changes them.
pub const RULES: &str = include_str!("rules.json");

/// A running server, its data directory, and a client that sends the key of an account.
pub struct Service {
    pub dir: DataDir,
    pub api: Api,
    /// Stops the server when dropped.
    _server: Server,
}

impl Deref for Service {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

impl Service {
    /// Starts a server with these bundles and an account of the plan `enterprise`.
    pub fn start(bundles: &[String], args: &[&str]) -> Service {
        let dir = DataDir::empty();
        let key = dir.account("Contrato", &["--plan", "enterprise"]).live.key;
        for (i, text) in bundles.iter().enumerate() {
            let file = dir.write(&format!("{i}.json"), text);
            taxd(&dir, [PathBuf::from("import"), file]).ok();
        }
        let server = Server::start(&dir.path(), Some(&key), args);
        let api = Api::new(server.port, &key);
        Service { dir, api, _server: server }
    }

    /// Starts a server like [`Service::start`] that trusts the certificates of the tests' receivers.
    pub fn with_authority(bundles: &[String]) -> Service {
        let beside = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(beside.path(), &crate::support::receiver::authority().pem).unwrap();
        Service::start(bundles, &["--webhook-ca", beside.path().to_str().unwrap()])
    }

    /// Starts a server on the built-in rules.
    fn built_in() -> Service {
        let dir = DataDir::ready();
        let server = dir.serve(&[]);
        let api = Api::new(server.port, &server.key);
        Service { dir, api, _server: server }
    }

    /// Runs a command that must succeed. Returns its JSON document.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Value {
        taxd(&self.dir, args.iter().chain(&["--json"])).ok().json()
    }

    /// Publishes rules while the server runs.
    #[track_caller]
    pub fn publish(&self, rules: &[Value]) -> Value {
        let file = self.dir.write("published.json", crate::support::bundle(rules));
        self.run(&["import", file.to_str().unwrap()])
    }
}

/// Returns the server that the tests share, and starts it if none of them uses it now. It stops with its last user.
fn shared(place: &Mutex<Weak<Service>>, start: impl FnOnce() -> Service) -> Arc<Service> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    place.upgrade().unwrap_or_else(|| {
        let started = Arc::new(start());
        *place = Arc::downgrade(&started);
        started
    })
}

/// Returns a server with [`RULES`] and the rules of [`crate::validity`].
pub fn figures() -> Arc<Service> {
    static SERVER: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SERVER, || Service::start(&[RULES.to_owned(), crate::validity::bundle()], &[]))
}

/// Returns a server with the built-in rules.
pub fn law() -> Arc<Service> {
    static SERVER: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SERVER, Service::built_in)
}

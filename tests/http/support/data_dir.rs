//! Data directories: empty, or after a first run.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use super::server::PATIENCE;
use super::{Server, taxd};

/// The data file after a first run, and the key of an account created after it.
struct FirstRun {
    file: Vec<u8>,
    key: String,
}

fn first_run() -> &'static FirstRun {
    static FIRST: OnceLock<FirstRun> = OnceLock::new();
    FIRST.get_or_init(|| {
        let dir = DataDir::empty();
        let mut server = dir.serve(&[]);
        assert!(server.printed_key().is_some(), "a first run prints a key");
        assert_eq!(server.stop("TERM").code(), Some(0));
        let key = live_key(&dir);
        FirstRun { file: fs::read(dir.file()).unwrap(), key }
    })
}

/// Creates an account of the largest plan, whose limits no test reaches; returns its production key.
pub fn live_key(dir: &DataDir) -> String {
    dir.account("Testes", &["--plan", "enterprise"]).live.key
}

/// A data directory that is removed when dropped.
pub struct DataDir {
    dir: TempDir,
    key: Option<String>,
}

impl DataDir {
    /// Returns a path at which no directory exists yet.
    pub fn empty() -> DataDir {
        DataDir { dir: TempDir::new().unwrap(), key: None }
    }

    /// Creates a directory as after a first run, with one more account whose key the servers use.
    pub fn ready() -> DataDir {
        let first = first_run();
        let dir = DataDir { dir: TempDir::new().unwrap(), key: Some(first.key.clone()) };
        fs::create_dir(dir.path()).unwrap();
        fs::write(dir.file(), &first.file).unwrap();
        dir
    }

    /// Starts a server on a directory of its own, as [`DataDir::ready`] makes it.
    pub fn served() -> Served {
        let dir = DataDir::ready();
        Served { server: dir.serve(&[]), _dir: dir }
    }

    /// Returns the directory, for `--data`.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Writes a file beside the data directory.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Returns the path of the data file.
    pub fn file(&self) -> PathBuf {
        self.path().join("taxd.redb")
    }

    /// Returns the path of the control socket of a running server.
    pub fn socket(&self) -> PathBuf {
        self.path().join("control").join("sock")
    }

    /// Starts a server on the directory.
    pub fn serve(&self, args: &[&str]) -> Server {
        Server::start(&self.path(), self.key.as_deref(), args)
    }

    /// Starts a server on a directory whose first run gave this key.
    pub fn serve_as(&self, key: &str) -> Server {
        Server::start(&self.path(), Some(key), &[])
    }

    /// Returns the versions whose end a later version set, as the listing shows them.
    pub fn superseded(&self) -> Vec<String> {
        let listed = taxd(self, ["rules", "list", "--json", "--limit", "1000000"]).ok().json();
        let superseded = listed["regras"].as_array().unwrap().iter().filter(|rule| !rule["substituida_por"].is_null());
        superseded.map(|rule| rule["rule_id"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the call log of the running server is as wanted. Returns the `log` of its status.
    #[track_caller]
    pub fn wait_for_log(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let mut status = taxd(self, ["status", "--json"]).ok().json();
            assert_eq!(status["running"], true, "{status}");
            if wanted(&status["log"]) {
                return status["log"].take();
            }
            assert!(start.elapsed() < PATIENCE, "it does not come to that: {status}");
        }
    }

    /// Waits until every call that was answered is in the data file.
    #[track_caller]
    pub fn wait_until_logged(&self) {
        let log = self.wait_for_log(|log| log["pending"] == 0);
        assert_eq!(log["lost"], 0, "{log}");
    }
}

/// A server and its directory, for tests that need nothing else of it. The server stops before the directory goes.
pub struct Served {
    server: Server,
    _dir: DataDir,
}

impl Deref for Served {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Served {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}

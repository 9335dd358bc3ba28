//! Data directories: an empty one, or one in which the first run is already over.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use super::server::PATIENCE;
use super::{Server, taxd};

/// The file that a first run leaves, and the key of an account made after it.
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

/// A production key of a new account of the largest plan, so that no limit stands in a test's way.
pub fn live_key(dir: &DataDir) -> String {
    dir.account("Testes", &["--plan", "enterprise"]).live.key
}

/// A data directory that goes away with the value.
pub struct DataDir {
    dir: TempDir,
    key: Option<String>,
}

impl DataDir {
    /// Nothing is there yet, not even the directory.
    pub fn empty() -> DataDir {
        DataDir { dir: TempDir::new().unwrap(), key: None }
    }

    /// The built-in rules and the account of a first run, and one more whose key the servers use.
    pub fn ready() -> DataDir {
        let first = first_run();
        let dir = DataDir { dir: TempDir::new().unwrap(), key: Some(first.key.clone()) };
        fs::create_dir(dir.path()).unwrap();
        fs::write(dir.file(), &first.file).unwrap();
        dir
    }

    /// The directory given to `--data`.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Writes a file beside the data directory.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The data file.
    pub fn file(&self) -> PathBuf {
        self.path().join("taxd.redb")
    }

    /// The control socket of a running server.
    pub fn socket(&self) -> PathBuf {
        self.path().join("control").join("sock")
    }

    /// A server in the directory, listening.
    pub fn serve(&self, args: &[&str]) -> Server {
        Server::start(&self.path(), self.key.as_deref(), args)
    }

    /// The same where the first run is over and gave this key.
    pub fn serve_as(&self, key: &str) -> Server {
        Server::start(&self.path(), Some(key), &[])
    }

    /// Waits until the log of the running server is as wanted; the `log` of its status then.
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

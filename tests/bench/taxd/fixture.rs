//! Data directories that sections share. Each is created once; a section that writes gets a copy.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use taxd::core::engine::Engine;
use taxd::core::rulesets;
use taxd::core::store::Store;
use tempfile::TempDir;

use super::process::{Process, ask, taxd};
use super::rules::{self, MILLION};
use crate::mix;
use crate::template::Template;

/// Payloads of each tax in the mix.
const OF_EACH_TAX: usize = 64;
/// Folder of the copies of data directories.
const COPIES: &str = "copies";

/// A data directory and a production key in it, of an account of the largest plan.
#[derive(Clone)]
pub struct Home {
    pub dir: PathBuf,
    pub client_id: String,
    pub key_id: String,
    pub key: String,
}

impl Home {
    /// Creates an account in the directory, with a key.
    pub fn of_new_account(dir: PathBuf) -> Home {
        let account = ask(&dir, &["account", "create", "Bench", "--plan", "enterprise"]);
        let client_id = account["client_id"].as_str().expect("an id").to_owned();
        let made = ask(&dir, &["key", "create", "--account", &client_id, "--kind", "live"]);
        let text = |name: &str| made[name].as_str().expect("a key and its id").to_owned();
        Home { dir, client_id, key_id: text("key_id"), key: text("key") }
    }

    fn copied_to(&self, dir: PathBuf) -> Home {
        fs::create_dir_all(&dir).expect("a new folder");
        fs::copy(self.dir.join("taxd.redb"), dir.join("taxd.redb")).expect("room for a copy");
        Home { dir, ..self.clone() }
    }
}

/// A directory with a million more rules, and the cost of importing them.
pub struct Million {
    pub home: Home,
    pub took: Duration,
    pub peak_mib: f64,
}

/// Creates directories on first use and removes them when dropped.
pub struct Fixture {
    root: TempDir,
    pub quick: bool,
    templates: OnceCell<Vec<Template>>,
    builtin: OnceCell<Home>,
    million: OnceCell<Million>,
}

impl Fixture {
    pub fn new(quick: bool) -> Fixture {
        let root = TempDir::with_prefix("taxd-bench-").expect("a folder for temporary files");
        Fixture { root, quick, templates: OnceCell::new(), builtin: OnceCell::new(), million: OnceCell::new() }
    }

    /// Returns the first figure in a whole run, the second in a quick one.
    pub fn either<T>(&self, whole: T, quick: T) -> T {
        if self.quick { quick } else { whole }
    }

    /// Returns a path of that name beside the data directories.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The mix of all taxes.
    pub fn templates(&self) -> &[Template] {
        self.templates.get_or_init(|| {
            let engine = Engine::new(Store::in_memory().expect("a store in memory"), 0);
            rulesets::load(&engine).expect("the built-in rules load");
            mix::templates(&engine, OF_EACH_TAX)
        })
    }

    /// The built-in rules.
    pub fn builtin(&self) -> &Home {
        self.builtin.get_or_init(|| {
            let dir = self.path("builtin");
            ask(&dir, &["import", "--builtin"]);
            Home::of_new_account(dir)
        })
    }

    /// The built-in rules and a million more.
    pub fn million(&self) -> &Million {
        self.million.get_or_init(|| {
            let home = self.builtin().copied_to(self.path("million"));
            let file = self.write("million.json", &rules::bundle(0, MILLION));
            let (took, peak_mib) = import(&home.dir, &file).finish("taxd import");
            Million { home, took, peak_mib }
        })
    }

    /// Copies a directory that no process has open.
    pub fn copy(&self, home: &Home, name: &str) -> Home {
        home.copied_to(self.path(COPIES).join(name))
    }

    /// Removes the copies after a section: each can have a gigabyte.
    pub fn remove_copies(&self) {
        let copies = self.path(COPIES);
        if copies.exists() {
            fs::remove_dir_all(copies).expect("own files can be removed");
        }
    }

    /// Writes a file beside the data directories.
    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("room for a file");
        path
    }
}

/// A running import.
pub fn import(dir: &Path, file: &Path) -> Process {
    let mut command = taxd(&["import", "--data"]);
    Process::spawn(command.arg(dir).arg(file).stdout(std::process::Stdio::null()))
}

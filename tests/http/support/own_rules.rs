//! A data directory with one account and only the rules of the test.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;

use super::data_dir::live_key;
use super::{DataDir, Done, Server, bundle, taxd};

/// The directory and the key of its one account.
pub struct OwnRules {
    pub dir: DataDir,
    pub key: String,
}

impl OwnRules {
    /// Creates a directory with these rules, published at once.
    #[track_caller]
    pub fn of(rules: &[Value]) -> OwnRules {
        let own = OwnRules::none();
        own.publish(rules);
        own
    }

    /// Creates a directory with an account and without rules.
    #[track_caller]
    pub fn none() -> OwnRules {
        OwnRules::in_dir(DataDir::empty())
    }

    /// Creates an account in a prepared directory.
    #[track_caller]
    pub fn in_dir(dir: DataDir) -> OwnRules {
        let key = live_key(&dir);
        OwnRules { dir, key }
    }

    /// Starts a server.
    pub fn serve(&self) -> Server {
        self.dir.serve_as(&self.key)
    }

    /// Publishes rules and returns the report of `--json`.
    #[track_caller]
    pub fn publish(&self, rules: &[Value]) -> Value {
        self.import(&self.dir.write("rules.json", bundle(rules)), &["--json"]).ok().json()
    }

    /// Imports rules that must be refused; returns the output.
    #[track_caller]
    pub fn refused(&self, rules: &[Value]) -> String {
        let done = self.import(&self.dir.write("rules.json", bundle(rules)), &[]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        done.stderr
    }

    /// Runs `taxd import` on a file.
    pub fn import(&self, file: &Path, more: &[&str]) -> Done {
        taxd(&self.dir, [OsStr::new("import"), file.as_os_str()].into_iter().chain(more.iter().map(OsStr::new)))
    }
}

impl Server {
    /// Returns the rules of one page.
    #[track_caller]
    pub fn regras(&self, query: &str) -> Vec<Value> {
        let reply = self.get_own(&format!("/v1/regras?{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["regras"].as_array().unwrap().clone()
    }

    /// Returns the events of one page.
    #[track_caller]
    pub fn changelog(&self, query: &str) -> Vec<Value> {
        let reply = self.get_own(&format!("/v1/changelog?{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json().as_array().unwrap().clone()
    }
}

/// Returns the `rule_id` of each rule or event.
pub fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["rule_id"].as_str().unwrap_or_else(|| panic!("no rule_id: {row}"))).collect()
}

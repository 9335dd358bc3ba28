//! A data directory with an account, and with no rules but the test's own.

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
    /// These rules, of one publication.
    #[track_caller]
    pub fn of(rules: &[Value]) -> OwnRules {
        let own = OwnRules::none();
        own.publish(rules);
        own
    }

    /// An account and no rule.
    #[track_caller]
    pub fn none() -> OwnRules {
        OwnRules::in_dir(DataDir::empty())
    }

    /// The same in a directory that was prepared.
    #[track_caller]
    pub fn in_dir(dir: DataDir) -> OwnRules {
        let key = live_key(&dir);
        OwnRules { dir, key }
    }

    /// A server on them.
    pub fn serve(&self) -> Server {
        self.dir.serve_as(&self.key)
    }

    /// Publishes rules; the report of `--json`.
    #[track_caller]
    pub fn publish(&self, rules: &[Value]) -> Value {
        self.import(&self.dir.write("rules.json", bundle(rules)), &["--json"]).ok().json()
    }

    /// What is said of rules that must be refused.
    #[track_caller]
    pub fn refused(&self, rules: &[Value]) -> String {
        let done = self.import(&self.dir.write("rules.json", bundle(rules)), &[]);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{done:?}");
        done.stderr
    }

    /// `taxd import` of a file.
    pub fn import(&self, file: &Path, more: &[&str]) -> Done {
        taxd(&self.dir, [OsStr::new("import"), file.as_os_str()].into_iter().chain(more.iter().map(OsStr::new)))
    }
}

impl Server {
    /// The rules of one page.
    #[track_caller]
    pub fn regras(&self, query: &str) -> Vec<Value> {
        let reply = self.get_own(&format!("/v1/regras?{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["regras"].as_array().unwrap().clone()
    }

    /// The events of one page.
    #[track_caller]
    pub fn changelog(&self, query: &str) -> Vec<Value> {
        let reply = self.get_own(&format!("/v1/changelog?{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json().as_array().unwrap().clone()
    }
}

/// The `rule_id` of each.
pub fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["rule_id"].as_str().unwrap_or_else(|| panic!("no rule_id: {row}"))).collect()
}

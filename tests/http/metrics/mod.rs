//! The figures that Prometheus reads, and health: on a listener of their own and on the command line.

#![allow(clippy::float_cmp, reason = "what is compared are counts, which a float holds exactly")]

mod figures;
mod health;
mod packaged;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{Client, Server};

/// Address of the listener, free.
const LISTEN: [&str; 2] = ["--metrics-listen", "127.0.0.1:0"];
/// The header that Prometheus sends by default.
const OPEN_METRICS: (&str, &str) = (
    "accept",
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
);

/// The metrics and health of a server on their own address.
fn listener(server: &Server) -> Client {
    server.wait_for_log(" metrics=127.0.0.1:");
    let log = server.log();
    let port = log.split(" metrics=127.0.0.1:").nth(1).unwrap().split_whitespace().next().unwrap();
    Client::new(port.parse().unwrap(), String::new(), Duration::from_mins(1))
}

/// Every figure by its name and labels, in the one form or the other; each must be described first.
fn figures(text: &str) -> BTreeMap<String, f64> {
    let (mut described, mut figures) = (BTreeMap::new(), BTreeMap::new());
    for line in text.strip_suffix("# EOF\n").unwrap_or(text).lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            let (what, name, rest) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
            assert!(matches!(what, "HELP" | "TYPE"), "{line}");
            assert!(described.insert((what.to_owned(), name.to_owned()), rest.to_owned()).is_none(), "{line} twice");
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let bare = name.split('{').next().unwrap();
        let family = ["", "_total", "_bucket", "_sum", "_count"].iter().find_map(|suffix| {
            let family = bare.strip_suffix(suffix)?;
            described.get(&("TYPE".to_owned(), family.to_owned())).map(|kind| (family, kind))
        });
        let (family, _) = family.unwrap_or_else(|| panic!("{line} has no type"));
        assert!(described.contains_key(&("HELP".to_owned(), family.to_owned())), "{line} says nothing");
        assert!(figures.insert(name.to_owned(), value.parse().unwrap()).is_none(), "{name} twice");
    }
    figures
}

//! Polling the changelog with `desde` = date of the last query loses no event (contract, section 4.3),
//! also at midnight.
//!
//! Events carry an instant from before their commit. A poll just after midnight that did not wait for
//! the commit missed the events dated on the day before, and so did every later poll.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use taxd::core::engine::{Stage, Step};
use taxd::features::Command;
use taxd::features::accounts::{OverrideChange, OverrideChanges};
use taxd::features::import::{ImportCommand, ImportFile};

use crate::support::large::bundle_of_codes;
use crate::support::{AtEnd, InProcess};

/// Rules of one import: their events take long enough to write that polls fall into that time.
const RULES: usize = 4_000;
const NIGHTS: usize = 4;

/// Polls as the contract says, to the letter.
struct Poller<'s> {
    server: &'s InProcess,
    /// The date of the last query.
    last_query: String,
    /// Tags of the documents that it has, by path, if it sends them.
    tags: Option<HashMap<String, String>>,
    /// Every event that it was shown: version and instant.
    seen: BTreeSet<(String, String)>,
}

impl Poller<'_> {
    fn poll(&mut self) {
        let today = self.server.day();
        let mut next = Some(format!("/v1/changelog?limit=500&desde={}", self.last_query));
        self.last_query = today;
        while let Some(path) = next {
            let tag = self.tags.as_ref().and_then(|tags| tags.get(&path)).map_or("none", String::as_str);
            let reply = self.server.get(&path, &[("X-API-Key", &self.server.key), ("If-None-Match", tag)]);
            if reply.status == 304 {
                return;
            }
            assert_eq!(reply.status, 200, "{}", reply.text());
            for event in reply.json().as_array().unwrap() {
                let text = |name: &str| event[name].as_str().unwrap().to_owned();
                self.seen.insert((text("rule_id"), text("publicado_em")));
            }
            if let Some(tags) = &mut self.tags {
                tags.insert(path, reply.header("etag").unwrap().to_owned());
            }
            let link = reply.header("link").map(|link| link.trim_start_matches('<').split('>').next().unwrap());
            next = link.map(str::to_owned);
        }
    }
}

#[test]
fn a_poller_to_the_letter_loses_no_event_of_an_import_that_is_committed_over_midnight() {
    let server = InProcess::start("2026-12-01T12:00:00Z");
    server.except(OverrideChanges { rate_limit: Some(OverrideChange::Set(1_000_000)), ..OverrideChanges::default() });
    let poller = |tags| Poller { server: &server, last_query: server.day(), tags, seen: BTreeSet::new() };
    let mut pollers = [poller(None), poller(Some(HashMap::new()))];
    let mut dated_before_midnight = 0;
    for night in 1..=NIGHTS {
        let (day, next_day) = (format!("2026-12-{night:02}"), format!("2026-12-{:02}", night + 1));
        server.set_clock(&format!("{day}T23:59:59.500Z"));
        pollers.iter_mut().for_each(Poller::poll);
        let text = bundle_of_codes(&format!("t-{night}"), night * RULES..(night + 1) * RULES);
        let file = ImportFile { name: "noite.json".to_owned(), text, signature: None };
        let command = Command::Import(ImportCommand { files: vec![file], listed: Some(0), ..ImportCommand::default() });
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let (server, over) = (&server, &over);
            scope.spawn(move || {
                let _over = AtEnd(over);
                // What is left then is to date the events, to write them and to commit.
                let mut midnight = |step: Step| {
                    if step.stage == Stage::Examples && step.done == step.total {
                        server.set_clock(&format!("{next_day}T00:00:00.169Z"));
                    }
                };
                server.admin_at(&format!("{day}T23:59:59.900Z"), command, &mut midnight);
            });
            for poller in &mut pollers {
                scope.spawn(move || {
                    while !over.load(Ordering::SeqCst) {
                        poller.poll();
                    }
                    poller.poll();
                });
            }
        });
        for poller in &pollers {
            let of_night = poller.seen.iter().filter(|(id, _)| id.starts_with(&format!("t-{night}-")));
            let instants: BTreeSet<&str> = of_night.clone().map(|(_, at)| at.as_str()).collect();
            assert_eq!(of_night.count(), RULES, "night {night}, events dated {instants:?}");
            dated_before_midnight += usize::from(instants.iter().all(|at| at.contains("T23:59:59.9")));
        }
    }
    assert!(dated_before_midnight > 0, "no import was committed over midnight");
}

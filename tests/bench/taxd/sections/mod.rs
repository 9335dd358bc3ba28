//! The sections of the table. Each can be measured alone.

mod audit;
mod calc;
mod crossing;
mod crowd;
mod imports;
mod kept;
mod kinds;
mod listings;
mod lists;
mod memory;
mod open;
mod size;
mod start;
mod throughput;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::bare;
use super::fixture::{Fixture, Home};
use super::load::{CONNECTIONS, Mix, Outcome, Until, closed_loop};
use super::process::{Process, serve};
use super::table::Row;

/// One section.
pub struct Section {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Fixture) -> Vec<Row>,
}

/// All sections, in the order of the table.
pub const SECTIONS: &[Section] = &[
    Section { name: "size", about: "the binary without its rules", run: size::run },
    Section { name: "calc", about: "the engine alone, on one core", run: calc::run },
    Section { name: "lists", about: "a list as CSV, against JSON lines", run: lists::run },
    Section { name: "audit", about: "a folder of invoices", run: audit::run },
    Section { name: "kinds", about: "documents of each kind", run: kinds::run },
    Section { name: "crossing", about: "invoices with the digital books", run: crossing::run },
    Section { name: "import", about: "a million rules into the data file", run: imports::million },
    Section { name: "start", about: "from the start to the first answer", run: start::run },
    Section { name: "throughput", about: "32 connections, saturated, against bare hyper", run: throughput::run },
    Section { name: "open", about: "calls at a fixed rate, half of what saturates", run: open::run },
    Section { name: "importing", about: "latency while 100,000 rules are imported", run: imports::under_load },
    Section { name: "kept", about: "latency beside kept lists that a publication touches", run: kept::run },
    Section { name: "crowd", about: "latency beside 400 connections of listings", run: crowd::run },
    Section { name: "memory", about: "what a server holds", run: memory::run },
    Section { name: "listings", about: "usage, regras and changelog of a large firm", run: listings::run },
];

/// A server and the requests sent to it.
struct Subject {
    process: Process,
    address: SocketAddr,
    mix: Arc<Mix>,
}

impl Subject {
    /// Starts a server on the directory. With `fresh`, every call has a new payload.
    fn serve(fixture: &Fixture, home: &Home, fresh: bool) -> Subject {
        Subject::on(home, Mix::new(fixture.templates(), &home.key, fresh))
    }

    fn on(home: &Home, mix: Arc<Mix>) -> Subject {
        let (process, address) = serve(&home.dir);
        Subject { process, address, mix }
    }

    /// Starts the bare server. Its answers are as long as those of `like` on average.
    fn bare(like: &Subject) -> Subject {
        let seen = like.saturate(Duration::from_secs(1));
        let (process, address) = bare::start(usize::try_from(seen.bytes / seen.ok.max(1)).expect("a length"));
        Subject { process, address, mix: Arc::clone(&like.mix) }
    }

    /// Loads the server with 32 connections, each with one call at a time.
    fn saturate(&self, time: Duration) -> Outcome {
        closed_loop(self.address, &self.mix, &Until::after(time), CONNECTIONS)
    }
}

/// Divides each figure of `of` by the figure of `to` from the same round.
fn ratios(of: &[Outcome], to: &[Outcome], figure: impl Fn(&Outcome) -> f64) -> Vec<f64> {
    of.iter().zip(to).map(|(a, b)| figure(a) / figure(b)).collect()
}

/// Returns the median.
fn middle(outcomes: &[Outcome], figure: impl Fn(&Outcome) -> f64) -> f64 {
    let mut figures: Vec<f64> = outcomes.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    super::table::median(&figures)
}

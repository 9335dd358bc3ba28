//! Official tables that the State publishes and anyone can download, as bundles.
//!
//! A source reads its file, compares it with the installed rules, and writes only what is new: versions and ends. What
//! was published is never repeated, so the same file adds nothing the second time. Rules that did not come from the
//! source keep their precedence: the source writes nothing for what they answer, and reports where it differs.

pub mod cclasstrib;
pub mod command;
mod installed;
pub mod iss_nacional;
mod periods;
pub mod report;
mod table;
pub mod tipi;

pub use installed::InstalledVersion;

use serde::Serialize;

/// Most faults that a report lists.
const MAX_LISTED_FAULTS: usize = 100;

/// The faults of an official file. A faulty line is left out; the others count.
#[derive(Debug, Default, Serialize)]
pub struct LineFaults {
    /// How many lines have a fault.
    pub total: u64,
    /// The first of them.
    pub primeiras: Vec<LineFault>,
}

#[derive(Debug, Serialize)]
pub struct LineFault {
    /// The file, with its name inside an archive.
    pub arquivo: String,
    /// The line, from 1.
    pub linha: u64,
    /// What is wrong, in Portuguese.
    pub detail: String,
}

impl LineFaults {
    fn add(&mut self, arquivo: &str, linha: u64, detail: String) {
        self.total += 1;
        if self.primeiras.len() < MAX_LISTED_FAULTS {
            self.primeiras.push(LineFault { arquivo: arquivo.to_owned(), linha, detail });
        }
    }
}

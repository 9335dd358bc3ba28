//! The calendar: what begins and ends in the next days, as a list, as a file for a calendar program and on the page.

pub(crate) mod command;
pub mod ics;
pub(crate) mod page;
pub mod report;
mod table;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::typed;

/// What begins and what ends in the next days, and what answers after each end
///
/// After its last day a version has a new version under the same scope, or the general rule answers
/// again, or the tax is extinct, or the next version has no figure and refuses (`sem_figura`), or
/// nothing answers (`sem_sucessora`). The report says which, whether the figures of the rule that
/// answers then are established, and which rules are of the test year of the reform. Beside the rules
/// it lists the dates of an accountant's duties (`prazos`), which no count includes. It is Portuguese.
/// Of the data directory; if none is named and there is no ./taxd-data, of the built-in
/// rules.
///
/// Examples:
///   taxd rules upcoming --days 60
///   taxd rules upcoming --days 400 --csv > agenda.csv
///   taxd rules upcoming --days 400 --ics > agenda.ics
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[command(verbatim_doc_comment)]
pub struct UpcomingQuery {
    /// Look this many days ahead
    #[arg(long, default_value_t = 90, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_600))]
    pub days: u32,
    /// Look ahead from this day: 2026-11-22 or 22/11/2026 [default: today]
    #[arg(long, value_name = "DATE", value_parser = typed::day)]
    pub desde: Option<String>,
    /// Only the rules of this tax, in either case
    #[arg(long, value_parser = typed::word)]
    pub tributo: Option<String>,
    /// Only rules with this UF on either side, by its letters or its name
    #[arg(long, value_parser = typed::uf)]
    pub uf: Option<String>,
    /// Write an iCalendar (RFC 5545): an all-day event for each day, tax and place, and for each date of a duty
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    #[serde(skip)]
    pub ics: bool,
    /// Write a CSV with a row for each version, and one for each date of a duty
    #[arg(long, conflicts_with = "json")]
    #[serde(skip)]
    pub csv: bool,
}

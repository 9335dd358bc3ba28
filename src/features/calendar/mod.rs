//! The calendar: what begins and ends in the next days, as a list, as a file for a calendar program and on the page.

pub(crate) mod command;
mod ics;
pub(crate) mod page;
pub(crate) mod report;
mod table;

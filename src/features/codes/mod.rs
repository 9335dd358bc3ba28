//! Codes found by words, and the table of the day that has an NCM.

pub(crate) mod page;

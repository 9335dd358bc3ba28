//! The command line, with and without a server beside it.

mod accounts;
mod calc;
mod calc_lines;
mod help;
mod import;
mod import_faults;

//! The command line, with and without a server beside it.

mod accounts;
mod backup;
mod backup_broken_off;
mod bundle;
mod bundle_origin;
mod bundle_trust;
mod calc;
mod calc_lines;
mod check;
mod check_config;
mod check_faults;
mod configuration;
mod help;
mod import;
mod import_clock;
mod import_faults;
mod import_shown;
mod json_errors;
mod keys;
mod listen;
mod logging;
mod plans;
mod rules;
mod shipped;
mod status;
mod typed;

//! The sandbox page in a real browser: headless Chromium, driven by `WebDriver`, on the real binary.
//!
//! Without `chromium` or `chromedriver` each test prints a message and passes; with `CI=true` it fails instead.
//! `AXE_JS` is the path of `axe.min.js`. The check for accessibility is skipped in the same way without it, and that
//! of the printed page without `pdftotext`.

mod accountant;
mod ahead;
mod calculate;
mod calendar;
mod clients;
mod codes;
mod correct;
mod coverage;
mod documents;
mod driver;
mod effort;
mod forms;
mod frame;
mod given;
mod hostile;
mod key;
mod keyboard;
mod known_on;
mod law;
mod letters;
mod lists;
mod looks;
mod missing;
mod office;
mod operation;
mod operation_faults;
mod page;
mod paper;
mod picture;
mod refusals;
mod repeated;
mod returning;
mod saved;
mod sheet;
mod start;
#[path = "../http/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with the tests over HTTP, which need more of it")]
mod support;
mod supposed;
mod tasks;
mod tasks_lists;
mod treatment;
mod typing;

//! The service of one process.
//!
//! | file | subject |
//! |---|---|
//! | `calendar` | the rules that end soon, and the warnings of them |
//! | `limits` | which connection is evicted, and memory for answers in flight |
//! | `sd_notify` | messages to the service manager |

mod calendar;
mod limits;
mod sd_notify;

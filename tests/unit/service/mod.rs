//! The service of one process.
//!
//! | file | subject |
//! |---|---|
//! | `limits` | which connection is evicted, and memory for answers in flight |
//! | `sd_notify` | messages to the service manager |

mod limits;
mod sd_notify;

//! What one process shares.
//!
//! | file | what must hold |
//! |---|---|
//! | `limits` | which connection gives way, and memory for answers in flight |
//! | `sd_notify` | messages to the service manager |

mod limits;
mod sd_notify;

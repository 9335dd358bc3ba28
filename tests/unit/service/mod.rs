//! What one process shares.
//!
//! | file | what must hold |
//! |---|---|
//! | `places` | which connection gives way, and memory for answers in flight |
//! | `manager` | messages to the service manager |

mod manager;
mod places;

//! Which rule answers.
//!
//! | file | what must hold |
//! |---|---|
//! | `key` | the bytes under which a rule is kept |
//! | `lookup` | which of several rules answers |
//! | `succession` | which version answers on which day |
//! | `nearest` | which rules a 404 names, and what ruled them out |

mod key;
mod lookup;
mod nearest;
mod succession;

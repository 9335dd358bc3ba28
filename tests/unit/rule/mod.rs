//! Which rule answers.
//!
//! | file | what must hold |
//! |---|---|
//! | `lookup` | which of several rules answers |
//! | `history` | which version answers on which day |

mod history;
mod lookup;

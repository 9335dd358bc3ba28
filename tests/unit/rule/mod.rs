//! Which rule answers.
//!
//! | file | what must hold |
//! |---|---|
//! | `lookup` | which of several rules answers |
//! | `history` | which version answers on which day |
//! | `nearest` | which rules a 404 names, and what ruled them out |

mod lookup;
mod nearest;
mod succession;

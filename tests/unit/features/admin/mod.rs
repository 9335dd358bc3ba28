//! Administration.
//!
//! | file | what must hold |
//! |---|---|
//! | `control` | the control socket and its bounds |

mod control;

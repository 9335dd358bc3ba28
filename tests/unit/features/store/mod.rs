//! The data file, as the commands use it.
//!
//! | file | what must hold |
//! |---|---|
//! | `beside` | a process that reads the file beside one that writes to it |
//! | `faults` | a disk that refuses, and power that is cut, at every operation of a server |

mod beside;
mod faults;

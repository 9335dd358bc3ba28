//! The data file.
//!
//! | file | what must hold |
//! |---|---|
//! | `beside` | a process that reads the file beside one that writes to it |
//! | `damaged` | a file that the disk damaged is refused, never opened as an empty one |
//! | `schema` | a changed table raises the schema version |
//! | `staged` | a data file that is being written |
//! | `faults` | a disk that refuses, and power that is cut, at every operation of a server |

mod beside;
mod damaged;
mod faults;
mod schema;
mod staged;

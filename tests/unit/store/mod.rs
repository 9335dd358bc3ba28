//! The data file.
//!
//! | file | what must hold |
//! |---|---|
//! | `schema` | a changed table raises the schema version |
//! | `staged` | a data file that is being written |
//! | `faults` | a disk that refuses, and power that is cut, at every operation of a server |

mod faults;
mod schema;
mod staged;

//! The data file.
//!
//! | file | what must hold |
//! |---|---|
//! | `schema` | a changed table raises the schema version |
//! | `drafts` | a data file that is being written |
//! | `faults` | a disk that refuses, and power that is cut, at every operation of a server |

mod drafts;
mod faults;
mod schema;

//! The data file.
//!
//! | file | what must hold |
//! |---|---|
//! | `damaged` | a file that the disk damaged is refused, never opened as an empty one |
//! | `schema` | a changed table raises the schema version |
//! | `staged` | a data file that is being written |

mod damaged;
mod schema;
mod staged;

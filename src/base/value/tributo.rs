//! The name of a tax.

use std::fmt;

use serde::{Serialize, Serializer};

/// One of the taxes of the registry, by the contract's name (`icms_st`). Only the file of a tax makes its name, so
/// that no other name can exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tributo(&'static str);

impl Tributo {
    /// The tax of that name: for the file that implements it.
    pub const fn new(name: &'static str) -> Tributo {
        Tributo(name)
    }

    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Tributo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Tributo {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.0)
    }
}

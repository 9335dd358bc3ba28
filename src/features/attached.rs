//! Texts of a command that follow its line on the control socket, each after a line with its length: as members of the
//! line, every byte of a payload would be escaped or written as a number.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Most texts of a list: many times what the command line sends together, and not enough to use up the memory.
const MAX_TEXTS: usize = 1024 * 1024;

/// Writes how many texts a list has. For `#[serde(with = "attached")]`.
pub(super) fn serialize<T, S: Serializer>(texts: &[T], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(texts.len() as u64)
}

/// Reads how many texts a list has, and returns as many empty ones. Fails if there are more than [`MAX_TEXTS`].
pub(super) fn deserialize<'d, T: Default, D: Deserializer<'d>>(from: D) -> Result<Vec<T>, D::Error> {
    match usize::deserialize(from)? {
        count if count <= MAX_TEXTS => Ok(std::iter::repeat_with(T::default).take(count).collect()),
        count => Err(D::Error::custom(format!("{count} texts, and the most is {MAX_TEXTS}"))),
    }
}

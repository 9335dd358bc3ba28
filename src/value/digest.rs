//! Naming bytes by their hash.

use ring::digest::{SHA256, digest};

use super::hex;

/// SHA-256 in lower-case hexadecimal: 64 digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(digest(&SHA256, bytes).as_ref())
}

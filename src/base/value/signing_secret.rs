//! The secret that a webhook subscription signs with.

use std::fmt;

use data_encoding::BASE64;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};

use super::RandomFailed;

/// Random bytes of a secret made here: 256 bits.
const RANDOM_BYTES: usize = 32;
/// Shortest secret that is accepted, in bytes.
const MIN_BYTES: usize = 16;
/// Longest secret that is accepted, in bytes: the limit of Standard Webhooks 1.0.0.
const MAX_BYTES: usize = 512;
/// Prefix of a secret in the form of Standard Webhooks; base64 follows it.
const STANDARD_PREFIX: &str = "whsec_";

/// A secret in clear, shared with the receiver. Unlike a key it must be stored in clear, because every delivery is
/// signed with it. Its `Debug` hides it, so that it cannot be logged by mistake.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl Secret {
    /// Generates one in the form of Standard Webhooks.
    pub fn generate() -> Result<Secret, RandomFailed> {
        let mut random = [0; RANDOM_BYTES];
        SystemRandom::new().fill(&mut random).map_err(|_| RandomFailed)?;
        Ok(Secret(format!("{STANDARD_PREFIX}{}", BASE64.encode(&random))))
    }

    /// Parses the text of a secret file. Ignores a line end at its end, which editors add.
    pub fn parse(text: &str) -> Result<Secret, String> {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !(MIN_BYTES..=MAX_BYTES).contains(&line.len()) {
            return Err(format!("a secret has {MIN_BYTES} to {MAX_BYTES} bytes, this one has {}", line.len()));
        }
        if line.chars().any(char::is_control) {
            return Err("a secret is one line of printable characters".to_owned());
        }
        if let Some(encoded) = line.strip_prefix(STANDARD_PREFIX) {
            // `decode` also accepts padding in the middle, which libraries of Standard Webhooks refuse.
            let decoded = BASE64.decode(encoded.as_bytes()).ok().filter(|decoded| BASE64.encode(decoded) == encoded);
            let decoded = decoded.ok_or("what follows whsec_ must be base64")?;
            if decoded.len() < MIN_BYTES {
                return Err(format!("what follows whsec_ must hold at least {MIN_BYTES} bytes"));
            }
        }
        Ok(Secret(line.to_owned()))
    }

    /// The bytes that key `X-Service-Signature` (contract, section 5): the text itself.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The bytes that key `webhook-signature`: what `whsec_` encodes, else the text itself.
    pub fn standard_bytes(&self) -> Vec<u8> {
        let decoded = self.0.strip_prefix(STANDARD_PREFIX).and_then(|encoded| BASE64.decode(encoded.as_bytes()).ok());
        decoded.unwrap_or_else(|| self.bytes().to_vec())
    }

    /// The secret in clear, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

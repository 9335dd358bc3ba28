//! API keys (contract, section 5).

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

/// Random bytes in a key: 192 bits.
const RANDOM_BYTES: usize = 24;
/// Bytes of checksum after them: they distinguish a mistyped key from an unknown one.
const CHECK_BYTES: usize = 4;

crate::vocabulary! {
    pub enum KeyKind {
        Live = "live",
        Test = "test",
    }
}

impl KeyKind {
    const fn prefix(self) -> &'static str {
        match self {
            KeyKind::Live => "svc_live_",
            KeyKind::Test => "svc_test_",
        }
    }
}

/// A key in clear, which exists only until it was shown once. It has no `Debug` and no `Display`, so that it
/// cannot be logged by mistake.
pub struct ApiKey {
    text: String,
}

/// SHA-256 of a key: the only form that is stored.
pub type KeyDigest = [u8; 32];

fn sha256(text: &str) -> KeyDigest {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    out
}

/// Random bytes in hexadecimal, from the system's generator.
pub fn random_hex(bytes: usize) -> Result<String, RandomFailed> {
    let mut buffer = vec![0; bytes];
    SystemRandom::new().fill(&mut buffer).map_err(|_| RandomFailed)?;
    Ok(HEXLOWER.encode(&buffer))
}

/// A random number for jitter; half of the range if the system's generator fails.
pub fn random_u32() -> u32 {
    let mut bytes = [0; 4];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => u32::from_be_bytes(bytes),
        Err(_) => u32::MAX / 2,
    }
}

/// The system's random generator failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomFailed;

impl ApiKey {
    pub fn generate(kind: KeyKind) -> Result<ApiKey, RandomFailed> {
        let body = format!("{}{}", kind.prefix(), random_hex(RANDOM_BYTES)?);
        let check = HEXLOWER.encode(sha256(&body).get(..CHECK_BYTES).unwrap_or_default());
        Ok(ApiKey { text: format!("{body}{check}") })
    }

    /// Parses a key. `None` without a known prefix, the right length and the right checksum.
    pub fn parse(text: &str) -> Option<ApiKey> {
        let known = [KeyKind::Live, KeyKind::Test].iter().find_map(|kind| text.strip_prefix(kind.prefix()))?;
        if known.len() != 2 * (RANDOM_BYTES + CHECK_BYTES) || !known.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let (body, check) = text.split_at_checked(text.len() - 2 * CHECK_BYTES)?;
        let expected = HEXLOWER.encode(sha256(body).get(..CHECK_BYTES)?);
        (check == expected).then(|| ApiKey { text: text.to_owned() })
    }

    /// The digest of the key, for storing it.
    pub fn digest(&self) -> KeyDigest {
        sha256(&self.text)
    }

    /// The digest of any text that a caller sent as a key. Takes the same time for a well-formed key and any
    /// other text.
    pub fn digest_of(text: &str) -> KeyDigest {
        sha256(text)
    }

    /// The key in clear, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

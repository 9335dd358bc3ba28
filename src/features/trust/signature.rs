//! Detached Ed25519 signatures of bundle files (`<file>.sig`).
//!
//! A signature is over the bytes of the file. Key and signature files are one line of text: a word for the kind of
//! file, and hexadecimal. The id of a key is the first bytes of its SHA-256; a signature contains it, so the signer is
//! known before the signature is verified.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use crate::base::value::sha256_hex;
use crate::core::engine::Signed;
use crate::features::AdminError;

const PRIVATE: &str = "taxd-ed25519-private";
const PUBLIC: &str = "taxd-ed25519-public";
const SIGNATURE: &str = "taxd-ed25519-signature";
/// Hexadecimal digits of the SHA-256 of a public key that are its id.
const KEY_ID_DIGITS: usize = 16;
const SIGNATURE_BYTES: usize = 64;

/// A key that may sign bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedKey {
    /// Its name, chosen by the operator.
    pub name: String,
    /// The text of the public key file.
    pub public_key: String,
}

/// Makes a pair of keys, and returns the texts of the private and of the public key file.
pub fn generate() -> Result<(String, String), AdminError> {
    let failed = |_| AdminError::from(crate::base::value::RandomFailed);
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(failed)?;
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).map_err(|e| AdminError::new(e.to_string()))?;
    Ok((
        format!("{PRIVATE} {}\n", HEXLOWER.encode(document.as_ref())),
        format!("{}\n", write_public(pair.public_key().as_ref())),
    ))
}

/// Signs the bytes of a file with a private key file, and returns the text of the signature file.
pub fn sign(private_key: &str, bytes: &[u8]) -> Result<String, AdminError> {
    let document = payload(private_key, PRIVATE, 0)
        .ok_or_else(|| AdminError::new("this is not a private key made by `taxd bundle keygen`"))?;
    let pair = Ed25519KeyPair::from_pkcs8(&document).map_err(|e| AdminError::new(format!("the private key: {e}")))?;
    let key_id = key_id(pair.public_key().as_ref());
    Ok(format!("{SIGNATURE} {key_id} {}\n", HEXLOWER.encode(pair.sign(bytes).as_ref())))
}

/// Reads a public key file. Fails if it has another form.
pub fn read_public(text: &str) -> Result<Vec<u8>, AdminError> {
    payload(text, PUBLIC, 0)
        .filter(|key| key.len() == 32)
        .ok_or_else(|| AdminError::new("this is not a public key made by `taxd bundle keygen`"))
}

/// Returns the text of a public key file, in the form in which keys are stored and compared.
pub fn write_public(public_key: &[u8]) -> String {
    format!("{PUBLIC} {}", HEXLOWER.encode(public_key))
}

/// Returns the id of a public key, its fingerprint.
pub fn key_id(public_key: &[u8]) -> String {
    let mut id = sha256_hex(public_key);
    id.truncate(KEY_ID_DIGITS);
    id
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signer {
    Nobody,
    /// A trusted key, by the name the operator gave it.
    Trusted(Signed),
    /// A key that is not trusted here, by its id.
    Stranger(String),
}

/// Returns who signed the bytes. Fails if the signature file is damaged, or if the signature by a trusted key does not
/// verify: the file is not what its signer signed.
pub fn verify(signature: Option<&str>, bytes: &[u8], trusted: &[TrustedKey]) -> Result<Signer, AdminError> {
    let Some(text) = signature else { return Ok(Signer::Nobody) };
    let damaged = || {
        AdminError::new(
            "the signature file is damaged, or not one that taxd writes; sign the bundle again with `taxd bundle sign`",
        )
    };
    let id = text.split_whitespace().nth(1).ok_or_else(damaged)?.to_ascii_lowercase();
    let signature = payload(text, SIGNATURE, 1).ok_or_else(damaged)?;
    let is_id = id.len() == KEY_ID_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_id || signature.len() != SIGNATURE_BYTES {
        return Err(damaged());
    }
    for key in trusted {
        let public = read_public(&key.public_key)?;
        if key_id(&public) == id {
            return match UnparsedPublicKey::new(&ED25519, &public).verify(bytes, &signature) {
                Ok(()) => Ok(Signer::Trusted(Signed { by: key.name.clone(), key_id: Some(id) })),
                Err(_) => Err(AdminError::new(format!(
                    "the signature by {} does not verify: the file was changed after it was signed",
                    key.name
                ))),
            };
        }
    }
    Ok(Signer::Stranger(id))
}

/// The bytes in the last word of a line that begins with `kind` and has `between` words between.
fn payload(text: &str, kind: &str, between: usize) -> Option<Vec<u8>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (first, last) = (words.first()?, words.last()?);
    if *first != kind || words.len() != between + 2 {
        return None;
    }
    HEXLOWER_PERMISSIVE.decode(last.as_bytes()).ok()
}

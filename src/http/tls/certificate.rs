//! A certificate and its private key, read from PEM files and checked before they are used.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error, InconsistentKeys};
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::base::value::{Timestamp, sha256_hex};

/// Paths of a certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// PEM file with the server's certificate first, then those up to its authority.
    pub certificate: PathBuf,
    /// PEM file with its private key, not encrypted.
    pub key: PathBuf,
}

/// Why a certificate and key cannot be used: a sentence that names the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(String);

impl TlsError {
    fn of(path: &Path, why: impl fmt::Display) -> TlsError {
        TlsError(format!("{}: {why}", path.display()))
    }

    /// The reading was cancelled, as while the service stops.
    pub(super) fn given_up(why: impl fmt::Display) -> TlsError {
        TlsError(format!("the TLS files could not be read: {why}"))
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for TlsError {
    fn from(error: Error) -> TlsError {
        TlsError(format!("TLS cannot be set up: {error}"))
    }
}

pub(super) struct PemFiles {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl PemFiles {
    pub(super) fn read(files: &TlsFiles) -> Result<PemFiles, TlsError> {
        let read = |path: &Path| std::fs::read(path).map_err(|e| TlsError::of(path, format!("it cannot be read: {e}")));
        Ok(PemFiles { certificate: read(&files.certificate)?, key: read(&files.key)? })
    }

    /// Returns a digest: the same for the same contents.
    pub(super) fn digest(&self) -> String {
        sha256_hex(&self.certificate) + &sha256_hex(&self.key)
    }
}

/// A usable certificate with its key.
pub struct CertificatePair {
    /// The form that rustls uses.
    pub(super) certified: Arc<CertifiedKey>,
    /// The names of the certificate; its subject if it has none.
    pub names: String,
    pub not_before: Timestamp,
    pub not_after: Timestamp,
    /// SHA-256 of the certificate in hexadecimal, as `openssl x509 -fingerprint -sha256` shows it without colons.
    pub fingerprint: String,
    /// Digest of the files that it was read from.
    pub(super) source: String,
}

impl CertificatePair {
    /// Reads the files. Fails if one cannot be used, or if the key is not that of the certificate.
    pub fn load(files: &TlsFiles) -> Result<CertificatePair, TlsError> {
        CertificatePair::parse(files, &PemFiles::read(files)?)
    }

    pub(super) fn parse(files: &TlsFiles, contents: &PemFiles) -> Result<CertificatePair, TlsError> {
        let chain = chain(&files.certificate, &contents.certificate)?;
        let key = key(&files.key, &contents.key)?;
        let own = chain.first().cloned().unwrap_or_else(|| CertificateDer::from_slice(&[]));
        let certified = CertifiedKey::from_der(chain, key, &default_provider()).map_err(|error| match error {
            Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => TlsError::of(
                &files.key,
                format!(
                    "this is not the key of the first certificate in {}, which must be the server's own",
                    files.certificate.display()
                ),
            ),
            Error::InvalidCertificate(why) => not_understood(&files.certificate, format!("{why:?}")),
            other => TlsError::of(
                &files.key,
                format!(
                    "its key cannot be used ({other}); use ECDSA P-256 or P-384, Ed25519, or RSA of at least 2048 bits"
                ),
            ),
        })?;
        let read = Certificate::from_der(&own).map_err(|why| not_understood(&files.certificate, why))?;
        let tbs = read.tbs_certificate();
        let validity = tbs.validity();
        Ok(CertificatePair {
            certified: Arc::new(certified),
            names: alternative_names(&read).unwrap_or_else(|| tbs.subject().to_string()),
            not_before: instant(validity.not_before.to_unix_duration()),
            not_after: instant(validity.not_after.to_unix_duration()),
            fingerprint: sha256_hex(&own),
            source: contents.digest(),
        })
    }
}

fn not_understood(path: &Path, why: impl fmt::Display) -> TlsError {
    TlsError::of(path, format!("its first certificate is not understood: {why}"))
}

/// Reads the certificates of the file, at least one.
fn chain(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|why| TlsError::of(path, format!("it is not a PEM file: {why}")))?;
    if chain.is_empty() {
        return Err(TlsError::of(path, "it holds no certificate (-----BEGIN CERTIFICATE-----)"));
    }
    Ok(chain)
}

/// Reads the first private key of the file.
fn key(path: &Path, pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    let encrypted = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"];
    if encrypted.iter().any(|mark| pem.windows(mark.len()).any(|part| part == mark.as_bytes())) {
        let hint = "its key is encrypted, and taxd has no passphrase; write it without one with `openssl pkey`";
        return Err(TlsError::of(path, hint));
    }
    PrivateKeyDer::from_pem_slice(pem).map_err(|why| match why {
        PemError::NoItemsFound => TlsError::of(path, "it holds no private key (-----BEGIN PRIVATE KEY-----)"),
        // The reason is left out: it may quote a line of the key.
        _ => TlsError::of(path, "it is not a PEM file"),
    })
}

/// Returns the DNS names and IP addresses of the certificate, if it has any.
fn alternative_names(certificate: &Certificate) -> Option<String> {
    let (_, SubjectAltName(names)) = certificate.tbs_certificate().get_extension().ok()??;
    let shown = names.iter().filter_map(|name| match name {
        GeneralName::DnsName(name) => Some(name.to_string()),
        GeneralName::IpAddress(address) => match *address.as_bytes() {
            [a, b, c, d] => Some(std::net::Ipv4Addr::new(a, b, c, d).to_string()),
            ref long => Some(std::net::Ipv6Addr::from(<[u8; 16]>::try_from(long).ok()?).to_string()),
        },
        _ => None,
    });
    let shown: Vec<String> = shown.collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

fn instant(since_1970: Duration) -> Timestamp {
    u64::try_from(since_1970.as_millis()).ok().and_then(Timestamp::from_millis).unwrap_or(Timestamp::MAX)
}

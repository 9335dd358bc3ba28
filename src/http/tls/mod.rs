//! TLS on the listener: which certificate is shown, and reading it again when its files change.
//!
//! | part | what it is |
//! |---|---|
//! | `certificate` | a certificate and its key from files |
//! | `connection` | one connection from its first byte to HTTP/1.1 over TLS |
//!
//! A pair that cannot be used must never take the place of one that can.

mod certificate;
mod connection;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use certificate::PemFiles;
pub use certificate::{CertificatePair, TlsError, TlsFiles};
pub(super) use connection::{converse, refuse};

use crate::service::Service;
use crate::value::Timestamp;

/// Time between two looks at the files.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// From so long before its end on, the log warns of a certificate once a day.
const WARN_BEFORE_MS: u64 = 14 * DAY_MS;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The one protocol that ALPN offers.
const HTTP_1_1: &[u8] = b"http/1.1";

/// What the listener needs to speak TLS 1.2 and 1.3.
pub struct Tls {
    files: TlsFiles,
    shown: Arc<CurrentCertificate>,
    acceptor: TlsAcceptor,
}

/// The certificate that is shown to whoever connects from now on.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Tls {
    /// Shows this pair of these files.
    pub fn new(files: TlsFiles, certificate: &CertificatePair) -> Result<Tls, TlsError> {
        let shown = Arc::new(CurrentCertificate(RwLock::new(Arc::clone(&certificate.certified))));
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(Arc::<CurrentCertificate>::clone(&shown));
        config.alpn_protocols = vec![HTTP_1_1.to_vec()];
        let acceptor = Arc::new(config).into();
        Ok(Tls { files, shown, acceptor })
    }

    /// Reads the files again every few seconds, and at once when `ask` is notified, for as long as
    /// the process lives. Begins with `certificate`, which is the one that is shown.
    pub async fn keep_fresh(self: Arc<Self>, certificate: CertificatePair, service: Arc<Service>, ask: Arc<Notify>) {
        in_use(&certificate, &service);
        let mut watch =
            FileWatch { not_after: certificate.not_after, tried: Ok(certificate.source), new: None, warned_on: None };
        loop {
            watch.warn_of_the_end(service.engine().now());
            let asked = tokio::select! {
                () = tokio::time::sleep(LOOK_AGAIN) => false,
                () = ask.notified() => true,
            };
            let found = self.read().await;
            let seen = found.as_ref().map(PemFiles::digest).map_err(Clone::clone);
            if !watch.is_worth_a_try(&seen) && !asked {
                continue;
            }
            watch.tried = seen;
            match found.and_then(|contents| CertificatePair::parse(&self.files, &contents)) {
                Ok(certificate) => {
                    watch.not_after = certificate.not_after;
                    *self.shown.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&certificate.certified);
                    in_use(&certificate, &service);
                }
                Err(error) => {
                    tracing::error!(%error, "the TLS files cannot be used; the certificate before them stays in use");
                }
            }
        }
    }

    /// What the files hold now. Reading may wait for a disk, which no connection is to wait for.
    async fn read(&self) -> Result<PemFiles, TlsError> {
        let files = self.files.clone();
        tokio::task::spawn_blocking(move || PemFiles::read(&files)).await.unwrap_or_else(|e| Err(TlsError::given_up(e)))
    }
}

/// Tells which certificate is shown from now on.
fn in_use(certificate: &CertificatePair, service: &Service) {
    service.set_tls_not_after(certificate.not_after);
    let CertificatePair { names, not_before, not_after, fingerprint, .. } = certificate;
    tracing::info!(%names, %not_after, sha256 = %fingerprint, "TLS certificate in use");
    if *not_before > service.engine().now() {
        tracing::warn!(%not_before, "the TLS certificate is not good yet: callers will refuse it");
    }
}

/// What the files held, without the key itself; or why they could not be read.
type Seen = Result<String, TlsError>;

/// What is known of the files from one look to the next.
struct FileWatch {
    /// The end of the certificate in use.
    not_after: Timestamp,
    /// What was last tried, good or not.
    tried: Seen,
    /// What was there at the last look, where that was something new.
    new: Option<Seen>,
    /// Day, counted from 1970, on which the log last warned of the end.
    warned_on: Option<u64>,
}

impl FileWatch {
    /// True for what is new and stayed the same from one look to the next: two files are not written
    /// in one instant, and half of a new pair does not match.
    fn is_worth_a_try(&mut self, seen: &Seen) -> bool {
        if *seen == self.tried {
            self.new = None;
            return false;
        }
        let before = self.new.replace(seen.clone());
        before.as_ref() == Some(seen)
    }

    fn warn_of_the_end(&mut self, now: Timestamp) {
        let today = now.millis() / DAY_MS;
        if self.warned_on == Some(today) || now.millis() + WARN_BEFORE_MS < self.not_after.millis() {
            return;
        }
        self.warned_on = Some(today);
        if now < self.not_after {
            tracing::warn!(not_after = %self.not_after, "the TLS certificate ends soon; put a new one in its place");
        } else {
            tracing::error!(not_after = %self.not_after, "the TLS certificate is past its end: callers will refuse it");
        }
    }
}

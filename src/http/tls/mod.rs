//! TLS on the listener, with the certificate in use; `renewal` reads its files again when they change.

mod certificate;
mod connection;
mod renewal;

use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

pub use certificate::{CertificatePair, TlsError, TlsFiles};
pub(super) use connection::{refuse, serve};

/// The only protocol that ALPN offers.
const HTTP_1_1: &[u8] = b"http/1.1";

/// TLS 1.2 and 1.3 of a listener.
pub struct Tls {
    files: TlsFiles,
    shown: Arc<CurrentCertificate>,
    acceptor: TlsAcceptor,
}

/// The certificate for new connections.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Tls {
    /// Returns TLS that uses this certificate, which was read from these files.
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
}

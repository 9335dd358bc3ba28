//! A certificate authority of this process, its certificates, and TLS clients that trust only it.

use std::sync::{Arc, OnceLock};

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};

/// TLS 1.2 and 1.3.
pub const ALL_VERSIONS: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

struct Root {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

fn root() -> &'static Root {
    static ROOT: OnceLock<Root> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // The name must differ from the names of issued certificates: otherwise they would look self-signed.
        params.distinguished_name.push(DnType::CommonName, "authority of the tests");
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Root { certificate, issuer: Issuer::new(params, key) }
    })
}

/// The authority's root, as `--webhook-ca` and `curl --cacert` take it.
pub fn root_pem() -> String {
    root().certificate.pem()
}

/// A certificate and its key.
pub struct Issued {
    pub certificate: Certificate,
    pub key: KeyPair,
}

/// Issues a certificate of localhost, with changes.
pub fn issue(change: impl FnOnce(&mut CertificateParams)) -> Issued {
    let mut params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    Issued { certificate: params.signed_by(&key, &root().issuer).unwrap(), key }
}

/// Creates a self-signed certificate, as an authority or not.
pub fn self_signed(is_authority: bool) -> Issued {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = if is_authority { IsCa::Ca(BasicConstraints::Unconstrained) } else { IsCa::ExplicitNoCa };
    let key = KeyPair::generate().unwrap();
    Issued { certificate: params.self_signed(&key).unwrap(), key }
}

impl Issued {
    /// Returns the TLS configuration of a server with this certificate.
    pub fn server_config(&self) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.der().clone()], key);
        Arc::new(config.unwrap())
    }
}

/// Returns the TLS configuration of a client that trusts only the authority and offers these versions and protocols.
pub fn client_config(versions: &[&'static SupportedProtocolVersion], protocols: &[&str]) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root().certificate.der().to_vec())).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Arc::new(config)
}

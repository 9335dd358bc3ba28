//! One attempt at a delivery: an HTTPS POST with a limit for the whole of its time.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error};

use super::retry::AttemptOutcome;
use super::scheduler::{MAX_ENDPOINT_IN_FLIGHT, MAX_IN_FLIGHT};

/// Time limit of a whole attempt, from the name lookup to the end of the answer (contract, 6.1).
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest body of an answer that is read. Only the status matters; the body is read so that the connection
/// can be used again.
const MAX_ANSWER_BYTES: u64 = 16 * 1024;
/// Longest accepted head of an answer.
const MAX_HEAD_BYTES: usize = 16 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    pub url: &'a str,
    /// Name and value of the headers beyond the usual ones, which are the signatures.
    pub headers: &'a [(&'static str, String)],
    pub body: &'a [u8],
}

/// Makes attempts. Tests replace the network with another implementation.
pub trait Transport: Send + Sync {
    /// Makes one attempt. Must return within [`ATTEMPT_TIMEOUT`].
    fn post(&self, post: &Post<'_>) -> AttemptOutcome;

    /// Cuts the attempts under way. Later ones fail at once.
    fn shut_down(&self);
}

/// Posts over HTTPS with ureq and rustls, on connections that are used again.
pub struct Https {
    agent: Agent,
}

impl Https {
    /// Returns a transport that trusts Mozilla's roots, which are compiled in, and those in `ca_pem`. Fails if
    /// `ca_pem` has anything but certificates.
    pub fn new(ca_pem: Option<&str>, timeout: Duration) -> Result<Https, String> {
        let mut roots: Vec<Certificate<'static>> =
            webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|der| Certificate::from_der(der.as_ref())).collect();
        if let Some(pem) = ca_pem {
            roots.extend(read_roots(pem)?);
        }
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(default_provider()))
            .root_certs(RootCerts::Specific(Arc::new(roots)))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .https_only(true)
            // Deliveries go where the operator says; a proxy from the environment would redirect them.
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(timeout))
            .max_response_header_size(MAX_HEAD_BYTES)
            .max_idle_connections(MAX_IN_FLIGHT)
            .max_idle_connections_per_host(MAX_ENDPOINT_IN_FLIGHT)
            .user_agent(concat!("taxd/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Https { agent })
    }
}

fn read_roots(pem: &str) -> Result<Vec<Certificate<'static>>, String> {
    let mut roots = Vec::new();
    for item in parse_pem(pem.as_bytes()) {
        match item.map_err(|e| format!("not a PEM file: {e}"))? {
            PemItem::Certificate(certificate) => roots.push(certificate),
            _ => return Err("the file contains something other than certificates".to_owned()),
        }
    }
    if roots.is_empty() {
        return Err("the file contains no certificate".to_owned());
    }
    Ok(roots)
}

/// Returns the outcome of a failed connection. If rustls' reason is cryptic, replaces it by one that says
/// what to do.
fn not_connected(reason: &str) -> AttemptOutcome {
    if reason.contains("CaUsedAsEndEntity") {
        let hint = "the certificate is an authority's own; make it with basicConstraints=CA:FALSE, or have the authority sign one";
        return AttemptOutcome::not_connected(hint);
    }
    AttemptOutcome::not_connected(reason)
}

impl Transport for Https {
    fn post(&self, post: &Post<'_>) -> AttemptOutcome {
        let request = post
            .headers
            .iter()
            .fold(self.agent.post(post.url), |request, (name, value)| request.header(*name, value))
            .content_type("application/json");
        match request.send(post.body) {
            Ok(mut response) => {
                // An unread body costs the connection, nothing else.
                let _ = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
                AttemptOutcome::Answered(response.status().as_u16())
            }
            Err(Error::Timeout(_)) => AttemptOutcome::TimedOut,
            Err(error @ (Error::BadUri(_) | Error::Http(_) | Error::RequireHttpsOnly(_))) => {
                AttemptOutcome::Unsendable(error.to_string())
            }
            Err(error) => not_connected(&error.to_string()),
        }
    }

    fn shut_down(&self) {
        self.agent.clone().shutdown();
    }
}

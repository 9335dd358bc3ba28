//! The public surface: `/v1` and `/sandbox` on hyper.
//!
//! Nothing here computes: a request is limited, its key checked, its body handed to the
//! engine, and what comes back is written out.

mod blocking;
mod calculate;
mod call;
mod changelog;
mod etag;
mod framing;
mod gzip;
mod listen;
mod memory;
mod metrics;
mod openapi;
mod query;
mod refusal;
mod regras;
mod request_body;
mod respond;
mod response_body;
mod router;
mod routes;
mod sandbox;
mod server;
mod stream;
mod tls;
mod usage;

pub use listen::ListenAddress;
pub use metrics::MetricsServer;
pub use openapi::document;
pub use server::{ConnectionLimits, Server};
pub use tls::{CertificatePair, Tls, TlsError, TlsFiles};

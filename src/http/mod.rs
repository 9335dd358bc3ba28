//! The public surface: `/v1` and `/sandbox` on hyper.
//!
//! It limits connections and requests, checks the key, passes the body to the engine, and writes the answer.
//! It must never compute a tax, and never wait for the disk on a thread that serves connections.
//!
//! ```text
//!   server ─► connection ─► router ─► call (key, limits, log) ─► calculate | regras | changelog | usage ─► respond
//! ```

pub(crate) mod app;
mod blocking;
pub(crate) mod body_writer;
pub(crate) mod calculate;
pub(crate) mod call;
mod changelog;
mod connection;
pub(crate) mod etag;
mod framing;
pub(crate) mod gzip;
mod limits;
mod listen;
mod memory;
mod metrics;
pub(crate) mod multipart;
mod openapi;
pub(crate) mod query;
pub(crate) mod refusal;
mod regras;
pub(crate) mod request_body;
pub(crate) mod respond;
mod response_body;
mod router;
mod routes;
mod server;
mod stream;
mod tls;
pub(crate) mod turn;
pub(crate) mod upload;
mod usage;

pub use limits::ConnectionLimits;
pub use listen::ListenAddress;
pub use metrics::MetricsServer;
pub use openapi::document;
pub use server::Server;
pub use tls::{CertificatePair, Tls, TlsError, TlsFiles};

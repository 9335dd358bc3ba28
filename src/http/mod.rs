//! The public surface: `/v1` and `/sandbox` on hyper.
//!
//! It limits connections and requests, checks the key, passes the body to the engine, and writes the answer.
//! It must never compute a tax, and never wait for the disk on a thread that serves connections.
//!
//! ```text
//!   server ─► connection ─► router ─► call (key, limits, log) ─► calculate | regras | changelog | usage ─► respond
//! ```

mod app;
mod blocking;
mod body_writer;
mod calculate;
mod call;
mod changelog;
mod connection;
mod etag;
mod framing;
mod gzip;
mod limits;
mod listen;
mod memory;
mod metrics;
mod multipart;
mod openapi;
mod page;
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
mod turn;
mod upload;
mod usage;

pub use limits::ConnectionLimits;
pub use listen::ListenAddress;
pub use metrics::MetricsServer;
pub use openapi::document;
pub use server::Server;
pub use tls::{CertificatePair, Tls, TlsError, TlsFiles};

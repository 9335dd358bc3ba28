//! The public surface: `/v1` and `/sandbox` on hyper.
//!
//! It limits connections and requests, checks the key, passes the body to the engine, and writes the answer.
//! It must never compute a tax, and never wait for the disk on a thread that serves connections.
//!
//! ```text
//!   server ─► connection ─► router ─► call (key, limits, log) ─► calculate | regras | changelog | usage ─► respond
//! ```

pub(super) mod app;
mod blocking;
pub(super) mod body_writer;
pub(super) mod calculate;
pub(super) mod call;
mod changelog;
mod connection;
mod correcoes;
pub(super) mod cursor;
pub(super) mod etag;
mod framing;
mod limits;
mod listas;
mod listen;
mod memory;
mod metrics;
pub(super) mod multipart;
mod openapi;
pub(super) mod query;
pub(super) mod refusal;
mod regras;
pub(super) mod request_body;
pub(super) mod respond;
mod response_body;
mod router;
mod routes;
mod server;
mod stream;
mod tls;
mod tratamento;
pub(super) mod turn;
pub(super) mod upload;
mod usage;

pub use limits::ConnectionLimits;
pub use listen::ListenAddress;
pub use metrics::MetricsServer;
pub use openapi::document;
pub use server::Server;
pub use tls::{CertificatePair, Tls, TlsError, TlsFiles};

//! The public surface: `/v1` and `/sandbox` on hyper.
//!
//! Nothing here computes: a request is limited, its key checked, its body handed to the
//! engine, and what comes back is written out.

mod aside;
mod body;
mod calculate;
mod changelog;
mod content;
mod encoding;
mod etag;
mod framing;
mod gate;
mod listen;
mod metrics;
mod openapi;
mod query;
mod refusal;
mod regras;
mod respond;
mod room;
mod router;
mod routes;
mod sandbox;
mod server;
mod stream;
mod tls;
mod usage;

pub use listen::Listen;
pub use metrics::MetricsServer;
pub use openapi::document;
pub use server::{Limits, Server};
pub use tls::{Pair, Tls, TlsError, TlsFiles};

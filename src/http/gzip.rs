//! Compression with gzip, and whether a caller accepts it (RFC 9110, section 12.5.3).
//!
//! No other coding: over plain HTTP, as in a firm's own network, browsers accept nothing better, and for the few
//! files of the sandbox page brotli or zstd would save about two KiB.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// True if `Accept-Encoding` has gzip, or `*`, with a weight above zero.
pub(crate) fn is_accepted(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|v| v.to_str().ok());
    let mut any = false;
    for one in lines.flat_map(|list| list.split(',')) {
        let mut parts = one.split(';').map(str::trim);
        let coding = parts.next().unwrap_or_default();
        let accepted = parts.all(|parameter| !is_zero_weight(parameter));
        if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            return accepted;
        }
        any |= coding == "*" && accepted;
    }
    any
}

/// True for `q=0`, `q=0.0`, `Q=0.000`.
fn is_zero_weight(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.trim().eq_ignore_ascii_case("q") && weight.trim().parse::<f32>().is_ok_and(|q| q <= 0.0)
    })
}

pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

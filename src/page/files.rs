//! `GET /sandbox`: a page that sends real calls with the caller's own key (contract, section 4.5). All its files are
//! compiled in; it loads nothing from another host.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, VARY,
};
use hyper::{HeaderMap, StatusCode};

use super::declaration;
use crate::http::etag;
use crate::http::respond::{self, HttpResponse};

/// The page may run its own script and talk to its own host, and nothing more. No text can become
/// markup or script: the page makes its nodes one by one, and the browser refuses the rest.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// What the first script reads.
const DATA: &str = "sandbox/dados.json";

/// Each file of the page: its name, its content, and that packed if it is smaller so.
const FILES: &[(&str, &[u8], &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

pub(crate) struct Asset {
    path: String,
    content_type: &'static str,
    plain: Coded,
    /// `None` if gzip does not make it smaller.
    gzip: Option<Coded>,
}

/// The bytes that are sent. Each coding has its own tag (RFC 9110, section 8.8.3.3).
struct Coded {
    body: Bytes,
    etag: String,
}

/// Where a browser that was opened without the address of the page is sent.
pub(crate) fn redirected(path: &str) -> Option<&'static str> {
    match path {
        "/" | "/sandbox/" => Some("/sandbox"),
        "/favicon.ico" => Some("/sandbox/icon.svg"),
        _ => None,
    }
}

pub(crate) fn asset(path: &str) -> Option<&'static Asset> {
    static ASSETS: OnceLock<Vec<Asset>> = OnceLock::new();
    if !path.starts_with("/sandbox") {
        return None;
    }
    // Compressed at the first request: the declaration exists only at run time.
    let assets = ASSETS.get_or_init(|| {
        let packed = |gzip: &'static [u8]| Some(Bytes::from_static(gzip)).filter(|gzip| !gzip.is_empty());
        let files =
            FILES.iter().map(|(name, content, gzip)| Asset::new(name, Bytes::from_static(content), packed(gzip)));
        // The page reads the first; the others are for who writes a caller of the API.
        let declared = [
            (DATA, declaration::page()),
            ("sandbox/tributos.json", declaration::taxes().to_string().into()),
            ("sandbox/operacao.json", declaration::operation().to_string().into()),
        ];
        let rules = declaration::rules().into_iter().map(|(name, json)| Asset::new(&name, json.into(), None));
        files.chain(declared.map(|(name, json)| Asset::new(name, json.into(), None))).chain(rules).collect()
    });
    assets.iter().find(|asset| asset.path == path)
}

impl Coded {
    fn new(body: Bytes) -> Coded {
        let etag = etag::of_bytes(&body);
        Coded { body, etag }
    }
}

impl Asset {
    /// `packed` is the body in gzip, if that was made before.
    fn new(name: &str, body: Bytes, packed: Option<Bytes>) -> Asset {
        let content_type = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/json",
        };
        let path = format!("/{}", name.strip_suffix("/page.html").unwrap_or(name));
        let gzip = packed.or_else(|| compress(&body).ok().map(Bytes::from)).filter(|gzip| gzip.len() < body.len());
        Asset { path, content_type, plain: Coded::new(body), gzip: gzip.map(Coded::new) }
    }

    /// The file, or 304 if the caller has it.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> HttpResponse {
        let gzip = self.gzip.as_ref().filter(|_| accepts_gzip(headers));
        let coded = gzip.unwrap_or(&self.plain);
        let known = etag::matches(headers, &coded.etag);
        let mut answer = if known {
            etag::not_modified(&coded.etag)
        } else {
            etag::tagged(respond::with_type(StatusCode::OK, self.content_type, coded.body.clone()), &coded.etag)
        };
        let out = answer.headers_mut();
        let fixed: [(HeaderName, &'static str); 3] =
            [(CONTENT_SECURITY_POLICY, POLICY), (REFERRER_POLICY, "no-referrer"), (VARY, "accept-encoding")];
        for (name, value) in fixed {
            out.insert(name, HeaderValue::from_static(value));
        }
        if gzip.is_some() && !known {
            out.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        answer
    }
}

/// True if `Accept-Encoding` has gzip, or `*`, with a weight above zero (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
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

/// Compresses with gzip. No other coding: over plain HTTP, as in a firm's own network, browsers accept nothing better, and
/// for the few files of the page brotli or zstd would save about two KiB.
fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

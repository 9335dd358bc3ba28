//! `GET /sandbox`: a page that fires real calls with the caller's own key (contract, section
//! 4.5). Everything it needs is compiled in; nothing is fetched from anywhere else.

use std::sync::OnceLock;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use ring::digest::{SHA256, digest};
use serde::Serialize;

use super::respond::{self, Answer};
use crate::record::{Field, Shape};
use crate::tax::REGISTRY;
use crate::value::hex;

/// The page may run its own script and talk to its own host, and nothing more.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
pub(super) struct Asset {
    content_type: &'static str,
    body: Vec<u8>,
    etag: String,
}

struct Assets {
    page: Asset,
    script: Asset,
    style: Asset,
    taxes: Asset,
}

/// The file at that path.
pub(super) fn asset(path: &str) -> Option<&'static Asset> {
    static ASSETS: OnceLock<Assets> = OnceLock::new();
    let assets = || {
        ASSETS.get_or_init(|| Assets {
            page: Asset::new("text/html; charset=utf-8", include_bytes!("sandbox/page.html").to_vec()),
            script: Asset::new("text/javascript; charset=utf-8", include_bytes!("sandbox/app.js").to_vec()),
            style: Asset::new("text/css; charset=utf-8", include_bytes!("sandbox/style.css").to_vec()),
            taxes: Asset::new("application/json", taxes()),
        })
    };
    match path {
        "/sandbox" => Some(&assets().page),
        "/sandbox/app.js" => Some(&assets().script),
        "/sandbox/style.css" => Some(&assets().style),
        "/sandbox/tributos.json" => Some(&assets().taxes),
        _ => None,
    }
}

impl Asset {
    fn new(content_type: &'static str, body: Vec<u8>) -> Asset {
        let hash = digest(&SHA256, &body);
        let etag = format!("\"{}\"", hex(hash.as_ref().get(..12).unwrap_or_default()));
        Asset { content_type, body, etag }
    }

    /// The file, or 304 where the caller has it.
    pub(super) fn respond(&self, headers: &HeaderMap) -> Answer {
        let known = headers.get(IF_NONE_MATCH).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let mut answer = if known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == self.etag) {
            respond::with_type(StatusCode::NOT_MODIFIED, self.content_type, Vec::new())
        } else {
            respond::with_type(StatusCode::OK, self.content_type, self.body.clone())
        };
        let out = answer.headers_mut();
        if let Ok(etag) = HeaderValue::from_str(&self.etag) {
            out.insert(ETAG, etag);
        }
        let fixed: [(HeaderName, &'static str); 4] = [
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        for (name, value) in fixed {
            out.insert(name, HeaderValue::from_static(value));
        }
        answer
    }
}

/// A tax as the page shows it: from the same declaration that validates the payload.
#[derive(Serialize)]
struct TaxView {
    tributo: &'static str,
    exemplo: &'static str,
    campos: Vec<FieldView>,
}

#[derive(Serialize)]
struct FieldView {
    nome: &'static str,
    rotulo: &'static str,
    obrigatorio: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    padrao: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valores: Option<&'static [&'static str]>,
}

fn taxes() -> Vec<u8> {
    let view = |field: &Field| FieldView {
        nome: field.name,
        rotulo: field.label,
        obrigatorio: field.required,
        padrao: field.default,
        valores: match field.shape {
            Shape::OneOf(words) => Some(words),
            _ => None,
        },
    };
    let list: Vec<TaxView> = REGISTRY
        .iter()
        .map(|entry| TaxView {
            tributo: entry.tributo.as_str(),
            exemplo: entry.exemplo,
            campos: entry.payload.iter().map(view).collect(),
        })
        .collect();
    serde_json::to_vec(&list).unwrap_or_default()
}

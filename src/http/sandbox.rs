//! `GET /sandbox`: a page that fires real calls with the caller's own key (contract, section
//! 4.5). Everything it needs is compiled in; nothing is fetched from anywhere else.

use std::sync::OnceLock;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use serde::Serialize;

use super::etag;
use super::respond::{self, Answer};
use crate::record::{Field, Shape};
use crate::tax::REGISTRY;

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
        let etag = etag::of_bytes(&body);
        Asset { content_type, body, etag }
    }

    /// The file, or 304 where the caller has it.
    pub(super) fn respond(&self, headers: &HeaderMap) -> Answer {
        let mut answer = if etag::matches(headers, &self.etag) {
            etag::not_modified(&self.etag)
        } else {
            etag::tagged(respond::with_type(StatusCode::OK, self.content_type, self.body.clone()), &self.etag)
        };
        let out = answer.headers_mut();
        let fixed: [(HeaderName, &'static str); 3] =
            [(CONTENT_SECURITY_POLICY, POLICY), (REFERRER_POLICY, "no-referrer"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
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

//! Addresses that may be posted to.

use ureq::http::Uri;
use ureq::http::uri::Scheme;

use crate::value::REMOVED;

/// Longest address that is taken, in bytes.
const MAX_URL_BYTES: usize = 2_000;

/// Says why an address cannot be an endpoint. A private address can: the receiver may well be
/// the firm's own server, and whoever makes subscriptions administers this one.
pub fn check_url(url: &str) -> Result<(), String> {
    if url.len() > MAX_URL_BYTES {
        return Err(format!("the URL has more than {MAX_URL_BYTES} bytes"));
    }
    let uri: Uri = url.parse().map_err(|e| format!("this is not a URL: {e}"))?;
    if uri.scheme() != Some(&Scheme::HTTPS) {
        return Err("the URL must begin with https://, so that nobody reads or changes what is sent".to_owned());
    }
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    if authority.contains('@') {
        return Err("the URL must not hold a user name or password; the signature says who sends".to_owned());
    }
    if uri.host().is_none_or(str::is_empty) {
        return Err("the URL names no host".to_owned());
    }
    if url.contains('#') {
        return Err("the URL must not hold a fragment (#...); it would never be sent".to_owned());
    }
    Ok(())
}

/// The address as far as its host: receivers put tokens into the path as well as the query. For
/// logs and overviews, where the subscription's id stands beside it.
#[must_use]
pub fn shown_url(url: &str) -> String {
    let parsed: Option<Uri> = url.parse().ok();
    let authority = parsed.as_ref().and_then(Uri::authority);
    authority.map_or_else(|| REMOVED.to_owned(), |authority| format!("https://{authority}/…"))
}

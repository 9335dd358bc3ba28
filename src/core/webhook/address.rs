//! Which URLs may be endpoints, and which part of a URL may be shown; pure.

use ureq::http::Uri;
use ureq::http::uri::Scheme;

use crate::base::value::REMOVED;

/// Longest accepted URL, in bytes.
const MAX_URL_BYTES: usize = 2_000;

/// Checks that a URL can be an endpoint; the error says why it cannot. A private address can: the receiver
/// may be the firm's own server, and only the operator makes subscriptions.
pub fn check_url(url: &str) -> Result<(), String> {
    if url.len() > MAX_URL_BYTES {
        return Err(format!("the URL has more than {MAX_URL_BYTES} bytes"));
    }
    let uri: Uri = url.parse().map_err(|e| format!("this is not a URL: {e}"))?;
    if uri.scheme() != Some(&Scheme::HTTPS) {
        return Err(
            "the URL must begin with https://, so that nobody on the way reads or changes the deliveries".to_owned()
        );
    }
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    if authority.contains('@') {
        return Err("the URL must not contain a user name or password; the signature proves who sends".to_owned());
    }
    if uri.host().is_none_or(str::is_empty) {
        return Err("the URL has no host".to_owned());
    }
    if url.contains('#') {
        return Err("the URL must not contain a fragment (#...); it would never be sent".to_owned());
    }
    Ok(())
}

/// Returns the URL up to its host, for logs and overviews: receivers put tokens into the path as well as
/// into the query. The subscription's id identifies the rest.
pub fn shown_url(url: &str) -> String {
    let parsed: Option<Uri> = url.parse().ok();
    let authority = parsed.as_ref().and_then(Uri::authority);
    authority.map_or_else(|| REMOVED.to_owned(), |authority| format!("https://{authority}/…"))
}

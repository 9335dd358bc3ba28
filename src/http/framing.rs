//! The requirements of HTTP/1.1 on every request that hyper does not check (RFC 9112, sections 3.2 and 6.1).

use hyper::body::Incoming;
use hyper::header::{HOST, TRANSFER_ENCODING};
use hyper::http::uri::Authority;
use hyper::{Request, Version};

use super::refusal;
use crate::base::problem::Problem;

/// The detail of a refusal of a request without a good `Host`.
pub(super) const NO_HOST: &str =
    "Um pedido HTTP/1.1 tem um cabeçalho Host, e só um, com o nome ou endereço do serviço.";
const CODINGS: &str = "O único Transfer-Encoding aceito é `chunked`, uma só vez; envie o corpo sem compressão.";

/// Fails if a proxy in front of taxd could read the request differently: that would allow request smuggling.
pub(super) fn check(request: &Request<Incoming>) -> Result<(), Box<Problem>> {
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next()
        && (codings.next().is_some() || !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
    {
        return Err(Box::new(refusal::malformed(CODINGS)));
    }
    let mut hosts = request.headers().get_all(HOST).iter();
    let well_formed = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.is_empty() || Authority::try_from(host.as_bytes()).is_ok(),
        (None, None) => request.version() < Version::HTTP_11,
        _ => false,
    };
    if well_formed { Ok(()) } else { Err(Box::new(refusal::malformed(NO_HOST))) }
}

//! Who calls: the key in `X-API-Key` (contract, section 5).

use hyper::HeaderMap;
use hyper::header::HeaderName;

use super::respond;
use crate::engine::Engine;
use crate::problem::{Codigo, Problem};
use crate::value::ApiKey;

static X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Refuses a call without a key that is known. Whatever is sent as a key is hashed and looked
/// up, so that an unknown key costs the same time as any other and gets the same answer.
pub(super) fn check(engine: &Engine, headers: &HeaderMap) -> Result<(), Box<Problem>> {
    let Some(value) = headers.get(&X_API_KEY) else {
        let detail = "Envie a chave da sua conta no cabeçalho X-API-Key.";
        return Err(Box::new(Problem::new(Codigo::ChaveAusente, detail)));
    };
    let sent = String::from_utf8_lossy(value.as_bytes());
    let digest = ApiKey::digest_of(&sent);
    match engine.store().key(&digest) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => {
            // For whoever looks into the log on behalf of a caller; the caller hears the same either way.
            let malformed = ApiKey::parse(&sent).is_none();
            tracing::debug!(malformed, "a call with an unknown key was refused");
            let detail = "A chave enviada não é aceita; confira-a ou peça outra ao operador.";
            Err(Box::new(Problem::new(Codigo::ChaveInvalida, detail)))
        }
        Err(error) => Err(respond::store_failed(&error)),
    }
}

//! `GET /v1/usage` (contract, section 4.4).

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use super::aside;
use super::query::{self, Query};
use super::respond::{self, Answer};
use crate::calls::{self, Caller, RECENT};
use crate::problem::Problem;
use crate::service::Service;

/// Recent calls where the caller does not say (contract, section 8).
const DEFAULT_RECENT: usize = 10;

/// Answers the caller's own consumption, up to the call before this one.
pub(super) async fn handle(
    service: &Arc<Service>,
    caller: Arc<Caller>,
    request: &Request<Incoming>,
) -> Result<Answer, Box<Problem>> {
    let mut q = Query::parse(request.uri().query().unwrap_or_default());
    let recent = q.take("recentes", |text| query::whole(text, 1, RECENT)).unwrap_or(DEFAULT_RECENT);
    q.finish()?;
    let service = Arc::clone(service);
    aside::run(move || {
        let usage = calls::usage(service.store(), &caller.client, service.calls().now(), recent)
            .map_err(|e| respond::store_failed(&e))?;
        Ok(respond::json(usage.to_string().into_bytes()))
    })
    .await
}

//! What only the page reads, below `/sandbox/v1`: the same keys and limits as the API, and no promise to others, so
//! that it is not in the API's description. Look-ups use no quota up; each calculation uses up one call
//! ([`crate::calls::Calls::charge`]).

mod calendario;

use hyper::Request;
use hyper::body::Incoming;

use super::app::App;
use super::call::CallOutcome;
use super::respond::HttpResponse;
use super::routes::Route;
use crate::calls::Caller;
use crate::problem::Problem;

/// What the page reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOperation {
    /// What begins and ends in the next days.
    Calendario,
}

/// All routes of the page.
pub(super) static ROUTES: [Route<PageOperation>; 1] = [Route {
    path: "/sandbox/v1/calendario",
    operation: PageOperation::Calendario,
    allow: "GET, HEAD",
    parameters: || &calendario::PARAMETERS,
}];

/// Answers one of them. A handler reads the body, or passes over it.
pub(super) async fn handle(
    operation: PageOperation,
    app: &App,
    caller: &Caller,
    request: Request<Incoming>,
    _outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    match operation {
        PageOperation::Calendario => calendario::handle(app, caller, request).await,
    }
}

//! The routes of the API, for the router and for the `OpenAPI` document.

use hyper::Method;

use super::{calculate, changelog, regras, usage};
use crate::document::Field;

/// The operation behind a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApiOperation {
    /// `POST /v1/calculate`
    Calculate,
    /// `GET /v1/regras`
    Regras,
    /// `GET /v1/changelog`
    Changelog,
    /// `GET /v1/usage`
    Usage,
}

/// A route of the API.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) operation: ApiOperation,
    /// The accepted methods, as in `Allow`.
    pub(super) allow: &'static str,
    /// The parameters of its query.
    pub(super) parameters: fn() -> &'static [Field],
}

/// All routes, in the order of the contract.
pub(super) static ROUTES: [Route; 4] = [
    Route {
        path: "/v1/calculate",
        operation: ApiOperation::Calculate,
        allow: "POST",
        parameters: || &calculate::PARAMETERS,
    },
    Route { path: "/v1/regras", operation: ApiOperation::Regras, allow: "GET, HEAD", parameters: regras::parameters },
    Route {
        path: "/v1/changelog",
        operation: ApiOperation::Changelog,
        allow: "GET, HEAD",
        parameters: changelog::parameters,
    },
    Route { path: "/v1/usage", operation: ApiOperation::Usage, allow: "GET, HEAD", parameters: || &usage::PARAMETERS },
];

impl Route {
    /// Returns the route with that path.
    pub(super) fn find(path: &str) -> Option<&'static Route> {
        ROUTES.iter().find(|route| route.path == path)
    }

    /// Returns the route that a look-up of the page reads, at `/sandbox` before the path of the API.
    pub(super) fn find_lookup(path: &str) -> Option<&'static Route> {
        Route::find(path.strip_prefix("/sandbox")?).filter(|route| route.takes(&Method::GET))
    }

    /// True if the route accepts the method.
    pub(super) fn takes(&self, method: &Method) -> bool {
        self.allow.split(", ").any(|allowed| allowed == method.as_str())
    }
}

//! The addresses of the API: the table that the router goes by, and the API description too.

use hyper::Method;

use super::{calculate, changelog, regras, usage};
use crate::document::Field;

/// What an address does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// `POST /v1/calculate`
    Calculate,
    /// `GET /v1/regras`
    Regras,
    /// `GET /v1/changelog`
    Changelog,
    /// `GET /v1/usage`
    Usage,
}

/// An address of the API.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) operation: Operation,
    /// The methods that it takes, as `Allow` names them.
    pub(super) allow: &'static str,
    /// The parameters of its query.
    pub(super) parameters: fn() -> &'static [Field],
}

/// All of them, in the order of the contract.
pub(super) static ROUTES: [Route; 4] = [
    Route {
        path: "/v1/calculate",
        operation: Operation::Calculate,
        allow: "POST",
        parameters: || &calculate::PARAMETERS,
    },
    Route { path: "/v1/regras", operation: Operation::Regras, allow: "GET, HEAD", parameters: regras::parameters },
    Route {
        path: "/v1/changelog",
        operation: Operation::Changelog,
        allow: "GET, HEAD",
        parameters: || &changelog::PARAMETERS,
    },
    Route { path: "/v1/usage", operation: Operation::Usage, allow: "GET, HEAD", parameters: || &usage::PARAMETERS },
];

impl Route {
    /// The address, if there is one.
    pub(super) fn find(path: &str) -> Option<&'static Route> {
        ROUTES.iter().find(|route| route.path == path)
    }

    /// True for a method that the address takes.
    pub(super) fn takes(&self, method: &Method) -> bool {
        self.allow.split(", ").any(|allowed| allowed == method.as_str())
    }
}

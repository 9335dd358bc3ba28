//! The routes of the API, for the router and for the `OpenAPI` document.

use hyper::Method;

use super::{calculate, changelog, correcoes, listas, regras, tratamento, usage};
use crate::base::document::Field;
use crate::core::calls::Charge;
use crate::page::PageOperation;

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
    /// `GET /v1/tratamento`
    Tratamento,
    /// `GET /v1/correcoes`
    Correcoes,
    /// `GET /v1/listas`
    Listas,
    /// `/v1/listas/{nome}`
    Lista,
    /// `GET /v1/listas/{nome}/mudancas`
    MudancasDeLista,
}

/// What a key opens.
#[derive(Debug, Clone, Copy)]
pub(super) enum RouteOperation {
    Api(ApiOperation),
    /// Only the page reads it.
    Page(PageOperation),
}

pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) operation: ApiOperation,
    /// The accepted methods, as in `Allow`.
    pub(super) allow: &'static str,
    pub(super) parameters: fn() -> &'static [Field],
}

/// All routes: those of the contract in its order, and that added to it.
pub(super) static ROUTES: [Route; 9] = [
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
    Route {
        path: "/v1/tratamento",
        operation: ApiOperation::Tratamento,
        allow: "GET, HEAD",
        parameters: tratamento::parameters,
    },
    Route {
        path: "/v1/correcoes",
        operation: ApiOperation::Correcoes,
        allow: "GET, HEAD",
        parameters: || &correcoes::PARAMETERS,
    },
    Route { path: "/v1/listas", operation: ApiOperation::Listas, allow: "GET, HEAD", parameters: || &[] },
    Route {
        path: "/v1/listas/{nome}",
        operation: ApiOperation::Lista,
        allow: "GET, HEAD, PUT, DELETE",
        parameters: || &listas::OF_LINES,
    },
    Route {
        path: "/v1/listas/{nome}/mudancas",
        operation: ApiOperation::MudancasDeLista,
        allow: "GET, HEAD",
        parameters: || &listas::OF_CHANGES,
    },
];

impl Route {
    /// True if a path is that of this route. One part of it may be a name.
    fn is_at(&self, path: &str) -> bool {
        let is_named = || {
            let (before, after) = self.path.split_once("{nome}")?;
            path.strip_prefix(before)?.strip_suffix(after)
        };
        self.path == path || is_named().is_some_and(|name| !name.is_empty() && !name.contains('/'))
    }
}

/// The route of a request.
pub(super) struct Found {
    pub(super) operation: RouteOperation,
    pub(super) allow: &'static str,
    /// Whether a call consumes the quota.
    pub(super) charge: Charge,
}

impl Found {
    /// Returns the route of the API with that path.
    pub(super) fn in_api(path: &str) -> Option<Found> {
        let route = ROUTES.iter().find(|route| route.is_at(path))?;
        let charge = match route.operation {
            ApiOperation::Usage | ApiOperation::Correcoes => Charge::WhileLeft,
            _ => Charge::Quota,
        };
        Some(Found { operation: RouteOperation::Api(route.operation), allow: route.allow, charge })
    }

    /// Returns a route that only the page reads: one of its own, or `/sandbox` before a look-up of the API.
    pub(super) fn in_page(path: &str) -> Option<Found> {
        if let Some((operation, allow)) = PageOperation::at(path) {
            return Some(Found { operation: RouteOperation::Page(operation), allow, charge: Charge::Free });
        }
        let look_up = Found::in_api(path.strip_prefix("/sandbox")?).filter(|found| found.takes(&Method::GET))?;
        Some(Found { charge: Charge::Free, ..look_up })
    }

    /// True for a calculation, whose payload the log shows.
    pub(super) fn calculates(&self, method: &Method) -> bool {
        matches!(self.operation, RouteOperation::Api(ApiOperation::Calculate)) && self.takes(method)
    }

    /// True if the route accepts the method.
    pub(super) fn takes(&self, method: &Method) -> bool {
        self.allow.split(',').any(|allowed| allowed.trim_start() == method.as_str())
    }
}

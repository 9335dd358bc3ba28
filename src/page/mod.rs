//! What only the page reads, below `/sandbox/v1`: the same keys and limits as the API, and no promise to others, so
//! that it is not in the API's description. Look-ups use no quota up; each calculation uses up one call
//! ([`crate::core::calls::Calls::charge`]).

mod declaration;
pub(super) mod files;
pub(super) mod filters;
pub(super) mod lookup;

use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;

use crate::base::problem::Problem;
use crate::core::calls::{Caller, DOCUMENTOS, LISTA, OPERACAO};
use crate::features::{audit, calendar, changes, codes, coverage, lists, office_rules, operation, rules};
use crate::http::app::App;
use crate::http::call::CallOutcome;
use crate::http::request_body;
use crate::http::respond::HttpResponse;
use crate::http::upload::FileQuestion;

/// What the page reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOperation {
    /// What begins and ends in the next days.
    Calendario,
    /// The rows of a list, calculated.
    Lista,
    /// A list to fill in.
    Modelo,
    /// A table as a file.
    Planilha,
    /// Fiscal documents, checked.
    Documentos,
    /// What the publications changed.
    Mudancas,
    /// What the rules answer, by tax and place.
    Cobertura,
    /// The municipalities of a UF, and which of them answer.
    Municipios,
    /// Codes found by words.
    Codigos,
    /// Rules, those of a product before those of all.
    Procura,
    /// A rule of the office, as a bundle.
    Regra,
    /// Whether the TIPI has an NCM.
    Tipi,
    /// Every tax of one operation.
    Operacao,
    /// The facts that an operation lacks.
    Falta,
}

/// Path and accepted methods of each.
const ROUTES: [(&str, PageOperation, &str); 14] = [
    ("/sandbox/v1/calendario", PageOperation::Calendario, "GET, HEAD"),
    ("/sandbox/v1/cobertura", PageOperation::Cobertura, "GET, HEAD"),
    ("/sandbox/v1/codigos", PageOperation::Codigos, "GET, HEAD"),
    (DOCUMENTOS, PageOperation::Documentos, "POST"),
    (LISTA, PageOperation::Lista, "POST"),
    ("/sandbox/v1/modelo", PageOperation::Modelo, "GET, HEAD"),
    ("/sandbox/v1/mudancas", PageOperation::Mudancas, "GET, HEAD"),
    ("/sandbox/v1/municipios", PageOperation::Municipios, "GET, HEAD"),
    (OPERACAO, PageOperation::Operacao, "POST"),
    ("/sandbox/v1/operacao/falta", PageOperation::Falta, "POST"),
    ("/sandbox/v1/planilha", PageOperation::Planilha, "POST"),
    ("/sandbox/v1/procura", PageOperation::Procura, "GET, HEAD"),
    ("/sandbox/v1/regra", PageOperation::Regra, "POST"),
    ("/sandbox/v1/tipi", PageOperation::Tipi, "GET, HEAD"),
];

impl PageOperation {
    /// The operation at that path, and the methods that it accepts.
    pub(super) fn at(path: &str) -> Option<(PageOperation, &'static str)> {
        ROUTES.iter().find(|(own, ..)| *own == path).map(|(_, operation, allow)| (*operation, *allow))
    }
}

/// Answers what the page reads. A handler reads the body, or passes over it.
pub(super) async fn handle(
    operation: PageOperation,
    app: &App,
    caller: &Arc<Caller>,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    match operation {
        PageOperation::Calendario => calendar::page::handle(app, caller, request).await,
        PageOperation::Lista => answer_file::<lists::page::ListQuestion>(app, caller, request, outcome).await,
        PageOperation::Modelo => lists::page::modelo::handle(app, caller, request).await,
        PageOperation::Planilha => {
            answer_file::<lists::page::planilha::TableQuestion>(app, caller, request, outcome).await
        }
        PageOperation::Documentos => answer_file::<audit::page::DocumentsQuestion>(app, caller, request, outcome).await,
        PageOperation::Mudancas => changes::page::handle(app, caller, request).await,
        PageOperation::Cobertura => coverage::page::handle(app, caller, request).await,
        PageOperation::Municipios => coverage::page::municipios::handle(app, caller, request).await,
        PageOperation::Codigos => codes::page::handle(app, caller, request).await,
        PageOperation::Procura => rules::page::handle(app, caller, request).await,
        PageOperation::Regra => office_rules::page::handle(app, caller, request).await,
        PageOperation::Tipi => codes::page::tipi::handle(app, caller, request).await,
        PageOperation::Operacao => operation::page::handle(app, caller, request, outcome).await,
        PageOperation::Falta => operation::page::lacking(app, caller, request, outcome).await,
    }
}

/// Reads what is asked of the file in the body, and answers it.
async fn answer_file<Q: FileQuestion>(
    app: &App,
    caller: &Arc<Caller>,
    request: Request<Incoming>,
    outcome: &mut CallOutcome,
) -> Result<HttpResponse, Box<Problem>> {
    let question = match Q::read(&request, app.service.engine().now()) {
        Ok(question) => question,
        Err(problem) => {
            request_body::pass_over(request).await;
            return Err(problem);
        }
    };
    if let Some(instant) = question.known_at() {
        app.service.engine().answers_are_final(instant).await;
    }
    let caller = (caller, app.memory(caller));
    app.files.answer(question, &app.service, caller, request, app.body_timeout, outcome).await
}

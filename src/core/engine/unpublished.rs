//! The refusal of a question about an instant before the first publication.

use crate::base::problem::{Candidato, ErrorCode, FieldError, Problem};
use crate::base::value::Timestamp;

/// The parameter that names the instant.
const CONHECIDO_EM: &str = "conhecido_em";

/// The refusal of an answer as known at `instant`, when `first` was the first publication and came later. A payload that
/// no rule answered is refused for the instant then: other fields would not help. Other refusals stay as they are.
pub(super) fn refusal(problem: Box<Problem>, instant: Timestamp, first: Timestamp) -> Box<Problem> {
    if problem.codigo != ErrorCode::RegraInexistente {
        return problem;
    }
    let detail = format!(
        "Em {instant}, o taxd ainda não conhecia nenhuma regra. A primeira publicação neste servidor é de {first}. Escolha esse instante ou um posterior."
    );
    let erro = FieldError { campo: CONHECIDO_EM.to_owned(), codigo: problem.codigo, detail: detail.clone() };
    let first = Candidato::of_field(CONHECIDO_EM, &first, "a primeira publicação neste servidor".to_owned());
    Box::new(Problem {
        detail,
        campo: Some(CONHECIDO_EM.to_owned()),
        erros: vec![erro],
        candidatos: vec![first],
        ..*problem
    })
}

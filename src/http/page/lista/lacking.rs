//! What the rows of a list lack that no column gives, found before anything is calculated for the reader.

use serde::Deserialize;

use super::head::OpenList;
use super::question::ListQuestion;
use crate::admin::{CalcCommand, calc_lines};
use crate::engine::Engine;
use crate::lists::Asked;
use crate::problem::TipoRecusa;

/// An answer, or the problem document of a refusal: the data that it asks for.
#[derive(Deserialize)]
struct Answer {
    #[serde(flatten)]
    refusal: Refusal,
    /// The taxes of an operation.
    #[serde(default)]
    tributos: Vec<TaxAnswer>,
}

#[derive(Deserialize)]
struct TaxAnswer {
    problema: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    tipo_recusa: Option<String>,
    #[serde(default)]
    erros: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    campo: String,
}

/// The fields that the first rows lack and that have no column. Their amounts are not shown, so they use no quota.
pub(super) fn fields(question: &ListQuestion, open: &OpenList, engine: &Engine) -> Vec<String> {
    let command = CalcCommand {
        payloads: open.first.iter().filter_map(|row| open.list.payload(row).ok()).collect(),
        operacao: question.asked == Asked::Operation,
        conhecido_em: question.known_at,
        ..CalcCommand::default()
    };
    let has_column = |name: &str| open.list.kept_fields().any(|(_, field)| field.is_some_and(|f| f.name == name));
    let mut lacking: Vec<String> = Vec::new();
    for answer in calc_lines(engine, &command) {
        let Ok(Answer { refusal, tributos }) = serde_json::from_slice(&answer) else { continue };
        let refusals = std::iter::once(refusal).chain(tributos.into_iter().filter_map(|tax| tax.problema));
        let lacks_data = |refusal: &Refusal| refusal.tipo_recusa.as_deref() == Some(TipoRecusa::FaltaDado.as_str());
        for Fault { campo } in refusals.filter(lacks_data).flat_map(|refusal| refusal.erros) {
            let is_field = open.list.fields().iter().any(|field| field.name == campo);
            if is_field && !has_column(&campo) && !lacking.contains(&campo) {
                lacking.push(campo);
            }
        }
    }
    lacking
}

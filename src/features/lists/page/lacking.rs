//! What the rows of a list lack that no column gives, found before anything is calculated for the reader.

use serde::Deserialize;

use super::head::OpenList;
use super::question::ListQuestion;
use crate::base::problem::TipoRecusa;
use crate::core::engine::Engine;
use crate::features::calc::{CalcCommand, calc_lines};
use crate::features::lists::Asked;

/// An answer, or the problem document of a refusal: the data that it asks for.
#[derive(Deserialize)]
struct Answer {
    #[serde(flatten)]
    refusal: Refusal,
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
    let read: Vec<_> = open.first.iter().map(|row| open.list.payload(row)).collect();
    let unread = read.iter().filter_map(|row| row.as_ref().err()).flatten();
    // A field that the row has no cell of.
    let unsaid: Vec<&str> = unread.filter(|fault| fault.column.is_none()).filter_map(|fault| fault.campo).collect();
    let command = CalcCommand {
        payloads: read.iter().filter_map(|row| row.as_ref().ok().cloned()).collect(),
        operacao: question.asked == Asked::Operation,
        conhecido_em: question.known_at,
        ..CalcCommand::default()
    };
    let has_column = |name: &str| open.list.kept_fields().any(|(_, field)| field.is_some_and(|f| f.name == name));
    let mut lacking: Vec<String> = Vec::new();
    let is_lacking = |campo: &str, known: &[String]| {
        let is_field = open.list.fields().iter().any(|field| field.name == campo);
        is_field && !has_column(campo) && !known.iter().any(|one| one == campo)
    };
    for campo in unsaid {
        if is_lacking(campo, &lacking) {
            lacking.push(campo.to_owned());
        }
    }
    for answer in calc_lines(engine, &command) {
        let Ok(Answer { refusal, tributos }) = serde_json::from_slice(&answer) else { continue };
        let refusals = std::iter::once(refusal).chain(tributos.into_iter().filter_map(|tax| tax.problema));
        let lacks_data = |refusal: &Refusal| refusal.tipo_recusa.as_deref() == Some(TipoRecusa::FaltaDado.as_str());
        for Fault { campo } in refusals.filter(lacks_data).flat_map(|refusal| refusal.erros) {
            if is_lacking(&campo, &lacking) {
                lacking.push(campo);
            }
        }
    }
    lacking
}

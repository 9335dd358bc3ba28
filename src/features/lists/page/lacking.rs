//! What the rows of a list lack that no column gives, found before anything is calculated for the reader.

use std::sync::Arc;

use super::head::OpenList;
use super::question::ListQuestion;
use crate::base::problem::{FieldError, Problem, TipoRecusa};
use crate::core::engine::Engine;
use crate::features::calc::{Answered, Questions, replies};

/// The fields that the first rows lack and that have no column. Their amounts are not shown, so they use no quota.
pub(super) fn fields(question: &ListQuestion, open: &OpenList, engine: &Engine) -> Vec<String> {
    let read: Vec<_> = open.first.iter().map(|row| open.list.payload(row)).collect();
    let unread = read.iter().filter_map(|row| row.as_ref().err()).flatten();
    // A field that the row has no cell of.
    let unsaid: Vec<&str> = unread.filter(|fault| fault.column.is_none()).filter_map(|fault| fault.campo).collect();
    let questions = Questions {
        conhecido_em: question.known_at,
        ..question.asked.questions(read.iter().filter_map(|row| row.as_ref().ok()).cloned().map(Arc::new).collect())
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
    for reply in &replies(engine, &questions) {
        let refusals: Vec<&Problem> = match reply {
            Ok(Answered::Tax(_) | Answered::Treatment(_)) => Vec::new(),
            Ok(Answered::Operation(all)) => all.tributos.iter().filter_map(|tax| tax.problema.0.as_deref()).collect(),
            Err(problem) => vec![problem],
        };
        let refusals = refusals.into_iter().filter(|problem| problem.tipo_recusa == Some(TipoRecusa::FaltaDado));
        for FieldError { campo, .. } in refusals.flat_map(|problem| &problem.erros) {
            if is_lacking(campo, &lacking) {
                lacking.push(campo.clone());
            }
        }
    }
    lacking
}

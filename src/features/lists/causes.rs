//! Why rows of a list have no amount, each cause with its rows.

use serde::Serialize;

use super::reply::RowReply;
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::base::value::with_separators;
use crate::law::operation::Apuracao;

/// Causes that are counted apart; the rows of more are counted together.
const MAX_CAUSES: usize = 100;
/// Causes that a sentence names.
const MAX_NAMED: usize = 5;
const OTHER: &str = "por outras causas";

/// A cause, and how many rows have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListCause {
    /// In Portuguese, after a number of rows: "sem `cest`".
    pub causa: String,
    pub linhas: u64,
}

/// The causes of a list, in the order in which they came.
#[derive(Debug, Default)]
pub struct ListCauses(Vec<ListCause>);

impl ListCauses {
    /// Counts a row; `None` if its cause is not known.
    pub fn add(&mut self, causa: Option<&str>) {
        let causa = causa.unwrap_or(OTHER);
        if let Some(known) = self.0.iter_mut().find(|known| known.causa == causa) {
            known.linhas += 1;
        } else if self.0.len() < MAX_CAUSES || causa == OTHER {
            self.0.push(ListCause { causa: causa.to_owned(), linhas: 1 });
        } else {
            self.add(None);
        }
    }

    /// Those of most rows first.
    pub fn by_rows(mut self) -> Vec<ListCause> {
        self.0.sort_by(|one, other| other.linhas.cmp(&one.linhas).then_with(|| one.causa.cmp(&other.causa)));
        self.0
    }
}

/// The causes of most rows in a sentence: "9.120 sem `cest`, 12 sem regra".
pub fn causes_text(causes: &[ListCause]) -> String {
    let shown = |cause: &ListCause| format!("{} {}", with_separators(&cause.linhas.to_string()), cause.causa);
    let others: u64 = causes.iter().skip(MAX_NAMED).map(|cause| cause.linhas).sum();
    let others = (others > 0).then(|| ListCause { causa: OTHER.to_owned(), linhas: others });
    causes.iter().take(MAX_NAMED).chain(&others).map(shown).collect::<Vec<_>>().join(", ")
}

impl RowReply<'_> {
    /// Why the row has no amount, or not all of them; `None` for one that has.
    pub fn cause(&self) -> Option<String> {
        match self {
            RowReply::Operation(apuracao) => of_operation(apuracao),
            RowReply::Tax(_) | RowReply::Treatment(_) => None,
            RowReply::Refused(problem) => Some(of_problem(problem)),
            RowReply::Unread(faults) => Some(match faults.first().map(|fault| (fault.campo, fault.column)) {
                Some((Some(campo), Some(_))) => format!("com `{campo}` que não se lê"),
                Some((Some(campo), None)) => format!("sem `{campo}`"),
                Some((None, Some(_))) => "com mais células que o cabeçalho".to_owned(),
                _ => "com o total das outras".to_owned(),
            }),
        }
    }
}

fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn of_problem(problem: &Problem) -> String {
    let missing = problem.missing_fields();
    if !missing.is_empty() {
        return format!("sem {}", named(missing));
    }
    match (problem.codigo, problem.tipo_recusa, problem.erros.first()) {
        (ErrorCode::RegraInexistente, ..) => "sem regra".to_owned(),
        (_, Some(TipoRecusa::DadoInvalido), Some(erro)) => format!("com `{}` que não serve", erro.campo),
        (ErrorCode::RegraSemConteudo, ..) => "de regra sem valor estabelecido".to_owned(),
        (_, Some(TipoRecusa::TributoExtinto), _) => "de tributo extinto nessa data".to_owned(),
        (codigo, ..) => format!("por outro motivo ({})", codigo.as_str()),
    }
}

/// The data that its taxes ask for, or else the taxes without an amount.
fn of_operation(apuracao: &Apuracao) -> Option<String> {
    if apuracao.completo {
        return None;
    }
    let withheld = apuracao.retencoes.0.iter().flatten();
    let problems = apuracao.tributos.iter().chain(withheld).filter_map(|tax| tax.problema.0.as_deref());
    let mut missing: Vec<&str> = problems.flat_map(Problem::missing_fields).collect();
    missing.sort_unstable();
    missing.dedup();
    let taxes = || apuracao.totais.tributos.faltam.iter().map(AsRef::as_ref);
    Some(if missing.is_empty() {
        format!("sem o valor de {}", named(taxes()))
    } else {
        format!("sem {}", named(missing))
    })
}

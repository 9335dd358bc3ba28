//! An operation for people: a table of its taxes, what to know of each, and the totals. Its words are Portuguese, as
//! those of every report for an accountant.

use rust_decimal::Decimal;

use crate::base::document::Role;
use crate::base::problem::Problem;
use crate::base::sentence::Reader;
use crate::base::value::{format_decimal, with_separators};
use crate::cli::output;
use crate::law::operation::{Apuracao, Total, TributoApurado};
use crate::law::rule::RuleResult;
use crate::law::tax::Money;

/// The page of one answer, without its last line end.
pub(super) fn page(reply: &RuleResult<Apuracao>) -> String {
    let Apuracao { tributos, totais, retencoes, suposicoes, .. } = match reply {
        Ok(apuracao) => apuracao,
        Err(problem) => return refusal(problem),
    };
    let headings = ["TRIBUTO", "VALOR", "BASE", "ALÍQUOTA", "REGRA"];
    let all: Vec<&TributoApurado> = tributos.iter().chain(retencoes.0.iter().flatten()).collect();
    let table = output::table(&headings, all.iter().map(|tax| row(tax)));
    let notes = notes(&all);
    let withheld = [("Retenções", &totais.retencoes.0), ("Líquido a pagar", &totais.liquido_a_pagar.0)];
    let sums = [
        ("Tributos por fora", &totais.tributos_por_fora),
        ("Total do documento", &totais.valor_documento),
        ("Total dos tributos", &totais.tributos),
        ("  recolhido pelo vendedor", &totais.recolhido_pelo_vendedor),
        ("  recolhido pelo comprador", &totais.recolhido_pelo_comprador),
    ];
    let withheld = withheld.into_iter().filter_map(|(name, sum)| Some((name, sum.as_ref()?)));
    let sums: Vec<String> =
        sums.into_iter().chain(withheld).map(|(name, sum)| format!("{name:<27}{}\n", written(sum))).collect();
    let supposed: Vec<String> = suposicoes.0.iter().flatten().map(|figure| figure.said(Reader::Program)).collect();
    let supposed = if supposed.is_empty() {
        String::new()
    } else {
        format!("Suposição, não é a lei: {}\n\n", supposed.join("; "))
    };
    format!("{supposed}{table}\n\n{notes}\n{}", sums.concat())
}

fn refusal(problem: &Problem) -> String {
    let faults = problem.erros.iter().map(|erro| format!("{}: {}\n", erro.campo, erro.detail));
    format!("{}\n{}", problem.detail, faults.collect::<String>())
}

/// What to know of the taxes. A sentence of several taxes is written once.
fn notes(taxes: &[&TributoApurado]) -> String {
    let mut by_sentence: Vec<(String, Vec<&str>)> = Vec::new();
    for (tributo, sentence) in taxes.iter().flat_map(|tax| notes_of(tax).into_iter().map(|note| (&*tax.tributo, note)))
    {
        match by_sentence.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, of)) => of.push(tributo),
            None => by_sentence.push((sentence, vec![tributo])),
        }
    }
    let lines: Vec<_> =
        by_sentence.iter().map(|(sentence, of)| [&of.join(", "), ": ", sentence, "\n"].concat()).collect();
    lines.concat()
}

fn shown(figure: Option<Decimal>) -> Option<String> {
    figure.map(|figure| with_separators(&format_decimal(figure)))
}

fn row(tax: &TributoApurado) -> Vec<String> {
    let answer = tax.resposta.0.as_ref();
    // What is due to two States has a rate in each, and none as a whole.
    let rate = answer
        .filter(|answer| answer.figure("base_calculo_difal").is_none())
        .and_then(|answer| shown(answer.figures(Role::Aliquota).next()));
    vec![
        tax.tributo.to_string(),
        shown(tax.valor.map(Money::decimal)).unwrap_or_else(|| tax.situacao.to_string()),
        answer.and_then(|answer| shown(answer.figures(Role::Base).next())).unwrap_or_default(),
        rate.map(|rate| format!("{rate}%")).unwrap_or_default(),
        answer.map(|answer| answer.rule_id().to_string()).unwrap_or_default(),
    ]
}

/// Why there is no amount, and what to check.
fn notes_of(tax: &TributoApurado) -> Vec<String> {
    let why =
        tax.motivo.0.iter().map(String::as_str).chain(tax.problema.0.iter().map(|problem| problem.detail.as_str()));
    let own = why.chain(tax.avisos.0.iter().flatten().map(String::as_str)).map(str::to_owned);
    let of_rule = tax.resposta.0.iter().flat_map(|answer| answer.sentences()).map(str::to_owned);
    let destaque = tax.resposta.0.as_ref().and_then(|answer| shown(answer.figure("valor_destaque")));
    destaque.map(|amount| format!("a destacar {amount}")).into_iter().chain(own).chain(of_rule).collect()
}

fn written(sum: &Total) -> String {
    let valor = with_separators(&sum.valor.to_string());
    if sum.completo { valor } else { format!("{valor} (incompleto: falta {})", sum.faltam.join(", ")) }
}

//! The sums of an operation, in exact decimals.

use rust_decimal::Decimal;

use super::apuracao::{Apuracao, CBS, IBS, ICMS_ST, IPI, RETENCOES, SituacaoTributo, Totais, Total, TributoApurado};
use super::facts::{OperationFacts, add};
use super::federal::are_charged_on_top;
use crate::base::document::Sometimes;
use crate::base::problem::Problem;
use crate::base::value::{Exact, Overflow};
use crate::rule::Condicao;
use crate::tax::{FiguraSuposta, Money};

/// What a tax says whose base may have an amount that is not law.
const FED: &str = "Um tributo desta operação foi calculado com uma suposição: se o valor dele entra na base deste, este também não é a lei.";

pub(super) fn apuracao(facts: &OperationFacts, mut taxes: Vec<TributoApurado>) -> Result<Apuracao, Box<Problem>> {
    warn_after_supposed(&mut taxes);
    let (retencoes, tributos): (Vec<_>, Vec<_>) = taxes.into_iter().partition(|tax| RETENCOES.contains(&&*tax.tributo));
    let on_top = |tax: &TributoApurado| match &*tax.tributo {
        IPI | ICMS_ST => true,
        CBS | IBS => are_charged_on_top(facts.data_operacao),
        _ => false,
    };
    let all = |_: &TributoApurado| true;
    let nothing = Decimal::ZERO;
    // The seller does not owe, and the document does not have, what the buyer owes and was not calculated.
    let (whole, of_seller) = (TributoApurado::is_missing_of_buyer, TributoApurado::is_missing);
    let by_seller = |tax: &TributoApurado| tax.due() - tax.due_by_buyer();
    let valor_documento = total(facts.revenue()?, &tributos, on_top, of_seller, TributoApurado::due)?;
    let withheld = facts.tomador.is_some();
    let mut liquido = total(valor_documento.valor.decimal(), &retencoes, all, of_seller, |tax| -tax.due())?;
    liquido.faltam.splice(..0, valor_documento.faltam.iter().cloned());
    liquido.completo = liquido.faltam.is_empty();
    let totais = Totais {
        tributos_por_fora: total(nothing, &tributos, on_top, of_seller, TributoApurado::due)?,
        valor_documento,
        tributos: total(nothing, &tributos, all, whole, TributoApurado::due)?,
        recolhido_pelo_vendedor: total(nothing, &tributos, all, of_seller, by_seller)?,
        recolhido_pelo_comprador: total(nothing, &tributos, all, whole, TributoApurado::due_by_buyer)?,
        retencoes: Sometimes(
            withheld.then(|| total(nothing, &retencoes, all, of_seller, TributoApurado::due)).transpose()?,
        ),
        liquido_a_pagar: Sometimes(withheld.then_some(liquido)),
    };
    let completo = totais.tributos.completo && totais.retencoes.0.as_ref().is_none_or(|sum| sum.completo);
    let suposicoes = Sometimes(supposed(tributos.iter().chain(&retencoes)));
    let retencoes = Sometimes(withheld.then_some(retencoes));
    Ok(Apuracao { completo, tipo: facts.tipo(), tributos, totais, retencoes, suposicoes })
}

/// Notes it of each tax after one with a supposed figure, as the amounts of the first feed those after it.
fn warn_after_supposed(taxes: &mut [TributoApurado]) {
    let is_supposed =
        |tax: &TributoApurado| tax.resposta.0.as_ref().is_some_and(|answer| !answer.suposicoes.is_empty());
    let after = taxes.iter_mut().skip_while(|tax| !is_supposed(tax));
    for tax in after.filter(|tax| tax.situacao == SituacaoTributo::Calculado && !is_supposed(tax)) {
        tax.avisos.0.get_or_insert_default().insert(0, FED.to_owned());
        tax.condicoes_dos_avisos.0.get_or_insert_default().insert(0, Condicao::Conferencia);
    }
}

/// The supposed figures of all answers, each once with all of its rules; `None` if there is none.
fn supposed<'t>(taxes: impl Iterator<Item = &'t TributoApurado>) -> Option<Vec<FiguraSuposta>> {
    let mut all: Vec<FiguraSuposta> = Vec::new();
    for figure in taxes.filter_map(|tax| tax.resposta.0.as_ref()).flat_map(|answer| &answer.suposicoes) {
        match all.iter_mut().find(|known| known.campo == figure.campo) {
            Some(known) => {
                let more: Vec<_> = figure.regras.iter().filter(|rule| !known.regras.contains(rule)).cloned().collect();
                known.regras.extend(more);
            }
            None => all.push(figure.clone()),
        }
    }
    (!all.is_empty()).then_some(all)
}

/// `start` and the amounts of the taxes that `belongs` selects; incomplete with those that `is_missing`.
fn total(
    start: Decimal,
    taxes: &[TributoApurado],
    belongs: impl Fn(&TributoApurado) -> bool,
    is_missing: impl Fn(&TributoApurado) -> bool,
    amount: impl Fn(&TributoApurado) -> Decimal,
) -> Result<Total, Overflow> {
    let belonging = || taxes.iter().filter(|tax| belongs(tax));
    let faltam: Vec<_> = belonging().filter(|tax| is_missing(tax)).map(|tax| tax.tributo.clone()).collect();
    let amounts: Vec<Decimal> = belonging().map(amount).chain([start]).collect();
    Ok(Total { valor: Money::rounded(Exact::from(add(&amounts)?))?, completo: faltam.is_empty(), faltam })
}

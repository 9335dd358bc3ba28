//! The sums of an operation, in exact decimals.

use rust_decimal::Decimal;

use super::apuracao::{Apuracao, CBS, IBS, ICMS_ST, IPI, RETENCOES, Totais, Total, TributoApurado};
use super::facts::{OperationFacts, add};
use super::federal::are_charged_on_top;
use crate::base::document::Sometimes;
use crate::base::problem::Problem;
use crate::base::value::{Exact, Overflow};
use crate::law::tax::Money;

pub(super) fn apuracao(facts: &OperationFacts, taxes: Vec<TributoApurado>) -> Result<Apuracao, Box<Problem>> {
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
    let retencoes = Sometimes(withheld.then_some(retencoes));
    Ok(Apuracao { completo, tipo: facts.tipo(), tributos, totais, retencoes })
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

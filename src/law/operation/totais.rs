//! The sums of an operation, in exact decimals.

use rust_decimal::Decimal;

use super::apuracao::{Apuracao, CBS, IBS, ICMS_ST, IPI, Totais, Total, TributoApurado};
use super::facts::{OperationFacts, add};
use super::federal::are_charged_on_top;
use crate::base::problem::Problem;
use crate::base::value::{Exact, Overflow};
use crate::law::tax::Money;

pub(super) fn apuracao(facts: &OperationFacts, tributos: Vec<TributoApurado>) -> Result<Apuracao, Box<Problem>> {
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
    let totais = Totais {
        tributos_por_fora: total(nothing, &tributos, on_top, of_seller, TributoApurado::due)?,
        valor_documento: total(facts.revenue()?, &tributos, on_top, of_seller, TributoApurado::due)?,
        tributos: total(nothing, &tributos, all, whole, TributoApurado::due)?,
        recolhido_pelo_vendedor: total(nothing, &tributos, all, of_seller, by_seller)?,
        recolhido_pelo_comprador: total(nothing, &tributos, all, whole, TributoApurado::due_by_buyer)?,
    };
    Ok(Apuracao { completo: totais.tributos.completo, tipo: facts.tipo(), tributos, totais })
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

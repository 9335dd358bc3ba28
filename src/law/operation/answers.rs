//! The answer of a tax, read for what it says to the taxes after it and to the totals.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::apuracao::{ICMS, ICMS_CONSUMIDOR_FINAL, SituacaoTributo, TributoApurado};
use super::facts::add;
use crate::base::document::{Node, Role, Sometimes};
use crate::base::problem::Problem;
use crate::base::value::{Exact, Overflow};
use crate::tax::{Money, TaxAnswer};

/// The amounts of an answer that later taxes and totals need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amounts {
    pub(super) valor: Decimal,
    /// Own ICMS, without FCP and without the difference.
    pub(super) icms: Decimal,
    /// The part that the buyer pays, as far as it is known.
    pub(super) comprador: Decimal,
    /// True if the buyer pays a part that was not calculated.
    pub(super) comprador_incerto: bool,
}

/// Reads the amounts of an answer. Fails if one that a later tax or a total needs is not there: it must not pass for zero.
pub(super) fn read(answer: &TaxAnswer) -> Result<Amounts, Box<Problem>> {
    let (tributo, valor) = (answer.tributo, answer.valor.decimal());
    let icms = match tributo.as_str() {
        ICMS | ICMS_CONSUMIDOR_FINAL => answer.figures(Role::Icms).next().ok_or_else(|| {
            let cause = format_args!("the answer of {tributo} has no own ICMS");
            Problem::failure("Um tributo da operação não pôde ser lido; avise o operador.", cause)
        })?,
        _ => Decimal::ZERO,
    };
    // The difference that a buyer owes is null if it was not calculated, and its amount is none of the answer.
    let parts: Vec<Decimal> = answer.figures(Role::PorComprador).collect();
    let by_buyer = answer.get("responsavel_difal").is_some_and(|who| who.text() == Some("destinatario"));
    let comprador_incerto = by_buyer && parts.len() < answer.in_role(Role::PorComprador).count();
    let comprador = if by_buyer && !comprador_incerto {
        add(&parts)?
    } else if answer.get("retido_na_fonte") == Some(Node::Bool(true)) {
        valor
    } else {
        Decimal::ZERO
    };
    Ok(Amounts { valor, icms, comprador, comprador_incerto })
}

impl TributoApurado {
    /// A tax that was calculated.
    pub(super) fn calculated(
        tributo: &'static str,
        amounts: &Amounts,
        answer: TaxAnswer,
    ) -> Result<TributoApurado, Overflow> {
        let by_buyer = Some(amounts.comprador).filter(|part| !part.is_zero());
        Ok(TributoApurado {
            valor: Some(answer.valor),
            valor_comprador: Sometimes(by_buyer.map(|part| Money::rounded(Exact::from(part))).transpose()?),
            comprador_incerto: Sometimes(amounts.comprador_incerto.then_some(true)),
            resposta: Sometimes(Some(Arc::new(answer))),
            ..TributoApurado::new(tributo, SituacaoTributo::Calculado)
        })
    }
}

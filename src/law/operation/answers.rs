//! The answer or the refusal of a tax, read for what it says to the taxes after it and to the totals.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::apuracao::{ICMS, ICMS_CONSUMIDOR_FINAL, Json, SituacaoTributo, TributoApurado};
use super::facts::add;
use crate::base::document::Sometimes;
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Exact, parse_decimal};
use crate::law::tax::Money;

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

pub(super) fn unreadable(cause: impl std::fmt::Display) -> Problem {
    Problem::failure("Um tributo da operação não pôde ser lido; avise o operador.", cause)
}

fn raw(text: Vec<u8>) -> Result<Json, Box<Problem>> {
    let text = String::from_utf8(text).map_err(|e| Box::new(unreadable(e)))?;
    RawValue::from_string(text).map(Json).map_err(|e| Box::new(unreadable(e)))
}

pub(super) fn calculated(
    tributo: &'static str,
    amounts: &Amounts,
    answer: Vec<u8>,
) -> Result<TributoApurado, Box<Problem>> {
    let money = |amount: Decimal| Money::rounded(Exact::from(amount));
    let by_buyer = if amounts.comprador.is_zero() { None } else { Some(money(amounts.comprador)?) };
    Ok(TributoApurado {
        valor: Some(money(amounts.valor)?),
        valor_comprador: Sometimes(by_buyer),
        comprador_incerto: Sometimes(amounts.comprador_incerto.then_some(true)),
        resposta: Sometimes(Some(raw(answer)?)),
        ..TributoApurado::new(tributo, SituacaoTributo::Calculado)
    })
}

pub(super) fn refused(tributo: &'static str, problem: &Problem) -> Result<TributoApurado, Box<Problem>> {
    let situacao = match problem.codigo {
        ErrorCode::RegraInexistente => SituacaoTributo::SemRegra,
        _ => SituacaoTributo::Recusado,
    };
    Ok(TributoApurado { problema: Sometimes(Some(written(problem)?)), ..TributoApurado::new(tributo, situacao) })
}

pub(super) fn written(problem: &Problem) -> Result<Json, Box<Problem>> {
    raw(serde_json::to_vec(&problem.document(None)).map_err(|e| Box::new(unreadable(e)))?)
}

/// Reads the amounts of an answer, and the unit in which it counts a quantity. Fails if one that a later tax or a total
/// needs is not there: it must not pass for zero.
pub(super) fn read(tributo: &'static str, answer: &[u8]) -> Result<(Amounts, Option<String>), Box<Problem>> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        valor: &'a str,
        #[serde(borrow)]
        detalhes: Parts<'a>,
    }
    #[derive(Deserialize)]
    struct Parts<'a> {
        valor_icms: Option<&'a str>,
        valor_difal: Option<&'a str>,
        valor_fcp: Option<&'a str>,
        responsavel_difal: Option<&'a str>,
        retido_na_fonte: Option<bool>,
        unidade: Option<Cow<'a, str>>,
    }
    let Envelope { valor, detalhes } = serde_json::from_slice(answer).map_err(|e| Box::new(unreadable(e)))?;
    let amount = |text: &str| parse_decimal(text).map_err(|e| Box::new(unreadable(e)));
    let part = |name: &str, text: Option<&str>| {
        amount(text.ok_or_else(|| Box::new(unreadable(format_args!("the answer of {tributo} has no {name}"))))?)
    };
    let valor = amount(valor)?;
    let icms = match tributo {
        ICMS | ICMS_CONSUMIDOR_FINAL => part("valor_icms", detalhes.valor_icms)?,
        _ => Decimal::ZERO,
    };
    let by_buyer = detalhes.responsavel_difal == Some("destinatario");
    // The difference that a buyer owes is null if it was not calculated, and its amount is none of the answer.
    let comprador_incerto = by_buyer && detalhes.valor_difal.is_none();
    let comprador = if by_buyer && !comprador_incerto {
        add(&[part("valor_difal", detalhes.valor_difal)?, part("valor_fcp", detalhes.valor_fcp)?])?
    } else if detalhes.retido_na_fonte == Some(true) {
        valor
    } else {
        Decimal::ZERO
    };
    let amounts = Amounts { valor, icms, comprador, comprador_incerto };
    Ok((amounts, detalhes.unidade.map(Cow::into_owned)))
}

//! The taxes of an operation, one after the other: payloads out, answers in.

use std::borrow::Cow;
use std::collections::HashSet;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Ask;
use super::apuracao::{ICMS, ICMS_CONSUMIDOR_FINAL, IPI, Json, SituacaoTributo, TributoApurado};
use super::facts::{OperationFacts, add};
use crate::document::{Node, Object, Sometimes};
use crate::problem::{ErrorCode, Problem};
use crate::rule::Condicao;
use crate::tax::{self, Money};
use crate::value::{Exact, Overflow, format_decimal, parse_decimal};

/// An amount that a later tax needs, or the taxes without which it is not known.
pub(super) type Fed = Result<Decimal, Vec<&'static str>>;

/// The sum of amounts, or every tax that one of them lacks.
pub(super) fn sum<'a>(amounts: impl Iterator<Item = &'a Fed>) -> Result<Fed, Overflow> {
    let (mut known, mut missing) = (Decimal::ZERO, Vec::new());
    for fed in amounts {
        match fed {
            Ok(amount) => known = add(&[known, *amount])?,
            Err(taxes) => missing.extend(taxes.iter().copied()),
        }
    }
    let mut named = HashSet::new();
    missing.retain(|tax| named.insert(*tax));
    Ok(if missing.is_empty() { Ok(known) } else { Err(missing) })
}

/// The value of a field that does not pass from the facts as it is.
pub(super) enum PayloadValue {
    Amount(Fed),
    Word(&'static str),
    Text(String),
    Bool(bool),
}

/// The amounts of an answer that later taxes and totals need.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amounts {
    /// Amount due.
    pub(super) valor: Decimal,
    /// Own ICMS, without FCP and without the difference.
    pub(super) icms: Decimal,
    /// The part that the buyer pays.
    pub(super) comprador: Decimal,
}

/// What became of a tax, for those after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    tributo: &'static str,
    /// `None` if it was not calculated.
    pub(super) amounts: Option<Amounts>,
}

impl Outcome {
    /// An amount of the tax.
    pub(super) fn fed(&self, amount: impl Fn(Amounts) -> Decimal) -> Fed {
        self.amounts.map(amount).ok_or_else(|| vec![self.tributo])
    }
}

/// The taxes so far.
pub(super) struct Worksheet<'a> {
    pub(super) facts: &'a OperationFacts,
    given: &'a Object<'a>,
    ask: Ask<'a>,
    taxes: Vec<TributoApurado>,
    /// The unit in which a tax counted `quantidade`, and that tax.
    counted: Option<(String, &'static str)>,
    /// A tax of the operation has used `regime_especial`.
    special_regime: bool,
}

/// A fact that a tax may ignore, although it has the field.
const SPECIAL_REGIME: &str = "regime_especial";

impl<'a> Worksheet<'a> {
    pub(super) fn new(facts: &'a OperationFacts, given: &'a Object<'a>, ask: Ask<'a>) -> Worksheet<'a> {
        Worksheet { facts, given, ask, taxes: Vec::new(), counted: None, special_regime: false }
    }

    pub(super) fn into_taxes(self) -> Vec<TributoApurado> {
        self.taxes
    }

    /// Notes that a tax is not due, and why. Its amounts are zero.
    pub(super) fn skip(&mut self, tributo: &'static str, motivo: &str) -> Outcome {
        self.note(tributo, SituacaoTributo::NaoSeAplica, motivo)
    }

    /// Notes that a tax is paid with the others of the Simples Nacional. Its amounts are zero.
    pub(super) fn unify(&mut self, tributo: &'static str, motivo: &str) -> Outcome {
        self.note(tributo, SituacaoTributo::RegimeUnificado, motivo)
    }

    fn note(&mut self, tributo: &'static str, situacao: SituacaoTributo, motivo: &str) -> Outcome {
        let motivo = Sometimes(Some(motivo.to_owned()));
        self.taxes.push(TributoApurado { motivo, ..TributoApurado::new(tributo, situacao) });
        Outcome { tributo, amounts: Some(Amounts::default()) }
    }

    /// Notes that a tax cannot be asked, because of a field of the facts.
    pub(super) fn refuse(&mut self, tributo: &'static str, problem: &Problem) -> Result<Outcome, Box<Problem>> {
        self.taxes.push(refused(tributo, problem)?);
        Ok(Outcome { tributo, amounts: None })
    }

    /// Adds what to check to the tax noted last, if it was calculated.
    pub(super) fn warn(&mut self, condicao: Condicao, aviso: &'static str) {
        if let Some(last) = self.taxes.last_mut().filter(|last| last.situacao == SituacaoTributo::Calculado) {
            last.avisos.0.get_or_insert_default().push(aviso);
            last.condicoes_dos_avisos.0.get_or_insert_default().push(condicao);
        }
    }

    /// Asks a tax with these fields, and with those of the facts that it knows. Notes the answer or the refusal; if an
    /// amount is not known, notes on which taxes it depends, and asks nothing. Fails if the service does.
    pub(super) fn ask(
        &mut self,
        tributo: &'static str,
        fields: &[(&'static str, PayloadValue)],
    ) -> Result<Outcome, Box<Problem>> {
        let amounts =
            fields.iter().filter_map(|(_, field)| if let PayloadValue::Amount(fed) = field { Some(fed) } else { None });
        if let Err(missing) = sum(amounts)? {
            let motivo = format!("Depende de {}, sem valor nesta operação.", missing.join(", "));
            let apurado = TributoApurado::new(tributo, SituacaoTributo::Recusado);
            let (motivo, depende_de) = (Sometimes(Some(motivo)), Sometimes(Some(missing)));
            self.taxes.push(TributoApurado { motivo, depende_de, ..apurado });
            return Ok(Outcome { tributo, amounts: None });
        }
        // One tax uses the option, and the others would warn that they ignore it. If no tax uses it, PIS and COFINS warn.
        let with_option = tributo != IPI && !self.special_regime;
        let mut pedido = self.payload(tributo, fields, with_option)?;
        let mut answer = (self.ask)(pedido.get().as_bytes());
        let needs_option = answer.as_ref().is_err_and(|problem| problem.codigo == ErrorCode::RegimeEspecialAusente);
        if needs_option && !with_option {
            self.special_regime = true;
            pedido = self.payload(tributo, fields, true)?;
            answer = (self.ask)(pedido.get().as_bytes());
        }
        let (apurado, amounts) = match answer {
            Ok(answer) => {
                let (amounts, unit) = read(tributo, &answer)?;
                match self.other_unit(tributo, unit) {
                    Some(problem) => (refused(tributo, &problem)?, None),
                    None => (calculated(tributo, &amounts, answer)?, Some(amounts)),
                }
            }
            Err(problem) if problem.codigo.status() >= 500 => return Err(problem),
            Err(problem) => (refused(tributo, &problem)?, None),
        };
        self.taxes.push(TributoApurado { pedido: Sometimes(Some(Json(pedido))), ..apurado });
        Ok(Outcome { tributo, amounts })
    }

    /// The refusal of a tax that counts `quantidade` in another unit than one before it.
    fn other_unit(&mut self, tributo: &'static str, unit: Option<String>) -> Option<Problem> {
        let unit = unit?;
        let (first, of) = self.counted.get_or_insert_with(|| (unit.clone(), tributo));
        (*first != unit).then(|| {
            let detail = format!(
                "`quantidade` é em {first} para `{of}` e em {unit} para `{tributo}`: calcule `{tributo}` em separado."
            );
            Problem::of_field(ErrorCode::ValorInvalido, "quantidade", detail)
        })
    }

    /// True if the tax of this product is paid once in the chain, so that the Simples Nacional does not include it: its
    /// rule asks for the role of the seller.
    pub(super) fn is_single_phase(&self, tributo: &'static str) -> Result<bool, Box<Problem>> {
        let (made, known): (&[(&'static str, &'static str)], &[&str]) = match tributo {
            ICMS => (
                &[("valor_produto", "1.00")],
                &["ncm", "data_operacao", "uf_origem", "uf_destino", "origem_mercadoria"],
            ),
            _ => (
                &[("regime_apuracao", "cumulativo"), ("valor_operacao", "1.00"), ("valor_icms_destacado", "0.00")],
                &["ncm", "ex", "data_operacao"],
            ),
        };
        let mut members: Vec<(Cow<'_, str>, Node<'_>)> = vec![("tributo".into(), Node::from(tributo))];
        members.extend(made.iter().map(|(name, value)| ((*name).into(), Node::from(*value))));
        members.extend(known.iter().filter_map(|name| Some(((*name).into(), self.given.get(name)?.clone()))));
        let pedido = to_raw_value(&Node::Object(Object(members))).map_err(|e| Box::new(unreadable(e)))?;
        match (self.ask)(pedido.get().as_bytes()) {
            Err(problem) if problem.codigo.status() >= 500 => Err(problem),
            answer => Ok(answer.is_err_and(|problem| problem.codigo == ErrorCode::PapelNaCadeiaAusente)),
        }
    }

    /// The payload: the fields of the tax in its order, from `fields` or else from the facts as they were written;
    /// without the special regime unless `with_option`.
    fn payload(
        &self,
        tributo: &'static str,
        fields: &[(&'static str, PayloadValue)],
        with_option: bool,
    ) -> Result<Box<RawValue>, Box<Problem>> {
        let entry = tax::find(tributo).ok_or_else(|| unreadable(format_args!("there is no tax {tributo}")))?;
        let mut members = vec![("tributo".into(), Node::from(tributo))];
        for field in entry.payload.iter().filter(|field| with_option || field.name != SPECIAL_REGIME) {
            let made = fields.iter().find(|(name, _)| *name == field.name).map(|(_, made)| made);
            let node = match made {
                Some(PayloadValue::Amount(Ok(amount))) => Some(Node::Text(format_decimal(*amount).into())),
                Some(PayloadValue::Amount(Err(_))) => None,
                Some(PayloadValue::Word(word)) => Some(Node::from(*word)),
                Some(PayloadValue::Text(text)) => Some(Node::Text(text.as_str().into())),
                Some(PayloadValue::Bool(value)) => Some(Node::Bool(*value)),
                None => self.given.get(field.name).filter(|node| **node != Node::Null).cloned(),
            };
            members.extend(node.map(|node| (field.name.into(), node)));
        }
        to_raw_value(&Node::Object(Object(members))).map_err(|e| Box::new(unreadable(e)))
    }
}

fn unreadable(cause: impl std::fmt::Display) -> Problem {
    Problem::failure("Um tributo da operação não pôde ser lido; avise o operador.", cause)
}

fn raw(text: Vec<u8>) -> Result<Json, Box<Problem>> {
    let text = String::from_utf8(text).map_err(|e| Box::new(unreadable(e)))?;
    RawValue::from_string(text).map(Json).map_err(|e| Box::new(unreadable(e)))
}

fn calculated(tributo: &'static str, amounts: &Amounts, answer: Vec<u8>) -> Result<TributoApurado, Box<Problem>> {
    let money = |amount: Decimal| Money::rounded(Exact::from(amount));
    let by_buyer = if amounts.comprador.is_zero() { None } else { Some(money(amounts.comprador)?) };
    Ok(TributoApurado {
        valor: Some(money(amounts.valor)?),
        valor_comprador: Sometimes(by_buyer),
        resposta: Sometimes(Some(raw(answer)?)),
        ..TributoApurado::new(tributo, SituacaoTributo::Calculado)
    })
}

fn refused(tributo: &'static str, problem: &Problem) -> Result<TributoApurado, Box<Problem>> {
    let situacao = match problem.codigo {
        ErrorCode::RegraInexistente => SituacaoTributo::SemRegra,
        _ => SituacaoTributo::Recusado,
    };
    let document = serde_json::to_vec(&problem.document(None)).map_err(|e| Box::new(unreadable(e)))?;
    Ok(TributoApurado { problema: Sometimes(Some(raw(document)?)), ..TributoApurado::new(tributo, situacao) })
}

/// Reads the amounts of an answer, and the unit in which it counts a quantity. Fails if one that a later tax or a total
/// needs is not there: it must not pass for zero.
fn read(tributo: &'static str, answer: &[u8]) -> Result<(Amounts, Option<String>), Box<Problem>> {
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
    let comprador = if detalhes.responsavel_difal == Some("destinatario") {
        add(&[part("valor_difal", detalhes.valor_difal)?, part("valor_fcp", detalhes.valor_fcp)?])?
    } else if detalhes.retido_na_fonte == Some(true) {
        valor
    } else {
        Decimal::ZERO
    };
    let amounts = Amounts { valor, icms, comprador };
    Ok((amounts, detalhes.unidade.map(Cow::into_owned)))
}

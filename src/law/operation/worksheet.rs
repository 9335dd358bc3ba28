//! The taxes of an operation, one after the other: payloads out, answers in.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::Ask;
use super::answers::{Amounts, read};
use super::apuracao::{ICMS, IPI, SituacaoTributo, TributoApurado};
use super::facts::{OperationFacts, add};
use crate::base::document::{Node, Object, Sometimes};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::base::value::Overflow;
use crate::rule::Condicao;
use crate::tax::{self, TaxAnswer};

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

/// What became of a tax, for those after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    tributo: &'static str,
    /// `None` if it was not calculated.
    pub(super) amounts: Option<Amounts>,
}

impl Outcome {
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

/// The payload that a tax was asked with, and its answer.
type Asked = (Object<'static>, Result<TaxAnswer, Box<Problem>>);

/// The base of a tax, as it is named by those that have it made of other amounts.
const BASE: &str = "valor_operacao";

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
    pub(super) fn refuse(&mut self, tributo: &'static str, problem: Problem) -> Outcome {
        self.taxes.push(TributoApurado::refused(tributo, problem));
        Outcome { tributo, amounts: None }
    }

    /// Adds what to check to the tax noted last, if it was calculated.
    pub(super) fn warn(&mut self, condicao: Condicao, aviso: &'static str) {
        if let Some(last) = self.taxes.last_mut().filter(|last| last.situacao == SituacaoTributo::Calculado) {
            last.avisos.0.get_or_insert_default().push(aviso.to_owned());
            last.condicoes_dos_avisos.0.get_or_insert_default().push(condicao);
        }
    }

    /// Asks a tax with these fields, and with those of the facts that it knows. Notes the answer or the refusal; if an
    /// amount is not known, notes on which taxes it depends, and what data the tax lacks besides. Fails if the service
    /// does.
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
            let problema = Sometimes(self.lacks_data(tributo, fields)?);
            let missing = missing.into_iter().map(Cow::Borrowed).collect();
            let (motivo, depende_de) = (Sometimes(Some(motivo)), Sometimes(Some(missing)));
            self.taxes.push(TributoApurado { motivo, depende_de, problema, ..apurado });
            return Ok(Outcome { tributo, amounts: None });
        }
        let (pedido, answer) = self.answer(tributo, fields)?;
        let (apurado, amounts) = match answer {
            Ok(answer) => {
                let amounts = read(&answer)?;
                let unit = answer.get("unidade").and_then(|unit| Some(unit.text()?.to_owned()));
                match self.other_unit(tributo, unit) {
                    Some(problem) => (TributoApurado::refused(tributo, problem), None),
                    None => (TributoApurado::calculated(tributo, &amounts, answer)?, Some(amounts)),
                }
            }
            Err(problem) if problem.codigo.status() >= 500 => return Err(problem),
            // Nothing is due by an extinct tax, so the others and the totals do without it.
            Err(problem) if problem.codigo == ErrorCode::TributoExtinto => {
                return Ok(self.skip(tributo, &problem.detail));
            }
            Err(problem) => (TributoApurado::refused(tributo, *problem), None),
        };
        self.taxes.push(TributoApurado { pedido: Sometimes(Some(pedido)), ..apurado });
        Ok(Outcome { tributo, amounts })
    }

    /// What the tax answers. One tax uses the special regime, and the others would warn that they ignore it. If no tax
    /// uses it, PIS and COFINS warn.
    fn answer(
        &mut self,
        tributo: &'static str,
        fields: &[(&'static str, PayloadValue)],
    ) -> Result<Asked, Box<Problem>> {
        let with_option = tributo != IPI && !self.special_regime;
        let pedido = self.payload(tributo, fields, with_option)?;
        let answer = (self.ask)(&pedido);
        let needs_option = answer.as_ref().is_err_and(|problem| problem.codigo == ErrorCode::RegimeEspecialAusente);
        if !needs_option || with_option {
            return Ok((pedido, answer));
        }
        self.special_regime = true;
        let pedido = self.payload(tributo, fields, true)?;
        let answer = (self.ask)(&pedido);
        Ok((pedido, answer))
    }

    /// The refusal of a tax that waits for the amount of another, if it lacks data whatever that amount is. The caller
    /// can then give the data of all taxes at once. Its answer to an amount that is not known counts for nothing.
    fn lacks_data(
        &mut self,
        tributo: &'static str,
        fields: &[(&'static str, PayloadValue)],
    ) -> Result<Option<Arc<Problem>>, Box<Problem>> {
        let special_regime = self.special_regime;
        let answer = self.answer(tributo, fields)?.1;
        self.special_regime = special_regime;
        match answer {
            Err(problem) if problem.codigo.status() >= 500 => Err(problem),
            Err(problem) if problem.tipo_recusa == Some(TipoRecusa::FaltaDado) => Ok(Some(Arc::new(*problem))),
            _ => Ok(None),
        }
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
        let mut payload = Object::default();
        payload.set("tributo", tributo);
        for (name, value) in made {
            payload.set(*name, *value);
        }
        let known = known.iter().filter_map(|name| Some(((*name).into(), self.given.get(name)?.clone())));
        payload.0.extend(known);
        match (self.ask)(&payload) {
            Err(problem) if problem.codigo.status() >= 500 => Err(problem),
            answer => Ok(answer.is_err_and(|problem| problem.codigo == ErrorCode::PapelNaCadeiaAusente)),
        }
    }

    /// The payload: the fields of the tax in its order, from `fields` or else from the facts as they were written;
    /// without the special regime unless `with_option`. An amount that is not known is zero, and a base that is not
    /// known is the revenue: only [`Worksheet::lacks_data`] asks so.
    fn payload(
        &self,
        tributo: &'static str,
        fields: &[(&'static str, PayloadValue)],
        with_option: bool,
    ) -> Result<Object<'static>, Box<Problem>> {
        let mut members = vec![("tributo".into(), Node::from(tributo))];
        let declared = tax::find(tributo).map_or(&[][..], |entry| entry.payload);
        for field in declared.iter().filter(|field| with_option || field.name != SPECIAL_REGIME) {
            let made = fields.iter().find(|(name, _)| *name == field.name).map(|(_, made)| made);
            let node = match made {
                Some(PayloadValue::Amount(Ok(amount))) => Some(Node::Figure(*amount)),
                Some(PayloadValue::Amount(Err(_))) => {
                    Some(Node::Figure(if field.name == BASE { self.facts.revenue()? } else { Decimal::ZERO }))
                }
                Some(PayloadValue::Word(word)) => Some(Node::from(*word)),
                Some(PayloadValue::Text(text)) => Some(Node::from(text.clone())),
                Some(PayloadValue::Bool(value)) => Some(Node::Bool(*value)),
                None => self.given.get(field.name).filter(|node| **node != Node::Null).cloned().map(Node::into_owned),
            };
            members.extend(node.map(|node| (field.name.into(), node)));
        }
        Ok(Object(members))
    }
}

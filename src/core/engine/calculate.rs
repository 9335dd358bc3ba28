//! One calculation: the JSON of a payload, its tax, the result, and the answer.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::answer::{Extras, PayloadForm};
use super::resolve::Resolver;
use super::{national_list, prova};
use crate::base::document::{
    Field, JsonFault, MAX_PAYLOAD_VALUES, Node, Object, Shape, has_too_many_values, parse_payload,
};
use crate::base::problem::{ErrorCode, FieldError, Problem, TipoRecusa};
use crate::law::labels;
use crate::law::rule::RuleResult;
use crate::law::rule::record::VersionRecord;
use crate::law::tax::{self, Calculation, Entry, TaxAnswer};
use crate::store::RuleTables;

/// Answers a payload by the rules of `resolver`, with its proof if that is asked for.
pub(super) fn answer<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    asked: PayloadForm<'_>,
    extras: Extras,
) -> RuleResult<TaxAnswer> {
    let mut answer = match asked {
        PayloadForm::Text(payload) => calculate_bytes(resolver, payload, extras.memoria)?,
        PayloadForm::Parsed(_, payload) => calculate_node(resolver, payload, extras.memoria)?,
        PayloadForm::Object(payload) => calculate_object(resolver, payload, extras.memoria)?,
    };
    if extras.prova {
        answer.prova = Some(prova::prove(resolver, asked, &answer)?);
    }
    if extras.com_leitor {
        answer.leitor = Some(said(resolver, &answer)?);
    }
    Ok(answer)
}

/// What a person reads beside an answer, as JSON: its sentences, and where the law of its rule was read.
fn said<T: RuleTables>(resolver: &Resolver<'_, T>, answer: &TaxAnswer) -> RuleResult<Box<RawValue>> {
    #[derive(Serialize)]
    struct ForReader<'r> {
        avisos: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        fonte: Option<&'r RawValue>,
    }
    let record = resolver.record(answer.rule_id())?;
    let record = record.as_deref().map(VersionRecord::read).transpose().map_err(Problem::unwritten)?;
    let named = labels::named(Some(answer.tributo.as_str()));
    let said = ForReader { avisos: answer.said(&named), fonte: record.and_then(|record| record.fonte) };
    to_raw_value(&said).map_err(Problem::unwritten)
}

/// Calculates a payload by the rules of `resolver`.
pub(super) fn calculate_bytes<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    payload: &[u8],
    memoria: bool,
) -> RuleResult<TaxAnswer> {
    calculate_node(resolver, &parsed(payload)?, memoria)
}

/// The document that the bytes are, unless it has more values than any payload.
pub(super) fn parsed(payload: &[u8]) -> RuleResult<Node<'_>> {
    let not_json =
        |fault: JsonFault| Problem::new(ErrorCode::JsonInvalido, format!("Corrija o JSON do corpo: {fault}."));
    if has_too_many_values(payload) {
        Node::check(payload).map_err(not_json)?;
        let detail = format!("O corpo tem mais de {MAX_PAYLOAD_VALUES} valores; um pedido de cálculo tem uns vinte.");
        return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
    }
    Ok(parse_payload(payload).map_err(not_json)?)
}

/// Calculates a payload that was parsed.
pub(super) fn calculate_node<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    document: &Node<'_>,
    memoria: bool,
) -> RuleResult<TaxAnswer> {
    let Node::Object(object) = document else {
        let detail = format!("O corpo precisa ser um objeto JSON; veio {}.", document.kind());
        return Err(Box::new(Problem::new(ErrorCode::TipoInvalido, detail)));
    };
    calculate_object(resolver, object, memoria)
}

fn calculate_object<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    object: &Object<'_>,
    memoria: bool,
) -> RuleResult<TaxAnswer> {
    let entry = tax_of(object)?;
    let mut calculation = Calculation::new(resolver, object, memoria, (resolver.leitor, resolver.com_leitor));
    let calculated = match entry.calculate(object, &mut calculation) {
        Ok(calculated) => calculated,
        Err(mut problem) => {
            problem.tributo = Some(entry.tributo);
            national_list::explain(entry.tributo, object, resolver, &mut problem)?;
            return Err(Box::new(with_further(entry, object, resolver, *problem)));
        }
    };
    national_list::warn(object, &calculated, &mut calculation);
    let mut answer = TaxAnswer::of(entry, calculated, calculation.into_notes()?);
    answer.suppose(resolver.supposed_in(answer.used()), resolver.leitor);
    Ok(answer)
}

/// The same refusal; of a payload that lacks amounts, with the fields that a rule asks for once they are there, as the fuel of
/// a vehicle. Other fields may decide which rule that is.
fn with_further<T: RuleTables>(
    entry: &'static Entry,
    object: &Object<'_>,
    resolver: &Resolver<'_, T>,
    problem: Problem,
) -> Problem {
    let is_amount = |field: &&Field| matches!(field.shape, Shape::Amount | Shape::PositiveAmount);
    let lacks = |erro: &FieldError| {
        let field = entry.payload.iter().find(|field| field.name == erro.campo).filter(is_amount);
        field.filter(|_| erro.codigo == ErrorCode::CampoObrigatorio)
    };
    let fields: Option<Vec<_>> = problem.erros.iter().map(lacks).collect();
    let Some(fields) = fields.filter(|fields| !fields.is_empty() && problem.regra.is_none()) else { return problem };
    let mut whole = object.clone();
    for field in fields {
        whole.set(field.name, "1.00");
    }
    let mut trial = Calculation::new(resolver, &whole, false, (resolver.leitor, resolver.com_leitor));
    match entry.calculate(&whole, &mut trial) {
        Err(refusal) => problem.lacking_also(&refusal),
        Ok(_) => problem,
    }
}

/// The tax that the payload's `tributo` names.
pub(super) fn tax_of(object: &Object<'_>) -> RuleResult<&'static Entry> {
    let names = || tax::NAMES.join(", ");
    let (codigo, detail) = match object.get("tributo") {
        Some(Node::Text(name)) => match tax::parse(name) {
            Ok(entry) => return Ok(entry),
            Err(detail) if tax::is_imposto_seletivo(name) => {
                let refusal = Problem::of_field(ErrorCode::ValorInvalido, "tributo", detail);
                return Err(Box::new(refusal.because(TipoRecusa::ForaDoEscopo)));
            }
            Err(detail) => (ErrorCode::ValorInvalido, detail),
        },
        None | Some(Node::Null) => (ErrorCode::CampoObrigatorio, format!("Informe `tributo`, um destes: {}.", names())),
        Some(other) => {
            (ErrorCode::TipoInvalido, format!("`tributo` é um texto, um destes: {}; veio {}.", names(), other.kind()))
        }
    };
    Err(Box::new(Problem::of_field(codigo, "tributo", detail)))
}

//! One calculation: the JSON of a payload, its tax, the result, and the answer.

use super::answer::{Extras, PayloadForm};
use super::resolve::Resolver;
use super::{national_list, prova};
use crate::base::document::{JsonFault, MAX_PAYLOAD_VALUES, Node, Object, has_too_many_values, parse_payload};
use crate::base::problem::{ErrorCode, Problem, TipoRecusa};
use crate::core::store::RuleTables;
use crate::law::rule::RuleResult;
use crate::law::tax::{self, Calculation, Entry, TaxAnswer};

/// Answers a payload by the rules of `resolver`, with its proof if that is asked for.
pub(super) fn answer<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    asked: PayloadForm<'_>,
    extras: Extras,
) -> RuleResult<TaxAnswer> {
    let mut answer = match asked {
        PayloadForm::Text(payload) => calculate_bytes(resolver, payload, extras.memoria)?,
        PayloadForm::Object(payload) => calculate_object(resolver, payload, extras.memoria)?,
    };
    if extras.prova {
        answer.prova = Some(prova::prove(resolver, asked, &answer)?);
    }
    Ok(answer)
}

/// Calculates a payload by the rules of `resolver`.
pub(super) fn calculate_bytes<T: RuleTables>(
    resolver: &Resolver<'_, T>,
    payload: &[u8],
    memoria: bool,
) -> RuleResult<TaxAnswer> {
    let not_json =
        |fault: JsonFault| Problem::new(ErrorCode::JsonInvalido, format!("Corrija o JSON do corpo: {fault}."));
    if has_too_many_values(payload) {
        Node::check(payload).map_err(not_json)?;
        let detail = format!("O corpo tem mais de {MAX_PAYLOAD_VALUES} valores; um pedido de cálculo tem uns vinte.");
        return Err(Box::new(Problem::new(ErrorCode::PayloadInvalido, detail)));
    }
    let document = parse_payload(payload).map_err(not_json)?;
    calculate_node(resolver, &document, memoria)
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
    let mut calculation = Calculation::new(resolver, memoria).of(object).read_by(resolver.leitor);
    let calculated = match entry.calculate(object, &mut calculation) {
        Ok(calculated) => calculated,
        Err(mut problem) => {
            problem.tributo = Some(entry.tributo);
            national_list::explain(entry.tributo, object, resolver, &mut problem)?;
            return Err(problem);
        }
    };
    national_list::warn(object, &calculated, &mut calculation);
    let answer = TaxAnswer::of(entry, calculated, calculation.into_notes()?);
    let supposed = resolver.supposed_in(answer.used());
    Ok(answer.supposing(supposed, resolver.leitor))
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

//! Worked examples of a bundle, run on the state that its import would produce.

use serde_json::Value;

use super::calculate_document;
use super::resolve::Resolver;
use crate::document::{Document, Fault, Faults, Field, Node, Object, Path, Shape, refuse_unknown};
use crate::problem::ErrorCode;
use crate::rule::bundle::RuleLocation;
use crate::store::{RuleTables, RuleWriter, StoreError, StoreResult};
use crate::tax;
use crate::value::{RuleId, Text, parse_decimal};

crate::document! {
    struct Esperado {
        valor: Option<Text>, "Valor esperado";
        codigo: Option<Text>, "Código da recusa esperada";
        rule_id: Option<Text>, "Versão que deve responder";
    }
}

/// Runs the examples of one rule; each must be answered, or refused, by this very version.
pub(super) fn run_of_rule(
    writer: &RuleWriter<'_>,
    publication: u64,
    lugar: RuleLocation,
    list: &[Node<'_>],
    own: &RuleId,
    report: impl FnMut(Fault),
) -> StoreResult<usize> {
    run(writer, publication, lugar, list, Some(own), report)
}

/// Runs the examples of a table; each may name the version that must answer.
pub(super) fn run_of_table(
    writer: &RuleWriter<'_>,
    publication: u64,
    lugar: RuleLocation,
    list: &[Node<'_>],
    report: impl FnMut(Fault),
) -> StoreResult<usize> {
    run(writer, publication, lugar, list, None, report)
}

/// What an example is worth to the import that runs it.
#[derive(PartialEq)]
enum Weight {
    /// It must hold.
    Binding,
    /// Its version was published before: a more specific rule of another code may have
    /// overtaken it since, and loading its bundle again must not fail for that.
    Overtakable,
    /// An earlier publication superseded its version: there is nothing to run.
    Superseded,
}

fn weight(writer: &RuleWriter<'_>, publication: u64, rule_id: &RuleId) -> StoreResult<Weight> {
    let Some(number) = writer.number_of(rule_id)? else { return Ok(Weight::Binding) };
    let state = writer.state(number)?;
    if state.publication == publication {
        return Ok(Weight::Binding);
    }
    let by_this = |by| Ok::<_, StoreError>(writer.state(by)?.publication == publication);
    match state.superseded_by {
        0 => Ok(Weight::Overtakable),
        by if by_this(by)? => Ok(Weight::Overtakable),
        _ => Ok(Weight::Superseded),
    }
}

/// The version that a table's example names.
fn named(example: &Node<'_>) -> Option<RuleId> {
    match example {
        Node::Object(object) => match object.get("rule_id") {
            Some(Node::Text(id)) => RuleId::parse(id),
            _ => None,
        },
        _ => None,
    }
}

/// Runs the examples that there is something to run of, and answers how many they were.
fn run(
    writer: &RuleWriter<'_>,
    publication: u64,
    lugar: RuleLocation,
    list: &[Node<'_>],
    own: Option<&RuleId>,
    mut report: impl FnMut(Fault),
) -> StoreResult<usize> {
    let mut faults = Faults::default();
    let mut ran = 0;
    for (i, example) in list.iter().enumerate() {
        let weight = match own.cloned().or_else(|| named(example)) {
            Some(rule_id) => weight(writer, publication, &rule_id)?,
            None => Weight::Binding,
        };
        if weight == Weight::Superseded {
            continue;
        }
        ran += 1;
        let mut ignored = Faults::default();
        let found = if weight == Weight::Binding { &mut faults } else { &mut ignored };
        lugar.with_path(|at| run_one(writer, example, own, &at.key("exemplos").index(i), found));
    }
    faults.into_list().into_iter().for_each(&mut report);
    Ok(ran)
}

/// Whether an example of a version that was published holds by these rules, and why not.
pub(super) fn holds(rules: &impl RuleTables, example: &Node<'_>, own: &RuleId) -> Result<(), String> {
    let mut faults = Faults::default();
    run_one(rules, example, Some(own), &Path::ROOT, &mut faults);
    match faults.into_list().as_slice() {
        [] => Ok(()),
        faults => Err(faults.iter().map(|fault| fault.detail.as_str()).collect::<Vec<_>>().join(" ")),
    }
}

fn run_one<T: RuleTables>(rules: &T, example: &Node<'_>, own: Option<&RuleId>, at: &Path<'_>, faults: &mut Faults) {
    let mut fail = |member: &str, detail: String| faults.add(&at.key(member), ErrorCode::ValorInvalido, detail);
    let Node::Object(object) = example else {
        fail("", format!("Um exemplo é um objeto com `payload` e `valor` ou `codigo`; veio {}.", example.kind()));
        return;
    };
    let mut form = Faults::default();
    let expected = read_form(object, at, &mut form);
    let Some((expected, payload)) = expected.filter(|_| form.is_empty()) else {
        for fault in form.into_list() {
            fail("payload", fault.detail);
        }
        return;
    };
    let result = calculate_document(&Resolver::new(rules, None), payload, false);
    if let Err(problem) = &result
        && let Some(cause) = &problem.cause
    {
        tracing::error!(cause, "a worked example could not be calculated");
    }
    let wanted_rule = expected.rule_id.as_ref().map(|t| t.as_str().to_owned()).or(own.map(ToString::to_string));
    match (result, expected.valor, expected.codigo) {
        (Ok(envelope), Some(valor), None) => {
            let envelope: Value = serde_json::from_slice(&envelope.to_json()).unwrap_or_default();
            let text = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
            let got = text("valor");
            match parse_decimal(valor.as_str()) {
                Err(why) => fail("valor", why),
                Ok(_) if same_decimal(valor.as_str(), got) => {}
                Ok(_) => fail("valor", format!("O exemplo espera {} e o cálculo dá {got}.", valor.as_str())),
            }
            let rule = envelope.pointer("/regra/rule_id").and_then(Value::as_str).unwrap_or_default();
            if let Some(wanted) = wanted_rule.filter(|w| w != rule) {
                fail("payload", format!("O exemplo deveria ser respondido por {wanted}, e quem respondeu foi {rule}."));
            }
            let shape = tax::find(text("tributo")).map(|entry| entry.detalhes);
            let got = envelope.get("detalhes").unwrap_or(&Value::Null);
            match object.get("detalhes").map(serde_json::to_value) {
                None => {}
                Some(Ok(wanted)) => compare(&wanted, got, shape, "detalhes", &mut fail),
                Some(Err(why)) => fail("detalhes", why.to_string()),
            }
        }
        (Err(problem), None, Some(codigo)) => {
            if problem.codigo.as_str() != codigo.as_str() {
                let detail = format!(
                    "O exemplo espera a recusa {} e veio {}: {}",
                    codigo.as_str(),
                    problem.codigo.as_str(),
                    problem.detail
                );
                fail("codigo", detail);
            }
            let rule = problem.regra.as_ref().map(|r| r.rule_id.to_string());
            if let (Some(rule), Some(wanted)) = (rule, wanted_rule)
                && rule != wanted
            {
                fail("payload", format!("O exemplo deveria ser recusado por {wanted}, e quem recusou foi {rule}."));
            }
        }
        (Ok(_), _, Some(codigo)) => {
            fail("codigo", format!("O exemplo espera a recusa {} e o cálculo deu um valor.", codigo.as_str()));
        }
        (Err(problem), Some(valor), _) => {
            fail("valor", format!("O exemplo espera {} e o cálculo recusa: {}", valor.as_str(), problem.detail));
        }
        (_, None, None) => fail("valor", "Diga em `valor` o resultado, ou em `codigo` a recusa.".to_owned()),
    }
}

fn read_form<'n, 'a>(object: &'n Object<'a>, at: &Path<'_>, faults: &mut Faults) -> Option<(Esperado, &'n Node<'a>)> {
    let plain = |name| Field::optional(name, Shape::Text, "");
    let known: Vec<Field> = Esperado::FIELDS.iter().copied().chain(["payload", "detalhes"].map(plain)).collect();
    refuse_unknown(object, &known, at, faults);
    let expected = Esperado::read(object, at, faults)?;
    let payload = object.get("payload");
    if payload.is_none() {
        faults.add(at, ErrorCode::CampoObrigatorio, "Falta `payload` no exemplo.");
    }
    Some((expected, payload?))
}

/// True if both are decimals and equal as numbers: "7.2" is "7.20".
fn same_decimal(wanted: &str, got: &str) -> bool {
    matches!((parse_decimal(wanted), parse_decimal(got)), (Ok(wanted), Ok(got)) if wanted == got)
}

/// Every member that is wanted must be there; what else there is does not matter. Amounts and rates, as the tax
/// declares them (`shape`), are compared as decimals. All else is compared as it is written: "01" is not "1" in a code.
fn compare(wanted: &Value, got: &Value, shape: Option<Shape>, name: &str, fail: &mut impl FnMut(&str, String)) {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => {
            let declared: &[Field] = if let Some(Shape::Document(members)) = shape { members } else { &[] };
            for (member, value) in wanted {
                let inner = format!("{name}.{member}");
                let shape = declared.iter().find(|field| field.name == member).map(|field| field.shape);
                match got.get(member) {
                    Some(found) => compare(value, found, shape, &inner, fail),
                    None => fail("detalhes", format!("O exemplo espera `{inner}`, que o resultado não traz.")),
                }
            }
        }
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => {
            let item = if let Some(Shape::List(item)) = shape { Some(*item) } else { None };
            for (i, (value, found)) in wanted.iter().zip(got).enumerate() {
                compare(value, found, item, &format!("{name}[{i}]"), fail);
            }
        }
        (Value::String(wanted), Value::String(got))
            if matches!(shape, Some(Shape::Amount | Shape::Rate)) && same_decimal(wanted, got) => {}
        (wanted, got) if wanted != got => {
            fail("detalhes", format!("O exemplo espera {wanted} em `{name}`, e o cálculo dá {got}."));
        }
        _ => {}
    }
}

//! The facts that the taxes of an operation lack, for a form that asks for them before it calculates.

use std::borrow::Cow;

use serde::Serialize;

use super::facts::with_regime;
use super::worksheet::Worksheet;
use super::{Ask, OperationFacts, faults, read, taxes};
use crate::base::document::{Document as _, Field, Node, Object, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::tax;

/// A fact that is missing.
#[derive(Debug, Serialize)]
pub struct Need {
    campo: &'static str,
    /// The taxes that need it; empty if every operation does.
    tributos: Vec<Cow<'static, str>>,
}

/// Values of missing facts of the place, with which the taxes that do not depend on the place are asked. The facts of a
/// line must agree, so all of them are replaced if one is missing.
const STAND_INS: [&[(&str, &str)]; 3] = [
    &[("uf_origem", "SP"), ("uf_destino", "SP")],
    &[("uf", "SP"), ("municipio", "São Paulo")],
    &[("item_lista_servico", "1.07")],
];

/// The facts that an operation lacks, also those that a tax asks for only after another one, whatever the other one is.
/// Fails if a fact is at fault, and if `ask` fails for another reason than a refusal.
pub fn needs(given: &Object<'_>, ask: Ask<'_>) -> Result<Vec<Need>, Box<Problem>> {
    let mut given = with_regime(given).into_owned();
    let absent = absent(&given);
    let incomplete = STAND_INS.iter().filter(|line| line.iter().any(|(name, _)| absent.contains(name)));
    for (name, value) in incomplete.copied().flatten() {
        given.take(name);
        given.0.push(((*name).into(), Node::from(*value)));
    }
    let mut found: Vec<Need> = absent.iter().map(|campo| Need { campo, tributos: Vec::new() }).collect();
    if absent.iter().all(|name| STAND_INS.iter().copied().flatten().any(|(known, _)| known == name)) {
        read(&given)?;
        let (one, other) = (on_path(given.clone(), 0, ask)?, on_path(given, 1, ask)?);
        let knows_place = |tributo: &str| {
            tax::find(tributo).is_some_and(|entry| entry.payload.iter().any(|field| absent.contains(&field.name)))
        };
        for Need { campo, mut tributos } in one {
            let also = other.iter().find(|need| need.campo == campo).map_or(&[][..], |need| &need.tributos);
            tributos.retain(|tributo| also.contains(tributo) && !knows_place(tributo));
            if !tributos.is_empty() {
                found.push(Need { campo, tributos });
            }
        }
    }
    Ok(found)
}

fn declared(name: &str) -> Option<&'static Field> {
    OperationFacts::FIELDS.iter().find(|field| field.name == name)
}

/// The facts without which no tax can be asked.
fn absent(given: &Object<'_>) -> Vec<&'static str> {
    let missing = faults(given).into_list().into_iter().filter(|fault| fault.codigo == ErrorCode::CampoObrigatorio);
    missing.filter_map(|fault| Some(declared(&fault.path_text())?.name)).collect()
}

/// What is lacking as each missing fact of a few words gets the `nth` of them, until nothing more can be filled in.
fn on_path(mut given: Object<'_>, nth: usize, ask: Ask<'_>) -> Result<Vec<Need>, Box<Problem>> {
    let mut found: Vec<Need> = Vec::new();
    while let Ok(facts) = read(&given) {
        let mut worksheet = Worksheet::new(&facts, &given, ask);
        taxes(&mut worksheet)?;
        let mut filled = Vec::new();
        for tax in worksheet.into_taxes() {
            let missing = tax.problema.0.iter().flat_map(|problem| problem.missing_fields());
            for field in missing.filter_map(declared) {
                match found.iter_mut().find(|need| need.campo == field.name) {
                    Some(need) if need.tributos.contains(&tax.tributo) => {}
                    Some(need) => need.tributos.push(tax.tributo.clone()),
                    None => {
                        found.push(Need { campo: field.name, tributos: vec![tax.tributo.clone()] });
                        filled.extend(word(field, nth).map(|word| (field.name.into(), word)));
                    }
                }
            }
        }
        if filled.is_empty() {
            break;
        }
        given.0.extend(filled);
    }
    Ok(found)
}

/// A value of a field that takes one of a few.
fn word(field: &Field, nth: usize) -> Option<Node<'static>> {
    match field.shape {
        Shape::Bool => Some(Node::Bool(nth == 0)),
        Shape::OneOf(words) => words.words().get(nth).map(|word| Node::from(*word)),
        _ => None,
    }
}

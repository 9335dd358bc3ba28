//! The schemas and examples of each tax: payload, result, and rule.

use serde_json::{Map, Value, json};

use super::link;
use super::schema::{self, Side};
use crate::base::document::{Field, FromNode, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::value::{Cest, ClassificacaoTributaria, Ex, ItemOuDesdobro, NcmPrefix};
use crate::core::engine::Engine;
use crate::law::rule::Axis;
use crate::law::tax::{Condition, Entry, FieldValue, LaterLaw, REGISTRY};

/// One of the schemas that every tax has.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Pedido,
    RuleResult,
    Regra,
}

impl Kind {
    /// The name of that schema of a tax: `PedidoIcmsSt`.
    fn name(self, entry: &Entry) -> String {
        let kind = match self {
            Kind::Pedido => "Pedido",
            Kind::RuleResult => "Resposta",
            Kind::Regra => "Regra",
        };
        let mut name = kind.to_owned();
        for word in entry.tributo.as_str().split('_') {
            let mut letters = word.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.push_str(letters.as_str());
        }
        name
    }
}

/// One of the schemas of the taxes; `tributo` says which.
pub(super) fn any(kind: Kind) -> Value {
    let links: Vec<Value> = REGISTRY.iter().map(|entry| link("schemas", &kind.name(entry))).collect();
    let mapping: Map<String, Value> = REGISTRY
        .iter()
        .map(|entry| (entry.tributo.as_str().to_owned(), format!("#/components/schemas/{}", kind.name(entry)).into()))
        .collect();
    json!({"oneOf": links, "discriminator": {"propertyName": "tributo", "mapping": mapping}})
}

pub(super) fn schemas() -> Vec<(String, Value)> {
    let all = |entry| {
        [
            (Kind::Pedido.name(entry), payload(entry)),
            (Kind::RuleResult.name(entry), answer(entry)),
            (Kind::Regra.name(entry), rule(entry)),
        ]
    };
    REGISTRY.iter().flat_map(all).collect()
}

fn payload(entry: &Entry) -> Value {
    let required = std::iter::once("tributo").chain(entry.payload.iter().filter(|f| f.required).map(|f| f.name));
    let field = |field: &Field| (field.name.to_owned(), schema::property(field, Side::Asked));
    let properties: Map<String, Value> = std::iter::once(tag(entry)).chain(entry.payload.iter().map(field)).collect();
    let out = json!({
        "description": format!("{}: {}", entry.sigla, entry.nome),
        "type": "object",
        "required": required.collect::<Vec<_>>(),
        "properties": properties,
    });
    let out = if entry.refuses_unknown { schema::with(out, "additionalProperties", false) } else { out };
    let of_later_law = entry.later_law.iter().flat_map(|law| law.fields.iter().map(|field| later(law, field)));
    let conditions: Vec<Value> = entry.conditions.iter().map(|c| condition(entry, c)).chain(of_later_law).collect();
    if conditions.is_empty() { out } else { schema::with(out, "allOf", json!(conditions)) }
}

/// The schema of a field that only the later law has: it needs the flag that asks for that law.
fn later(law: &LaterLaw, field: &str) -> Value {
    json!({
        "if": {"properties": {(law.campo): {"const": true}}, "required": [law.campo]},
        "else": {"properties": {(field): {"type": "null"}}},
    })
}

/// The field that distinguishes the schemas of one kind.
fn tag(entry: &Entry) -> (String, Value) {
    ("tributo".to_owned(), schema::word(&[entry.tributo.as_str()]))
}

/// The schema of a field that another field's value makes required, and above zero.
fn condition(entry: &Entry, condition: &Condition) -> Value {
    let is_count = |field: &Field| field.name == condition.requires && matches!(field.shape, Shape::Int { .. });
    let above_zero =
        if entry.payload.iter().any(is_count) { json!({"minimum": 1}) } else { json!({"pattern": schema::NOT_ZERO}) };
    let required = schema::with(above_zero, "not", json!({"type": "null"}));
    let value = match condition.equals {
        FieldValue::Word(palavra) => json!(palavra),
        FieldValue::True => json!(true),
    };
    json!({
        "if": {"properties": {(condition.campo): {"const": value}}, "required": [condition.campo]},
        "then": {"properties": {(condition.requires): required}, "required": [condition.requires]},
    })
}

fn answer(entry: &Entry) -> Value {
    let mut detalhes =
        schema::with(schema::of(&entry.detalhes, Side::Shown), "description", "Os componentes do cálculo");
    if let Some(properties) = detalhes.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("memoria".to_owned(), link("schemas", "Memoria"));
    }
    extended("Envelope", "detalhes", &Map::from_iter([tag(entry), ("detalhes".to_owned(), detalhes)]))
}

/// The schema `base` with the properties of one tax. The base does not declare `own`, the member that
/// every tax has in its own form: generated clients keep one of two declarations of a property.
fn extended(base: &str, own: &str, properties: &Map<String, Value>) -> Value {
    json!({"allOf": [link("schemas", base), {"type": "object", "required": [own], "properties": properties}]})
}

/// The schema of a rule: its scope beside places and days, and its content.
fn rule(entry: &Entry) -> Value {
    let mut properties = Map::from_iter([tag(entry)]);
    for eixo in entry.escopo.eixos {
        if let Some((shape, label)) = dimension(*eixo) {
            let field = Field::optional(eixo.as_str(), shape, label);
            properties.insert(field.name.to_owned(), schema::property(&field, Side::Asked));
        }
    }
    if let Some(own) = entry.escopo.discriminador {
        let words = json!({"type": "array", "items": schema::word(&own.palavras), "description": "Valores a que a regra se aplica"});
        properties.insert(own.campo.to_owned(), words);
    }
    let conteudo = schema::of(&Shape::Document(entry.conteudo), Side::Rule);
    let description = "Com que a regra calcula; um número nulo não está estabelecido";
    properties.insert("conteudo".to_owned(), schema::with(conteudo, "description", description));
    extended("RegraPublicada", "conteudo", &properties)
}

/// Shape and label of a dimension of scope. `None` for a place: every rule shows its places.
fn dimension(eixo: Axis) -> Option<(Shape, &'static str)> {
    Some(match eixo {
        Axis::Uf | Axis::UfOrigem | Axis::UfDestino | Axis::Municipio => return None,
        Axis::Ncm => (Vec::<NcmPrefix>::SHAPE, "NCM ou prefixos a que a regra se aplica"),
        Axis::NcmExceto => (Vec::<NcmPrefix>::SHAPE, "Prefixos excetuados, que outra regra trata"),
        Axis::Cest => (Cest::SHAPE, "CEST a que a regra se aplica"),
        Axis::Ex => (Ex::SHAPE, "Exceção tarifária a que a regra se aplica"),
        Axis::ClassificacaoTributaria => {
            (ClassificacaoTributaria::SHAPE, "Classificação tributária a que a regra se aplica")
        }
        Axis::ItemListaServico => {
            (Vec::<ItemOuDesdobro>::SHAPE, "Subitens da lista de serviços a que a regra se aplica")
        }
    })
}

/// The example payload of each tax.
pub(super) fn requests() -> Value {
    examples(|entry| Ok(serde_json::from_str(entry.exemplo).unwrap_or_default())).unwrap_or_default()
}

/// The answer to each example payload.
pub(super) fn answers(engine: &Engine) -> Result<Value, Box<Problem>> {
    examples(|entry| {
        let answer = engine.calculate(entry.exemplo.as_bytes(), false)?;
        serde_json::from_slice(&answer.to_json())
            .map_err(|e| Box::new(Problem::new(ErrorCode::ErroInterno, e.to_string())))
    })
}

fn examples(value: impl Fn(&Entry) -> Result<Value, Box<Problem>>) -> Result<Value, Box<Problem>> {
    let mut all = Map::new();
    for entry in REGISTRY {
        all.insert(
            entry.tributo.as_str().to_owned(),
            json!({"summary": format!("{}: {}", entry.sigla, entry.nome), "value": value(entry)?}),
        );
    }
    Ok(all.into())
}

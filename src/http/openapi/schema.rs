//! JSON Schemas of what is declared: fields that are read, components that are shown.

use serde_json::{Map, Value, json};

use crate::document::{Field, Shape};
use crate::tax::{Componente, Forma};

/// A decimal of a payload (design, section 2): 15 integer and 10 fraction digits at most.
const DECIMAL: &str = "^[0-9]{1,15}(\\.[0-9]{1,10})?$";
const SIGNED_DECIMAL: &str = "^-?[0-9]{1,15}(\\.[0-9]{1,10})?$";
/// What a decimal that is not nothing has.
pub(super) const NOT_ZERO: &str = "[1-9]";
/// A day of the years 0001 to 9999.
const DAY: &str = "^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";
/// An amount as it is shown; a deduction may be below zero.
const SHOWN_AMOUNT: &str = "^-?[0-9]{1,26}\\.[0-9]{2}$";
const SHOWN_RATE: &str = "^-?[0-9]{1,26}\\.[0-9]{2,10}$";

/// The schema of what a field takes.
pub(super) fn of(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Code { pattern, example, .. } => json!({"type": "string", "pattern": pattern, "examples": [example]}),
        Shape::Amount | Shape::Rate => json!({"type": "string", "pattern": DECIMAL}),
        Shape::PositiveAmount => {
            json!({"type": "string", "pattern": DECIMAL, "allOf": [{"pattern": NOT_ZERO}]})
        }
        Shape::SignedRate => json!({"type": "string", "pattern": SIGNED_DECIMAL}),
        Shape::Date => json!({"type": "string", "format": "date", "pattern": DAY}),
        Shape::Instant => json!({"type": "string", "format": "date-time"}),
        Shape::OneOf(words) => word(words),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Int { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        // A single value stands for a list of one.
        Shape::List(inner) => json!({"anyOf": [{"type": "array", "items": of(inner)}, of(inner)]}),
        Shape::Document(fields) => record(fields, |_| true),
    }
}

/// The schema of an object with these fields; `nullable` says which of them may be null.
pub(super) fn record(fields: &[Field], nullable: impl Fn(&Field) -> bool) -> Value {
    let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    let property = |field: &Field| (field.name.to_owned(), property(field, nullable(field)));
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    object(&required, properties)
}

/// The schema of one field, with what it means and what stands in for it.
pub(super) fn property(field: &Field, nullable: bool) -> Value {
    let schema = of(&field.shape);
    let schema = with(if nullable { or_null(schema) } else { schema }, "description", field.label);
    match field.default {
        Some(text) => with(schema, "default", serde_json::from_str::<Value>(text).unwrap_or_default()),
        None => schema,
    }
}

/// The schema of a result's components.
pub(super) fn components(declared: &[Componente]) -> Value {
    let required: Vec<&str> = declared.iter().filter(|c| c.sempre).map(|c| c.nome).collect();
    let property = |c: &Componente| (c.nome.to_owned(), with(shown(&c.forma), "description", c.rotulo));
    object(&required, declared.iter().map(property).collect())
}

fn shown(forma: &Forma) -> Value {
    match forma {
        Forma::Logico => json!({"type": "boolean"}),
        Forma::Inteiro => json!({"type": "integer"}),
        Forma::Valor => json!({"type": "string", "pattern": SHOWN_AMOUNT}),
        Forma::Aliquota => json!({"type": "string", "pattern": SHOWN_RATE}),
        Forma::Data => json!({"type": "string", "format": "date"}),
        Forma::Texto => json!({"type": "string"}),
        Forma::Word(words) => word(words),
        Forma::Lista(inner) => json!({"type": "array", "items": shown(inner)}),
        Forma::Objeto(declared) => components(declared),
        Forma::OuNulo(inner) => or_null(shown(inner)),
    }
}

/// The schema of one of these words. A single word is written like several: generators of clients
/// read `enum` with a type, and drop what has `const`.
pub(super) fn word(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn object(required: &[&str], properties: Map<String, Value>) -> Value {
    let schema = json!({"type": "object"});
    let schema = if required.is_empty() { schema } else { with(schema, "required", required) };
    with(schema, "properties", properties)
}

/// The same schema with one more keyword.
pub(super) fn with(mut schema: Value, keyword: &str, value: impl Into<Value>) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert(keyword.to_owned(), value.into());
    }
    schema
}

/// The same, or null. Null stays outside of an `enum`, in which generators take it for a word.
fn or_null(mut schema: Value) -> Value {
    if let Some(alternatives) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        alternatives.push(json!({"type": "null"}));
        return schema;
    }
    if schema.get("enum").is_some() {
        return json!({"anyOf": [schema, {"type": "null"}]});
    }
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    schema
}

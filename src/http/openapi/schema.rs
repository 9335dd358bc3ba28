//! JSON Schemas of the declared values: those that are read and those that are shown.

use serde_json::{Map, Value, json};

use crate::base::document::{Field, Shape};

/// A decimal of a payload (design, section 2): 15 integer and 10 fraction digits at most.
const DECIMAL: &str = "^[0-9]{1,15}(\\.[0-9]{1,10})?$";
const SIGNED_DECIMAL: &str = "^-?[0-9]{1,15}(\\.[0-9]{1,10})?$";
/// A rate of a payload: up to 1,000 percentage points with 6 fraction digits.
const RATE: &str = "^([0-9]{1,3}(\\.[0-9]{1,6})?|1000(\\.0{1,6})?)$";
/// Matches a decimal above zero.
pub(super) const NOT_ZERO: &str = "[1-9]";
/// A day of the years 0001 to 9999.
const DAY: &str = "^([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";
/// An amount in an answer. A deduction may be below zero.
const SHOWN_AMOUNT: &str = "^-?[0-9]{1,26}\\.[0-9]{2}$";
const SHOWN_RATE: &str = "^-?[0-9]{1,26}\\.[0-9]{2,10}$";

/// Whose schema it is. A shape is written in one way by the service, and may be written in several by a caller.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// A payload or a parameter.
    Asked,
    /// What a rule computes with: any member may be null, which means "not established".
    Rule,
    /// The components of an answer.
    Shown,
}

pub(super) fn of(shape: &Shape, side: Side) -> Value {
    let shown = side == Side::Shown;
    match shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Code { pattern, example, .. } => json!({"type": "string", "pattern": pattern, "examples": [example]}),
        Shape::Amount if shown => json!({"type": "string", "pattern": SHOWN_AMOUNT}),
        Shape::Rate if shown => json!({"type": "string", "pattern": SHOWN_RATE}),
        Shape::Rate if side == Side::Asked => json!({"type": "string", "pattern": RATE}),
        Shape::Amount | Shape::Rate => json!({"type": "string", "pattern": DECIMAL}),
        Shape::PositiveAmount => {
            json!({"type": "string", "pattern": DECIMAL, "allOf": [{"pattern": NOT_ZERO}]})
        }
        Shape::SignedRate => json!({"type": "string", "pattern": SIGNED_DECIMAL}),
        Shape::Date if shown => json!({"type": "string", "format": "date"}),
        Shape::Date => json!({"type": "string", "format": "date", "pattern": DAY}),
        Shape::Instant => json!({"type": "string", "format": "date-time"}),
        Shape::OneOf(words) => word(words),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Int { min: i64::MIN, max: i64::MAX } => json!({"type": "integer"}),
        Shape::Int { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Shape::List(inner) if shown => json!({"type": "array", "items": of(inner, side)}),
        // A single value is read as a list of one.
        Shape::List(inner) => json!({"anyOf": [{"type": "array", "items": of(inner, side)}, of(inner, side)]}),
        Shape::Document(fields) => object(fields, side),
    }
}

/// The schema of an object with these fields.
fn object(fields: &[Field], side: Side) -> Value {
    let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
    let property = |field: &Field| (field.name.to_owned(), property(field, side));
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let schema = json!({"type": "object"});
    let schema = if required.is_empty() { schema } else { with(schema, "required", required) };
    with(schema, "properties", properties)
}

/// The schema of one field, with its description. A default is said there and not by the keyword `default`: by it
/// `openapi-typescript` makes a field required that callers may leave out.
pub(super) fn property(field: &Field, side: Side) -> Value {
    let schema = of(&field.shape, side);
    let schema = if field.nullable || side == Side::Rule { or_null(schema) } else { schema };
    let description = field.description();
    let description = match field.default {
        Some(default) => format!("{description}. Padrão: {default}"),
        None => description,
    };
    with(schema, "description", description)
}

/// The schema of one of these words. A single word is written like several: generators of clients
/// read `enum` with a type, and drop what has `const`.
pub(super) fn word(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
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

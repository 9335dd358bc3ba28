//! One value of a rule, to a cell and back.

use rust_decimal::Decimal;
use serde_json::Value;

use crate::base::document::{FromNode, Shape};
use crate::base::value::{Date, NcmPrefix, format_decimal, parse_decimal};
use crate::sheet::{self, Cell, DecimalMark, MAX_CELL};

/// The words of a figure that is not established; the first one is written.
const NULL: [&str; 2] = ["null", "nulo"];
/// Most digits of a number that they keep.
const MAX_DIGITS: usize = 15;
/// What separates the values of a list in one cell.
const SEPARATORS: [char; 3] = [';', ',', '\n'];

/// The cell of a value. The error says why it has none.
pub(super) fn to_cell<'v>(shape: &Shape, value: &'v Value) -> Result<Cell<'v>, String> {
    let wrong = || format!("{value} não é {}", shape.describe());
    Ok(match (shape, value) {
        (_, Value::Null) => Cell::of(NULL[0]),
        (Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate, Value::String(written)) => {
            let number = parse_decimal(written).ok().filter(|number| format_decimal(*number) == *written);
            let number = number.ok_or_else(wrong)?;
            let is_kept = written.bytes().filter(u8::is_ascii_digit).count() <= MAX_DIGITS;
            if is_kept { Cell::Number(number) } else { Cell::of(written.replace('.', ",")) }
        }
        (Shape::Date, Value::String(written)) => Cell::Date(Date::parse(written).map_err(|_| wrong())?),
        (Shape::Bool, Value::Bool(true)) => Cell::of("sim"),
        (Shape::Bool, Value::Bool(false)) => Cell::of("não"),
        (Shape::Int { .. }, Value::Number(number)) => {
            Cell::Number(number.as_i64().map(Decimal::from).ok_or_else(wrong)?)
        }
        (Shape::Text | Shape::Code { .. } | Shape::OneOf(_) | Shape::Instant, Value::String(written)) => {
            let is_plain = written.trim() == written && !written.is_empty() && !NULL.contains(&written.as_str());
            if !is_plain || written.encode_utf16().count() > MAX_CELL {
                return Err(format!(
                    "o texto é vazio, tem brancos nas pontas, é a palavra `null` ou passa de {MAX_CELL} caracteres"
                ));
            }
            Cell::of(written)
        }
        _ => return Err(wrong()),
    })
}

pub(super) fn to_list_cell(shape: &Shape, values: &[Value]) -> Result<Cell<'static>, String> {
    let mut written = Vec::with_capacity(values.len());
    for value in values {
        match to_cell(shape, value)? {
            Cell::Text(item) if item != NULL[0] && !item.contains(SEPARATORS) => written.push(item),
            _ => return Err(format!("{value} não cabe numa lista dentro da célula")),
        }
    }
    if written.is_empty() {
        return Err("a lista é vazia".to_owned());
    }
    Ok(Cell::of(written.join("; ")))
}

/// The value of a cell that is not empty. The error says what is wrong and what to do.
pub(super) fn from_cell(shape: &Shape, cell: &Cell<'_>) -> Result<Value, String> {
    if is_null(cell) {
        return Ok(Value::Null);
    }
    if let Some(value) = sheet::typed_value(shape, cell, DecimalMark::Usual) {
        return value.map(|value| serde_json::to_value(value).unwrap_or_default());
    }
    code_or_text(shape, cell).map(Value::String)
}

/// A figure as the bundles write it, with at least two places: a spreadsheet program shortens 3.00 to 3.
pub(super) fn with_two_places(shape: &Shape, value: Value) -> Value {
    let is_figure = matches!(shape, Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate);
    match value.as_str().map(parse_decimal) {
        Some(Ok(mut number)) if is_figure && number.scale() < 2 => {
            number.rescale(2);
            Value::String(format_decimal(number))
        }
        _ => value,
    }
}

/// The values of a cell with a list.
pub(super) fn from_list_cell(shape: &Shape, cell: &Cell<'_>) -> Result<Value, String> {
    if is_null(cell) {
        return Ok(Value::Null);
    }
    let whole = code_or_text(shape, cell)?;
    let items = whole.split(SEPARATORS).flat_map(str::split_whitespace);
    Ok(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
}

fn is_null(cell: &Cell<'_>) -> bool {
    matches!(cell, Cell::Text(text) if NULL.contains(&text.trim().to_lowercase().as_str()))
}

/// The text of a cell. Fails for a code in a cell of a number that may have lost its first zero.
fn code_or_text(shape: &Shape, cell: &Cell<'_>) -> Result<String, String> {
    let written = cell.text()?;
    if let (Shape::Code { example, .. }, Cell::Number(number)) = (shape, cell)
        && number.scale() > 0
    {
        return Err(format!(
            "A célula tem o número {written}, que pode ter perdido um zero no fim; formate a coluna como texto e escreva o código inteiro, como {example}."
        ));
    }
    if let (Shape::Code { example, .. }, Cell::Number(_)) = (shape, cell)
        && may_lack_a_zero(shape, &written)
    {
        return Err(format!(
            "A célula tem o número {written}, que pode ter perdido um zero à esquerda; formate a coluna como texto e escreva o código inteiro, como {example} ou 0{written}."
        ));
    }
    Ok(written.into_owned())
}

/// True if the digits are a code of this form only with one more before them, or, for prefixes of NCM, may be.
fn may_lack_a_zero(shape: &Shape, digits: &str) -> bool {
    let Shape::Code { pattern, .. } = shape else { return false };
    match sheet::digits_of_code(pattern) {
        Some(length) => digits.len() + 1 == length,
        None => *shape == <NcmPrefix as FromNode>::SHAPE && digits.len() % 2 == 1,
    }
}

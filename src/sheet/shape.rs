//! Cells of declared fields.

use serde_json::Value;

use super::{Cell, ColumnKind, DecimalMark};
use crate::document::Shape;
use crate::value::format_decimal;

/// The JSON value of a cell that is not empty, if the field is a number, a day, or true or false; `None` for the other
/// shapes. `mark` is the decimal mark of the table. The error says what is wrong and what to do, in Portuguese.
#[must_use]
pub fn typed_value(shape: &Shape, cell: &Cell, mark: DecimalMark) -> Option<Result<Value, String>> {
    let decimal = |number| Value::String(format_decimal(number));
    Some(match shape {
        Shape::Amount | Shape::PositiveAmount => cell.decimal_by(mark).map(decimal),
        Shape::Rate | Shape::SignedRate => cell.percent_by(mark).map(decimal),
        Shape::Date => cell.date().map(|day| Value::String(day.to_string())),
        Shape::Bool => cell.boolean().map(Value::Bool),
        Shape::Int { .. } => whole(shape, cell, mark),
        _ => return None,
    })
}

/// A whole number. Its limits are checked by the field itself.
fn whole(shape: &Shape, cell: &Cell, mark: DecimalMark) -> Result<Value, String> {
    let number = cell.decimal_by(mark)?.normalize();
    let whole = (number.scale() == 0).then(|| i64::try_from(number).ok()).flatten();
    whole.map(Value::from).ok_or_else(|| format!("Esperava {}; veio {}.", shape.describe(), format_decimal(number)))
}

/// How many digits a code has, if it is of digits alone.
#[must_use]
pub fn digits_of_code(pattern: &str) -> Option<usize> {
    pattern.strip_prefix("^[0-9]{")?.strip_suffix("}$")?.parse().ok()
}

/// True for a field whose cells are numbers.
#[must_use]
pub fn is_number(shape: &Shape) -> bool {
    matches!(ColumnKind::of(shape), ColumnKind::Decimal | ColumnKind::Integer)
}

impl ColumnKind {
    /// How the cells of a field are shown.
    #[must_use]
    pub fn of(shape: &Shape) -> ColumnKind {
        match shape {
            Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate => ColumnKind::Decimal,
            Shape::Int { .. } => ColumnKind::Integer,
            Shape::Date => ColumnKind::Date,
            _ => ColumnKind::Text,
        }
    }
}

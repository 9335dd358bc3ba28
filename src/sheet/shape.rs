//! Cells of declared fields.

use std::borrow::Cow;

use super::{Cell, ColumnKind, DecimalMark};
use crate::base::document::{FromNode as _, Node, Shape};
use crate::base::value::{ClassificacaoTributaria, CodigoTributacaoNacional, format_decimal, with_comma};

/// The value of a cell that is not empty, if the field is a number, a day, or true or false; `None` for the other
/// shapes. `mark` is the decimal mark of the table. The error says what is wrong and what to do, in Portuguese.
pub fn typed_value(shape: &Shape, cell: &Cell<'_>, mark: DecimalMark) -> Option<Result<Node<'static>, String>> {
    Some(match shape {
        Shape::Amount | Shape::PositiveAmount => cell.decimal_by(mark).map(Node::Figure),
        Shape::Rate | Shape::SignedRate => cell.percent_by(mark).map(Node::Figure),
        Shape::Date => cell.date().map(|day| Node::from(day.to_string())),
        Shape::Bool => cell.boolean().map(Node::Bool),
        Shape::Int { .. } => whole(shape, cell, mark),
        _ => return None,
    })
}

/// A whole number. Its limits are checked by the field itself.
fn whole(shape: &Shape, cell: &Cell<'_>, mark: DecimalMark) -> Result<Node<'static>, String> {
    let number = cell.decimal_by(mark)?.normalize();
    let whole = (number.scale() == 0).then(|| i64::try_from(number).ok()).flatten();
    whole.map(Node::Int).ok_or_else(|| format!("Esperava {}; veio {}.", shape.describe(), with_comma(number)))
}

/// How many digits a code has, if it is of digits alone.
pub fn digits_of_code(pattern: &str) -> Option<usize> {
    pattern.strip_prefix("^[0-9]{")?.strip_suffix("}$")?.parse().ok()
}

/// Why a cell of digits may lack zeros at the left of its code, and how to keep them; `None` if it does not. Spreadsheet
/// programs drop them when they take a code for a number: `3049900` of `0304.99.00`. Which digit is missing is never
/// guessed.
pub fn lost_zero(shape: &Shape, cell: &Cell<'_>) -> Option<String> {
    let Shape::Code { pattern, example, .. } = shape else { return None };
    let length = digits_of_code(pattern).or((*shape == CodigoTributacaoNacional::SHAPE).then_some(example.len()))?;
    let digits = match cell {
        Cell::Number(number) => Cow::Owned(format_decimal(number.normalize())),
        Cell::Text(text) => Cow::Borrowed(text.trim()),
        _ => return None,
    };
    // Two digits fewer are a heading of the NCM. A cClassTrib may begin with several zeros.
    let most = if *shape == ClassificacaoTributaria::SHAPE { length - 1 } else { 1 };
    let is_short = (1..=most).any(|lost| digits.len() + lost == length);
    if !is_short || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(format!(
        "{digits} tem {} de {length} dígitos: a planilha deve ter tirado o zero da esquerda. Formate a coluna como texto e escreva o código inteiro; se é isso, {digits:0>length$}.",
        digits.len()
    ))
}

/// True for a field whose cells are numbers.
pub fn is_number(shape: &Shape) -> bool {
    matches!(ColumnKind::of(shape), ColumnKind::Decimal | ColumnKind::Integer)
}

impl ColumnKind {
    /// How the cells of a field are shown.
    pub fn of(shape: &Shape) -> ColumnKind {
        match shape {
            Shape::Amount | Shape::PositiveAmount | Shape::Rate | Shape::SignedRate => ColumnKind::Decimal,
            Shape::Int { .. } => ColumnKind::Integer,
            Shape::Date => ColumnKind::Date,
            _ => ColumnKind::Text,
        }
    }
}

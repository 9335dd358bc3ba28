//! What the cell of a field means in the payload.

use std::borrow::Cow;

use super::written;
use crate::base::document::{Field, Node, Shape};
use crate::base::sentence::Sentence;
use crate::base::value::format_decimal;
use crate::sheet::{self, Cell, DecimalMark};

/// What else to do about a number in a list whose decimal mark is not known, at the command and on the page.
const STATE_MARK: [&str; 2] = [
    "Ou dê no comando `--decimal virgula` ou `--decimal ponto`, que vale para a lista toda.",
    "Ou diga em \"Separador decimal\" qual é o da lista toda.",
];

/// Why a row is not a payload: a cell that cannot be the value of its field, or a field that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadCell {
    /// The column, from 0; `None` if the row has no cell of the field.
    pub column: Option<usize>,
    /// The field; `None` for the row as a whole.
    pub campo: Option<&'static str>,
    /// What is wrong and what to do, in Portuguese.
    pub detail: Sentence,
}

/// The value of a cell that is not empty. The tax checks the value; only what a table writes in its own way is
/// read here: decimal commas, days, `sim` and `não`, codes with points or a text, parts of options, and the year of a
/// field that is `yearly`. A code that may have lost its first zero is refused.
pub(super) fn value(
    cell: &Cell<'_>,
    field: &Field,
    yearly: bool,
    mark: DecimalMark,
) -> Result<Node<'static>, Sentence> {
    let of_year = year(cell, &field.shape, yearly);
    let cell = of_year.as_ref().unwrap_or(cell);
    if let Some(value) = sheet::typed_value(&field.shape, cell, mark) {
        return value.map_err(|why| {
            let by = |mark| matches!(sheet::typed_value(&field.shape, cell, mark), Some(Ok(_)));
            // With the mark, it is read.
            if mark == DecimalMark::Unknown && by(DecimalMark::Comma) {
                let [command, page] = STATE_MARK.map(|more| format!("{why} {more}"));
                return Sentence::both(command, page);
            }
            why.into()
        });
    }
    Ok(match field.shape {
        Shape::OneOf(words) => {
            let text = cell.text()?;
            // Else the text, which the tax refuses.
            written::option(&text, words).map_or_else(|| Node::from(text.into_owned()), Node::from)
        }
        Shape::Code { pattern, .. } => {
            let text = cell.text()?;
            let alone = written::leading_code(&field.shape, &text).map(|code| Cell::Text(code.into()));
            let cell = alone.as_ref().unwrap_or(cell);
            match sheet::lost_zero(&field.shape, cell) {
                Some(why) => return Err(why.into()),
                None => Node::from(code(cell, pattern)?),
            }
        }
        Shape::Text | Shape::Instant => Node::from(cell.text()?.into_owned()),
        _ => {
            return Err("Este campo não cabe em uma célula; calcule esta linha por JSON.".into());
        }
    })
}

/// A year as the day or the number that a yearly field takes; `None` for another field, or a cell without a year.
fn year(cell: &Cell<'_>, shape: &Shape, yearly: bool) -> Option<Cell<'static>> {
    let day = yearly.then(|| written::first_day(cell)).flatten()?;
    Some(match shape {
        Shape::Date => Cell::Date(day),
        _ => Cell::Number(day.year().into()),
    })
}

/// The cell with the type of its field, so that a spreadsheet program adds and sorts it; as it is if it cannot be read.
pub(super) fn typed(cell: Cell<'_>, shape: Shape, yearly: bool, mark: DecimalMark) -> Cell<'_> {
    if let Some(year) = year(&cell, &shape, yearly) {
        return year;
    }
    let read = match shape {
        _ if cell.is_empty() => return Cell::Empty,
        Shape::Amount | Shape::PositiveAmount | Shape::Int { .. } => cell.decimal_by(mark).map(Cell::Number),
        Shape::Rate | Shape::SignedRate => cell.percent_by(mark).map(Cell::Number),
        Shape::Date => cell.date().map(Cell::Date),
        _ => return cell,
    };
    read.unwrap_or(cell)
}

/// A code. One of only digits is also read with points, hyphens and spaces.
fn code(cell: &Cell<'_>, pattern: &str) -> Result<String, String> {
    let text = match cell {
        Cell::Number(number) => Cow::Owned(format_decimal(number.normalize())),
        Cell::Date(_) | Cell::Percent(_) | Cell::Bool(_) => {
            return Err("A célula não tem um código; formate a coluna como texto e escreva de novo.".to_owned());
        }
        _ => cell.text()?,
    };
    if sheet::digits_of_code(pattern).is_none() || matches!(cell, Cell::Number(_)) {
        return Ok(text.into_owned());
    }
    Ok(text.chars().filter(|c| !matches!(c, '.' | '-' | ' ')).collect())
}

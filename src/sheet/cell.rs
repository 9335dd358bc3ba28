//! A cell, and what the reader of a field makes of it.

use std::borrow::Cow;

use rust_decimal::Decimal;

use super::number::{DecimalMark, WRITE_DATE, parse_date, parse_number_by, parse_percent, quoted};
use crate::base::value::{Date, format_decimal, with_comma, with_separators};

/// A cell with the type that its file gives it. Every cell of a CSV is a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Cell<'a> {
    #[default]
    Empty,
    /// A text as written.
    Text(Cow<'a, str>),
    /// A number, with the 15 significant digits that the spreadsheet programs keep, and with the decimal places that its
    /// format always shows.
    Number(Decimal),
    /// A number in the format of percentages, in percent points: 18 for 18 %, which the file stores as 0.18.
    Percent(Decimal),
    Date(Date),
    Bool(bool),
    /// A cell that has no usable value; why, in Portuguese.
    Invalid(String),
}

impl From<Date> for Cell<'_> {
    fn from(day: Date) -> Self {
        Cell::Date(day)
    }
}

impl From<Decimal> for Cell<'_> {
    fn from(number: Decimal) -> Self {
        Cell::Number(number)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Empty, Into::into)
    }
}

impl<'a> Cell<'a> {
    /// A cell of text; empty for an empty one.
    pub fn of(text: impl Into<Cow<'a, str>>) -> Cell<'a> {
        let text = text.into();
        if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
    }

    pub fn whole(number: impl Into<Decimal>) -> Cell<'a> {
        Cell::Number(number.into())
    }

    /// The same cell, whose text is borrowed.
    pub fn borrowed(&self) -> Cell<'_> {
        match self {
            Cell::Text(text) => Cell::Text(Cow::Borrowed(text)),
            other => other.clone(),
        }
    }

    /// The same cell, which borrows nothing.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Cell::Empty => Cell::Empty,
            Cell::Text(text) => Cell::Text(text.into_owned().into()),
            Cell::Number(number) => Cell::Number(number),
            Cell::Percent(points) => Cell::Percent(points),
            Cell::Date(day) => Cell::Date(day),
            Cell::Bool(value) => Cell::Bool(value),
            Cell::Invalid(why) => Cell::Invalid(why),
        }
    }

    /// True without a value, or with a blank text.
    pub fn is_empty(&self) -> bool {
        match self {
            Cell::Empty => true,
            // Most texts begin with a letter.
            Cell::Text(text) => !text.starts_with(|c: char| c.is_ascii_graphic()) && text.trim().is_empty(),
            _ => false,
        }
    }

    /// The cell as a text, without blanks around it. A typed value is written as the contract writes it: a decimal
    /// point, `AAAA-MM-DD`, `true` and `false`. Fails for a cell without a usable value.
    pub fn text(&self) -> Result<Cow<'_, str>, String> {
        Ok(match self {
            Cell::Empty => Cow::Borrowed(""),
            Cell::Text(text) => Cow::Borrowed(text.trim()),
            Cell::Number(number) => Cow::Owned(format_decimal(*number)),
            Cell::Percent(points) => Cow::Owned(format!("{}%", format_decimal(*points))),
            Cell::Date(day) => Cow::Owned(day.to_string()),
            Cell::Bool(value) => Cow::Owned(value.to_string()),
            Cell::Invalid(why) => return Err(why.clone()),
        })
    }

    /// The cell as a report for people has it: `1.234,50`, `31/10/2026`, `sim`.
    pub fn shown(&self) -> String {
        match self {
            Cell::Number(number) => with_separators(&format_decimal(*number)),
            Cell::Percent(points) => with_separators(&format_decimal(*points)) + "%",
            Cell::Date(day) => day.dmy(),
            Cell::Bool(value) => if *value { "sim" } else { "não" }.to_owned(),
            Cell::Text(text) => text.clone().into_owned(),
            Cell::Empty | Cell::Invalid(_) => String::new(),
        }
    }

    /// A number, but not a percentage, in a table of that decimal mark.
    pub fn decimal_by(&self, mark: DecimalMark) -> Result<Decimal, String> {
        match self {
            Cell::Number(number) => Ok(*number),
            Cell::Percent(points) => Err(format!(
                "A célula está formatada como porcentagem ({}%), e aqui vai um valor; mude o formato da célula para número.",
                with_comma(*points)
            )),
            _ => parse_number_by(self.text_for("um número")?, mark),
        }
    }

    /// A number in percent points: `18`, `18%`, and 18 for a cell in the format of percentages.
    pub fn percent(&self) -> Result<Decimal, String> {
        self.percent_by(DecimalMark::Usual)
    }

    /// The same, in a table of that decimal mark.
    pub fn percent_by(&self, mark: DecimalMark) -> Result<Decimal, String> {
        match self {
            Cell::Number(points) | Cell::Percent(points) => Ok(*points),
            _ => parse_percent(self.text_for("um percentual")?, mark),
        }
    }

    /// A day: a cell of a date, or a text as [`parse_date`] reads it.
    pub fn date(&self) -> Result<Date, String> {
        match self {
            Cell::Date(day) => Ok(*day),
            Cell::Number(number) | Cell::Percent(number) => {
                Err(format!("A célula tem o número {}, e aqui vai uma data; {WRITE_DATE}.", with_comma(*number)))
            }
            _ => parse_date(self.text_for("uma data")?),
        }
    }

    /// True or false, `sim` or `não`, `verdadeiro` or `falso`.
    pub fn boolean(&self) -> Result<bool, String> {
        if let Cell::Bool(value) = self {
            return Ok(*value);
        }
        let text = self.text()?;
        match text.to_lowercase().as_str() {
            "true" | "sim" | "verdadeiro" => Ok(true),
            "false" | "não" | "nao" | "falso" => Ok(false),
            _ => Err(format!("{} não serve: escreva sim ou não.", quoted(&text))),
        }
    }

    /// The text of a cell that must have one; `wanted` says what the field needs.
    fn text_for(&self, wanted: &str) -> Result<&str, String> {
        match self {
            Cell::Text(text) => Ok(text.trim()),
            Cell::Empty => Ok(""),
            Cell::Date(day) => Err(format!(
                "A célula tem a data {}, e aqui vai {wanted}; mude o formato da célula e escreva de novo o que ela deve ter.",
                day.dmy()
            )),
            Cell::Bool(value) => {
                let shown = if *value { "VERDADEIRO" } else { "FALSO" };
                Err(format!("A célula tem {shown}, e aqui vai {wanted}; escreva de novo o que ela deve ter."))
            }
            Cell::Invalid(why) => Err(why.clone()),
            Cell::Number(number) | Cell::Percent(number) => {
                Err(format!("A célula tem o número {}, e aqui vai {wanted}.", with_comma(*number)))
            }
        }
    }
}

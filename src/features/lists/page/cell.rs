//! Cells of a table as JSON: how they travel to the page and back.

use serde::{Deserialize, Serialize};

use crate::base::value::{Date, format_decimal, parse_decimal};
use crate::sheet::{Cell, ColumnKind};

/// A cell that is not empty.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum CellJson {
    /// Of the kind of its column, as the contract writes it: `1234.56`, `2026-03-10`, any text.
    Plain(String),
    Other(OtherCell),
}

/// A cell of another kind than its column: a text among numbers stays a text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OtherCell {
    Texto(String),
    Decimal(String),
    Data(Date),
}

impl CellJson {
    /// The cell in a column of that kind; `None` for an empty one, or one without a usable value.
    pub(crate) fn of(cell: Cell<'_>, kind: ColumnKind) -> Option<CellJson> {
        let text = |text: String| match kind {
            ColumnKind::Text => CellJson::Plain(text),
            _ => CellJson::Other(OtherCell::Texto(text)),
        };
        Some(match cell {
            Cell::Empty | Cell::Invalid(_) => return None,
            Cell::Text(written) => text(written.into_owned()),
            Cell::Bool(value) => text(if value { "sim" } else { "não" }.to_owned()),
            Cell::Percent(points) => text(format!("{}%", format_decimal(points).replace('.', ","))),
            Cell::Number(number) => match kind {
                ColumnKind::Decimal | ColumnKind::Integer => CellJson::Plain(format_decimal(number)),
                _ => CellJson::Other(OtherCell::Decimal(format_decimal(number))),
            },
            Cell::Date(day) if kind == ColumnKind::Date => CellJson::Plain(day.to_string()),
            Cell::Date(day) => CellJson::Other(OtherCell::Data(day)),
        })
    }

    /// The cell of a column of that kind. What is not of its kind stays a text.
    pub(super) fn read(self, kind: ColumnKind) -> Cell<'static> {
        let number = |text: String| parse_decimal(&text).map_or_else(|_| Cell::Text(text.into()), Cell::Number);
        match (self, kind) {
            (CellJson::Plain(text) | CellJson::Other(OtherCell::Texto(text)), _) if text.is_empty() => Cell::Empty,
            (CellJson::Plain(text), ColumnKind::Text) | (CellJson::Other(OtherCell::Texto(text)), _) => {
                Cell::Text(text.into())
            }
            (CellJson::Plain(text), ColumnKind::Date) => {
                Date::parse(&text).map_or_else(|_| Cell::Text(text.into()), Cell::Date)
            }
            (CellJson::Plain(text) | CellJson::Other(OtherCell::Decimal(text)), _) => number(text),
            (CellJson::Other(OtherCell::Data(day)), _) => Cell::Date(day),
        }
    }
}

//! The rows of a worksheet.

use std::borrow::Cow;
use std::io::Read;

use jiff::ToSpan;
use jiff::civil::{self, date};
use quick_xml::events::{BytesStart, Event};
use rust_decimal::Decimal;

use super::parts::{Formats, NumberFormat};
use super::strings::{SharedStrings, unescaped};
use super::xml::{Xml, attribute, push_text};
use crate::base::value::Date;
use crate::number::{from_stored, parse_date};
use crate::{Cell, MAX_CELL_BYTES, MAX_COLUMNS, MAX_ROWS, Row, SheetError, TakeRow};

/// Most decimal places that a format may add.
const MAX_PLACES: u32 = 10;
const SECONDS_A_DAY: f64 = 86_400.0;

/// The parts that cells refer to.
pub(super) struct CellContext<'a> {
    pub(super) strings: &'a SharedStrings,
    pub(super) formats: &'a Formats,
    pub(super) is_1904: bool,
    /// Most bytes of the texts of a row: many cells may refer to one long text.
    pub(super) row_bytes: usize,
}

/// The cell that is being read.
#[derive(Default)]
struct Open {
    column: usize,
    kind: String,
    style: Option<usize>,
    has_formula: bool,
    /// The stored value, or the text in the cell itself.
    value: Option<String>,
    /// True inside the element of the value.
    is_value: bool,
    /// True inside a phonetic reading, which is not part of the text.
    is_phonetic: bool,
}

/// The row that is being read.
#[derive(Default)]
struct OpenRow<'a> {
    number: u32,
    cells: Vec<Cell<'a>>,
    /// Bytes of the texts of the cells.
    text_bytes: usize,
    /// The column after the last one that was read.
    next: usize,
}

pub(super) fn read<R: Read>(
    mut xml: Xml<R>,
    context: &CellContext<'_>,
    take: &mut TakeRow<'_>,
) -> Result<(), SheetError> {
    let mut row = OpenRow::default();
    let mut open: Option<Open> = None;
    loop {
        let event = xml.next()?;
        match (&event, &mut open) {
            (Event::Start(e), None) => match e.local_name().as_ref() {
                "row" => row.begin(e)?,
                "c" => open = Some(row.begin_cell(e)?),
                _ => {}
            },
            (Event::End(e), None) => match e.local_name().as_ref() {
                "row" => {
                    let cells = std::mem::take(&mut row.cells);
                    if !cells.is_empty() && take(Row { number: row.number, cells }).is_break() {
                        return Ok(());
                    }
                }
                "sheetData" => return Ok(()),
                _ => {}
            },
            (Event::End(e), Some(_)) if e.local_name().as_ref() == "c" => {
                if let Some(open) = open.take() {
                    row.end_cell(context, open)?;
                }
            }
            (Event::Eof, _) => return Err(SheetError::file("O arquivo está cortado: a planilha não chega ao fim.")),
            (event, Some(open)) => open.read(event),
            _ => {}
        }
    }
}

impl Open {
    /// Reads an event inside the cell.
    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(e) => match e.local_name().as_ref() {
                "v" | "t" => {
                    self.is_value = !self.is_phonetic;
                    if self.is_value {
                        self.value.get_or_insert_default();
                    }
                }
                "f" => self.has_formula = true,
                "rPh" => self.is_phonetic = true,
                _ => {}
            },
            Event::End(e) => match e.local_name().as_ref() {
                "v" | "t" => self.is_value = false,
                "rPh" => self.is_phonetic = false,
                _ => {}
            },
            text if self.is_value => {
                let value = self.value.get_or_insert_default();
                if value.len() <= MAX_CELL_BYTES {
                    push_text(text, value);
                }
            }
            _ => {}
        }
    }
}

impl<'a> OpenRow<'a> {
    fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), SheetError> {
        let number = match attribute(element, "r") {
            Some(number) => number.parse().unwrap_or(0),
            None => self.number + 1,
        };
        if number <= self.number || number > MAX_ROWS {
            let detail = "As linhas do arquivo não estão em ordem; abra-o no programa de planilhas e salve de novo.";
            return Err(SheetError::row(self.number, detail));
        }
        *self = OpenRow { number, ..OpenRow::default() };
        Ok(())
    }

    fn begin_cell(&mut self, element: &BytesStart<'_>) -> Result<Open, SheetError> {
        let column = match attribute(element, "r") {
            Some(place) => column_of(&place),
            None => Some(self.next),
        };
        // A cell before the last one would replace a value that was read.
        let Some(column) = column.filter(|column| (self.next..MAX_COLUMNS).contains(column)) else {
            let detail =
                "As células desta linha não estão em ordem; abra o arquivo no programa de planilhas e salve de novo.";
            return Err(SheetError::row(self.number, detail));
        };
        self.next = column + 1;
        Ok(Open {
            column,
            kind: attribute(element, "t").unwrap_or_default().into_owned(),
            style: attribute(element, "s").and_then(|style| style.parse().ok()),
            ..Open::default()
        })
    }

    fn end_cell(&mut self, context: &CellContext<'a>, open: Open) -> Result<(), SheetError> {
        let column = open.column;
        let value = context.value(open).map_err(|detail| SheetError {
            row: Some(self.number),
            column: Some(column),
            detail,
        })?;
        let text: Option<&str> = match &value {
            Cell::Text(text) => Some(text),
            Cell::Invalid(why) => Some(why),
            _ => None,
        };
        if let Some(text) = text {
            self.text_bytes += text.len();
            if self.text_bytes > context.row_bytes {
                let most = u64::try_from(context.row_bytes).unwrap_or(u64::MAX);
                return Err(SheetError::long_row(self.number, most, "divida os textos em mais linhas, ou encurte-os"));
            }
        }
        if value != Cell::Empty {
            self.cells.resize(column, Cell::Empty);
            self.cells.push(value);
        }
        Ok(())
    }
}

/// The number with at least so many decimal places: 18 in a cell that shows 18.00 is 18.00.
fn with_places(number: Decimal, places: u32) -> Decimal {
    let mut shown = number;
    shown.rescale(number.scale().max(places.min(MAX_PLACES)));
    // A number too large for its places stays as it is.
    if shown == number { shown } else { number }
}

/// The column of a place like `AB12`, from 0.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.is_empty() || letters.len() > 3 || !letters.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    Some(letters.bytes().fold(0, |sum, letter| sum * 26 + usize::from(letter - b'A') + 1) - 1)
}

impl<'a> CellContext<'a> {
    /// The value of a cell. Fails if the file itself is at fault; a value that cannot be used is an invalid cell.
    fn value(&self, open: Open) -> Result<Cell<'a>, String> {
        let Open { kind, style, has_formula, value, .. } = open;
        // Programs that calculate nothing write an empty result.
        let without_result = has_formula && matches!(kind.as_str(), "" | "n");
        let value = value.filter(|value| !(without_result && value.trim().is_empty()));
        if value.as_ref().is_some_and(|value| value.len() > MAX_CELL_BYTES) {
            return Err("A célula tem mais texto do que os programas de planilhas aceitam.".to_owned());
        }
        let Some(value) = value else {
            return Ok(if has_formula {
                Cell::Invalid(
                    "A célula tem uma fórmula sem resultado guardado; abra o arquivo no programa de planilhas e salve de novo."
                        .to_owned(),
                )
            } else {
                Cell::Empty
            });
        };
        let filled = |cell: Cell<'a>| if cell.is_empty() { Cell::Empty } else { cell };
        match kind.as_str() {
            "s" => {
                let shared = value.trim().parse().ok().and_then(|place: usize| self.strings.get(place));
                shared
                    .map(|text| filled(Cell::of(text)))
                    .ok_or_else(|| "A célula aponta um texto que o arquivo não tem.".to_owned())
            }
            "str" | "inlineStr" => Ok(filled(match unescaped(&value) {
                Cow::Owned(text) => Cell::of(text),
                Cow::Borrowed(_) => Cell::of(value),
            })),
            "b" => Ok(match value.trim() {
                "0" | "false" => Cell::Bool(false),
                "1" | "true" => Cell::Bool(true),
                _ => Cell::Invalid("A célula tem um valor lógico que não é nem verdadeiro nem falso.".to_owned()),
            }),
            "e" => Ok(Cell::Invalid(format!("A célula tem o erro {}; corrija a fórmula.", value.trim()))),
            "d" => Ok(parse_date(&value).map_or_else(Cell::Invalid, Cell::Date)),
            "" | "n" if value.trim().is_empty() => Ok(Cell::Empty),
            "" | "n" => match value.trim().parse() {
                Ok(number) => Ok(self.number(value.trim(), number, self.formats.of(style))),
                Err(_) => Err("A célula diz que é um número e não é.".to_owned()),
            },
            _ => Err("A célula é de um tipo desconhecido.".to_owned()),
        }
    }

    /// The cell of a number, which is written as that text.
    fn number(&self, text: &str, stored: f64, format: NumberFormat) -> Cell<'a> {
        let found = match format {
            NumberFormat::Number(places) => {
                from_stored(text, stored).map(|number| Cell::Number(with_places(number, places)))
            }
            // Shifting the decimal point afterwards is exact.
            NumberFormat::Percent => from_stored(text, stored)
                .and_then(|fraction| {
                    fraction.checked_mul(100.into()).ok_or_else(|| "A porcentagem é grande demais.".to_owned())
                })
                .map(|points| Cell::Percent(points.normalize())),
            NumberFormat::Date => self.date(stored),
            NumberFormat::Time => {
                Err("A célula está formatada como hora; mude o formato e escreva de novo o que ela deve ter."
                    .to_owned())
            }
        };
        found.unwrap_or_else(Cell::Invalid)
    }

    /// The day that the number of days counts to. A time of day makes it a text.
    fn date(&self, stored: f64) -> Result<Cell<'a>, String> {
        let refuse = || "A célula tem uma data fora do calendário.".to_owned();
        let whole = stored.floor();
        // In the count from 1900, day 60 is a 29 February that never was.
        let epoch = match (self.is_1904, whole < 60.0) {
            (true, _) => date(1904, 1, 1),
            (false, true) => date(1899, 12, 31),
            (false, false) => date(1899, 12, 30),
        };
        if !(0.0..3_000_000.0).contains(&whole) {
            return Err(refuse());
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within the calendar")]
        let (days, seconds) = (whole as i64, ((stored - whole) * SECONDS_A_DAY).round() as i64);
        if days == 60 && !self.is_1904 {
            return Err(refuse());
        }
        let day: civil::Date = epoch.checked_add(days.days()).map_err(|_| refuse())?;
        if seconds > 0 {
            let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            return Ok(Cell::of(format!("{day} {time}")));
        }
        Date::of_civil(day).map(Cell::Date).ok_or_else(refuse)
    }
}

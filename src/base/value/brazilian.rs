//! Numbers as Brazilians write them, and tables of text, for the reports that people read.

use std::fmt::Display;

use rust_decimal::Decimal;

use super::{DecimalText, format_decimal};
use crate::sentence::Reader;

/// Writes a number as its digits are (`-1234.50`), with separators: `-1.234,50`.
pub fn with_separators(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut text = String::with_capacity(number.len() + integer.len() / 3);
    text.push_str(sign);
    for (i, digit) in integer.char_indices() {
        if i > 0 && (integer.len() - i).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push(',');
        text.push_str(fraction);
    }
    text
}

/// A rate in percent points, as that reader writes it: `18.00%`, `18,00 %`.
pub fn percent(points: impl Display, reader: Reader) -> String {
    match reader {
        Reader::Program => format!("{points}%"),
        Reader::Person => format!("{} %", with_separators(&points.to_string())),
    }
}

/// Writes a number with a decimal comma and all its places, as a cell of a table or a tag of a document has it: `1234,5`.
pub fn with_comma(value: Decimal) -> String {
    DecimalText::with_comma(value).as_str().to_owned()
}

/// An amount in BRL with its two places.
pub fn in_cents(value: Decimal) -> Decimal {
    let mut shown = value.round_dp(2);
    shown.rescale(2);
    shown
}

/// Writes an amount in BRL for people: `1.234,50`.
pub fn amount_in_brl(value: Decimal) -> String {
    with_separators(&format_decimal(in_cents(value)))
}

/// Writes rows under headings, one line each, each column as wide as its widest cell.
pub fn text_table<Cell: AsRef<str>, Row: AsRef<[Cell]>>(headings: &[&str], rows: &[Row]) -> Vec<String> {
    let width = |(i, heading): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(i)).map(|cell| cell.as_ref().chars().count());
        cells.chain([heading.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = headings.iter().enumerate().map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let head = line(&mut headings.iter().copied());
    std::iter::once(head).chain(rows.iter().map(|row| line(&mut row.as_ref().iter().map(AsRef::as_ref)))).collect()
}

//! A line of a book, in fields.

use rust_decimal::Decimal;

use super::Register;
use crate::base::value::{Date, read_with_comma};

/// Few registers have more fields.
const MOST_FIELDS: usize = 48;

/// A record. Its fields are counted from 1, as the layouts count them: the first is the name of the register.
#[derive(Debug, Clone)]
pub struct EfdRecord<'t> {
    /// The line without its first and its last bar.
    text: &'t str,
    name: &'t str,
    /// Where each field ends.
    ends: Vec<usize>,
}

impl<'t> EfdRecord<'t> {
    /// Takes a line apart, without its end of line; `None` if it does not begin and end with a bar.
    pub fn of(line: &'t str) -> Option<EfdRecord<'t>> {
        let text = line.strip_prefix('|')?.strip_suffix('|')?;
        // Fields are short: a search for each bar costs more than looking at each byte.
        let mut ends = Vec::with_capacity(MOST_FIELDS);
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'|' {
                ends.push(at);
            }
        }
        ends.push(text.len());
        let name = ends.first().and_then(|end| text.get(..*end)).map(trimmed).unwrap_or_default();
        Some(EfdRecord { text, name, ends })
    }

    /// The register, such as `C100`.
    pub fn name(&self) -> &'t str {
        self.name
    }

    /// The text of a field; empty if the record does not have it.
    pub fn text(&self, at: usize) -> &'t str {
        let end = |at: usize| at.checked_sub(1).and_then(|at| self.ends.get(at)).copied();
        let Some(last) = end(at) else { return "" };
        let first = end(at - 1).map_or(0, |bar| bar + 1);
        trimmed(self.text.get(first..last).unwrap_or_default())
    }

    /// The number in a field; `None` if it is empty, or not a number.
    pub fn figure(&self, at: usize) -> Option<Decimal> {
        figure(self.text(at))
    }

    /// The same, zero if it is empty.
    pub fn amount(&self, at: usize) -> Decimal {
        self.figure(at).unwrap_or_default()
    }

    /// The day in a field (`ddmmaaaa`); `None` if it is empty, or not a day.
    pub fn day(&self, at: usize) -> Option<Date> {
        day(self.text(at))
    }

    /// The places of the fields that are not empty.
    pub fn filled(&self) -> impl Iterator<Item = usize> {
        (1..=self.ends.len()).filter(|at| !self.text(*at).is_empty())
    }

    /// The first of the fields whose text is neither empty nor of its kind.
    pub(super) fn unreadable(&self, fields: &[TypedField]) -> Option<&'static str> {
        let is_wrong = |field: &&TypedField| {
            let text = self.text(field.at);
            !text.is_empty() && if field.is_day { day(text).is_none() } else { figure(text).is_none() }
        };
        fields.iter().find(is_wrong).map(|field| field.name)
    }
}

/// A field whose name says that it is a number or a day.
#[derive(Debug)]
pub(super) struct TypedField {
    at: usize,
    name: &'static str,
    is_day: bool,
}

/// How the names of numbers begin; `QTD` is one itself.
const FIGURES: [&str; 4] = ["VL_", "ALIQ_", "QTD", "QUANT_"];

impl TypedField {
    pub(super) fn all_of((_, names): Register) -> Vec<TypedField> {
        let typed = |(name, at): (&&'static str, usize)| {
            let is_day = name.starts_with("DT_");
            let is_typed = is_day || FIGURES.iter().any(|kind| name.starts_with(kind));
            is_typed.then_some(TypedField { at, name, is_day })
        };
        names.iter().zip(1..).filter_map(typed).collect()
    }
}

fn trimmed(text: &str) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if is_plain(text.as_bytes().first()) && is_plain(text.as_bytes().last()) { text } else { text.trim() }
}

/// A number with a comma, and without separators of thousands.
fn figure(text: &str) -> Option<Decimal> {
    read_with_comma(text)
}

fn day(text: &str) -> Option<Date> {
    let is_day = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits: u32 = text.parse().ok().filter(|_| is_day)?;
    Date::of_parts(digits % 10_000, digits / 10_000 % 100, digits / 1_000_000)
}

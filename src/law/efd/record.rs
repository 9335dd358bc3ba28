//! A line of a book, in fields.

use rust_decimal::Decimal;

use super::Register;
use crate::base::value::{Date, read_with_comma};

/// Few registers have more fields.
const MOST_FIELDS: usize = 40;

/// A record. Its fields are counted from 1, as the layouts count them: the first is the name of the register.
#[derive(Debug, Clone)]
pub struct EfdRecord<'t> {
    fields: Vec<&'t str>,
}

impl<'t> EfdRecord<'t> {
    /// Takes a line apart, without its end of line; `None` if it does not begin and end with a bar.
    pub fn of(line: &'t str) -> Option<EfdRecord<'t>> {
        let text = line.strip_prefix('|')?.strip_suffix('|')?;
        // Fields are short: a search for each bar costs more than looking at each byte.
        let (mut fields, mut start) = (Vec::with_capacity((text.len() / 4).clamp(4, MOST_FIELDS)), 0);
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'|' {
                fields.push(trimmed(text.get(start..at).unwrap_or_default()));
                start = at + 1;
            }
        }
        fields.push(trimmed(text.get(start..).unwrap_or_default()));
        Some(EfdRecord { fields })
    }

    /// The register, such as `C100`.
    pub fn name(&self) -> &'t str {
        self.fields.first().copied().unwrap_or_default()
    }

    /// The text of a field; empty if the record does not have it.
    pub fn text(&self, at: usize) -> &'t str {
        at.checked_sub(1).and_then(|at| self.fields.get(at)).copied().unwrap_or_default()
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
        self.fields.iter().zip(1..).filter(|(text, _)| !text.is_empty()).map(|(_, at)| at)
    }

    /// The first field whose name says that it is a number or a day, and whose text is neither empty nor one.
    pub fn unreadable(&self, (_, names): Register) -> Option<&'static str> {
        let of = |(name, text): (&&'static str, &&str)| {
            let is_number = || FIGURES.iter().any(|kind| name.starts_with(kind));
            let is_wrong = !text.is_empty()
                && ((is_number() && figure(text).is_none()) || (name.starts_with("DT_") && day(text).is_none()));
            is_wrong.then_some(*name)
        };
        names.iter().zip(&self.fields).find_map(of)
    }
}

/// How the names of numbers begin; `QTD` is one itself.
const FIGURES: [&str; 4] = ["VL_", "ALIQ_", "QTD", "QUANT_"];

fn trimmed(text: &str) -> &str {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if is_plain(text.as_bytes().first()) && is_plain(text.as_bytes().last()) { text } else { text.trim() }
}

/// A number with a comma, and without separators of thousands.
fn figure(text: &str) -> Option<Decimal> {
    read_with_comma(text)
}

fn day(text: &str) -> Option<Date> {
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let is_day = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_day.then(|| Date::parse(&format!("{}-{}-{}", part(4..8), part(2..4), part(0..2))).ok()).flatten()
}

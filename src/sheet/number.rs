//! Numbers and days as people write them in tables.

use rust_decimal::Decimal;

use crate::value::{Date, parse_decimal, shorten};

/// Significant digits of a number in the spreadsheet programs.
const DIGITS: usize = 15;

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shorten(text))
}

/// A number with a decimal comma or point, with or without thousands in groups of three: `1.234,56`, `1,234.56`,
/// `1234.56`, `R$ 10,00`. One comma is always the decimal one. One point before exactly three digits could be either
/// and is refused, unless the first digit is zero.
///
/// ```
/// use taxd::sheet::parse_number;
/// assert_eq!(parse_number("1.234,56"), parse_number("1234.56"));
/// assert_eq!(parse_number("0.165"), parse_number("0,165"));
/// assert!(parse_number("1.234").is_err_and(|why| why.contains("1234") && why.contains("1,234")));
/// ```
pub fn parse_number(text: &str) -> Result<Decimal, String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let compact = compact.strip_prefix("R$").unwrap_or(&compact);
    let (sign, digits) = match compact.strip_prefix('-') {
        Some(rest) => ("-", rest.strip_prefix("R$").unwrap_or(rest)),
        None => ("", compact),
    };
    let refuse = || format!("{} não é um número; escreva como 1234,56 ou 1234.56.", quoted(text));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')) {
        return Err(refuse());
    }
    let plain = match (digits.matches('.').count(), digits.matches(',').count()) {
        (0, 1) => digits.replace(',', "."),
        (1, 0) if is_ambiguous(digits) => {
            let (whole, rest) = digits.split_once('.').unwrap_or_default();
            return Err(format!(
                "{} é ambíguo: escreva {sign}{whole}{rest} se o ponto separa milhares, ou {sign}{whole},{rest} se separa decimais.",
                quoted(text)
            ));
        }
        (0 | 1, 0) => digits.to_owned(),
        (_, 0) => ungrouped(digits, '.').ok_or_else(refuse)?,
        (0, _) => ungrouped(digits, ',').ok_or_else(refuse)?,
        _ => {
            let decimal = if digits.rfind(',') > digits.rfind('.') { ',' } else { '.' };
            let thousands = if decimal == ',' { '.' } else { ',' };
            let (whole, fraction) = digits.rsplit_once(decimal).ok_or_else(refuse)?;
            format!("{}.{fraction}", ungrouped(whole, thousands).ok_or_else(refuse)?)
        }
    };
    parse_decimal(&[sign, &plain].concat()).map_err(|_| refuse())
}

/// True for one to three digits, of which the first is not zero, a point, and three digits.
fn is_ambiguous(digits: &str) -> bool {
    let (whole, rest) = digits.split_once('.').unwrap_or_default();
    rest.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
}

/// The digits without their separators of thousands; `None` if a group has not three digits.
fn ungrouped(digits: &str, separator: char) -> Option<String> {
    let mut groups = digits.split(separator);
    let first = groups.next()?;
    let fits = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    fits.then(|| digits.replace(separator, ""))
}

/// A number in percent points, with or without the sign `%`.
pub(super) fn parse_percent(text: &str) -> Result<Decimal, String> {
    parse_number(text.trim_end().strip_suffix('%').unwrap_or(text))
}

/// A day, `AAAA-MM-DD` or `dd/mm/aaaa`, also with midnight after it.
pub fn parse_date(text: &str) -> Result<Date, String> {
    let day = text.trim().split_once([' ', 'T']).map_or(text.trim(), |(day, time)| {
        if time.trim_matches(|c| matches!(c, '0' | ':' | '.')).is_empty() { day } else { text }
    });
    let refuse = || format!("{} não é uma data; escreva dd/mm/aaaa ou AAAA-MM-DD.", quoted(text));
    let parts: Vec<&str> = day.split('/').collect();
    let [d, m, y] = parts.as_slice() else { return Date::parse(day).map_err(|_| refuse()) };
    let fits = y.len() == 4 && [d, m].iter().all(|part| (1..=2).contains(&part.len()));
    if !fits {
        return Err(refuse());
    }
    Date::parse(&format!("{y}-{m:0>2}-{d:0>2}")).map_err(|_| refuse())
}

/// A number of an XLSX, which is stored in binary floating point: its first 15 digits, as the spreadsheet programs show
/// it, so that 0.1 + 0.2 is 0.3. Fails for a whole number with more digits, of which the last ones are lost.
pub(super) fn from_stored(value: f64) -> Result<Decimal, String> {
    if !value.is_finite() {
        return Err("A célula tem um número infinito.".to_owned());
    }
    if value.abs() >= 1e15 {
        return Err(
            "A célula tem um número de mais de 15 dígitos, e o programa de planilhas já perdeu os últimos; formate a coluna como texto e escreva de novo."
                .to_owned(),
        );
    }
    let digits = format!("{value:.*e}", DIGITS - 1);
    Decimal::from_scientific(&digits)
        .map(|number| number.normalize())
        .map_err(|_| "A célula tem um número pequeno demais.".to_owned())
}

//! Numbers and days as people write them in tables.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::base::value::{Date, parse_decimal, shorten};

/// Significant digits of a number in the spreadsheet programs.
const DIGITS: usize = 15;
/// The first number with more digits.
const MOST_DIGITS: u128 = 10_u128.pow(15);

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shorten(text))
}

/// Which of comma and point separates decimals in the texts of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecimalMark {
    /// The comma; points separate thousands.
    Comma,
    /// The point; commas separate thousands.
    Point,
    /// One comma is the decimal one, as Brazilians write. One point before exactly three digits could be either.
    #[default]
    Usual,
    /// One comma before exactly three digits could be either too.
    Unknown,
}

impl DecimalMark {
    /// The mark of a table by its separator of cells, `None` for an XLSX, and by what its numbers show.
    pub fn of_csv(separator: Option<char>, evidence: DecimalEvidence) -> DecimalMark {
        match separator {
            // A spreadsheet program stores numbers as such.
            None => DecimalMark::Usual,
            // Where commas separate cells, a decimal comma is not a matter of course.
            Some(',') => evidence.mark(DecimalMark::Unknown),
            Some(_) => evidence.mark(DecimalMark::Usual),
        }
    }
}

/// What the numbers of a table show of its decimal mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecimalEvidence {
    comma: bool,
    point: bool,
}

impl DecimalEvidence {
    /// Takes the text of a number into account. `1.234,56` and `12,5` prove the comma, and so does `1.234.567`; `1,234`
    /// and `1234` prove nothing.
    pub fn see(&mut self, text: &str) {
        // Most numbers of a list would prove the comma again.
        let ends = text.rsplit_once(',').is_some_and(|(whole, cents)| !whole.contains(',') && !cents.contains('.'));
        if self.comma && ends {
            return;
        }
        match proven(text) {
            Some(',') => self.comma = true,
            Some(_) => self.point = true,
            None => {}
        }
    }

    /// True if both marks were proven: the table is of no one mark.
    pub fn is_mixed(self) -> bool {
        self.comma && self.point
    }

    /// The mark that was proven; `without_proof` if none was.
    pub fn mark(self, without_proof: DecimalMark) -> DecimalMark {
        match (self.comma, self.point) {
            (true, false) => DecimalMark::Comma,
            (false, true) => DecimalMark::Point,
            (true, true) => DecimalMark::Unknown,
            (false, false) => without_proof,
        }
    }
}

/// The decimal mark that the text proves.
fn proven(text: &str) -> Option<char> {
    let text = without_percent(text);
    parse_number(text).ok()?;
    let compact = compact(text);
    let (_, digits) = signed(&compact);
    match (digits.matches('.').count(), digits.matches(',').count()) {
        _ if ambiguous(digits).is_some() => None,
        (0, 0) => None,
        (0, 1) | (2.., 0) => Some(','),
        (1, 0) | (0, 2..) => Some('.'),
        _ => Some(if digits.rfind(',') > digits.rfind('.') { ',' } else { '.' }),
    }
}

/// The number that [`parse_number_by`] reads with the usual mark: `1.234,56` and `1234.56`, `0,165` and `0.165`, but not
/// `1.234`, which may be either.
pub fn parse_number(text: &str) -> Result<Decimal, String> {
    parse_number_by(text, DecimalMark::Usual)
}

/// A number with a decimal comma or point, with or without thousands in groups of three: `1.234,56`, `1,234.56`,
/// `1234.56`, `R$ 10,00`. The mark decides only what could be either: one comma or point before exactly three digits, of
/// which the first is not zero.
pub fn parse_number_by(text: &str, mark: DecimalMark) -> Result<Decimal, String> {
    let compact = compact(text);
    let (sign, digits) = signed(&compact);
    let refuse = || format!("{} não é um número; escreva o valor como 1.234,56.", quoted(text));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')) {
        return Err(refuse());
    }
    let count = |mark: u8| digits.bytes().filter(|byte| *byte == mark).count();
    let last = |mark: u8| digits.bytes().rposition(|byte| byte == mark);
    // The digits before the decimal mark, what separates their thousands, and the digits after it.
    let (whole, thousands, fraction) = match (count(b'.'), count(b',')) {
        _ if let Some((separator, whole, rest)) = ambiguous(digits) => match (separator, mark) {
            (',', DecimalMark::Comma | DecimalMark::Usual) | ('.', DecimalMark::Point) => (whole, None, Some(rest)),
            (',', DecimalMark::Point) | ('.', DecimalMark::Comma) => (digits, Some(separator), None),
            _ => {
                let name = if separator == ',' { "a vírgula" } else { "o ponto" };
                // With a fourth place a comma is no longer ambiguous.
                let place = if mark == DecimalMark::Unknown { "0" } else { "" };
                return Err(format!(
                    "{} é ambíguo: escreva {sign}{whole}{rest} se {name} separa milhares, ou {sign}{whole},{rest}{place} se separa decimais.",
                    quoted(text)
                ));
            }
        },
        (0, 0) => (digits, None, None),
        (0, 1) | (1, 0) => {
            let (whole, fraction) = digits.split_once([',', '.']).ok_or_else(refuse)?;
            (whole, None, Some(fraction))
        }
        (_, 0) => (digits, Some('.'), None),
        (0, _) => (digits, Some(','), None),
        _ => {
            let (decimal, thousands) = if last(b',') > last(b'.') { (',', '.') } else { ('.', ',') };
            let (whole, fraction) = digits.rsplit_once(decimal).ok_or_else(refuse)?;
            (whole, Some(thousands), Some(fraction))
        }
    };
    if !thousands.is_none_or(|separator| is_grouped(whole, separator)) {
        return Err(refuse());
    }
    let mut plain = String::with_capacity(sign.len() + digits.len() + 1);
    plain.push_str(sign);
    plain.extend(whole.chars().filter(|digit| Some(*digit) != thousands));
    if let Some(fraction) = fraction {
        plain.push('.');
        plain.push_str(fraction);
    }
    parse_decimal(&plain).map_err(|_| refuse())
}

/// The text without blanks.
fn compact(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_whitespace) {
        return text.chars().filter(|c| !c.is_whitespace()).collect();
    }
    text.into()
}

/// The sign and the digits, without the sign of the currency.
fn signed(compact: &str) -> (&'static str, &str) {
    let compact = compact.strip_prefix("R$").unwrap_or(compact);
    match compact.strip_prefix('-') {
        Some(rest) => ("-", rest.strip_prefix("R$").unwrap_or(rest)),
        None => ("", compact),
    }
}

/// The separator and the digits before and after it, if it could separate thousands or decimals: one to three digits, of
/// which the first is not zero, the separator, and three digits.
fn ambiguous(digits: &str) -> Option<(char, &str, &str)> {
    let separator = digits.chars().find(|c| matches!(c, '.' | ','))?;
    let (whole, rest) = digits.split_once(separator)?;
    let is_either = rest.len() == 3
        && rest.bytes().all(|b| b.is_ascii_digit())
        && (1..=3).contains(&whole.len())
        && !whole.starts_with('0');
    is_either.then_some((separator, whole, rest))
}

/// Whether the separator parts the digits in groups of three.
fn is_grouped(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

/// A number in percent points, with or without the sign `%`.
pub(super) fn parse_percent(text: &str, mark: DecimalMark) -> Result<Decimal, String> {
    parse_number_by(without_percent(text), mark)
}

fn without_percent(text: &str) -> &str {
    text.trim_end().strip_suffix('%').unwrap_or(text)
}

pub(super) const WRITE_DATE: &str = "escreva a data como 20/11/2026";
/// The zones of Brazil: midnight in one of them begins the day that is written before it.
const ZONES: [&str; 4] = ["-03:00", "-04:00", "-05:00", "-02:00"];

/// A day, `dd/mm/aaaa`, `dd/mm/aa` (from 1970 to 2069) or `AAAA-MM-DD`, also with midnight in Brazil after it. Another
/// time of day is refused: it may say which of two rules was in force, and no tax asks for it.
pub fn parse_date(text: &str) -> Result<Date, String> {
    let text = text.trim();
    let refuse = || format!("{} não é uma data; {WRITE_DATE}.", quoted(text));
    let (day, time) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let day = parse_day(day).ok_or_else(refuse)?;
    let without_zone = ZONES.iter().find_map(|zone| time.strip_suffix(zone)).filter(|time| !time.is_empty());
    let time = without_zone.unwrap_or(time);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let is_time = |time: &str| {
        let parts: Vec<&str> = time.split(':').collect();
        let is_part = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        (2..=3).contains(&parts.len()) && parts.iter().all(is_part)
    };
    let is_midnight = |text: &str| text.bytes().all(|b| matches!(b, b'0' | b':'));
    match time {
        "" if text.len() == text.trim_end_matches([' ', 'T']).len() => Ok(day),
        _ if is_time(clock) && is_midnight(clock) && is_midnight(fraction) => Ok(day),
        _ if is_time(clock.trim_end_matches('Z').split(['+', '-']).next().unwrap_or_default()) => Err(format!(
            "{} tem hora ou fuso, e aqui vai só uma data; escreva {}, se esse é o dia.",
            quoted(text),
            day.dmy()
        )),
        _ => Err(refuse()),
    }
}

fn parse_day(day: &str) -> Option<Date> {
    // Most lists write a day in this form alone.
    if let [d1, d2, b'/', m1, m2, b'/', y1, y2, y3, y4] = *day.as_bytes() {
        let iso = [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2];
        return Date::parse(std::str::from_utf8(&iso).ok()?).ok();
    }
    let separator = day.chars().find(|c| matches!(c, '/' | '.' | '-'))?;
    let parts: Vec<&str> = day.split(separator).collect();
    let [d, m, y] = parts.as_slice() else { return None };
    if d.len() == 4 {
        return Date::parse(day).ok();
    }
    let century = match y.len() {
        4 => "",
        // With another separator the year may be the first of the three.
        2 if separator == '/' => {
            if *y < "70" {
                "20"
            } else {
                "19"
            }
        }
        _ => return None,
    };
    let fits = [d, m].iter().all(|part| (1..=2).contains(&part.len()));
    if fits { Date::parse(&format!("{century}{y}-{m:0>2}-{d:0>2}")).ok() } else { None }
}

/// A number of an XLSX, which is stored in binary floating point: its first 15 digits, as the spreadsheet programs show
/// it, so that 0.1 + 0.2 is 0.3. Fails for a whole number with more digits, of which the last ones are lost.
pub(super) fn from_stored(text: &str, value: f64) -> Result<Decimal, String> {
    // Most are written with fewer digits than that, which are then the first ones.
    let written = parse_decimal(text).ok().filter(|number| number.mantissa().unsigned_abs() < MOST_DIGITS);
    if let Some(number) = written {
        return Ok(number.normalize());
    }
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

//! Converts values as people type them into the one form that commands and the API take.
//!
//! Refuses nothing but a duration: the command that uses a value refuses it, with its own error message.

#![expect(clippy::unnecessary_wraps, reason = "the form of a parser of values")]

use std::convert::Infallible;

use jiff::{Span, SpanRelativeTo};

use crate::base::value::{RuleCode, RuleId, Uf, fold};

/// Reads a UF in either case, or by its name: `sp` and `são paulo` are `SP`.
pub(crate) fn uf(text: &str) -> Result<String, Infallible> {
    let folded = fold(text);
    let by_name = Uf::WORDS.iter().zip(Uf::NAMES).find(|(_, name)| fold(name) == folded);
    Ok(by_name.map_or_else(|| text.trim().to_uppercase(), |(uf, _)| (*uf).to_owned()))
}

/// Reads a word of a list in either case, with `-` or blanks for `_`: `ICMS-ST` is `icms_st`.
pub(crate) fn word(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().to_lowercase().replace(['-', ' '], "_"))
}

/// Reads an NCM with or without points: `2203.00.00` is `22030000`.
pub(crate) fn ncm(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().replace('.', ""))
}

/// Reads a day as the page does: `10/03/2026`, `10.3.26` and `10032026` are `2026-03-10`. A year of two digits is from
/// 1970 to 2069.
pub(crate) fn day(text: &str) -> Result<String, Infallible> {
    let text = text.trim();
    Ok(day_month_year(text).map_or_else(
        || text.to_owned(),
        |[day, month, year]| {
            let century = match year.len() {
                4 => "",
                _ if year < "70" => "20",
                _ => "19",
            };
            format!("{century}{year}-{month:0>2}-{day:0>2}")
        },
    ))
}

/// The parts of a day that begins with the day of the month.
fn day_month_year(text: &str) -> Option<[&str; 3]> {
    let digits =
        |part: &str, lengths: &[usize]| lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits(text, &[8]) {
        return Some([text.get(..2)?, text.get(2..4)?, text.get(4..)?]);
    }
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let [day, month, year] = *parts.as_slice() else { return None };
    (digits(day, &[1, 2]) && digits(month, &[1, 2]) && digits(year, &[2, 4])).then_some([day, month, year])
}

/// Reads the code of a rule, or the id of a version, in either case.
pub(crate) fn rule(text: &str) -> Result<String, Infallible> {
    let folded = text.trim().to_lowercase();
    let is_name = RuleId::parse(&folded).is_some() || RuleCode::parse(&folded).is_ok();
    Ok(if is_name { folded } else { text.to_owned() })
}

/// Reads the code of a rule, also from the id of a version: `ipva-sp-v1.0` is `ipva-sp`.
pub(crate) fn rule_code(text: &str) -> Result<String, Infallible> {
    let rule = rule(text)?;
    Ok(RuleId::parse(&rule).map_or(rule, |id| id.code.to_string()))
}

/// Reads a duration in milliseconds: `90s`, `30m`, `24h`, `7d`, `1d 12h`; a day has 24 hours.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    let refuse = || format!("\"{text}\" is not a duration; write it like 30m, 24h or 7d");
    let span: Span = text.parse().map_err(|_| refuse())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| refuse())?;
    u64::try_from(duration.as_millis()).map_err(|_| refuse())
}

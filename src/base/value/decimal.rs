//! Decimals of the contract: parsing and writing them.

use std::ops::{Div, Rem};

use rust_decimal::Decimal;

use super::text::{shorten, unfit};
use crate::base::document::{Faults, Node, Path, Shape, wrong_type};
use crate::base::problem::ErrorCode;

/// Most digits before the decimal point (design, section 2).
const MAX_INTEGER_DIGITS: u32 = 15;
/// Most digits after the decimal point.
const MAX_FRACTION_DIGITS: u32 = 10;

/// The reason why a text is not a decimal of the contract.
enum DecimalFault {
    Form,
    TooLong,
    Negative,
}

/// A decimal of the form `-?digits[.digits]`, at most 15 and 10 digits.
///
/// ```
/// use taxd::base::value::parse_decimal;
/// assert!(parse_decimal("1234.50").is_ok());
/// assert!(parse_decimal("1e3").is_err());
/// assert!(parse_decimal("1,00").is_err());
/// ```
pub fn parse_decimal(text: &str) -> Result<Decimal, String> {
    parse(text, true, b'.').map_err(|fault| explain(text, &fault))
}

/// Reads a decimal whose fraction follows a comma, as books have them.
pub(crate) fn read_with_comma(text: &str) -> Option<Decimal> {
    parse(text, true, b',').ok()
}

/// Reads a decimal that taxd wrote: a sum may have more digits than a caller may give.
pub(crate) fn read_written(text: &str) -> Option<Decimal> {
    let is_plain = || text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    parse(text, true, b'.').ok().or_else(|| Decimal::from_str_exact(text).ok().filter(|_| is_plain()))
}

fn parse(text: &str, signed: bool, mark: u8) -> Result<Decimal, DecimalFault> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // Each of the two parts fits 64 bits, unless it is too long and refused below.
    let (mut number, mut length, mut integer) = (0_u64, 0, None);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                length += 1;
            }
            byte if byte == mark && integer.is_none() && length > 0 => {
                integer = Some((std::mem::take(&mut number), std::mem::take(&mut length)));
            }
            _ => return Err(DecimalFault::Form),
        }
    }
    if length == 0 {
        return Err(DecimalFault::Form);
    }
    let ((integer, integer_digits), (fraction, scale)) = match integer {
        Some(integer) => (integer, (number, length)),
        None => ((number, length), (0, 0)),
    };
    if integer_digits > MAX_INTEGER_DIGITS || scale > MAX_FRACTION_DIGITS {
        return Err(DecimalFault::TooLong);
    }
    if negative && !signed {
        return Err(DecimalFault::Negative);
    }
    let mantissa = i128::from(integer) * i128::from(10_u64.pow(scale)) + i128::from(fraction);
    Decimal::try_from_i128_with_scale(if negative { -mantissa } else { mantissa }, scale)
        .map_err(|_| DecimalFault::TooLong)
}

fn explain(text: &str, fault: &DecimalFault) -> String {
    match fault {
        DecimalFault::Form if text.contains(',') => format!(
            "\"{}\" não é um decimal: use ponto como separador decimal e nenhum separador de milhar, como \"1234.50\".",
            shorten(text)
        ),
        DecimalFault::Form => {
            format!("\"{}\" não é um decimal: escreva só dígitos e um ponto, como \"1234.50\".", shorten(text))
        }
        DecimalFault::TooLong => format!(
            "\"{}\" passa do limite de {MAX_INTEGER_DIGITS} dígitos inteiros e {MAX_FRACTION_DIGITS} decimais.",
            shorten(text)
        ),
        DecimalFault::Negative => {
            format!("\"{}\" não pode levar sinal: informe um valor maior ou igual a zero.", shorten(text))
        }
    }
}

/// Parses a decimal of a document. Reports a text that is not one, and a sign if it may not have one.
pub(super) fn read_decimal(
    node: &Node<'_>,
    shape: &Shape,
    signed: bool,
    at: &Path<'_>,
    faults: &mut Faults,
) -> Option<Decimal> {
    let made;
    let text = match node {
        Node::Text(text) => text.as_ref(),
        // A figure of this program has the limits of one that was sent.
        Node::Figure(figure) => {
            made = DecimalText::of(*figure);
            made.as_str()
        }
        _ => {
            wrong_type(shape, node, at, faults);
            return None;
        }
    };
    let fault = match parse(text, signed, b'.') {
        Ok(value) => return Some(value),
        Err(fault) => fault,
    };
    let program = explain(text, &fault);
    let (codigo, detail) = match fault {
        DecimalFault::Form => (ErrorCode::DecimalInvalido, unfit(text, program, "Escreva um número, como 1.234,50.")),
        DecimalFault::Negative => {
            (ErrorCode::ValorNegativo, unfit(text, program, "Escreva zero ou um número positivo."))
        }
        DecimalFault::TooLong => (ErrorCode::DecimalInvalido, program.into()),
    };
    faults.add(at, codigo, detail);
    None
}

/// A rate in percent points as answers show it: at least two places, and no zeros after those.
///
/// ```
/// use rust_decimal::Decimal;
/// use taxd::base::value::format_rate;
/// assert_eq!(format_rate(Decimal::new(18, 0)), "18.00");
/// assert_eq!(format_rate(Decimal::new(1650, 4)), "0.165");
/// ```
pub fn format_rate(points: Decimal) -> String {
    DecimalText::of_rate(points).as_str().to_owned()
}

/// The same rate with the places that [`format_rate`] writes.
pub fn rate_as_shown(points: Decimal) -> Decimal {
    let mut shown = points.normalize();
    shown.rescale(shown.scale().max(2));
    shown
}

/// The same text as `Display` writes, in a fraction of the time: every answer has several.
pub fn format_decimal(value: Decimal) -> String {
    DecimalText::of(value).as_str().to_owned()
}

/// Mantissa and scale without zeros at the end, as [`Decimal::normalize`] gives them, in a fraction of the time.
pub(super) fn shortest(value: Decimal) -> (i128, u32) {
    let Ok(mut mantissa) = i64::try_from(value.mantissa()) else {
        let value = value.normalize();
        return (value.mantissa(), value.scale());
    };
    let mut scale = value.scale();
    while scale > 0 && mantissa % 10 == 0 {
        (mantissa, scale) = (mantissa / 10, scale - 1);
    }
    (mantissa.into(), scale)
}

/// Room for the digits of a decimal (29, and two zeros of a rate), its sign, its point and a zero before that.
const TEXT_BYTES: usize = 36;

/// The text of a decimal, without memory on the heap.
#[derive(Debug, Clone, Copy)]
pub struct DecimalText {
    bytes: [u8; TEXT_BYTES],
    begin: usize,
}

/// Writes a number to the end of `bytes`, its last `scale` digits after a point. Returns where it begins.
fn put_digits<N>(bytes: &mut [u8], mut number: N, scale: u32) -> usize
where
    N: Copy + PartialEq + From<u8> + Div<Output = N> + Rem<Output = N> + TryInto<u8>,
{
    let (ten, mut places) = (N::from(10), bytes.iter_mut().rev());
    let mut next_digit = || {
        let digit = (number % ten).try_into().unwrap_or_default();
        number = number / ten;
        (b'0' + digit, number == N::from(0))
    };
    for place in places.by_ref().take(usize::try_from(scale).unwrap_or_default()) {
        (*place, _) = next_digit();
    }
    if scale > 0 {
        places.next().into_iter().for_each(|place| *place = b'.');
    }
    for place in places.by_ref() {
        let (digit, is_last) = next_digit();
        *place = digit;
        if is_last {
            break;
        }
    }
    places.len()
}

impl DecimalText {
    /// The text that [`format_decimal`] gives.
    pub fn of(value: Decimal) -> DecimalText {
        DecimalText::of_parts(value.mantissa(), value.scale())
    }

    /// The text that [`format_rate`] gives.
    pub fn of_rate(points: Decimal) -> DecimalText {
        match shortest(points) {
            (whole, 0) => DecimalText::of_parts(whole * 100, 2),
            (tenths, 1) => DecimalText::of_parts(tenths * 10, 2),
            (mantissa, scale) => DecimalText::of_parts(mantissa, scale),
        }
    }

    fn of_parts(mantissa: i128, scale: u32) -> DecimalText {
        let mut bytes = [b'0'; TEXT_BYTES];
        // Ordinary amounts fit 64 bits, where a division is far cheaper.
        let mut begin = match u64::try_from(mantissa.unsigned_abs()) {
            Ok(number) => put_digits(&mut bytes, number, scale),
            Err(_) => put_digits(&mut bytes, mantissa.unsigned_abs(), scale),
        };
        if mantissa < 0 {
            begin = begin.saturating_sub(1);
            bytes.get_mut(begin).into_iter().for_each(|place| *place = b'-');
        }
        DecimalText { bytes, begin }
    }

    /// The same with a decimal comma.
    pub fn with_comma(mut self) -> DecimalText {
        self.bytes.iter_mut().filter(|byte| **byte == b'.').for_each(|point| *point = b',');
        self
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.begin..).unwrap_or_default()
    }
}

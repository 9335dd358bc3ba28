//! Decimals of the contract: parsing and writing them.

use rust_decimal::Decimal;

use super::text::{shorten, unfit};
use crate::document::{Faults, Node, Path, Shape, wrong_type};
use crate::problem::ErrorCode;

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
pub fn read_with_comma(text: &str) -> Option<Decimal> {
    parse(text, true, b',').ok()
}

/// Reads a decimal that taxd wrote: a sum may have more digits than a caller may give.
pub fn read_written(text: &str) -> Option<Decimal> {
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

/// Whether [`parse`] would read its text as the same number.
fn is_within_limits(figure: Decimal, signed: bool) -> bool {
    figure.scale() <= MAX_FRACTION_DIGITS
        && figure.mantissa().unsigned_abs() < 10_u128.pow(MAX_INTEGER_DIGITS + figure.scale())
        && (figure.is_sign_positive() || (signed && !figure.is_zero()))
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
        // A figure of this program has the limits of one that was sent. The text of another is refused, or a zero without a sign.
        Node::Figure(figure) if is_within_limits(*figure, signed) => return Some(*figure),
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

impl DecimalText {
    /// The text that [`format_decimal`] gives.
    pub fn of(value: Decimal) -> DecimalText {
        DecimalText::of_parts(value.mantissa(), value.scale(), b'.')
    }

    /// The same with a decimal comma.
    pub fn with_comma(value: Decimal) -> DecimalText {
        DecimalText::of_parts(value.mantissa(), value.scale(), b',')
    }

    /// The text that [`format_rate`] gives.
    pub fn of_rate(points: Decimal) -> DecimalText {
        match shortest(points) {
            (whole, 0) => DecimalText::of_parts(whole * 100, 2, b'.'),
            (tenths, 1) => DecimalText::of_parts(tenths * 10, 2, b'.'),
            (mantissa, scale) => DecimalText::of_parts(mantissa, scale, b'.'),
        }
    }

    fn of_parts(mantissa: i128, scale: u32, mark: u8) -> DecimalText {
        let mut written = itoa::Buffer::new();
        // Ordinary amounts fit 64 bits, where a division is far cheaper.
        let digits = match u64::try_from(mantissa.unsigned_abs()) {
            Ok(number) => written.format(number),
            Err(_) => written.format(mantissa.unsigned_abs()),
        };
        let scale = usize::try_from(scale).unwrap_or_default();
        let (whole, fraction) = digits.as_bytes().split_at(digits.len().saturating_sub(scale));
        let mut text = DecimalText { bytes: [b'0'; TEXT_BYTES], begin: TEXT_BYTES };
        text.put(fraction, scale);
        if scale > 0 {
            text.put(&[mark], 1);
        }
        text.put(whole, whole.len().max(1));
        if mantissa < 0 {
            text.put(b"-", 1);
        }
        text
    }

    /// Puts a part before what is there, in that many places, the first of them zeros.
    fn put(&mut self, part: &[u8], places: usize) {
        let end = self.begin;
        self.begin = end.saturating_sub(places);
        if let Some(room) = self.bytes.get_mut(end.saturating_sub(part.len())..end) {
            room.copy_from_slice(part);
        }
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.begin..).unwrap_or_default()
    }
}

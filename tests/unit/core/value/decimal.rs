//! Decimals: what the contract takes, to the digit, and what it does not.

use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;
use taxd_base::document::{Faults, FromNode, Node, Object, Path};
use taxd_base::problem::ErrorCode;
use taxd_base::value::{Amount, Int, PositiveAmount, Rate, SignedRate, format_decimal, format_rate, parse_decimal};

use crate::property::cases;

/// Reads a value of a document, as a payload or a rule does.
fn read<T: FromNode>(document: &serde_json::Value) -> Result<T, ErrorCode> {
    let text = document.to_string();
    read_node(&Node::parse(text.as_bytes()).unwrap())
}

fn read_node<T: FromNode>(node: &Node<'_>) -> Result<T, ErrorCode> {
    let mut faults = Faults::default();
    let value = T::from_node(node, &Object::default(), &Path::ROOT, &mut faults);
    match (value, faults.into_list().first()) {
        (Some(value), None) => Ok(value),
        (None, Some(fault)) => Err(fault.codigo),
        (value, fault) => panic!("{node:?}: a value ({}) and a fault ({fault:?})", value.is_some()),
    }
}

#[test]
fn a_decimal_is_digits_and_at_most_one_point() {
    for (text, wanted) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.00", "0.00"),
        ("0.10", "0.10"),
        ("007.50", "7.50"),
        ("-12.5", "-12.5"),
        ("999999999999999.9999999999", "999999999999999.9999999999"),
        ("-999999999999999.9999999999", "-999999999999999.9999999999"),
        ("000000000000001.0000000001", "1.0000000001"),
    ] {
        assert_eq!(parse_decimal(text).map(|d| d.to_string()), Ok(wanted.to_owned()), "{text}");
    }
}

#[test]
fn what_is_not_a_decimal_of_the_contract_is_refused() {
    for text in [
        "",
        " ",
        "-",
        ".",
        "-.",
        "1.",
        ".5",
        "-.5",
        "+1",
        "--1",
        "1-",
        " 1",
        "1 ",
        "1\n",
        "1,00",
        "1.000,00",
        "1.2.3",
        "1e3",
        "1E3",
        "1e-3",
        "NaN",
        "nan",
        "inf",
        "Infinity",
        "0x10",
        "1_000",
        "R$ 1",
        "١٢٣",
        "１２",
        "1٫5",
        "1\u{a0}",
        "\u{2212}1",
        "1\0",
        "1000000000000000",
        "0000000000000001",
        "0.00000000001",
        "1.00000000000",
        "99999999999999999999999999999999999999999999",
        "null",
    ] {
        assert!(parse_decimal(text).is_err(), "{text:?} was taken for {:?}", parse_decimal(text));
        assert!(matches!(read::<Amount>(&json!(text)), Err(ErrorCode::DecimalInvalido)), "{text:?}");
    }
}

#[test]
fn a_fault_never_echoes_a_page_and_names_the_comma() {
    let long = parse_decimal(&"9".repeat(10_000)).unwrap_err();
    assert!(long.len() < 300, "{} bytes", long.len());
    assert!(parse_decimal("1,00").unwrap_err().contains("ponto"));
}

#[test]
fn an_amount_is_a_text_and_not_below_zero() {
    assert_eq!(read::<Amount>(&json!("1234.50")).map(|a| a.to_string()), Ok("1234.50".to_owned()));
    for (document, codigo) in [
        (json!(1234.5), ErrorCode::TipoInvalido),
        (json!(1234), ErrorCode::TipoInvalido),
        (json!(true), ErrorCode::TipoInvalido),
        (json!(["1"]), ErrorCode::TipoInvalido),
        (json!("-0.01"), ErrorCode::ValorNegativo),
        (json!("-1e3"), ErrorCode::DecimalInvalido),
    ] {
        assert_eq!(read::<Amount>(&document).err(), Some(codigo), "{document}");
    }
    assert_eq!(read::<PositiveAmount>(&json!("0.00")).err(), Some(ErrorCode::ValorZero));
    assert!(read::<PositiveAmount>(&json!("0.0000000001")).is_ok());
}

#[test]
fn a_rate_lies_from_0_to_1000_points_with_six_places() {
    for text in ["0", "18.00", "0.165", "1000", "1000.000000", "84.150000", "12.3456780000"] {
        assert!(read::<Rate>(&json!(text)).is_ok(), "{text}");
    }
    for text in ["1000.01", "1001", "0.0000001"] {
        assert_eq!(read::<Rate>(&json!(text)).err(), Some(ErrorCode::ForaDoIntervalo), "{text}");
    }
    assert_eq!(read::<Rate>(&json!("-1")).err(), Some(ErrorCode::ValorNegativo));
    assert!(read::<SignedRate>(&json!("-0.30")).is_ok());
    assert_eq!(read::<SignedRate>(&json!("-1000.01")).err(), Some(ErrorCode::ForaDoIntervalo));
}

#[test]
fn a_rate_is_written_with_two_places_at_least() {
    for (text, wanted) in [
        ("0", "0.00"),
        ("18", "18.00"),
        ("18.0", "18.00"),
        ("84.150", "84.15"),
        ("0.1650", "0.165"),
        ("1000", "1000.00"),
    ] {
        assert_eq!(format_rate(parse_decimal(text).unwrap()), wanted);
        assert_eq!(serde_json::to_value(read::<Rate>(&json!(text)).unwrap()).unwrap(), json!(wanted));
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn every_decimal_within_the_digits_is_taken_as_written(
        minus in any::<bool>(), integer in "(0|[1-9][0-9]{0,14})", fraction in "[0-9]{0,10}",
    ) {
        let point = if fraction.is_empty() { "" } else { "." };
        let text = format!("{integer}{point}{fraction}");
        let signed = if minus { format!("-{text}") } else { text.clone() };
        let read = parse_decimal(&signed).map(|d| d.to_string());
        let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
        prop_assert_eq!(read, Ok(if zero { text } else { signed }));
    }

    #[test]
    fn any_other_text_is_refused(text in "\\PC{0,12}") {
        let shape = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let (integer, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
            !integer.is_empty() && !fraction.is_empty() && [integer, fraction].iter().all(|p| p.bytes().all(|b| b.is_ascii_digit()))
                && fraction.len() <= 10
        };
        prop_assert_eq!(parse_decimal(&text).is_ok(), shape(&text));
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_decimal_is_written_as_its_library_writes_it(mantissa in any::<i64>(), high in 0..3_i64, scale in 0..=28_u32) {
        // Up to 28 digits, zero and one digit included.
        for mantissa in [i128::from(mantissa) << (high * 8), i128::from(mantissa % 100), 0] {
            if let Ok(value) = Decimal::try_from_i128_with_scale(mantissa, scale) {
                prop_assert_eq!(format_decimal(value), value.to_string());
                let mut rate = value.normalize();
                if rate.scale() < 2 {
                    rate.rescale(2);
                }
                prop_assert_eq!(format_rate(value), rate.to_string());
            }
        }
    }
}

/// To JSON Schema, and so to the API description, `7.0` is the integer 7.
#[test]
fn a_whole_number_is_whole_however_it_is_written() {
    type Few = Int<0, 9>;
    for (text, wanted) in [("7", 7), ("7.0", 7), ("70e-1", 7), ("-0.0", 0), ("0.9e1", 9)] {
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(read::<Few>(&document).map(Int::get), Ok(wanted), "{text}");
    }
    for (document, codigo) in [
        (json!(10.0), ErrorCode::ForaDoIntervalo),
        (json!(-1), ErrorCode::ForaDoIntervalo),
        (json!(7.5), ErrorCode::TipoInvalido),
        (json!(1e300), ErrorCode::TipoInvalido),
        (json!("7"), ErrorCode::TipoInvalido),
    ] {
        assert_eq!(read::<Few>(&document), Err(codigo), "{document}");
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// A cell of a table comes as a figure, and the same number in a payload as a text.
    #[test]
    fn a_figure_is_read_as_its_text(digits in 0_u32..=29, mantissa in any::<u128>(), scale in 0_u32..=28, negative in any::<bool>()) {
        let mantissa = i128::try_from(mantissa % 10_u128.pow(digits)).unwrap();
        let figure = Decimal::try_from_i128_with_scale(mantissa, scale);
        prop_assume!(figure.is_ok());
        let mut figure = figure.unwrap();
        figure.set_sign_negative(negative);
        let shown = |read: Result<SignedRate, ErrorCode>| read.map(|rate| format!("{:?}", rate.points()));
        let (node, text) = (Node::Figure(figure), format_decimal(figure));
        prop_assert_eq!(read_node::<Amount>(&node), read::<Amount>(&json!(text)));
        prop_assert_eq!(shown(read_node(&node)), shown(read(&json!(text))));
    }
}

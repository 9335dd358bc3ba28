//! Numbers, percentages, days and words, as a cell of either format has them.

use rust_decimal::Decimal;
use taxd_sheet::{Cell, DecimalMark, parse_date, parse_number};

fn number(text: &str) -> String {
    parse_number(text).unwrap_or_else(|why| panic!("{why}")).to_string()
}

fn text(text: &str) -> Cell<'static> {
    Cell::Text(text.to_owned().into())
}

#[test]
fn numbers_are_read_with_comma_or_point() {
    let accepted = [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("1234.56", "1234.56"),
        ("1234,56", "1234.56"),
        ("1.234.567", "1234567"),
        ("1,234,567.8", "1234567.8"),
        ("1 234 567,80", "1234567.80"),
        (" R$ 1.234,50 ", "1234.50"),
        ("-R$ 10", "-10"),
        ("-1,5", "-1.5"),
        ("0.165", "0.165"),
        ("1,234", "1.234"),
        ("1234.567", "1234.567"),
        ("12.5", "12.5"),
        ("18", "18"),
    ];
    for (written, expected) in accepted {
        assert_eq!(number(written), expected, "{written}");
    }
    for refused in ["", "abc", "1,2,3", "1.23.456", "1.2,3.4", "1e3", "--1", "5%", ",5", "5,", "1.234.56", "١"] {
        let why = parse_number(refused).expect_err(refused);
        assert!(why.ends_with("não é um número; escreva o valor como 1.234,56."), "{refused}: {why}");
    }
    let why = parse_number("-1.234").unwrap_err();
    assert!(why.contains("escreva -1234 se") && why.contains("-1,234 se"), "{why}");
}

#[test]
fn days_are_read_in_both_orders() {
    for written in [
        "2026-03-01",
        "01/03/2026",
        "1/3/2026",
        "01/03/26",
        "1/3/26",
        "01.03.2026",
        "01-03-2026",
        " 2026-03-01 00:00:00 ",
        "01/03/2026 00:00",
        "2026-03-01T00:00:00.000",
        "2026-03-01T00:00:00-03:00",
    ] {
        assert_eq!(parse_date(written).unwrap().to_string(), "2026-03-01", "{written}");
    }
    for refused in [
        "",
        "03/13/2026",
        "30/02/2026",
        "1/3/126",
        "01-03-26",
        "2026-3-1",
        "2026/03/01",
        "2026-03-01T",
        "2026-03-01 x",
        "2026-03-01T-03:00",
        "hoje",
        "1/3/2026/1",
        "1/3-2026",
    ] {
        assert!(
            parse_date(refused).unwrap_err().ends_with("não é uma data; escreva a data como 20/11/2026."),
            "{refused}"
        );
    }
    assert_eq!(parse_date("05/01/2026 00:00:00").unwrap().to_string(), "2026-01-05");
    assert_eq!(parse_date("31/12/69").unwrap().to_string(), "2069-12-31");
    assert_eq!(parse_date("01/01/70").unwrap().to_string(), "1970-01-01");
    // Midnight in Greenwich is the evening before in Brazil.
    for refused in ["2026-03-01 14:30", "01/03/2026 00:00:01", "2026-03-01T00:00:00Z", "2026-03-01T14:30:00-03:00"] {
        let why = parse_date(refused).unwrap_err();
        assert!(why.contains("tem hora ou fuso") && why.contains("escreva 01/03/2026"), "{why}");
    }
}

#[test]
fn a_cell_gives_what_a_field_needs_or_says_why_not() {
    let points = |cell: &Cell| cell.percent().map(|points| points.to_string());
    let eighteen = Decimal::from(18);
    for cell in [text("18"), text("18,0%"), text("18 %"), Cell::Number(eighteen), Cell::Percent(eighteen)] {
        assert_eq!(points(&cell).unwrap().trim_end_matches(".0"), "18", "{cell:?}");
    }
    let day = Cell::Date(parse_date("2026-03-10").unwrap());
    assert!(day.percent().unwrap_err().contains("a data 10/03/2026"));
    assert!(day.decimal_by(DecimalMark::Usual).unwrap_err().contains("a data 10/03/2026"));
    assert!(Cell::Percent(eighteen).decimal_by(DecimalMark::Usual).unwrap_err().contains("porcentagem (18%)"));
    assert!(Cell::Number(eighteen).date().unwrap_err().contains("o número 18"));
    assert!(Cell::Bool(true).decimal_by(DecimalMark::Usual).unwrap_err().contains("VERDADEIRO"));
    assert_eq!(Cell::Invalid("por isso".to_owned()).text(), Err("por isso".to_owned()));
    for (written, expected) in [("sim", true), ("VERDADEIRO", true), ("true", true), ("Não", false), ("falso", false)]
    {
        assert_eq!(text(written).boolean(), Ok(expected));
    }
    assert!(text("talvez").boolean().unwrap_err().contains("sim ou não"));
    assert_eq!((day.text().unwrap().as_ref(), Cell::Percent(eighteen).text().unwrap().as_ref()), ("2026-03-10", "18%"));
    assert!(text(" \t").is_empty() && Cell::Empty.is_empty() && !Cell::Bool(false).is_empty());
}

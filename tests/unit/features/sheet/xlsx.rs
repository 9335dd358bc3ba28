//! XLSX: what the cells of a worksheet say, with the types and formats that they have.

use std::io::Cursor;
use std::ops::ControlFlow;

use proptest::prelude::*;
use taxd_sheet::{Cell, DecimalMark, read};

use super::{LINKS, PACKAGE, STRINGS, STYLES, WORKBOOK, archive, refusal, rows, workbook};

/// The cells of a worksheet with one row.
fn cells(row: &str) -> Vec<Cell<'static>> {
    let rows = rows(&workbook(&format!("<row r=\"7\">{row}</row>"))).unwrap();
    assert_eq!((rows.len(), rows[0].number), (1, 7));
    rows[0].cells.clone()
}

fn number(style: usize, stored: &str) -> Cell<'static> {
    cells(&format!("<c r=\"A7\" s=\"{style}\"><v>{stored}</v></c>")).remove(0)
}

fn text(text: &str) -> Cell<'static> {
    Cell::Text(text.to_owned().into())
}

#[test]
fn texts_are_shared_or_in_the_cell() {
    let found = cells(
        "<c r=\"A7\" t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c><c r=\"D7\" t=\"s\"><v>3</v></c>\
         <c t=\"inlineStr\"><is><r><t>a</t></r><r><t>b&#233;</t></r></is></c><c t=\"str\"><f>A1</f><v>=x</v></c><c t=\"s\"><v>2</v></c>",
    );
    assert_eq!(found, [text("código"), text("a b & c"), Cell::Empty, text("l1\r\nl2"), text("abé"), text("=x")]);
}

#[test]
fn numbers_are_the_shortest_decimal() {
    for (stored, shown) in [
        ("0.07000000000000001", "0.07"),
        ("0.30000000000000004", "0.3"),
        ("1234567.89", "1234567.89"),
        ("1.5E-3", "0.0015"),
        ("-2", "-2"),
        ("123456789012345", "123456789012345"),
    ] {
        assert_eq!(number(0, stored).decimal_by(DecimalMark::Usual).unwrap().to_string(), shown, "{stored}");
    }
    assert!(number(0, "1234567890123456").decimal_by(DecimalMark::Usual).unwrap_err().contains("15 dígitos"));
    assert!(matches!(number(0, "1e400"), Cell::Invalid(_)));
    assert!(matches!(number(0, "1e-40"), Cell::Invalid(_)));
}

proptest! {
    /// However a number is written, its first 15 digits are the same: `1234.5` has a short way of its own, `1.2345e3` none.
    #[test]
    fn a_number_is_the_same_in_every_notation(digits in -20_000_000_000_000_000_i64..20_000_000_000_000_000, scale in 0..12_u32) {
        let exact = rust_decimal::Decimal::new(digits, scale).to_string();
        let value: f64 = exact.parse().unwrap();
        for style in [0, 1] {
            for written in [exact.clone(), value.to_string()] {
                prop_assert_eq!(number(style, &written), number(style, &format!("{value:e}")), "{}", exact);
            }
        }
    }
}

#[test]
fn a_percentage_is_in_points() {
    for style in [1, 3] {
        assert_eq!(number(style, "0.18"), Cell::Percent(18.into()));
        assert_eq!(number(style, "0.0165").percent().unwrap().to_string(), "1.65");
    }
}

#[test]
fn days_are_read_by_the_format_of_the_cell() {
    let day = |style, stored| match number(style, stored) {
        Cell::Date(day) => day.to_string(),
        other => format!("{other:?}"),
    };
    for style in [2, 4, 6] {
        assert_eq!(day(style, "46091"), "2026-03-10");
    }
    assert_eq!(
        (day(2, "1"), day(2, "59"), day(2, "61")),
        ("1900-01-01".into(), "1900-02-28".into(), "1900-03-01".into())
    );
    assert!(day(2, "60").contains("fora do calendário"));
    assert!(day(2, "-1").contains("fora do calendário") && day(2, "1e300").contains("fora do calendário"));
    assert_eq!(number(2, "46091.6041666667"), text("2026-03-10 14:30:00"));
    assert!(matches!(number(5, "0.5"), Cell::Invalid(why) if why.contains("hora")));
}

#[test]
fn what_has_no_usable_value_says_why() {
    let found = cells(
        "<c t=\"e\"><v>#N/A</v></c><c><f>1+1</f></c><c t=\"b\"><v>1</v></c><c t=\"b\"><v>2</v></c><c t=\"d\"><v>2026-03-10T00:00:00</v></c>",
    );
    assert!(found[0].text().unwrap_err().contains("#N/A"));
    assert!(found[1].text().unwrap_err().contains("fórmula sem resultado guardado"));
    assert_eq!(found[2], Cell::Bool(true));
    assert!(matches!(found[3], Cell::Invalid(_)));
    assert_eq!(found[4].text().unwrap(), "2026-03-10");
}

#[test]
fn blank_rows_are_left_out_and_counted() {
    let data = "<row><c><v>1</v></c></row><row r=\"3\"><c s=\"1\"/><c t=\"s\"><v>2</v></c></row><row r=\"5\"><c r=\"B5\"><v>2</v></c></row><row/>";
    let found: Vec<_> = rows(&workbook(data)).unwrap().iter().map(|row| (row.number, row.cells.len())).collect();
    assert_eq!(found, [(1, 1), (5, 2)]);
}

#[test]
fn the_worksheet_is_the_first_one_shown_or_the_one_named() {
    let sheet = |value: u8| format!("<worksheet><sheetData><row><c><v>{value}</v></c></row></sheetData></worksheet>");
    let (one, two) = (sheet(1), sheet(2));
    let parts = [
        PACKAGE,
        LINKS,
        WORKBOOK,
        STYLES,
        STRINGS,
        ("xl/worksheets/sheet1.xml", &one),
        ("xl/worksheets/sheet2.xml", &two),
    ];
    let file = archive(&parts.map(|(name, text)| (name, text.as_bytes())));
    let first = |name| {
        let mut first = None;
        read(Cursor::new(&file), name, &mut |row| {
            first = Some(row.cell(0).text().unwrap().into_owned());
            ControlFlow::Break(())
        })
        .map(|()| first.unwrap())
    };
    assert_eq!(first(None).unwrap(), "1");
    assert_eq!(first(Some("listas")).unwrap(), "2");
    let missing = first(Some("Outra")).unwrap_err().to_string();
    assert!(missing.contains("\"Outra\"; tem \"Listas\", \"Regras\""), "{missing}");
    assert!(
        read(Cursor::new(b"a;b"), Some("x"), &mut |_| ControlFlow::Continue(())).unwrap_err().detail.contains("CSV")
    );
}

#[test]
fn days_may_count_from_1904() {
    let book = WORKBOOK.1.replace("<sheets>", "<workbookPr date1904=\"1\"/><sheets>");
    let sheet = "<worksheet><sheetData><row><c s=\"2\"><v>44629</v></c></row></sheetData></worksheet>";
    let parts = [PACKAGE, LINKS, (WORKBOOK.0, &book), STYLES, ("xl/worksheets/sheet1.xml", sheet)];
    let file = archive(&parts.map(|(name, text)| (name, text.as_bytes())));
    assert_eq!(rows(&file).unwrap()[0].cell(0).text().unwrap(), "2026-03-10");
}

#[test]
fn a_damaged_cell_is_refused_with_its_place() {
    let place = refusal(&workbook("<row r=\"2\"><c r=\"AB2\" t=\"s\"><v>99</v></c></row>"));
    assert!(place.starts_with("linha 2, coluna AB: "), "{place}");
    for (data, message) in [
        ("<row r=\"2\"/><row r=\"1\"><c><v>1</v></c></row>", "não estão em ordem"),
        ("<row r=\"2\"><c r=\"B2\"><v>1</v></c><c r=\"A2\"><v>1</v></c></row>", "não estão em ordem"),
        ("<row r=\"2\"><c r=\"XFE2\"><v>1</v></c></row>", "não estão em ordem"),
        ("<row r=\"9999999\"><c><v>1</v></c></row>", "não estão em ordem"),
        ("<row><c t=\"n\"><v>x</v></c></row>", "um número e não é"),
        ("<row><c t=\"z\"><v>x</v></c></row>", "tipo desconhecido"),
    ] {
        let why = refusal(&workbook(data));
        assert!(why.contains(message), "{data}: {why}");
    }
}

/// Programs that calculate nothing write the formula with an empty result. It was once read as an empty cell.
#[test]
fn a_formula_with_an_empty_result_has_no_value() {
    let found = cells("<c><f>1+1</f><v/></c><c t=\"str\"><f>\"\"</f><v></v></c><c><v>1</v></c>");
    assert!(found[0].text().unwrap_err().contains("fórmula sem resultado guardado"));
    assert_eq!(found[1], Cell::Empty);
}

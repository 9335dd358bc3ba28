//! A table that is declared once, for programs and for people.

use rust_decimal::Decimal;
use taxd_base::value::{Date, amount_in_brl, parse_decimal, with_separators};
use taxd_sheet::{Cell, Column, ColumnKind, Reader, column_letters, table_head, table_row};

struct Duty {
    word: &'static str,
    due: Option<Date>,
    amount: Decimal,
}

const COLUMNS: [Column<Duty>; 4] = [
    Column::said(
        "evento",
        "O que acontece",
        ColumnKind::Text,
        |duty| Cell::of(duty.word),
        |duty| Cell::of(format!("o dever {}", duty.word)),
    ),
    Column::new("dia", "Dia", ColumnKind::Date, |duty| duty.due.into()),
    Column::new("codigo", "", ColumnKind::Integer, |_| Cell::whole(7)),
    Column::new("", "Valor", ColumnKind::Decimal, |duty| duty.amount.into()),
];

fn decimal(text: &str) -> Decimal {
    parse_decimal(text).unwrap()
}

fn duty() -> Duty {
    Duty { word: "pagamento", due: Date::parse("2026-10-31").ok(), amount: decimal("-6419.71") }
}

#[test]
fn each_reader_has_its_own_columns_heads_and_words() {
    let heads = |reader| -> Vec<String> {
        let head = table_head("agenda", &COLUMNS, reader);
        assert_eq!(head.name, "agenda");
        head.columns.into_iter().map(|column| column.name).collect()
    };
    assert_eq!(heads(Reader::Program), ["evento", "dia", "codigo"]);
    assert_eq!(heads(Reader::Person), ["O que acontece", "Dia", "Valor"]);
    let due = Cell::Date(Date::parse("2026-10-31").unwrap());
    let duty = duty();
    let program = table_row(&COLUMNS, &duty, Reader::Program);
    assert_eq!(program, [Cell::of("pagamento"), due.clone(), Cell::whole(7)]);
    let person = table_row(&COLUMNS, &duty, Reader::Person);
    assert_eq!(person, [Cell::of("o dever pagamento"), due, Cell::Number(decimal("-6419.71"))]);
}

/// `taxd audit` wrote 2592,58 where `taxd calc` wrote 6.419,71.
#[test]
fn a_report_for_people_has_one_form_of_numbers_and_days() {
    let shown: Vec<String> = table_row(&COLUMNS, &duty(), Reader::Person).iter().map(Cell::shown).collect();
    assert_eq!(shown, ["o dever pagamento", "31/10/2026", "-6.419,71"]);
    assert_eq!(["2592.575", "-999.5", "0"].map(|text| amount_in_brl(decimal(text))), ["2.592,58", "-999,50", "0,00"]);
    assert_eq!(["-100", "1000000.5", "12"].map(with_separators), ["-100", "1.000.000,5", "12"]);
    assert_eq!([Cell::Empty, Cell::of(""), Cell::Bool(true)].map(|cell| cell.shown()), ["", "", "sim"]);
}

#[test]
fn columns_have_the_letters_of_a_spreadsheet() {
    assert_eq!([0, 25, 26, 701, 702].map(column_letters), ["A", "Z", "AA", "ZZ", "AAA"]);
}

#[test]
fn a_cell_without_a_value_is_empty() {
    let none: [Cell; 2] = [None::<Date>.into(), None::<Decimal>.into()];
    assert_eq!(none, [Cell::Empty, Cell::Empty]);
}

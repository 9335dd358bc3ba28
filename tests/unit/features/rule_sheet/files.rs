//! The table as a file: what is written to CSV and XLSX is read back.

use std::io::Cursor;

use rust_decimal::Decimal;
use serde_json::Value;
use taxd::features::rule_sheets::{read, table};
use taxd_law::tax::REGISTRY;
use taxd_sheet::{Cell, ColumnKind, Row, Table, TableColumn, TableHead, parse_date, write_csv, write_xlsx};

use super::built_in::rules;
use super::layout;
use crate::sheet::rows;

fn csv(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_csv(table, &mut bytes).unwrap();
    bytes
}

fn xlsx(table: &Table) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write_xlsx(std::slice::from_ref(table), &mut bytes).unwrap();
    bytes.into_inner()
}

/// Several rules of each tax, those with the most rows among them, as they come back from both files.
#[test]
fn rules_of_every_tax_come_back_from_both_files_as_they_were() {
    let rules = rules();
    for entry in REGISTRY {
        let tributo = entry.tributo.as_str();
        let layout = layout(tributo);
        let of_tax: Vec<&Value> = rules.iter().filter(|rule| rule["tributo"] == tributo).collect();
        let step = of_tax.len().div_ceil(40);
        let chosen: Vec<Value> = of_tax.iter().step_by(step).map(|rule| (*rule).clone()).collect();
        let table = table(&layout, "Regras", &chosen).unwrap();
        let from_csv = read(&rows(&csv(&table)).unwrap()).unwrap_or_else(|faults| panic!("{tributo}: {faults:#?}"));
        let from_xlsx = read(&rows(&xlsx(&table)).unwrap()).unwrap_or_else(|faults| panic!("{tributo}: {faults:#?}"));
        assert_eq!(from_csv.rules.len(), chosen.len(), "{tributo}");
        for ((csv, xlsx), rule) in from_csv.rules.iter().zip(&from_xlsx.rules).zip(&chosen) {
            assert_eq!(csv, xlsx, "{tributo}");
            assert_eq!((&csv["conteudo"], &csv["exemplos"]), (&rule["conteudo"], &rule["exemplos"]), "{tributo}");
        }
    }
}

#[test]
fn cells_keep_their_types_and_places() {
    let number = |text: &str| Cell::Number(text.parse::<Decimal>().unwrap());
    let column = |kind, choices: &[&str]| TableColumn {
        name: format!("{kind:?}"),
        kind,
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        width: 12,
    };
    let text = |text: &str| Cell::Text(text.to_owned().into());
    let day = Cell::Date(parse_date("2026-03-10").unwrap());
    let row = vec![text("01012100"), number("18.00"), number("7"), day.clone(), text("=1+1"), Cell::Percent(18.into())];
    let other = vec![text("-x\ny"), number("12.3400"), Cell::Empty, Cell::Empty, text("@a"), Cell::Bool(true)];
    let head = TableHead {
        name: "Tabela".to_owned(),
        frozen: (1, 1),
        columns: vec![
            column(ColumnKind::Text, &["a", "b"]),
            column(ColumnKind::Decimal, &[]),
            column(ColumnKind::Integer, &[]),
            column(ColumnKind::Date, &[]),
            column(ColumnKind::Text, &[]),
            column(ColumnKind::Decimal, &[]),
        ],
    };
    let table = Table { head, rows: vec![row.clone(), other.clone()] };
    let found: Vec<Row> = rows(&xlsx(&table)).unwrap();
    assert_eq!((&found[1].cells, &found[2].cells), (&row, &other));
    let written = String::from_utf8(csv(&table)).unwrap();
    let lines = "\u{feff}Text;Decimal;Integer;Date;Text;Decimal\n01012100;18,00;7;2026-03-10;'=1+1;18%\n\"'-x\ny\";12,3400;;;'@a;sim\n";
    assert_eq!(written, lines);
    assert_eq!(rows(written.as_bytes()).unwrap()[2].cell(0), &text("-x\ny"));
}

/// A code typed into a cell of a number loses its first zero.
#[test]
fn a_code_that_may_have_lost_a_zero_is_refused() {
    let columns = ["rule_code", "tributo", "escopo.ncm", "escopo.cest"].map(|name| Cell::Text(name.to_owned().into()));
    let fault = |ncm: u32, cest: u32| {
        let cells = vec![
            Cell::Text("a-b".into()),
            Cell::Text("icms_st".into()),
            Cell::Number(ncm.into()),
            Cell::Number(cest.into()),
        ];
        let rows = [Row { number: 1, cells: columns.to_vec() }, Row { number: 2, cells }];
        read(&rows).err().unwrap_or_default().into_iter().map(|fault| fault.detail).collect::<Vec<_>>()
    };
    assert_eq!(fault(22_030_000, 3_021_000), Vec::<String>::new());
    let found = fault(1_012_100, 302_100);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("01012100") && found[1].contains("0302100"), "{found:?}");
}

/// A template said that the condition of a sentence, and each component that an example may expect, were obligatory.
#[test]
fn a_template_says_obligatory_only_of_what_is_and_lists_the_taxes() {
    let layout = layout("icms");
    let column = |name: &str| layout.columns.iter().find(|column| column.name == name).unwrap();
    for name in ["avisos[].condicao", "exemplos[].detalhes.valor_icms"] {
        assert!(!column(name).explanation().contains("Obrigatório"), "{name}");
    }
    for name in ["rule_code", "avisos[].texto", "exemplos[].payload.uf_origem"] {
        assert!(column(name).explanation().contains("Obrigatório"), "{name}");
    }
    let table = table(&layout, "Regras", &[]).unwrap();
    let tributo = table.head.columns.iter().find(|column| column.name == "tributo").unwrap();
    assert_eq!(tributo.choices, taxd_law::tax::NAMES.as_slice());
}

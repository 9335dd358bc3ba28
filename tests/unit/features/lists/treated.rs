//! What a list says of the goods of a row beside its amount: the treatment, both margins, and the totals of a file.

use std::io::Cursor;
use std::ops::ControlFlow;

use rust_decimal::Decimal;
use serde_json::{Value, json};
use taxd::features::lists::{Asked, RowReply, is_own_total, result_cells};
use taxd_base::document::Node;
use taxd_base::problem::Problem;
use taxd_base::sentence::Reader;
use taxd_core::engine::Extras;
use taxd_law::tax::TaxAnswer;
use taxd_sheet::{Cell, ColumnKind, TableColumn, TableHead, XlsxWriter};

use crate::support::built_in_engine;

fn answer(payload: &Value) -> Result<TaxAnswer, Box<Problem>> {
    let text = payload.to_string();
    let Ok(Node::Object(object)) = Node::parse(text.as_bytes()) else { panic!("{text}") };
    built_in_engine().answer(&object, Extras::default(), None)
}

/// The cell of a column, as a text.
fn cell(answer: &Result<TaxAnswer, Box<Problem>>, name: &str, reader: Reader) -> String {
    let reply = answer.as_ref().map_or_else(|problem| RowReply::Refused(problem), RowReply::Tax);
    let cells = result_cells(&reply, reader);
    let place = Asked::Tax.columns().iter().position(|column| column.name == name).unwrap();
    // The number of the row is the first column, and no cell of these.
    cells[place - 1].text().unwrap().into_owned()
}

fn st(ncm: &str, cest: Option<&str>, uf_origem: &str, uf_destino: &str) -> Value {
    json!({
        "tributo": "icms_st", "ncm": ncm, "cest": cest, "uf_origem": uf_origem, "uf_destino": uf_destino,
        "data_operacao": "2026-03-10", "valor_produto": "1000.00",
    })
}

/// A list said of 188 of 200 products only that it has no rule for them, and not which of them may be under substitution. The rule of
/// shampoo in Minas Gerais has its margin and no rate, and the list showed neither.
#[test]
fn a_row_says_whether_its_goods_are_under_substitution_and_by_which_margins() {
    let rows = [
        (st("40111000", Some("1600100"), "MG", "SP"), "sujeito", "Sujeito à ST", "57.41", "46.68"),
        (st("40111000", Some("1600100"), "SP", "SP"), "sujeito", "Sujeito à ST", "46.68", ""),
        (st("33051000", Some("2001700"), "SP", "MG"), "sujeito", "Sujeito à ST", "", "37.93"),
        (st("10063021", None, "SP", "MG"), "nao_listado", "Fora da lista", "", ""),
        (st("49019900", None, "SP", "SP"), "pode_caber", "Pode caber", "", ""),
    ];
    for (payload, word, said, applied, original) in rows {
        let answer = answer(&payload);
        let [program, person] = [Reader::Program, Reader::Person].map(|to| cell(&answer, "taxd_tratamento", to));
        assert_eq!((program.as_str(), person.as_str()), (word, said), "{payload} {answer:?}");
        let margins = ["taxd_mva", "taxd_mva_original"].map(|name| cell(&answer, name, Reader::Program));
        assert_eq!(margins, [applied, original], "{payload} {answer:?}");
    }
}

#[test]
fn an_xlsx_has_the_sums_below_its_rows_and_a_list_that_is_read_again_passes_over_them() {
    let column = |name: &str, kind| TableColumn { name: name.to_owned(), kind, choices: Vec::new(), width: 9 };
    let columns = vec![column("Produto", ColumnKind::Text), column("Valor", ColumnKind::Decimal)];
    let head = TableHead { name: "taxd".to_owned(), columns, frozen: (1, 0) };
    let written = |rows: &[Option<&str>]| {
        let mut xlsx = XlsxWriter::new(&head).unwrap();
        xlsx.summing([1]);
        for amount in rows {
            let amount: Option<Decimal> = amount.map(|text| text.parse().unwrap());
            xlsx.row(&[Cell::Text("Pneu".to_owned().into()), amount.into()]).unwrap();
        }
        let mut file = Cursor::new(Vec::new());
        xlsx.finish(&mut file).unwrap();
        let mut read = Vec::new();
        file.set_position(0);
        taxd_sheet::read(file, None, &mut |row| {
            read.push(row.into_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
        read
    };
    let read = written(&[Some("10.25"), None, Some("0.75")]);
    assert_eq!(read.iter().map(is_own_total).collect::<Vec<_>>(), [false, false, false, false, true]);
    assert_eq!(read[4].cell(1).text().unwrap(), "11.00");
    // A table without rows has nothing to add up.
    assert_eq!(written(&[]).len(), 1);
}

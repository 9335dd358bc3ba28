//! The report on documents as an XLSX: what was not compared comes first.

use std::io::Cursor;
use std::ops::ControlFlow;

use taxd::sheet;

use crate::page_documents::{saved, send};
use crate::support::{DataDir, RIGHT};

/// The file that the page saves opens on the reasons, counted, in the words of the page.
#[test]
fn the_saved_xlsx_begins_with_what_was_not_compared() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let report = send(&server, &[("nota.xml", RIGHT.as_bytes())]);
    let xlsx = saved(&server, &report, "xlsx").body;
    let names = sheet::worksheets(Cursor::new(&xlsx)).unwrap();
    assert_eq!(names, [Some("O que não foi comparado".to_owned()), Some("taxd".to_owned())]);
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row| {
        rows.push([0, 1, 3, 7].map(|column| row.cell(column).text().unwrap_or_default().into_owned()));
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(&xlsx), None, &mut take).unwrap();
    assert_eq!(rows[0], ["Motivo", "Linhas", "Situação", "Exemplo: arquivo"]);
    let idle = rows.iter().find(|row| row[2] == "Não se aplica").unwrap();
    assert!(idle[1] != "0" && idle[3] == "nota.xml", "{rows:?}");
}

//! The report on documents as an XLSX: what to correct comes first.

use std::io::Cursor;
use std::ops::ControlFlow;

use serde_json::{Value, json};
use taxd::sheet;

use crate::page_documents::{events, send};
use crate::support::{DataDir, RIGHT, Reply, Server};

/// The report as the page saves it, from the columns and cells that came with its lines.
pub fn saved(server: &Server, report: &Reply, form: &str) -> Reply {
    let (mut before, mut after, mut is_before) = (Vec::new(), Vec::new(), false);
    for event in report.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let line = match (&event["planilha"], &event["linha_da_planilha"]) {
            (Value::Object(head), _) => {
                is_before = head["antes"] == true;
                json!({"nome": head["nome"], "colunas": head["colunas"], "inteira": true})
            }
            (_, Value::Array(cells)) => json!(cells),
            _ => continue,
        };
        if is_before { before.push(line) } else { after.push(line) }
    }
    let head = json!({"colunas": events(report, "colunas")[0], "nome": "Linhas"});
    let lines = [before, vec![head], events(report, "celulas"), after].concat();
    let table: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
    server.post(&format!("/sandbox/v1/planilha?formato={form}"), &table)
}

/// The file that the page saves has the reasons, counted, in the words of the page.
#[test]
fn the_saved_xlsx_has_what_to_correct_and_what_was_not_compared() {
    let dir = DataDir::ready();
    let server = dir.serve(&[]);
    let report = send(&server, &[("nota.xml", RIGHT.as_bytes())]);
    let xlsx = saved(&server, &report, "xlsx").body;
    let names = sheet::worksheets(Cursor::new(&xlsx)).unwrap();
    assert_eq!(names, ["O que corrigir", "Por produto", "Linhas", "Não conferido"].map(|name| Some(name.to_owned())));
    let mut rows = Vec::new();
    let mut take = |row: sheet::Row| {
        rows.push([0, 1, 3, 7].map(|column| row.cell(column).text().unwrap_or_default().into_owned()));
        ControlFlow::Continue(())
    };
    sheet::read(Cursor::new(&xlsx), Some("Não conferido"), &mut take).unwrap();
    assert_eq!(rows[0], ["Motivo", "Linhas", "Situação", "Exemplo: arquivo"]);
    let idle = rows.iter().find(|row| row[2] == "Não se aplica").unwrap();
    assert!(idle[1] != "0" && idle[3] == "nota.xml", "{rows:?}");
}

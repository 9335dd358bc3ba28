//! Files made to break their reader: none panics, and none costs more memory than the limits allow.

use std::io::Cursor;
use std::ops::ControlFlow;

use proptest::prelude::*;
use taxd_sheet::{Cell, ColumnKind, MAX_COLUMNS, SheetLimits, Table, TableColumn, TableHead, read_within, write_xlsx};

use super::{LINKS, PACKAGE, STRINGS, STYLES, WORKBOOK, archive, refusal, rows, workbook};

fn with(name: &str, bytes: &[u8]) -> Vec<u8> {
    let sheet =
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>");
    let mut parts = [PACKAGE, LINKS, WORKBOOK, STYLES, STRINGS, sheet].map(|(name, text)| (name, text.as_bytes()));
    parts.iter_mut().filter(|(own, _)| *own == name).for_each(|part| part.1 = bytes);
    archive(&parts)
}

#[test]
fn a_part_that_expands_beyond_its_limit_is_refused() {
    let zeros = vec![b' '; 17 << 20];
    for part in ["xl/styles.xml", "xl/workbook.xml", "_rels/.rels"] {
        let bomb = with(part, &zeros);
        assert!(bomb.len() < 64 << 10, "{}", bomb.len());
        assert!(refusal(&bomb).contains("grande demais"), "{part}");
    }
    // In a worksheet, one element may not be as long.
    let cell = [b"<worksheet><sheetData><row><c t=\"str\"><v>".as_slice(), &vec![b'x'; 17 << 20]].concat();
    assert!(refusal(&with("xl/worksheets/sheet1.xml", &cell)).contains("Uma célula do arquivo é grande demais"));
}

/// Each of four million empty texts cost 24 bytes and was not counted.
#[test]
fn shared_strings_are_counted_with_what_each_costs() {
    let strings = |text: &[u8], count: usize| [b"<sst>".as_slice(), &text.repeat(count), b"</sst>"].concat();
    let limits = SheetLimits { strings_bytes: 1 << 20, ..SheetLimits::default() };
    let read = |strings: &[u8]| {
        let file = Cursor::new(with("xl/sharedStrings.xml", strings));
        read_within(file, None, limits, &mut |_| ControlFlow::Continue(())).map_err(|error| error.to_string())
    };
    assert_eq!(read(&strings(b"<si/>", 65_000)), Ok(()));
    assert!(read(&strings(b"<si/>", 66_000)).unwrap_err().contains("passam de 1 MiB; divida o arquivo"));
    let long = format!("<si><t>{}</t></si>", "x".repeat(900));
    let refused = read(&strings(long.as_bytes(), 2_000)).unwrap_err();
    assert!(refused.contains("passam de 1 MiB") || refused.contains("grande demais"), "{refused}");
}

/// A row of 16,384 cells that all have one text of 30 KB took half a gigabyte.
#[test]
fn the_texts_of_a_row_are_counted_in_each_cell_that_has_them() {
    let strings = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(30_000));
    let row = |cells: usize| {
        let cells = "<c t=\"s\"><v>0</v></c>".repeat(cells);
        let sheet = format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>");
        let parts = [PACKAGE, LINKS, WORKBOOK, STYLES, ("xl/sharedStrings.xml", strings.as_str())];
        let sheet = [("xl/worksheets/sheet1.xml", sheet.as_str())];
        archive(&parts.into_iter().chain(sheet).map(|(name, text)| (name, text.as_bytes())).collect::<Vec<_>>())
    };
    assert_eq!(rows(&row(500)).unwrap()[0].cells.len(), 500);
    assert!(refusal(&row(MAX_COLUMNS)).starts_with("linha 1: A linha passa de 16 MiB"));
}

#[test]
fn a_truncated_file_is_refused() {
    let whole = workbook(&"<row><c t=\"s\"><v>0</v></c></row>".repeat(1000));
    assert_eq!(rows(&whole).unwrap().len(), 1000);
    for length in (4..whole.len()).step_by(97) {
        assert!(refusal(&whole[..length]).contains("XLSX"), "{length}");
    }
    for part in [
        ("xl/worksheets/sheet1.xml", "<worksheet><sheetData><row><c><v>1</v></c></row>"),
        ("xl/sharedStrings.xml", "<sst><si><t>a</t></si>"),
    ] {
        assert!(refusal(&with(part.0, part.1.as_bytes())).contains("cortado"), "{}", part.0);
    }
    assert!(refusal(&archive(&[("a.txt", b"x")])).contains("não é um XLSX"));
}

#[test]
fn a_document_type_is_refused() {
    let bomb = b"<!DOCTYPE w [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>";
    assert!(refusal(&with("xl/worksheets/sheet1.xml", bomb)).contains("tipo de documento"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = rows(&bytes);
        let _ = rows(&[b"PK\x03\x04".as_slice(), &bytes].concat());
        let _ = rows(&with("xl/worksheets/sheet1.xml", &bytes));
    }

    #[test]
    fn a_workbook_with_changed_bytes_is_read_or_refused(changes in proptest::collection::vec((0usize..4000, any::<u8>()), 1..8)) {
        let sheet = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" s=\"2\"><v>46091</v></c></row></sheetData></worksheet>";
        for part in [STYLES, STRINGS, WORKBOOK, LINKS, ("xl/worksheets/sheet1.xml", sheet)] {
            let mut bytes = part.1.as_bytes().to_vec();
            for (place, byte) in &changes {
                let place = place % bytes.len();
                bytes[place] = *byte;
            }
            let _ = rows(&with(part.0, &bytes));
        }
    }
}

/// Each of these was "not an XLSX", or a list of strange rows, without a word on what to do.
#[test]
fn other_formats_are_recognised_by_their_bytes() {
    let ods = archive(&[("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", b"<x/>")]);
    assert!(refusal(&ods).contains(".ods") && refusal(&ods).contains("salve-o como .xlsx"));
    let xlsb = archive(&[("_rels/.rels", b"<x/>"), ("xl/workbook.bin", b"")]);
    assert!(refusal(&xlsb).contains(".xlsb"));
    assert!(refusal(b"\r\n <table><tr><td>ncm</td></tr></table>").contains("HTML"));
    assert!(refusal(b"\xef\xbb\xbf<?xml version=\"1.0\"?>").contains("XML"));
}

#[test]
fn what_an_xlsx_cannot_have_is_an_error_with_its_row_and_column() {
    let column = TableColumn { name: "a".to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 9 };
    let write = |columns: usize, cells: Vec<Cell<'static>>| {
        let head = TableHead { name: "x".to_owned(), columns: vec![column.clone(); columns], frozen: (1, 0) };
        let mut out = std::io::Cursor::new(Vec::new());
        write_xlsx(&[Table { head, rows: vec![cells] }], &mut out).map_err(|e| e.to_string())
    };
    let text = |length: usize| Cell::Text("é".repeat(length).into());
    assert_eq!(write(2, vec![Cell::Empty, text(32_767)]), Ok(()));
    let long = write(2, vec![Cell::Empty, text(32_768)]).unwrap_err();
    assert!(long.contains("row 2, column B") && long.contains("32767"), "{long}");
    let wide = write(MAX_COLUMNS + 1, Vec::new()).unwrap_err();
    assert!(wide.contains("16385 columns") && wide.contains("column XFD"), "{wide}");
}

//! CSV as spreadsheet programs and ERPs write it.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use proptest::collection::vec;
use proptest::prelude::*;
use taxd_sheet::{Cell, ColumnKind, CsvWriter, MAX_COLUMNS, TableColumn, TableHead, read};

use super::{refusal, rows, texts};
use crate::property::cases;

fn row(number: u32, cells: &[&str]) -> (u32, Vec<String>) {
    (number, cells.iter().map(|cell| (*cell).to_owned()).collect())
}

#[test]
fn the_separator_is_the_one_that_the_first_row_has_most() {
    for separator in [";", ",", "\t"] {
        let text = "codigo;\"a;b,c\td\";valor\n1;2;\n".replace("codigo;", &format!("codigo{separator}"));
        let text =
            text.replace(";valor", &format!("{separator}valor")).replace("1;2;", &format!("1{separator}2{separator}"));
        assert_eq!(texts(text.as_bytes()), [row(1, &["codigo", "a;b,c\td", "valor"]), row(2, &["1", "2"])]);
    }
    assert_eq!(texts(b"sep=,\na,b;c\n"), [row(2, &["a", "b;c"])]);
    assert_eq!(texts(b"so uma coluna\n1,5"), [row(1, &["so uma coluna"]), row(2, &["1,5"])]);
}

#[test]
fn rows_have_the_numbers_that_the_spreadsheet_program_shows() {
    let text = "\r\n a ;b\r\n;;\r\n\r\n\"linha 1\r\nlinha 2\";\"aspas \"\"x\"\"\"\r\n  ;\t\r\nfim;3/4\"";
    let expected = [row(2, &["a", "b"]), row(5, &["linha 1\r\nlinha 2", "aspas \"x\""]), row(7, &["fim", "3/4\""])];
    assert_eq!(texts(text.as_bytes()), expected);
    assert_eq!(texts(text.replace("\r\n", "\n").as_bytes())[1].0, 5);
    // A lone carriage return ends a row too.
    assert_eq!(texts(b"a;b\r1;2\r"), [row(1, &["a", "b"]), row(2, &["1", "2"])]);
    assert_eq!(texts(b""), []);
}

#[test]
fn the_text_is_utf_8_or_windows_1252() {
    let expected = [row(1, &["código", "município"]), row(2, &["–", "São Paulo"])];
    let utf8 = "código;município\n–;São Paulo\n";
    assert_eq!(texts(utf8.as_bytes()), expected);
    assert_eq!(texts(format!("\u{feff}{utf8}").as_bytes()), expected);
    assert_eq!(texts(b"c\xf3digo;munic\xedpio\n\x96;S\xe3o Paulo\n"), expected);
    // Its cells one after the other are UTF-8, and each of them is not.
    assert_eq!(
        texts(b"HORTEL\xc3;\x96 fresca\nS\xe3o Paulo\n"),
        [row(1, &["HORTELÃ", "– fresca"]), row(2, &["São Paulo"])]
    );
    // A damaged row of a UTF-8 file is not another encoding.
    assert!(refusal(b"c\xc3\xb3digo\n\xe3\n").starts_with("linha 2: A linha não é UTF-8"));
    assert!(refusal(b"\xef\xbb\xbfa\n\xe3\n").contains("UTF-8"));
    assert!(refusal(b"\xff\xfea\0;\0").contains("UTF-16"));
}

#[test]
fn a_guard_against_formulas_is_not_part_of_the_text() {
    assert_eq!(texts(b"'=1+1;''-x;'abc;-5"), [row(1, &["=1+1", "'-x", "'abc", "-5"])]);
}

/// A text that began with a line feed or a full-width sign was written as it is.
#[test]
fn every_text_that_a_program_could_run_is_guarded_and_comes_back() {
    let starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    let cells: Vec<String> = starts.iter().map(|start| format!("{start}HYPERLINK(\"x\")")).collect();
    let column = TableColumn { name: "a".to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 9 };
    let head = TableHead { name: "t".to_owned(), columns: vec![column; cells.len()], frozen: (1, 0) };
    let row: Vec<Cell> = cells.iter().map(|text| Cell::Text(text.into())).collect();
    for for_people in [true, false] {
        let mut bytes = Vec::new();
        let writer = CsvWriter::new(&mut bytes, &head).unwrap();
        let mut writer = if for_people { writer.for_people() } else { writer };
        writer.row(&row).unwrap();
        writer.finish().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        for start in starts {
            assert!(text.contains(&format!("'{start}HYPERLINK")), "{start:?} is not guarded: {text}");
        }
        let read = rows(&bytes).unwrap().remove(1).cells;
        assert_eq!(read, row, "as it was");
    }
}

/// All cells of a row of sixteen megabytes were made before it was refused.
#[test]
fn a_row_is_refused_at_its_first_cell_too_many() {
    struct Watched(Cursor<Vec<u8>>, u64);
    impl Read for Watched {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            self.1 = self.1.max(self.0.position());
            Ok(read)
        }
    }
    impl Seek for Watched {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    let mut file = Watched(Cursor::new([b"a;b\n".as_slice(), &b"a;".repeat(1 << 20)].concat()), 0);
    let error = read(&mut file, None, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(error.to_string().starts_with("linha 2: A linha tem mais de 16384 colunas"), "{error}");
    assert!(file.1 < 64 * 1024, "{} bytes were read for 16,385 cells", file.1);
}

#[test]
fn a_row_of_all_columns_that_a_program_has_is_read() {
    let cells = rows("a;".repeat(MAX_COLUMNS - 1).as_bytes()).unwrap().remove(0).cells;
    assert_eq!(cells.len(), MAX_COLUMNS - 1);
}

#[test]
fn what_is_not_a_csv_is_refused_with_its_row() {
    assert!(refusal(b"a;b\n1;\"aberta\n2;3\n").starts_with("linha 2: As aspas"));
    assert!(refusal(b"a;b\nx\0y;1\n").starts_with("linha 2: A linha tem um byte nulo"));
    assert!(refusal(b"\xd0\xcf\x11\xe0\xa1\xb1").contains(".xls"));
    let many = ";".repeat(10_000_000);
    assert!(refusal(many.as_bytes()).contains(&format!("mais de {MAX_COLUMNS} colunas")));
    assert!(rows(";".repeat(MAX_COLUMNS - 1).as_bytes()).is_ok());
    let long = [b"a\n\"".as_slice(), &vec![b'x'; 20 << 20], b"\""].concat();
    assert!(refusal(&long).starts_with("linha 2: A linha passa de 16 MiB"));
}

/// A spreadsheet program reads a code as a number, and drops zeros, points, and digits beyond the fifteenth.
#[test]
fn codes_are_texts_in_a_file_for_people_and_codes_again_when_it_is_read() {
    let codes = ["03049900", "1.07", "2203.00.00", "35260311222333000181550010000000011000000017"];
    let others = ["0", "22030000", "1.234", "=\"1\"", ""];
    let column = |_: &&str| TableColumn { name: "a".to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 9 };
    let cells: Vec<&str> = codes.into_iter().chain(others).collect();
    let head = TableHead { name: "t".to_owned(), columns: cells.iter().map(column).collect(), frozen: (1, 0) };
    let row: Vec<Cell> = cells.iter().map(|text| Cell::Text((*text).to_owned().into())).collect();
    let mut bytes = Vec::new();
    let mut writer = CsvWriter::new(&mut bytes, &head).unwrap().for_people();
    writer.row(&row).unwrap();
    writer.finish().unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let written = text.lines().nth(1).unwrap();
    assert!(written.starts_with("\"=\"\"03049900\"\"\";\"=\"\"1.07\"\"\";"), "{written}");
    assert!(written.ends_with(";0;22030000;1.234;\"'=\"\"1\"\"\";"), "{written}");
    assert_eq!(texts(&bytes)[1].1, &cells[..cells.len() - 1]);
}

/// A file of which each read gives a few bytes.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(3);
        self.0.read(&mut buffer[..most])
    }
}

impl Seek for Trickle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Every other program reads a CSV so: where a cell and a row end, and which quotes are of a text.
    #[test]
    fn rows_are_read_as_the_crate_csv_reads_them(text in "[ab1é ;\"\n\r]{0,60}") {
        let text = format!("x;y;z\n{text}");
        let mut ours: Vec<Vec<String>> = Vec::new();
        let read = read(Trickle(Cursor::new(text.clone().into_bytes())), None, &mut |row| {
            ours.push(row.cells.iter().map(|cell| cell.text().unwrap().into_owned()).collect());
            ControlFlow::Continue(())
        });
        if let Err(error) = read {
            prop_assert!(error.to_string().contains("não fecham"), "{error}");
            return Ok(());
        }
        let mut theirs = ::csv::ReaderBuilder::new()
            .delimiter(b';').flexible(true).has_headers(false).from_reader(text.as_bytes());
        let cells = |record: &::csv::StringRecord| {
            let mut cells: Vec<String> = record.iter().map(|cell| cell.trim().to_owned()).collect();
            cells.truncate(cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1));
            cells
        };
        let theirs: Vec<Vec<String>> =
            theirs.records().map(|record| cells(&record.unwrap())).filter(|cells| !cells.is_empty()).collect();
        prop_assert_eq!(ours, theirs, "{:?}", text);
    }

    /// Every other program writes a CSV so: which cells are in quotes, and a row of one empty cell.
    #[test]
    fn rows_are_written_as_the_crate_csv_writes_them(
        rows in vec(vec("[ab1;,\"\n\r\t é]{0,6}", 1..4), 0..6), long in "[a;\"]{0,40}"
    ) {
        let column = TableColumn { name: "x".to_owned(), kind: ColumnKind::Text, choices: Vec::new(), width: 9 };
        let head = TableHead { name: "t".to_owned(), columns: vec![column], frozen: (1, 0) };
        let mut written = Vec::new();
        let mut ours = CsvWriter::new(&mut written, &head).unwrap();
        let mut theirs = ::csv::WriterBuilder::new().delimiter(b';').flexible(true).from_writer(Vec::new());
        theirs.write_record(["x"]).unwrap();
        for row in rows.iter().chain([&vec![long]]) {
            // A text without letters before it may be guarded, which is tried elsewhere.
            let texts: Vec<String> =
                row.iter().map(|text| if text.is_empty() { String::new() } else { format!("a{text}") }).collect();
            ours.row(&texts.iter().map(Cell::of).collect::<Vec<_>>()).unwrap();
            theirs.write_record(&texts).unwrap();
        }
        ours.finish().unwrap();
        let theirs = theirs.into_inner().unwrap();
        prop_assert_eq!(&written, &["\u{feff}".as_bytes(), &theirs].concat());
    }
}

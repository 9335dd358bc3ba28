//! `POST /sandbox/v1/planilha`: a table that the page shows, as a file for a spreadsheet program.
//!
//! The body is JSON lines, also compressed with gzip: the columns (`{"colunas":[{"nome":"Valor","tipo":"decimal"}]}`),
//! then the cells of each row, in the form of [`CellJson`], with null for an empty one. Before and after this table may be
//! others (`"inteira":true`, with its `nome`), which an XLSX has on worksheets of their own, and a CSV leaves out.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;
use hyper::Request;
use hyper::body::Incoming;
use serde::Deserialize;

use super::cell::CellJson;
use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::Timestamp;
use crate::core::calls::Caller;
use crate::core::service::Service;
use crate::features::lists::column_width;
use crate::http::body_writer::BodyWriter;
use crate::http::query::{self, Query};
use crate::http::turn::Turn;
use crate::http::upload::{FileQuestion, no_spreadsheet};
use crate::sheet::{Cell, ColumnKind, CsvWriter, MAX_COLUMNS, MAX_ROWS, Table, TableColumn, TableHead, XlsxWriter};

/// First bytes of a compressed body.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// Most bytes of the table once it is expanded.
const MAX_TABLE_BYTES: u64 = 512 * 1024 * 1024;
/// Most cells of the table, empty ones left out. In an XLSX, which is written to a temporary file before it is
/// compressed, the shortest takes some thirty bytes.
const MAX_CELLS: usize = 8_000_000;
const MAX_LINE_BYTES: u64 = 1024 * 1024;
/// Most bytes of the tables around that of the rows, which are in memory, and most of them.
const MAX_WHOLE_BYTES: usize = 16 * 1024 * 1024;
const MAX_WHOLE_TABLES: usize = 8;
/// Widest column of a spreadsheet, in characters.
const MAX_WIDTH: usize = 255;
/// Most characters of the name of a worksheet.
const MAX_NAME: usize = 31;

pub(super) const FORMATO: Field = query::parameter("formato", "xlsx ou csv", Shape::Text, Some("xlsx"));
const NOME: Field = query::parameter("nome", "Nome da planilha", Shape::Text, None);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileForm {
    Xlsx,
    Csv,
}

impl FileForm {
    /// Takes the form out of the query.
    pub(super) fn take(q: &mut Query) -> FileForm {
        let read = |text: &str| match text {
            "xlsx" => Ok(FileForm::Xlsx),
            "csv" => Ok(FileForm::Csv),
            _ => Err("Use xlsx ou csv.".to_owned()),
        };
        q.take(&FORMATO, read).unwrap_or(FileForm::Xlsx)
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            FileForm::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            FileForm::Csv => "text/csv; charset=utf-8",
        }
    }
}

/// The first line of a table.
#[derive(Deserialize)]
struct TableDeclaration {
    colunas: Vec<DeclaredColumn>,
    /// The name of its worksheet.
    nome: Option<String>,
    /// True for a table around that of the rows.
    #[serde(default)]
    inteira: bool,
}

/// Takes the cells of a row.
type TakeCells<'t> = dyn FnMut(&[Cell<'_>]) -> Result<(), Box<Problem>> + 't;

/// A line of the body.
enum TableLine<'k> {
    Table(TableDeclaration),
    /// The cells of a row of the last table, the kinds of its columns, and the bytes of the row.
    Row(Vec<Option<CellJson>>, &'k [ColumnKind], usize),
}

/// The tables of a body, but for the rows of the main one, which are written as they are read.
#[derive(Default)]
struct TablesOfBody {
    main: Option<TableHead>,
    before: Vec<Table>,
    after: Vec<Table>,
    /// The columns of the main one that have a sum.
    sums: Vec<usize>,
    is_in_main: bool,
    /// Of the tables around the main one.
    bytes: usize,
}

#[derive(Deserialize)]
struct DeclaredColumn {
    nome: String,
    #[serde(default = "text")]
    tipo: ColumnKind,
    /// Its width in characters; by its name if left out.
    largura: Option<usize>,
    /// Whether an XLSX has its sum below the rows.
    #[serde(default)]
    soma: bool,
}

fn text() -> ColumnKind {
    ColumnKind::Text
}

/// A table that is asked for as a file.
pub(crate) struct TableQuestion {
    form: FileForm,
    name: String,
}

impl FileQuestion for TableQuestion {
    fn read(request: &Request<Incoming>, _: Timestamp) -> Result<TableQuestion, Box<Problem>> {
        let mut q = Query::parse(request.uri().query().unwrap_or_default());
        let form = FileForm::take(&mut q);
        let name = q.take(&NOME, |name| Ok(worksheet_name(name))).unwrap_or_else(|| "taxd".to_owned());
        q.finish()?;
        Ok(TableQuestion { form, name })
    }

    fn known_at(&self) -> Option<Timestamp> {
        None
    }

    fn content_type(&self) -> &'static str {
        self.form.content_type()
    }

    fn answer(self, bytes: &[u8], _: &Service, _: &Caller, writer: &mut BodyWriter) -> Result<(), Box<Problem>> {
        write(bytes, self.form, &self.name, writer)
    }
}

fn refused(detail: impl Into<Sentence>) -> Box<Problem> {
    Box::new(Problem::new(ErrorCode::PayloadInvalido, detail))
}

/// The characters that the name of a worksheet may have.
fn worksheet_name(name: &str) -> String {
    let kept: String =
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.')).take(MAX_NAME).collect();
    let kept = kept.trim();
    if kept.is_empty() { "taxd".to_owned() } else { kept.to_owned() }
}

/// Writes the file. The whole body is read first, so that a fault in it is a refusal and not a file that is cut off.
fn write(bytes: &[u8], form: FileForm, name: &str, out: &mut BodyWriter) -> Result<(), Box<Problem>> {
    let turn = out.turn().clone();
    let mut tables = TablesOfBody::default();
    read_tables(bytes, &turn, &mut |line| tables.take(line, name))?;
    let Some(head) = tables.main.take() else {
        return Err(refused("Falta a tabela das linhas: uma que não seja inteira."));
    };
    let failed = |e: io::Error| no_spreadsheet(&e);
    let rows = |row: &mut TakeCells<'_>| {
        let mut is_in_main = false;
        read_tables(bytes, &turn, &mut |line| match line {
            TableLine::Table(declared) => {
                is_in_main = !declared.inteira;
                Ok(())
            }
            TableLine::Row(cells, kinds, _) if is_in_main => row(&cells_of(cells, kinds)),
            TableLine::Row(..) => Ok(()),
        })
    };
    match form {
        FileForm::Csv => {
            let Ok(csv) = CsvWriter::new(&mut *out, &head) else { return Ok(()) };
            let mut csv = csv.for_people();
            let mut reader_left = false;
            let read = rows(&mut |cells| {
                reader_left = csv.row(cells).is_err();
                if reader_left { Err(refused("")) } else { Ok(()) }
            });
            let ended = csv.finish();
            // A reader that has gone needs no end.
            if reader_left || ended.is_err() { Ok(()) } else { read }
        }
        FileForm::Xlsx => {
            let mut xlsx = XlsxWriter::new(&head).map_err(failed)?;
            xlsx.summing(tables.sums);
            xlsx.around(tables.before, tables.after);
            rows(&mut |cells| xlsx.row(cells).map_err(failed))?;
            match out.whole(|file| xlsx.finish(file)) {
                // A reader that has gone needs no end.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
                _ => Ok(()),
            }
        }
    }
}

impl TablesOfBody {
    fn take(&mut self, line: TableLine<'_>, name: &str) -> Result<(), Box<Problem>> {
        match line {
            TableLine::Table(TableDeclaration { colunas, nome, inteira }) => {
                self.is_in_main = !inteira;
                if !inteira {
                    let sums = colunas.iter().enumerate().filter(|(_, column)| column.soma);
                    self.sums = sums.map(|(place, _)| place).collect();
                }
                let head = table_head(nome.map_or_else(|| name.to_owned(), |nome| worksheet_name(&nome)), colunas);
                if inteira {
                    if self.before.len() + self.after.len() >= MAX_WHOLE_TABLES {
                        return Err(refused(format!("Há mais de {MAX_WHOLE_TABLES} tabelas inteiras.")));
                    }
                    let around = if self.main.is_some() { &mut self.after } else { &mut self.before };
                    around.push(Table { head, rows: Vec::new() });
                } else if self.main.replace(head).is_some() {
                    return Err(refused("Só uma tabela não é inteira: a das linhas."));
                }
            }
            TableLine::Row(..) if self.is_in_main => {}
            TableLine::Row(cells, kinds, bytes) => {
                self.bytes += bytes;
                if self.bytes > MAX_WHOLE_BYTES {
                    return Err(refused("As tabelas inteiras passam de 16 MiB."));
                }
                if let Some(table) = self.after.last_mut().or(self.before.last_mut()) {
                    table.rows.push(cells_of(cells, kinds));
                }
            }
        }
        Ok(())
    }
}

fn table_head(name: String, columns: Vec<DeclaredColumn>) -> TableHead {
    let columns = columns.into_iter().map(|DeclaredColumn { nome, tipo, largura, .. }| TableColumn {
        width: largura.map_or_else(|| column_width(&nome, tipo), |width| width.min(MAX_WIDTH)),
        name: nome,
        kind: tipo,
        choices: Vec::new(),
    });
    TableHead { name, columns: columns.collect(), frozen: (1, 0) }
}

fn cells_of(row: Vec<Option<CellJson>>, kinds: &[ColumnKind]) -> Vec<Cell<'static>> {
    row.into_iter().zip(kinds).map(|(cell, kind)| cell.map_or(Cell::Empty, |cell| cell.read(*kind))).collect()
}

/// Reads the tables line by line.
fn read_tables(
    bytes: &[u8],
    turn: &Turn,
    take: &mut dyn FnMut(TableLine<'_>) -> Result<(), Box<Problem>>,
) -> Result<(), Box<Problem>> {
    let whole: Box<dyn Read> =
        if bytes.starts_with(GZIP_MAGIC) { Box::new(MultiGzDecoder::new(bytes)) } else { Box::new(bytes) };
    let mut input = BufReader::new(whole.take(MAX_TABLE_BYTES + 1));
    let mut total = 0;
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| -> Result<bool, Box<Problem>> {
        turn.pass();
        line.clear();
        let read = input.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', line);
        let read = u64::try_from(read.map_err(|e| refused(format!("A tabela não chegou inteira ({e}).")))?);
        let read = read.unwrap_or(u64::MAX);
        total += read;
        if read > MAX_LINE_BYTES || total > MAX_TABLE_BYTES {
            return Err(refused("A tabela passa de 512 MiB, ou uma linha dela de 1 MiB; divida-a."));
        }
        Ok(read > 0)
    };
    let (mut kinds, mut rows, mut filled): (Vec<ColumnKind>, u32, usize) = (Vec::new(), 0, 0);
    while next(&mut line)? {
        if line.trim_ascii().is_empty() && !kinds.is_empty() {
            continue;
        }
        rows += 1;
        if kinds.is_empty() || line.starts_with(b"{") {
            let head = declared(&line)?;
            (kinds, rows) = (head.colunas.iter().map(|column| column.tipo).collect(), 1);
            take(TableLine::Table(head))?;
            continue;
        }
        let cells: Vec<Option<CellJson>> = serde_json::from_slice(&line)
            .map_err(|e| refused(format!("A linha {rows} da tabela tem um erro ({e}).")))?;
        if rows > MAX_ROWS || cells.len() > kinds.len() {
            return Err(refused(format!(
                "A linha {rows} da tabela tem mais células que as colunas declaradas, ou há mais linhas que as {MAX_ROWS} de uma planilha."
            )));
        }
        filled += cells.iter().flatten().count();
        if filled > MAX_CELLS {
            return Err(refused("A tabela tem mais de 8 milhões de células; divida-a."));
        }
        take(TableLine::Row(cells, &kinds, line.len()))?;
    }
    if kinds.is_empty() { declared(&line).map(drop) } else { Ok(()) }
}

/// Reads the first line of a table.
fn declared(line: &[u8]) -> Result<TableDeclaration, Box<Problem>> {
    let head: TableDeclaration = serde_json::from_slice(line)
        .map_err(|e| refused(format!("A primeira linha precisa declarar as colunas da tabela ({e}).")))?;
    if head.colunas.is_empty() || head.colunas.len() > MAX_COLUMNS {
        return Err(refused(format!("A tabela precisa ter de 1 a {MAX_COLUMNS} colunas.")));
    }
    Ok(head)
}

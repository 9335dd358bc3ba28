//! The report on documents, as it is sent: JSON lines while it is made. Each line has its cells beside it, so that the page
//! has the table that it saves and nothing is calculated for it again.

use std::io;

use serde::Serialize;

use crate::base::problem::Problem;
use crate::core::calls::FREE_MINUTES;
use crate::features::audit::{
    AuditLine, AuditReport, AuditSummary, CompanyNames, SegregatedMonth, Worksheets, named, table_head, table_row,
};
use crate::features::lists::page::cell::CellJson;
use crate::http::body_writer::BodyWriter;
use crate::sheet::{Cell, ColumnKind, Reader, Table, TableColumn};

/// Lines that are sent with their calculation step by step, whatever they found. Of later ones only those that differ.
const LINES_WITH_STEPS: usize = 2_000;
/// Most rows of a worksheet beside that of the lines, which the browser keeps and sends back. A last row counts the others.
const SHEET_ROWS: usize = 4_000;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event<'e> {
    /// The columns of the table that the page saves.
    Colunas(Vec<SavedColumn>),
    /// A worksheet beside that of the lines, before it (`antes`) or after it; its rows follow.
    Planilha { antes: bool, nome: String, colunas: Vec<SavedColumn> },
    /// A row of the last worksheet.
    LinhaDaPlanilha(Vec<Option<CellJson>>),
    /// Files that were read, of how many.
    Progresso { lidos: usize, total: usize },
    /// The end: without it, the report is not whole.
    Fim(End),
    /// A line of the report, and its cells.
    #[serde(untagged)]
    Linha { linha: &'e AuditLine, celulas: Vec<Option<CellJson>> },
}

/// A column, as the service that makes files takes it.
#[derive(Serialize)]
struct SavedColumn {
    nome: String,
    tipo: ColumnKind,
    largura: usize,
}

#[derive(Serialize)]
struct End {
    /// Documents that were calculated.
    documentos: u64,
    /// Calls that they used up: none of documents that were sent a short time ago.
    cobrados: u64,
    /// For how many minutes the same files are free.
    gratis_min: u64,
    /// Why the rest was not checked.
    interrompido: Option<String>,
    #[serde(flatten)]
    resumo: AuditSummary,
}

impl From<TableColumn> for SavedColumn {
    fn from(TableColumn { name: nome, kind: tipo, width: largura, .. }: TableColumn) -> SavedColumn {
        SavedColumn { nome, tipo, largura }
    }
}

fn cells(row: Vec<Cell>, kinds: &[ColumnKind]) -> Vec<Option<CellJson>> {
    row.into_iter().zip(kinds).map(|(cell, kind)| CellJson::of(cell, *kind)).collect()
}

/// Writes the report. Its functions fail only if the reader has gone.
pub(super) struct ReportWriter<'w> {
    out: &'w mut BodyWriter,
    kinds: Vec<ColumnKind>,
    sums: Box<AuditReport>,
    sent: usize,
    only_differences: bool,
}

impl<'w> ReportWriter<'w> {
    pub(super) fn begin(
        only_differences: bool,
        names: CompanyNames,
        out: &'w mut BodyWriter,
    ) -> io::Result<ReportWriter<'w>> {
        let columns = table_head(Reader::Person).columns;
        let kinds = columns.iter().map(|column| column.kind).collect();
        out.line(&Event::Colunas(columns.into_iter().map(SavedColumn::from).collect()))?;
        let sums = Box::new(AuditReport::of_sums().named(names));
        Ok(ReportWriter { out, kinds, sums, sent: 0, only_differences })
    }

    /// Says how far the work is. Fails if the reader has gone.
    pub(super) fn progress(&mut self, lidos: usize, total: usize) -> io::Result<()> {
        self.out.line(&Event::Progresso { lidos, total })
    }

    /// Fails if the reader has gone: a report of differences only may write nothing for a long time.
    pub(super) fn check_reader(&self) -> io::Result<()> {
        if self.out.reader_has_gone() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }

    pub(super) fn line(&mut self, line: AuditLine) -> io::Result<()> {
        let mut line = line.for_person();
        if !self.only_differences || line.is_finding() {
            self.sent += 1;
            if self.sent > LINES_WITH_STEPS && !line.veredito.differs() {
                line.memoria = None;
            }
            self.send(&line)?;
        }
        self.sums.add(line);
        Ok(())
    }

    fn send(&mut self, line: &AuditLine) -> io::Result<()> {
        let celulas = cells(table_row(line, Reader::Person), &self.kinds);
        self.out.line_later(&Event::Linha { linha: line, celulas })
    }

    /// Takes the revenue of a month, which does not differ from anything: the page shows it apart, and saves its lines with the others.
    pub(super) fn segregated(&mut self, month: SegregatedMonth) -> io::Result<()> {
        let month = month.for_person();
        if !self.only_differences {
            month.lines().iter().try_for_each(|line| self.send(line))?;
            self.sums.add_segregated(month);
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self, documentos: u64, cobrados: u64, interrompido: Option<&Problem>) -> io::Result<()> {
        let interrompido = interrompido.map(|problem| problem.detail.for_person(&named(None)));
        let (gratis_min, resumo) = (FREE_MINUTES, self.sums.summary());
        let Worksheets { before, after } = self.sums.worksheets(None, Reader::Person, self.only_differences);
        let sheets = before.into_iter().map(|table| (true, table)).chain(after.into_iter().map(|table| (false, table)));
        for (antes, table) in sheets {
            send_sheet(self.out, antes, table)?;
        }
        self.out.line(&Event::Fim(End { documentos, cobrados, gratis_min, interrompido, resumo }))
    }
}

fn send_sheet(out: &mut BodyWriter, antes: bool, Table { head, rows }: Table) -> io::Result<()> {
    let kinds: Vec<ColumnKind> = head.columns.iter().map(|column| column.kind).collect();
    let colunas = head.columns.into_iter().map(SavedColumn::from).collect();
    out.line_later(&Event::Planilha { antes, nome: head.name, colunas })?;
    let more = rows.len().saturating_sub(SHEET_ROWS);
    for row in rows.into_iter().take(SHEET_ROWS) {
        out.line_later(&Event::LinhaDaPlanilha(cells(row, &kinds)))?;
    }
    if more > 0 {
        let told = Cell::of(format!("e mais {more} linhas, que o taxd audit traz"));
        out.line_later(&Event::LinhaDaPlanilha(cells(vec![told], &kinds)))?;
    }
    Ok(())
}

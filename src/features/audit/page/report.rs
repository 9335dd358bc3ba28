//! The report on documents, as it is sent: JSON lines while it is made. Each line has its cells beside it, so that the page
//! has the table that it saves and nothing is calculated for it again.

use std::io;

use serde::Serialize;

use crate::base::problem::Problem;
use crate::base::sentence::in_words;
use crate::core::calls::FREE_MINUTES;
use crate::features::audit::{AuditLine, AuditReport, AuditSummary, SegregatedMonth, named, table_head, table_row};
use crate::features::lists::page::cell::CellJson;
use crate::http::body_writer::BodyWriter;
use crate::sheet::{Cell, ColumnKind, Reader, Table, TableColumn};

/// Lines that are sent with their calculation step by step, whatever they found. Of later ones only those that differ.
const LINES_WITH_STEPS: usize = 2_000;
/// Most rows of the first worksheet: they are one line of the request that saves the file.
const FIRST_ROWS: usize = 500;

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Event<'e> {
    /// The columns of the table that the page saves.
    Colunas(Vec<SavedColumn>),
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

/// The first worksheet of the file that the page saves.
#[derive(Serialize)]
struct FirstSheet {
    nome: String,
    colunas: Vec<SavedColumn>,
    linhas: Vec<Vec<Option<CellJson>>>,
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
    /// What was not compared, for the file that the page saves.
    nao_comparado: FirstSheet,
}

impl From<TableColumn> for SavedColumn {
    fn from(TableColumn { name: nome, kind: tipo, width: largura, .. }: TableColumn) -> SavedColumn {
        SavedColumn { nome, tipo, largura }
    }
}

fn cells(row: Vec<Cell>, kinds: &[ColumnKind]) -> Vec<Option<CellJson>> {
    row.into_iter().zip(kinds).map(|(cell, kind)| CellJson::of(cell, *kind)).collect()
}

impl From<Table> for FirstSheet {
    fn from(Table { head, rows }: Table) -> FirstSheet {
        let kinds: Vec<ColumnKind> = head.columns.iter().map(|column| column.kind).collect();
        FirstSheet {
            nome: head.name,
            colunas: head.columns.into_iter().map(SavedColumn::from).collect(),
            linhas: rows.into_iter().take(FIRST_ROWS).map(|row| cells(row, &kinds)).collect(),
        }
    }
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
    pub(super) fn begin(only_differences: bool, out: &'w mut BodyWriter) -> io::Result<ReportWriter<'w>> {
        let columns = table_head(Reader::Person).columns;
        let kinds = columns.iter().map(|column| column.kind).collect();
        out.line(&Event::Colunas(columns.into_iter().map(SavedColumn::from).collect()))?;
        Ok(ReportWriter { out, kinds, sums: Box::new(AuditReport::of_sums()), sent: 0, only_differences })
    }

    /// Says how far the work is. Fails if the reader has gone.
    pub(super) fn progress(&mut self, lidos: usize, total: usize) -> io::Result<()> {
        self.out.line(&Event::Progresso { lidos, total })
    }

    /// Fails if the reader has gone: a report of differences only may write nothing for a long time.
    pub(super) fn check_reader(&self) -> io::Result<()> {
        if self.out.reader_has_gone() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }

    pub(super) fn line(&mut self, mut line: AuditLine) -> io::Result<()> {
        let named = named(Some(line.tributo));
        for sentence in line.avisos.iter_mut().chain([&mut line.detalhe]) {
            *sentence = in_words(sentence, &named);
        }
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
        let nao_comparado = self.sums.not_compared(Reader::Person).into();
        self.out.line(&Event::Fim(End { documentos, cobrados, gratis_min, interrompido, resumo, nao_comparado }))
    }
}

//! `taxd calc` on a list: a CSV or XLSX of which each row is a payload.

use std::cell::{Cell as Shared, RefCell};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::base::sentence::Reader;
use crate::base::value::with_separators;
use crate::cli::engine::{BATCH, BATCH_BYTES};
use crate::cli::files::{self, cannot_read, has_extension, spooled};
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::cli::{CommandResult, Context, output, progress};
use crate::core::engine::Engine;
use crate::features::calc::replies;
use crate::features::lists::{
    Asked, Ended, List, ListCause, ListCauses, ListEvidence, RowBatch, RowSink, SameColumns, SameValues, causes_text,
    column_width, each_batch, evidence, renamed,
};
use crate::features::{AdminError, typed};
use crate::law::tax::{self, Entry, Suposicao};
use crate::sheet::{self, Cell, DecimalMark, Row, TableColumn, TableHead};

/// Most bytes of a list on stdin or in a pipe.
const MAX_PIPED_BYTES: u64 = 512 * 1024 * 1024;
/// Extensions of files that are lists. The last two are refused with what to do.
const LISTS: [&str; 6] = ["csv", "tsv", "xlsx", "xlsm", "xls", "ods"];
/// Most columns that a message names.
const MAX_NAMED: usize = 20;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The input is a list, whatever its name
    #[arg(long)]
    list: bool,
    /// Tax of every row of a list; without it, a column `tributo` names that of each
    #[arg(long, value_name = "TRIBUTO")]
    tributo: Option<String>,
    /// Worksheet of an XLSX; the first visible one if left out
    #[arg(long, value_name = "NAME")]
    worksheet: Option<String>,
    /// Where to write a list with its results: .csv or .xlsx; it must not exist. CSV on stdout if left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What separates decimals in a CSV; found out if left out. A number that could be read in two ways is refused if no
    /// other number of the list decides
    #[arg(long, value_name = "MARK")]
    decimal: Option<Decimal>,
    /// A value that all rows have and the file lacks, as people write it: `--com uf_destino=MG --com data_operacao=1/11/26`
    #[arg(long, value_name = "FIELD=VALUE", value_parser = pair)]
    com: Vec<(String, String)>,
    /// The field that a column is, by its name or letters: --coluna "Código fiscal=ncm"; no field if it is empty
    #[arg(long, value_name = "COLUMN=FIELD", value_parser = pair)]
    coluna: Vec<(String, String)>,
}

/// Two parts with an equals sign between them.
fn pair(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once('=').ok_or_else(|| "it takes two parts with = between them".to_owned())?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

/// What separates decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decimal {
    /// 1.234,56
    Virgula,
    /// 1,234.56
    Ponto,
}

impl Decimal {
    pub(crate) fn mark(self) -> DecimalMark {
        match self {
            Decimal::Virgula => DecimalMark::Comma,
            Decimal::Ponto => DecimalMark::Point,
        }
    }
}

/// True if the name is that of a list.
pub(crate) fn is_list(file: &Path) -> bool {
    has_extension(file, &LISTS)
}

impl ListArgs {
    /// True if the input is a list, by the name of the file or by an option that only a list has.
    pub(super) fn applies(&self, file: Option<&Path>) -> bool {
        let has_option = self.list || self.tributo.is_some() || self.worksheet.is_some();
        let has_option = has_option || self.out.is_some() || self.decimal.is_some();
        has_option || !self.com.is_empty() || !self.coluna.is_empty() || file.is_some_and(is_list)
    }
}

/// Runs the command on the list in `file`, or on stdin.
pub(super) fn run(
    context: &Context,
    args: &ListArgs,
    file: Option<&Path>,
    (asked, supondo): (Asked, &[Suposicao]),
) -> CommandResult {
    let entry = args.tributo.as_deref().map(tax::parse).transpose().map_err(AdminError::new)?;
    let name = file.unwrap_or(Path::new("stdin"));
    if context.json && args.out.is_none() {
        return Err(AdminError::new(
            "--json prints the counts of a list on stdout; name a file for its rows with --out",
        ));
    }
    let named = |(campo, value): &(String, String)| {
        let Ok(campo) = typed::word(campo);
        (campo, value.clone())
    };
    let mut rows = Rows {
        entry,
        asked,
        supondo: supondo.to_vec(),
        values: args.com.iter().map(named).collect(),
        columns: args.coluna.clone(),
        evidence: None,
        target: args.out.as_deref().map_or(Ok(TableTarget::Stdout { is_xlsx: false }), TableTarget::new_file)?,
        engine: context.engine()?,
        writer: None,
        last: 0,
        counts: ListCounts::default(),
        causes: ListCauses::default(),
    };
    let mark = args.decimal.map(Decimal::mark);
    match rows.read(file, args.worksheet.as_deref(), mark) {
        Ok(true) => {}
        Ok(false) => {
            return Err(AdminError::new(format!("{} is empty; the first row names the fields", name.display())));
        }
        Err(Ended::Stopped(Stop::ReaderLeft)) => return Ok(ExitCode::SUCCESS),
        Err(Ended::Stopped(Stop::Failed(error))) => return Err(error),
        Err(Ended::Stopped(Stop::Header(detail))) => {
            return Err(AdminError::new(format!("{}: {detail}", name.display())));
        }
        Err(Ended::Unreadable(error)) => return Err(AdminError::new(format!("{}: {error}", name.display()))),
    }
    let Some(counts) = rows.end()? else { return Ok(ExitCode::SUCCESS) };
    let place = args.out.as_ref().map(|out| format!("{}: ", out.display())).unwrap_or_default();
    if context.json {
        context.print(&counts, String::new)?;
    } else {
        output::note(&format!("{place}{}", counts.to_text()));
    }
    Ok(if counts.recusadas == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Opens a list, of which all bytes are there, and counts them.
fn opened(file: Option<&Path>) -> Result<(File, u64), AdminError> {
    let Some(path) = file else {
        return spooled(io::stdin(), MAX_PIPED_BYTES).map_err(|e| cannot_read(Path::new("stdin"), &e));
    };
    let file = files::open(path)?;
    let metadata = file.metadata().map_err(|e| cannot_read(path, &e))?;
    if metadata.is_file() {
        return Ok((file, metadata.len()));
    }
    spooled(file, MAX_PIPED_BYTES).map_err(|e| cannot_read(path, &e))
}

/// Why the rows end early.
enum Stop {
    /// Nobody reads stdout any more (`| head`), which is not an error.
    ReaderLeft,
    /// The header does not fit.
    Header(String),
    Failed(AdminError),
}

/// What came of the rows of a list.
#[derive(Default, Serialize)]
struct ListCounts {
    linhas: u64,
    calculadas: u64,
    recusadas: u64,
    /// Why rows were refused, the cause of most rows first.
    causas: Vec<ListCause>,
}

impl ListCounts {
    /// `3 de 5 linhas recusadas: 2 sem `cest`, 1 sem regra`.
    fn to_text(&self) -> String {
        let [refused, rows] = [self.recusadas, self.linhas].map(|count| with_separators(&count.to_string()));
        let causes = if self.causas.is_empty() { String::new() } else { format!(": {}", causes_text(&self.causas)) };
        format!("{refused} de {rows} linhas recusadas{causes}")
    }
}

/// The rows of a list on their way from the file to the output.
struct Rows {
    entry: Option<&'static Entry>,
    asked: Asked,
    supondo: Vec<Suposicao>,
    /// What all rows have and the file lacks.
    values: SameValues,
    /// The fields of columns whose names do not say them.
    columns: Vec<(String, String)>,
    /// What a first reading of all rows showed; `None` if the header does not fit.
    evidence: Option<(ListEvidence, DecimalMark)>,
    target: TableTarget,
    engine: Engine,
    /// Begun with the first row, which is the header.
    writer: Option<TableOutput>,
    /// Number of the last row that was written.
    last: u32,
    counts: ListCounts,
    causes: ListCauses,
}

/// The rows, and what shows how many of them are done.
struct Shown<'r> {
    rows: &'r mut Rows,
    progress: &'r mut dyn FnMut(u64),
}

impl RowSink for Shown<'_> {
    type Error = Stop;

    fn begin(&mut self, header: &Row<'_>) -> Result<RowBatch, Stop> {
        let list = self.rows.begin(header)?;
        (self.progress)(0);
        Ok(RowBatch::of(list, self.rows.asked, (BATCH, BATCH_BYTES)))
    }

    fn each(&mut self, batch: &mut RowBatch) -> Result<(), Stop> {
        self.rows.calculate(batch)?;
        (self.progress)(self.rows.counts.linhas);
        Ok(())
    }
}

impl Rows {
    /// Reads the rows of the file and calculates them, with a bar on a terminal. Returns false for a list without a header.
    fn read(
        &mut self,
        file: Option<&Path>,
        worksheet: Option<&str>,
        mark: Option<DecimalMark>,
    ) -> Result<bool, Ended<Stop>> {
        let (mut file, total) = opened(file).map_err(Stop::Failed)?;
        let same = RefCell::new(SameColumns::default());
        let seen = evidence(&mut file, worksheet, mark, |row| {
            let (list, columns) = self.header(row)?;
            *same.borrow_mut() = columns;
            Ok(list)
        });
        self.evidence = seen.map_err(Ended::Unreadable)?;
        let (same, read, bar) = (same.into_inner(), Rc::new(Shared::new(0)), progress::of_rows());
        let counted = Counted { file, read: Rc::clone(&read) };
        let mut shown = |rows: u64| progress::rows_done(&bar, rows, (read.get().min(total), total));
        let mut is_header = true;
        let done = each_batch(&mut Shown { rows: self, progress: &mut shown }, |take| {
            sheet::read(counted, worksheet, &mut |mut row| {
                if !std::mem::take(&mut is_header) {
                    same.extend(&mut row);
                }
                take(row)
            })
        });
        bar.finish_and_clear();
        done
    }

    /// Reads the header of the file: its columns with the fields that the caller names, and those that all rows gain.
    fn header(&self, row: &Row<'_>) -> Result<(List, SameColumns), String> {
        let named = SameColumns::header(&renamed(row, &self.columns)?, &self.values);
        let list = List::draft(&named, self.asked, self.entry)?.called(&SameColumns::header(row, &self.values));
        list.has_fields(&self.columns)?;
        let same = SameColumns::typed(row.cells.len(), &self.values, &list)?;
        Ok((list.checked()?, same))
    }

    /// Reads the header, and begins the output.
    fn begin(&mut self, row: &Row<'_>) -> Result<List, Stop> {
        let (mut list, _) = self.header(row).map_err(Stop::Header)?;
        if let Some((evidence, mark)) = &self.evidence {
            list = list.seen(evidence, *mark);
        }
        for question in list.hints() {
            output::note(&question);
        }
        for (column, name, campo) in list.by_usual_name() {
            output::note(&format!("a coluna {column} (\"{name}\") é lida como `{campo}`"));
        }
        let unused: Vec<String> = list.unused().map(|(column, name)| format!("{column} (\"{name}\")")).collect();
        if !unused.is_empty() {
            let shown = unused.get(..MAX_NAMED.min(unused.len())).unwrap_or_default().join(", ");
            let more = if unused.len() > MAX_NAMED { ", ..." } else { "" };
            output::note(&format!("colunas que ficam na lista e não entram no cálculo: {shown}{more}"));
        }
        let column = |(name, kind): (&str, _)| {
            let width = column_width(name, kind);
            TableColumn { name: name.to_owned(), kind, choices: Vec::new(), width }
        };
        let added = self.asked.columns().iter().map(|column| (column.name.as_str(), column.kind));
        let columns = list.kept_columns().chain(added).map(column).collect();
        self.last = row.number;
        let head = TableHead { name: "taxd".to_owned(), columns, frozen: (1, 0) };
        let kept = head.columns.len() - self.asked.columns().len();
        let summed = self.asked.columns().iter().enumerate().filter(|(_, column)| column.is_summed());
        let mut writer = self.target.begin(&head).map_err(Stop::Failed)?;
        writer.summing(summed.map(|(place, _)| kept + place));
        self.writer = Some(writer);
        Ok(list)
    }

    /// Calculates the rows of the batch, and writes them with their results.
    fn calculate(&mut self, batch: &mut RowBatch) -> Result<(), Stop> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut asked = batch.take(|_| Ok(()));
        asked.questions.supondo.clone_from(&self.supondo);
        let replies = replies(&self.engine, &asked.questions);
        for replied in asked.replied(&replies) {
            let (row, result) = (replied.row, replied.cells(Reader::Program));
            self.counts.linhas += 1;
            if result.last().is_some_and(|error| !error.is_empty()) {
                self.counts.recusadas += 1;
                self.causes.add(replied.reply.cause().as_deref());
            } else {
                self.counts.calculadas += 1;
            }
            let mut cells: Vec<Cell<'_>> = Vec::with_capacity(row.cells.len() + result.len());
            let number = row.number;
            cells.extend(batch.list().kept_cells(row, writer.is_typed()));
            cells.extend(result);
            // Blank rows stay, so that a row is where it was.
            let mut blanks = (self.last + 1..number).map(|_| vec![Cell::Empty; cells.len()]);
            let written = blanks.try_for_each(|blank| writer.row(&blank)).and_then(|()| writer.row(&cells));
            self.last = number;
            written.map_err(|e| stop(&self.target, &e))?;
        }
        Ok(())
    }

    /// Ends the output, and returns what came of the rows; `None` if nobody reads it.
    fn end(self) -> Result<Option<ListCounts>, AdminError> {
        match self.writer.map_or(Ok(()), TableOutput::finish) {
            Err(e) if self.target.reader_is_gone(&e) => Ok(None),
            ended => ended
                .map(|()| Some(ListCounts { causas: self.causes.by_rows(), ..self.counts }))
                .map_err(|e| self.target.failed(&e)),
        }
    }
}

fn stop(target: &TableTarget, error: &io::Error) -> Stop {
    if target.reader_is_gone(error) { Stop::ReaderLeft } else { Stop::Failed(target.failed(error)) }
}

/// A file, and how many bytes of it were read.
struct Counted<F> {
    file: F,
    read: Rc<Shared<u64>>,
}

impl<F: Read> Read for Counted<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.set(self.read.get() + u64::try_from(count).unwrap_or_default());
        Ok(count)
    }
}

impl<F: Seek> Seek for Counted<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

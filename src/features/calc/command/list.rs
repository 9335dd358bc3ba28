//! `taxd calc` on a list: a CSV or XLSX of which each row is a payload.

use std::cell::Cell as Shared;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use clap::{Args, ValueEnum};

use crate::base::sentence::Reader;
use crate::cli::calculator::{BATCH, BATCH_BYTES, Calculator};
use crate::cli::files::{self, cannot_read, has_extension, spooled};
use crate::cli::table_output::{TableOutput, TableTarget};
use crate::cli::{CommandResult, Context, output, progress};
use crate::core::engine::{Stage, Step};
use crate::features::AdminError;
use crate::features::calc::Questions;
use crate::features::lists::{Asked, Ended, List, ListEvidence, RowBatch, RowSink, column_width, each_batch, evidence};
use crate::law::tax::{self, Entry};
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
        has_option || file.is_some_and(is_list)
    }
}

/// Runs the command on the list in `file`, or on stdin.
pub(super) fn run(context: &Context, args: &ListArgs, file: Option<&Path>, asked: Asked) -> CommandResult {
    let entry = args.tributo.as_deref().map(tax::parse).transpose().map_err(AdminError::new)?;
    let name = file.unwrap_or(Path::new("stdin"));
    let mut rows = Rows {
        entry,
        asked,
        evidence: None,
        target: args.out.as_deref().map_or(Ok(TableTarget::Stdout { is_xlsx: false }), TableTarget::new_file)?,
        calculator: Calculator::open(context)?,
        writer: None,
        last: 0,
        calculated: 0,
        refused: 0,
    };
    let mark = args.decimal.map(Decimal::mark);
    let done = progress::shown(|progress| {
        let (mut file, total) = opened(file).map_err(Stop::Failed)?;
        let worksheet = args.worksheet.as_deref();
        let seen = evidence(&mut file, worksheet, mark, |row| rows.header(row));
        rows.evidence = seen.map_err(Ended::Unreadable)?;
        let read = Rc::new(Shared::new(0));
        let counted = Counted { file, read: Rc::clone(&read) };
        let mut shown = || progress(Step { stage: Stage::Calculating, done: read.get().min(total), total });
        each_batch(&mut Shown { rows: &mut rows, progress: &mut shown }, |take| sheet::read(counted, worksheet, take))
    });
    match done {
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
    let Some((calculated, refused)) = rows.end()? else { return Ok(ExitCode::SUCCESS) };
    let place = args.out.as_ref().map(|out| format!("{}: ", out.display())).unwrap_or_default();
    output::note(&format!("{place}{refused} of {} rows refused", calculated + refused));
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

/// The rows of a list on their way from the file to the output.
struct Rows {
    entry: Option<&'static Entry>,
    asked: Asked,
    /// What a first reading of all rows showed; `None` if the header does not fit.
    evidence: Option<(ListEvidence, DecimalMark)>,
    target: TableTarget,
    calculator: Calculator,
    /// Begun with the first row, which is the header.
    writer: Option<TableOutput>,
    /// Number of the last row that was written.
    last: u32,
    calculated: u64,
    refused: u64,
}

/// The rows, and what shows how far they are.
struct Shown<'r> {
    rows: &'r mut Rows,
    progress: &'r mut dyn FnMut(),
}

impl RowSink for Shown<'_> {
    type Error = Stop;

    fn begin(&mut self, header: &Row) -> Result<RowBatch, Stop> {
        let list = self.rows.begin(header)?;
        (self.progress)();
        Ok(RowBatch::of(list, self.rows.asked, (BATCH, BATCH_BYTES)))
    }

    fn each(&mut self, batch: &mut RowBatch) -> Result<(), Stop> {
        self.rows.calculate(batch)?;
        (self.progress)();
        Ok(())
    }
}

impl Rows {
    fn header(&self, row: &Row) -> Result<List, String> {
        match self.asked {
            Asked::Tax => List::of_header(row, self.entry),
            Asked::Operation => List::of_operations(row),
            Asked::Treatment => List::of_treatments(row),
        }
    }

    /// Reads the header, and begins the output.
    fn begin(&mut self, row: &Row) -> Result<List, Stop> {
        let mut list = self.header(row).map_err(Stop::Header)?;
        if let Some((evidence, mark)) = &self.evidence {
            list = list.seen(evidence, *mark);
        }
        output::warn(&list.hints());
        for (column, name, campo) in list.by_usual_name() {
            output::note(&format!("column {column} (\"{name}\") is read as `{campo}`"));
        }
        let unused: Vec<String> = list.unused().map(|(column, name)| format!("{column} (\"{name}\")")).collect();
        if !unused.is_empty() {
            let shown = unused.get(..MAX_NAMED.min(unused.len())).unwrap_or_default().join(", ");
            let more = if unused.len() > MAX_NAMED { ", ..." } else { "" };
            output::note(&format!("columns that are kept and take no part in the calculation: {shown}{more}"));
        }
        let column = |(name, kind): (&str, _)| {
            let width = column_width(name, kind);
            TableColumn { name: name.to_owned(), kind, choices: Vec::new(), width }
        };
        let added = self.asked.columns().iter().map(|column| (column.name.as_str(), column.kind));
        let columns = list.kept_columns().chain(added).map(column).collect();
        self.last = row.number;
        let head = TableHead { name: "taxd".to_owned(), columns, frozen: (1, 0) };
        self.writer = Some(self.target.begin(&head).map_err(Stop::Failed)?);
        Ok(list)
    }

    /// Calculates the rows of the batch, and writes them with their results.
    fn calculate(&mut self, batch: &mut RowBatch) -> Result<(), Stop> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut asked = batch.take(|_| Ok(()));
        let payloads = std::mem::take(&mut asked.payloads);
        let questions = Questions {
            payloads,
            operacao: self.asked == Asked::Operation,
            tratamento: self.asked == Asked::Treatment,
            leitor: Reader::Person,
            ..Questions::default()
        };
        let results = asked.cells(&self.calculator.replies(&questions).map_err(Stop::Failed)?, Reader::Program);
        for ((row, _), result) in asked.rows.iter().zip(results) {
            let is_refused = result.last().is_some_and(|error| !error.is_empty());
            *(if is_refused { &mut self.refused } else { &mut self.calculated }) += 1;
            let mut cells: Vec<Cell> = Vec::with_capacity(row.cells.len() + result.len());
            cells.extend(batch.list().kept_cells(row, writer.is_typed()));
            cells.extend(result);
            // Blank rows stay, so that a row is where it was.
            let mut blanks = (self.last + 1..row.number).map(|_| vec![Cell::Empty; cells.len()]);
            let written = blanks.try_for_each(|blank| writer.row(&blank)).and_then(|()| writer.row(&cells));
            self.last = row.number;
            written.map_err(|e| stop(&self.target, &e))?;
        }
        Ok(())
    }

    /// Ends the output, and returns how many rows were calculated and refused; `None` if nobody reads it.
    fn end(self) -> Result<Option<(u64, u64)>, AdminError> {
        match self.writer.map_or(Ok(()), TableOutput::finish) {
            Err(e) if self.target.reader_is_gone(&e) => Ok(None),
            ended => ended.map(|()| Some((self.calculated, self.refused))).map_err(|e| self.target.failed(&e)),
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

//! `taxd calc` on a list: a CSV or XLSX of which each row is a payload.

use std::cell::Cell as Shared;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use clap::{Args, ValueEnum};

pub(crate) use crate::cli::calculator::{BATCH, BATCH_BYTES, Calculator};
use crate::cli::files::{self, cannot_read, has_extension, spooled};
pub(crate) use crate::cli::table_output::{TableOutput, TableTarget};
use crate::cli::{CommandResult, Context, output, progress};
use crate::core::engine::{Progress, Stage, Step};
use crate::features::AdminError;
use crate::features::calc::CalcCommand;
use crate::features::lists::{Asked, List, ListEvidence, column_width};
use crate::law::tax::{self, Entry};
use crate::sheet::{self, Cell, DecimalMark, Row, SheetError, TableColumn, TableHead};

/// Most bytes of a list on stdin or in a pipe.
const MAX_PIPED_BYTES: u64 = 512 * 1024 * 1024;
/// Operations calculated together: the answer of each has every tax.
const OPERATIONS: usize = BATCH / 8;
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
    pub(super) fn mark(self) -> DecimalMark {
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
pub(super) fn run(context: &Context, args: &ListArgs, file: Option<&Path>, operacao: bool) -> CommandResult {
    let entry = args.tributo.as_deref().map(tax::parse).transpose().map_err(AdminError::new)?;
    let name = file.unwrap_or(Path::new("stdin"));
    let mut rows = Rows {
        name,
        entry,
        asked: if operacao { Asked::Operation } else { Asked::Tax },
        decimal: args.decimal,
        evidence: None,
        target: args.out.as_deref().map_or(Ok(TableTarget::Stdout { is_xlsx: false }), TableTarget::new_file)?,
        calculator: Calculator::open(context)?,
        open: None,
        batch: Vec::new(),
        batch_bytes: 0,
        last: 0,
        reader_is_gone: false,
        calculated: 0,
        refused: 0,
    };
    let worksheet = args.worksheet.as_deref();
    let done = progress::shown(|progress| match file {
        Some(path) => {
            let file = files::open(path)?;
            let metadata = file.metadata().map_err(|e| cannot_read(path, &e))?;
            let (file, total) = if metadata.is_file() {
                (file, metadata.len())
            } else {
                spooled(file, MAX_PIPED_BYTES).map_err(|e| cannot_read(path, &e))?
            };
            rows.read(file, total, worksheet, progress)
        }
        None => {
            let (file, total) = spooled(io::stdin(), MAX_PIPED_BYTES).map_err(|e| cannot_read(name, &e))?;
            rows.read(file, total, worksheet, progress)
        }
    });
    let Some((calculated, refused)) = rows.end(done)? else { return Ok(ExitCode::SUCCESS) };
    let place = args.out.as_ref().map(|out| format!("{}: ", out.display())).unwrap_or_default();
    output::note(&format!("{place}{refused} of {} rows refused", calculated + refused));
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The rows of a list on their way from the file to the output.
struct Rows<'l> {
    name: &'l Path,
    entry: Option<&'static Entry>,
    asked: Asked,
    decimal: Option<Decimal>,
    /// What a first reading of all rows showed; `None` if the header does not fit.
    evidence: Option<(ListEvidence, DecimalMark)>,
    target: TableTarget,
    calculator: Calculator,
    /// Made of the first row, which is the header.
    open: Option<(List, TableOutput)>,
    batch: Vec<Row>,
    batch_bytes: usize,
    /// Number of the last row that was written.
    last: u32,
    /// Nobody reads stdout any more (`| head`), which is not an error.
    reader_is_gone: bool,
    calculated: u64,
    refused: u64,
}

impl Rows<'_> {
    fn read(
        &mut self,
        mut file: impl Read + Seek,
        total: u64,
        worksheet: Option<&str>,
        progress: Progress<'_>,
    ) -> Result<(), AdminError> {
        self.evidence = evidence(&mut file, worksheet, self.decimal, &|row| self.header(row))
            .map_err(|error| self.unreadable(&error))?;
        let read = Rc::new(Shared::new(0));
        let mut failed = None;
        let counted = Counted { file, read: Rc::clone(&read) };
        let done = sheet::read(counted, worksheet, &mut |row| {
            match self.take(row) {
                Ok(()) if self.reader_is_gone => return ControlFlow::Break(()),
                Ok(()) => {}
                Err(error) => {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            if self.batch.is_empty() {
                progress(Step { stage: Stage::Calculating, done: read.get().min(total), total });
            }
            ControlFlow::Continue(())
        });
        match failed {
            Some(error) => Err(error),
            None if self.reader_is_gone => Ok(()),
            None => done.map_err(|e| self.unreadable(&e)).and_then(|()| self.calculate()),
        }
    }

    fn header(&self, row: &Row) -> Result<List, String> {
        match self.asked {
            Asked::Tax => List::of_header(row, self.entry),
            Asked::Operation => List::of_operations(row),
        }
    }

    fn unreadable(&self, error: &SheetError) -> AdminError {
        AdminError::new(format!("{}: {error}", self.name.display()))
    }

    /// Takes the header, or a row, and calculates a full batch.
    fn take(&mut self, row: Row) -> Result<(), AdminError> {
        if self.open.is_none() {
            let list = self.header(&row);
            let mut list = list.map_err(|detail| AdminError::new(format!("{}: {detail}", self.name.display())))?;
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
            let writer = self.target.begin(&TableHead { name: "taxd".to_owned(), columns, frozen: (1, 0) })?;
            self.open = Some((list, writer));
            return Ok(());
        }
        self.batch_bytes += row.size_bytes();
        self.batch.push(row);
        let most = if self.asked == Asked::Operation { OPERATIONS } else { BATCH };
        if self.batch.len() < most && self.batch_bytes < BATCH_BYTES { Ok(()) } else { self.calculate() }
    }

    /// Calculates the rows of the batch, and writes them with their results.
    fn calculate(&mut self) -> Result<(), AdminError> {
        let Some((list, writer)) = &mut self.open else {
            return Err(AdminError::new(format!("{} is empty; the first row names the fields", self.name.display())));
        };
        let operacao = self.asked == Asked::Operation;
        let mut payloads = Vec::with_capacity(self.batch.len());
        let faults: Vec<_> =
            self.batch.iter().map(|row| list.payload(row).map(|payload| payloads.push(payload)).err()).collect();
        let command = CalcCommand { payloads, operacao, ..CalcCommand::default() };
        let mut answers = self.calculator.answer(command)?.into_iter();
        self.batch_bytes = 0;
        for (row, faults) in self.batch.drain(..).zip(faults) {
            let result = match faults {
                Some(faults) => self.asked.fault_cells(&row, &faults),
                None => self.asked.cells(&row, &answers.next().unwrap_or_default())?,
            };
            let is_refused = result.last().is_some_and(|error| !error.is_empty());
            *(if is_refused { &mut self.refused } else { &mut self.calculated }) += 1;
            let cells: Vec<Cell> = list.kept_cells(&row, writer.is_typed()).chain(result).collect();
            // Blank rows stay, so that a row is where it was.
            let blank = vec![Cell::Empty; cells.len()];
            let blanks = (self.last + 1..row.number).map(|_| &blank);
            self.last = row.number;
            for cells in blanks.chain([&cells]) {
                match writer.row(cells) {
                    Err(e) if self.target.reader_is_gone(&e) => {
                        self.reader_is_gone = true;
                        return Ok(());
                    }
                    written => written.map_err(|e| self.target.failed(&e))?,
                }
            }
        }
        Ok(())
    }

    /// Ends the output, and returns how many rows were calculated and refused; `None` if nobody reads it.
    fn end(self, done: Result<(), AdminError>) -> Result<Option<(u64, u64)>, AdminError> {
        done?;
        if self.reader_is_gone {
            return Ok(None);
        }
        match self.open.map_or(Ok(()), |(_, writer)| writer.finish()) {
            Err(e) if self.target.reader_is_gone(&e) => Ok(None),
            ended => ended.map(|()| Some((self.calculated, self.refused))).map_err(|e| self.target.failed(&e)),
        }
    }
}

/// What the rows of a whole list show, and its decimal mark, unless that is stated. `None` if its header does not fit. The
/// file is at its beginning again.
pub(crate) fn evidence(
    file: &mut (impl Read + Seek),
    worksheet: Option<&str>,
    stated: Option<Decimal>,
    header: &dyn Fn(&Row) -> Result<List, String>,
) -> Result<Option<(ListEvidence, DecimalMark)>, SheetError> {
    let separator = sheet::separator(file)?;
    // A spreadsheet program stores numbers as such.
    let needs_mark = separator.is_some() && stated.is_none();
    let mut seen = None;
    sheet::read(&mut *file, worksheet, &mut |row| {
        match &mut seen {
            None => seen = header(&row).ok().map(|list| (list.evidence(), list)),
            Some((evidence, list)) => list.see(&row, evidence),
        }
        match &seen {
            Some((evidence, _)) if !evidence.is_complete(needs_mark) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    file.rewind().map_err(|e| SheetError::from(&e))?;
    Ok(seen.map(|(evidence, _)| {
        let mark = stated.map_or_else(|| evidence.mark(separator), Decimal::mark);
        (evidence, mark)
    }))
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

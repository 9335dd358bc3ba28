//! The one loop over the rows of a list: they are read in batches that fit in memory, asked together, and given back in
//! order with their cells.

use std::io::{Read, Seek};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::reply::RowReply;
use super::{Asked, List, ListEvidence, UnreadCell};
use crate::base::document::Object;
use crate::base::problem::Problem;
use crate::base::sentence::Reader;
use crate::features::calc::{CalcReply, Questions, in_parallel};
use crate::sheet::{self, Cell, DecimalMark, Row, SheetError, TakeRow};

/// Why the reading of a list ends before its last row.
#[derive(Debug)]
pub enum Ended<E> {
    Unreadable(SheetError),
    /// A batch, or the header, ended it.
    Stopped(E),
}

impl<E> From<E> for Ended<E> {
    fn from(error: E) -> Ended<E> {
        Ended::Stopped(error)
    }
}

/// Rows of a list that are asked together.
pub struct RowBatch {
    list: Arc<List>,
    asked: Asked,
    /// Most rows, and most bytes of them.
    most: (usize, usize),
    rows: Vec<Row<'static>>,
    bytes: usize,
}

/// The questions of the rows of a batch.
pub struct AskedRows {
    asked: Asked,
    /// Each row, and why it has no payload if it has none.
    rows: Vec<(Row<'static>, Option<NoQuestion>)>,
    /// The payloads, in the order of their rows, and what a list asks of each. Who asks may add to it.
    pub questions: Questions,
}

/// A row and what came of it.
pub struct RepliedRow<'r> {
    asked: Asked,
    pub row: &'r Row<'static>,
    /// What it asked, if it asked something.
    pub payload: Option<&'r Object<'static>>,
    pub reply: RowReply<'r>,
}

/// Why a row asks nothing.
#[derive(Debug)]
enum NoQuestion {
    Unread(Vec<UnreadCell>),
    /// It may not be asked.
    Refused(Box<Problem>),
}

impl RowBatch {
    /// An empty batch of at most so many rows and bytes. Operations and treatments are asked by an eighth of that: the
    /// answer of each has every tax.
    pub fn of(list: impl Into<Arc<List>>, asked: Asked, (rows, bytes): (usize, usize)) -> RowBatch {
        let rows = if asked == Asked::Tax { rows } else { rows / 8 };
        RowBatch { list: list.into(), asked, most: (rows, bytes), rows: Vec::new(), bytes: 0 }
    }

    pub fn list(&self) -> &List {
        &self.list
    }

    /// Adds a row. Returns true once the batch is full.
    fn add(&mut self, row: Row<'_>) -> bool {
        self.bytes += row.size_bytes();
        self.rows.push(row.into_owned());
        let (rows, bytes) = self.most;
        self.rows.len() >= rows || self.bytes >= bytes
    }

    /// Takes the rows out, with their payloads. `admit` refuses a payload that may not be asked.
    pub fn take(&mut self, mut admit: impl FnMut(&Object<'_>) -> Result<(), Box<Problem>>) -> AskedRows {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        let mut payloads = Vec::with_capacity(rows.len());
        let unasked = |read| match read {
            Err(faults) => Some(NoQuestion::Unread(faults)),
            Ok(payload) => match admit(&payload) {
                Err(problem) => Some(NoQuestion::Refused(problem)),
                Ok(()) => {
                    payloads.push(Arc::new(payload));
                    None
                }
            },
        };
        let read = in_parallel(&rows, |row| self.list.payload(row)).into_iter().map(unasked);
        let rows = rows.into_iter().zip(read).collect();
        let questions = Questions { leitor: Reader::Person, ..self.asked.questions(payloads) };
        AskedRows { asked: self.asked, rows, questions }
    }
}

impl AskedRows {
    pub fn rows(&self) -> impl Iterator<Item = &Row<'static>> {
        self.rows.iter().map(|(row, _)| row)
    }

    /// The rows in order, with the replies to the questions.
    pub fn replied<'r>(&'r self, replies: &'r [CalcReply]) -> impl Iterator<Item = RepliedRow<'r>> {
        let mut answered = self.questions.payloads.iter().zip(replies);
        self.rows.iter().filter_map(move |(row, unasked)| {
            let (payload, reply) = match unasked {
                None => answered.next().map(|(payload, reply)| (Some(&**payload), RowReply::of(reply)))?,
                Some(NoQuestion::Unread(faults)) => (None, RowReply::Unread(faults)),
                Some(NoQuestion::Refused(problem)) => (None, RowReply::Refused(problem)),
            };
            Some(RepliedRow { asked: self.asked, row, payload, reply })
        })
    }
}

impl RepliedRow<'_> {
    /// The cells that the row gains.
    pub fn cells(&self, reader: Reader) -> Vec<Cell<'_>> {
        self.asked.cells(self.row, &self.reply, reader)
    }
}

/// What becomes of the rows of a list.
pub trait RowSink {
    /// Why it ends the reading.
    type Error;

    /// Takes the header, and makes the empty batch of its rows.
    fn begin(&mut self, header: &Row<'_>) -> Result<RowBatch, Self::Error>;

    /// Takes a full batch, or the last one.
    fn each(&mut self, batch: &mut RowBatch) -> Result<(), Self::Error>;
}

/// Whether the row is that of the totals which an earlier run wrote below the rows: a list with its results is read again.
pub fn is_own_total(row: &Row<'_>) -> bool {
    matches!(row.cells.first(), Some(Cell::Text(text)) if text == sheet::TOTAL)
}

/// Gives the rows that `read` reads to `sink`. Returns false for a list without a header.
pub fn each_batch<S: RowSink>(
    sink: &mut S,
    read: impl FnOnce(&mut TakeRow<'_>) -> Result<(), SheetError>,
) -> Result<bool, Ended<S::Error>> {
    let mut batch: Option<RowBatch> = None;
    let mut ended = Ok(());
    let read = read(&mut |row| {
        if is_own_total(&row) {
            return ControlFlow::Continue(());
        }
        let done = match &mut batch {
            None => sink.begin(&row).map(|begun| batch = Some(begun)),
            Some(batch) => {
                let is_full = batch.add(row);
                if is_full { sink.each(batch) } else { Ok(()) }
            }
        };
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                ended = Err(error);
                ControlFlow::Break(())
            }
        }
    });
    ended?;
    read.map_err(Ended::Unreadable)?;
    Ok(batch.as_mut().map(|batch| sink.each(batch)).transpose()?.is_some())
}

/// What the rows of a whole list show, and its decimal mark, unless that is stated. `None` if its header does not fit. The
/// file is at its beginning again.
pub fn evidence(
    file: &mut (impl Read + Seek),
    worksheet: Option<&str>,
    stated: Option<DecimalMark>,
    header: impl Fn(&Row<'_>) -> Result<List, String>,
) -> Result<Option<(ListEvidence, DecimalMark)>, SheetError> {
    let separator = sheet::separator(file)?;
    // A spreadsheet program stores numbers as such.
    let needs_mark = separator.is_some() && stated.is_none();
    let mut seen = None;
    sheet::read(&mut *file, worksheet, &mut |row| {
        match &mut seen {
            None => seen = header(&row).ok().map(|list| list.evidence()),
            Some(_) if is_own_total(&row) => {}
            Some(evidence) => evidence.see(&row),
        }
        match &seen {
            Some(evidence) if !evidence.is_complete(needs_mark) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    file.rewind().map_err(|e| SheetError::from(&e))?;
    Ok(seen.map(|evidence| {
        let mark = stated.unwrap_or_else(|| evidence.mark(separator));
        (evidence, mark)
    }))
}

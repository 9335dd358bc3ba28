//! A list with its results, as `taxd calc` writes it: each row is calculated again, and its `taxd_` columns are compared.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use super::VerifyArgs;
use super::report::VerifyReport;
use crate::base::value::Timestamp;
pub(crate) use crate::cli::calculator::{BATCH, BATCH_BYTES, Calculator};
use crate::cli::{CommandResult, Context, files};
use crate::features::AdminError;
use crate::features::calc::CalcCommand;
use crate::features::calc::command::list;
use crate::features::lists::{self, Asked, List, ListEvidence, UnreadCell};
use crate::features::verify::{AnswerDifference, VerifiedAnswer, VerifyVerdict, known_instant};
use crate::law::tax;
use crate::sheet::{self, Cell, ColumnKind, DecimalMark, Row};

/// The column with the number of the row, which another program may have moved.
const ROW_COLUMN: &str = "taxd_linha";
/// The column with the rule.
const RULE_COLUMN: &str = "taxd_regra";

/// A column of results: where it is in the list and among the calculated cells.
struct ResultColumn {
    column: usize,
    place: usize,
    name: &'static str,
    kind: ColumnKind,
}

/// A list whose header was read.
struct ListOfAnswers {
    list: List,
    asked: Asked,
    results: Vec<ResultColumn>,
}

/// The rows on their way from the file to the report.
struct Rows<'v> {
    calculator: Calculator,
    conhecido_em: Option<Timestamp>,
    header: &'v dyn Fn(&Row) -> Result<ListOfAnswers, String>,
    evidence: Option<(ListEvidence, DecimalMark)>,
    open: Option<ListOfAnswers>,
    batch: Vec<Row>,
    batch_bytes: usize,
    report: VerifyReport,
}

/// Runs the command on a list.
pub(super) fn run(context: &Context, args: &VerifyArgs, path: &Path) -> CommandResult {
    let entry = args.tributo.as_deref().map(tax::parse).transpose().map_err(AdminError::new)?;
    let conhecido_em = args.conhecido_em.as_deref().map(|text| known_instant(text, Timestamp::now())).transpose()?;
    let header = |row: &Row| ListOfAnswers::of_header(row, |row| List::of_header(row, entry));
    let unreadable = |error| AdminError::new(format!("{}: {error}", path.display()));
    let open = || files::open(path);
    let plain_header = |row: &Row| header(row).map(|header| header.list);
    let worksheet = args.worksheet.as_deref();
    let evidence =
        list::evidence(&mut open()?, worksheet, args.decimal, &plain_header).map_err(|e| unreadable(e.to_string()))?;
    let mut rows = Rows {
        calculator: Calculator::open(context)?,
        conhecido_em,
        header: &header,
        evidence,
        open: None,
        batch: Vec::new(),
        batch_bytes: 0,
        report: VerifyReport::default(),
    };
    let mut failed = None;
    let read = sheet::read(open()?, worksheet, &mut |row| match rows.take(row) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    });
    match failed {
        Some(error) => return Err(unreadable(error.to_string())),
        None => read.map_err(|e| unreadable(e.to_string()))?,
    }
    rows.verify()?;
    rows.report.print(context, "the list has no rows; `taxd calc` writes lists with results")
}

impl ListOfAnswers {
    /// Reads the header of a list of one tax, or of operations if it has their columns.
    fn of_header(header: &Row, of_taxes: impl Fn(&Row) -> Result<List, String>) -> Result<ListOfAnswers, String> {
        let [taxes, operations] = [Asked::Tax, Asked::Operation].map(|asked| (asked, results_of(asked, header)));
        let (asked, results) = if operations.1.len() > taxes.1.len() { operations } else { taxes };
        // The first result, after the number of the row, is the amount of the tax or of the first one.
        if results.first().is_none_or(|result| result.place != 1) {
            return Err(
                "A lista não tem a coluna do valor (`taxd_valor`), que `taxd calc` acrescenta com as de resultado."
                    .to_owned(),
            );
        }
        let list = match asked {
            Asked::Tax => of_taxes(header)?,
            Asked::Operation => List::of_operations(header)?,
        };
        Ok(ListOfAnswers { list, asked, results })
    }

    /// The cells that the rules give for a row: of the answer, or of what cannot be read.
    fn cells(&self, row: &Row, answer: Result<&[u8], &[UnreadCell]>) -> Result<Vec<Cell>, AdminError> {
        Ok(match answer {
            Ok(answer) => self.asked.cells(row, answer)?,
            Err(faults) => self.asked.fault_cells(row, faults),
        })
    }

    fn differences(&self, row: &Row, calculated: &[Cell]) -> Vec<AnswerDifference> {
        let difference = |result: &ResultColumn| {
            let (stored, now) = (row.cell(result.column), calculated.get(result.place).unwrap_or(&Cell::Empty));
            let (na_resposta, calculado) = (shown(stored, result.kind), shown(now, result.kind));
            let campo = result.name.to_owned();
            (na_resposta != calculado).then_some(AnswerDifference { campo, na_resposta, calculado })
        };
        self.results.iter().filter_map(difference).collect()
    }
}

fn results_of(asked: Asked, header: &Row) -> Vec<ResultColumn> {
    let names: Vec<_> = header.cells.iter().map(|cell| cell.text().unwrap_or_default()).collect();
    let result = |(place, result): (usize, &'static lists::ResultColumn)| {
        let column = names.iter().position(|one| *one == result.name).filter(|_| result.name != ROW_COLUMN)?;
        Some(ResultColumn { column, place, name: &result.name, kind: result.kind })
    };
    asked.columns().iter().enumerate().filter_map(result).collect()
}

/// A cell of results by the kind of its column, as JSON; one that is not of that kind as it is.
fn shown(cell: &Cell, kind: ColumnKind) -> Value {
    let text = match (cell, kind) {
        (cell, _) if cell.is_empty() => return Value::Null,
        (cell, ColumnKind::Decimal | ColumnKind::Integer) => {
            cell.decimal_by(DecimalMark::Comma).map(|number| number.normalize().to_string())
        }
        (cell, ColumnKind::Date) => cell.date().map(|day| day.to_string()),
        _ => cell.text().map(Cow::into_owned),
    };
    Value::String(text.unwrap_or_else(|why| cell.text().map_or(why, Cow::into_owned)))
}

impl Rows<'_> {
    /// Takes the header, or a row, and verifies a full batch.
    fn take(&mut self, row: Row) -> Result<(), AdminError> {
        if self.open.is_none() {
            let mut open = (self.header)(&row).map_err(AdminError::new)?;
            if let Some((evidence, mark)) = &self.evidence {
                open.list = open.list.seen(evidence, *mark);
            }
            self.open = Some(open);
            return Ok(());
        }
        self.batch_bytes += row.size_bytes();
        self.batch.push(row);
        if self.batch.len() < BATCH && self.batch_bytes < BATCH_BYTES { Ok(()) } else { self.verify() }
    }

    fn verify(&mut self) -> Result<(), AdminError> {
        let Some(open) = &self.open else { return Ok(()) };
        let mut payloads = Vec::with_capacity(self.batch.len());
        let faults: Vec<_> =
            self.batch.iter().map(|row| open.list.payload(row).map(|payload| payloads.push(payload)).err()).collect();
        let command = CalcCommand { payloads, operacao: open.asked == Asked::Operation, ..CalcCommand::default() };
        let then = match self.conhecido_em {
            Some(_) => self.calculator.answer(CalcCommand { conhecido_em: self.conhecido_em, ..command.clone() })?,
            None => Vec::new(),
        };
        let (mut now, mut then) = (self.calculator.answer(command)?.into_iter(), then.into_iter());
        self.batch_bytes = 0;
        for (row, faults) in self.batch.drain(..).zip(faults) {
            let compared = |answer: Option<Vec<u8>>| -> Result<Vec<AnswerDifference>, AdminError> {
                let answer = faults.as_deref().map_or_else(|| Ok(answer.as_deref().unwrap_or_default()), Err);
                Ok(open.differences(&row, &open.cells(&row, answer)?))
            };
            let next = |answers: &mut std::vec::IntoIter<Vec<u8>>| if faults.is_none() { answers.next() } else { None };
            let agora = compared(next(&mut now))?;
            let entao = self.conhecido_em.map(|_| compared(next(&mut then))).transpose()?;
            let rule = open.results.iter().find(|result| result.name == RULE_COLUMN);
            let rule_id = rule.and_then(|rule| row.cell(rule.column).text().ok()).filter(|rule| !rule.is_empty());
            let veredito = match &entao {
                _ if agora.is_empty() => VerifyVerdict::Confere,
                Some(then) if then.is_empty() => VerifyVerdict::Conferia,
                _ => VerifyVerdict::Diverge,
            };
            let rule_id = rule_id.map(Cow::into_owned);
            let found =
                VerifiedAnswer { veredito, rule_id, adulterado: Vec::new(), motor: None, agora, entao, erro: None };
            self.report.add(row.number.into(), found);
        }
        Ok(())
    }
}

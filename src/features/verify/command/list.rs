//! A list with its results, as `taxd calc` writes it: each row is calculated again, and its `taxd_` columns are compared.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;

use super::VerifyArgs;
use super::report::VerifyReport;
use crate::base::sentence::Reader;
use crate::base::value::Timestamp;
use crate::cli::engine::{BATCH, BATCH_BYTES};
use crate::cli::{CommandResult, Context, files};
use crate::core::engine::Engine;
use crate::features::AdminError;
use crate::features::calc::command::list::Decimal;
use crate::features::calc::replies;
use crate::features::instants::known_at;
use crate::features::lists::{
    self, Asked, AskedRows, Ended, List, ListEvidence, RepliedRow, RowBatch, RowSink, each_batch, evidence,
};
use crate::features::verify::{AnswerDifference, VerifiedAnswer, VerifyVerdict};
use crate::law::tax::{self, Entry};
use crate::sheet::{self, Cell, ColumnKind, DecimalMark, Row};

/// The column with the number of the row, which another program may have moved.
const ROW_COLUMN: &str = "taxd_linha";
const RULE_COLUMN: &str = "taxd_regra";

/// A column of results: where it is in the list and among the calculated cells.
struct ResultColumn {
    column: usize,
    place: usize,
    name: &'static str,
    kind: ColumnKind,
}

struct ListOfAnswers {
    list: List,
    asked: Asked,
    results: Vec<ResultColumn>,
}

/// The rows on their way from the file to the report.
struct Rows {
    entry: Option<&'static Entry>,
    engine: Engine,
    conhecido_em: Option<Timestamp>,
    evidence: Option<(ListEvidence, DecimalMark)>,
    /// What the header says of the results.
    results: Vec<ResultColumn>,
    report: VerifyReport,
}

pub(super) fn run(context: &Context, args: &VerifyArgs, path: &Path) -> CommandResult {
    let entry = args.tributo.as_deref().map(tax::parse).transpose().map_err(AdminError::new)?;
    let conhecido_em = args.conhecido_em.as_deref().map(|text| known_at(text, Timestamp::now())).transpose()?;
    let unreadable = |error: String| AdminError::new(format!("{}: {error}", path.display()));
    let (mut file, worksheet) = (files::open(path)?, args.worksheet.as_deref());
    let header = |row: &Row| ListOfAnswers::of_header(row, entry).map(|header| header.list);
    let seen = evidence(&mut file, worksheet, args.decimal.map(Decimal::mark), header);
    let mut rows = Rows {
        entry,
        evidence: seen.map_err(|e| unreadable(e.to_string()))?,
        engine: context.settled_engine()?,
        conhecido_em,
        results: Vec::new(),
        report: VerifyReport::default(),
    };
    each_batch(&mut rows, |take| sheet::read(file, worksheet, take)).map_err(|ended| match ended {
        Ended::Unreadable(error) => unreadable(error.to_string()),
        Ended::Stopped(error) => unreadable(error.to_string()),
    })?;
    rows.report.print(context, "the list has no rows; `taxd calc` writes lists with results")
}

impl ListOfAnswers {
    /// Reads the header of a list of one tax, or of operations if it has their columns.
    fn of_header(header: &Row, entry: Option<&'static Entry>) -> Result<ListOfAnswers, String> {
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
            Asked::Tax => List::of_header(header, entry)?,
            Asked::Operation => List::of_operations(header)?,
            Asked::Treatment => List::of_treatments(header)?,
        };
        Ok(ListOfAnswers { list, asked, results })
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

impl RowSink for Rows {
    type Error = AdminError;

    fn begin(&mut self, header: &Row) -> Result<RowBatch, AdminError> {
        let ListOfAnswers { mut list, asked, results } =
            ListOfAnswers::of_header(header, self.entry).map_err(AdminError::new)?;
        if let Some((evidence, mark)) = &self.evidence {
            list = list.seen(evidence, *mark);
        }
        self.results = results;
        Ok(RowBatch::of(list, asked, (BATCH, BATCH_BYTES)))
    }

    fn each(&mut self, batch: &mut RowBatch) -> Result<(), AdminError> {
        let mut asked = batch.take(|_| Ok(()));
        let now = self.differences(&asked);
        asked.questions.conhecido_em = self.conhecido_em;
        let then = self.conhecido_em.map(|_| self.differences(&asked));
        let mut then = then.map(Vec::into_iter);
        for (row, agora) in asked.rows().zip(now) {
            let entao = then.as_mut().and_then(Iterator::next);
            let rule = self.results.iter().find(|result| result.name == RULE_COLUMN);
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

impl Rows {
    /// What each row has otherwise than the rules of the questions' instant give it.
    fn differences(&self, asked: &AskedRows) -> Vec<Vec<AnswerDifference>> {
        let replies = replies(&self.engine, &asked.questions);
        let of_row = |replied: RepliedRow<'_>| {
            let calculated = replied.cells(Reader::Program);
            let difference = |result: &ResultColumn| {
                let now = calculated.get(result.place).unwrap_or(&Cell::Empty);
                let stored = shown(replied.row.cell(result.column), result.kind);
                let (na_resposta, calculado) = (stored, shown(now, result.kind));
                let campo = result.name.to_owned();
                (na_resposta != calculado).then_some(AnswerDifference { campo, na_resposta, calculado })
            };
            self.results.iter().filter_map(difference).collect()
        };
        asked.replied(&replies).map(of_row).collect()
    }
}

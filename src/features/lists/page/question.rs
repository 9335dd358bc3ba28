//! What is asked of a list, and the reading of its file before anything is calculated.

use std::io::Cursor;
use std::ops::ControlFlow;

use super::head::{COLUMN_OF_TRIBUTO, KeptColumn, OpenList};
use crate::base::document::{Field, Shape};
use crate::base::problem::{ErrorCode, Problem};
use crate::base::sentence::Sentence;
use crate::base::value::{Timestamp, fold};
use crate::features::lists::page::cell::CellJson;
use crate::features::lists::same::{self, SameColumns, SameValues};
use crate::features::lists::{Asked, List, ListEvidence, is_own_total};
use crate::http::calculate::past_instant;
use crate::http::query::{self, Query};
use crate::http::turn::{Paced, Turn, UNCOUNTED_BYTES, WorkMemory};
use crate::law::tax::{self, Entry, SUPONDO, Suposicao};
use crate::sheet::{self, Cell, ColumnKind, DecimalMark, Row, SheetError, SheetLimits, TakeRow, column_letters};

/// Most rows of a list; `taxd calc` has no limit.
const MAX_ROWS: u32 = 100_000;
/// Most columns of a list: each is a control of the page.
const MAX_LIST_COLUMNS: usize = 256;
/// Rows that are shown beside the columns.
const SHOWN_ROWS: usize = 3;
const LIMITS: SheetLimits =
    SheetLimits { worksheet_bytes: 256 * 1024 * 1024, strings_bytes: 32 * 1024 * 1024, row_bytes: 1024 * 1024 };
/// In place of a field: the column is what its name says.
const AS_NAMED: &str = "*";

const fn optional(name: &'static str, label: &'static str, shape: Shape) -> Field {
    query::parameter(name, label, shape, None)
}

const COLUNAS: Field = optional(
    "colunas",
    "Campo de cada coluna, separados por vírgula; vazio se ela não é um, e * se o nome o diz",
    Shape::Text,
);
const DECIMAL: Field =
    optional("decimal", "Separador decimal dos textos, se não se quer que seja descoberto", Shape::Text);
const ABA: Field = optional("aba", "Planilha de um XLSX; sem ela, a primeira que aparece", Shape::Text);
const CONHECIDO_EM: Field =
    optional("conhecido_em", "Instante, que não está no futuro, cujas regras respondem", Shape::Instant);
const VALORES: Field =
    optional("valores", "Dados iguais em todas as linhas: um objeto JSON de campo e texto", Shape::Text);
const SUPOSTOS: Field = optional(
    SUPONDO,
    "Valores das regras que se supõem outros, como cbs.aliquota:8.80, separados por vírgula",
    Shape::Text,
);
const SO_COLUNAS: Field =
    query::parameter("so_colunas", "Só as colunas e as primeiras linhas", Shape::Bool, Some("false"));

/// The names of operations and of treatments among those of the taxes.
const OPERACAO: &str = "operacao";
const TRATAMENTO: &str = "tratamento";

pub(super) const TRIBUTO: Field =
    query::parameter("tributo", "Tributo de todas as linhas, ou operacao ou tratamento", Shape::Text, None);

/// What the rows of a list are of.
#[derive(Clone, Copy)]
pub(super) enum OfRows {
    Tax(&'static Entry),
    Operations,
    Treatments,
}

impl OfRows {
    /// Takes the parameter out of the query.
    pub(super) fn take(q: &mut Query) -> Option<OfRows> {
        q.take(&TRIBUTO, |name| match name {
            OPERACAO => Ok(OfRows::Operations),
            TRATAMENTO => Ok(OfRows::Treatments),
            name => tax::parse(name).map(OfRows::Tax),
        })
    }

    /// The tax, unless they are operations or treatments.
    pub(super) fn tax(self) -> Option<&'static Entry> {
        match self {
            OfRows::Tax(entry) => Some(entry),
            OfRows::Operations | OfRows::Treatments => None,
        }
    }

    pub(super) fn asked(self) -> Asked {
        match self {
            OfRows::Tax(_) => Asked::Tax,
            OfRows::Operations => Asked::Operation,
            OfRows::Treatments => Asked::Treatment,
        }
    }
}

pub(crate) struct ListQuestion {
    pub(super) asked: Asked,
    pub(super) tributo: Option<&'static Entry>,
    /// The field of each column from the first, which replaces its name: empty if it is none, or [`AS_NAMED`].
    columns: Option<Vec<String>>,
    mark: Option<DecimalMark>,
    worksheet: Option<String>,
    /// The data that all rows have and the file lacks.
    same: SameValues,
    pub(super) known_at: Option<Timestamp>,
    pub(super) supondo: Vec<Suposicao>,
    pub(super) only_columns: bool,
    /// The query as it was sent.
    pub(super) query: String,
}

/// What the header of a list says of its columns.
struct Header {
    list: List,
    /// The header as it is in the file, with a column for each value that all rows have.
    row: Row<'static>,
    /// The column that names the tax of each row.
    of_tributo: Option<usize>,
    same: SameColumns,
    evidence: ListEvidence,
}

pub(super) struct ListFile<'f> {
    bytes: &'f [u8],
    turn: Turn,
    /// What the file may have at most.
    limits: SheetLimits,
    /// The memory of its shared strings.
    #[expect(dead_code, reason = "its drop gives the memory back")]
    memory: WorkMemory,
}

impl<'f> ListFile<'f> {
    /// Waits for the memory that the file needs beside its bytes.
    pub(super) fn of(bytes: &'f [u8], turn: &Turn) -> Result<ListFile<'f>, Box<Problem>> {
        let strings = sheet::strings_bytes(&mut Cursor::new(bytes)).map_err(|error| refused(error.to_string()))?;
        // A file that says less than it has is refused: it is read within what its memory was taken for. A text may take
        // a little more memory than its element has bytes.
        let strings_bytes = strings.saturating_mul(2).clamp(UNCOUNTED_BYTES, LIMITS.strings_bytes);
        let limits = SheetLimits { strings_bytes, ..LIMITS };
        Ok(ListFile { bytes, turn: turn.clone(), limits, memory: turn.memory(strings_bytes)? })
    }

    fn reader(&self) -> Paced<Cursor<&'f [u8]>> {
        self.turn.paced(Cursor::new(self.bytes))
    }

    /// The names of the worksheets; one without a name for a CSV.
    pub(super) fn worksheets(&self) -> Result<Vec<Option<String>>, Box<Problem>> {
        sheet::worksheets(self.reader()).map_err(|error| refused(error.to_string()))
    }
}

fn refused(detail: impl Into<Sentence>) -> Box<Problem> {
    Box::new(Problem::new(ErrorCode::PayloadInvalido, detail))
}

impl ListQuestion {
    pub(super) fn of(query_text: &str, now: Timestamp) -> Result<ListQuestion, Box<Problem>> {
        let mut q = Query::parse(query_text);
        let of_rows = OfRows::take(&mut q);
        let columns = q.take(&COLUNAS, |names| Ok(names.split(',').map(str::to_owned).collect()));
        let mark = q.take(&DECIMAL, |mark| match mark {
            "virgula" => Ok(DecimalMark::Comma),
            "ponto" => Ok(DecimalMark::Point),
            _ => Err("Use virgula ou ponto.".to_owned()),
        });
        let worksheet = q.take(&ABA, |name| Ok(name.to_owned()));
        let same = q.take(&VALORES, same::parse).unwrap_or_default();
        let known_at = q.take(&CONHECIDO_EM, |text| past_instant(text, now));
        let supondo = q.take(&SUPOSTOS, Suposicao::list).unwrap_or_default();
        let only_columns = q.take(&SO_COLUNAS, query::boolean).unwrap_or(false);
        q.finish()?;
        let asked = of_rows.map_or(Asked::Tax, OfRows::asked);
        if asked == Asked::Treatment && !supondo.is_empty() {
            return Err(refused("O tratamento não tem valores a supor: retire a suposição."));
        }
        let tributo = of_rows.and_then(OfRows::tax);
        let query = query_text.to_owned();
        Ok(ListQuestion { asked, tributo, columns, mark, worksheet, same, known_at, supondo, only_columns, query })
    }

    /// True if all rows ask for one tax, for operations or for treatments.
    pub(super) fn is_of_one(&self) -> bool {
        self.asked != Asked::Tax || self.tributo.is_some()
    }

    pub(super) fn rows(&self, file: &ListFile<'_>, take: &mut TakeRow<'_>) -> Result<(), SheetError> {
        sheet::read_within(file.reader(), self.worksheet.as_deref(), file.limits, take)
    }

    /// Reads the header and goes through all rows: what cannot be read, or is too much, is refused before anything is
    /// calculated, and all rows decide the decimal mark and what a column of a usual name is.
    pub(super) fn open(&self, file: &ListFile<'_>) -> Result<OpenList, Box<Problem>> {
        let mut open: Option<Result<Header, String>> = None;
        let (mut rows, mut first) = (0, Vec::new());
        let read = self.rows(file, &mut |mut row| {
            match &mut open {
                None => open = Some(self.header(&row)),
                Some(_) if is_own_total(&row) => {}
                Some(Ok(Header { same, evidence, .. })) => {
                    same.extend(&mut row);
                    evidence.see(&row);
                    rows += 1;
                    if self.only_columns && first.len() < SHOWN_ROWS {
                        first.push(row.into_owned());
                    }
                }
                Some(Err(_)) => {}
            }
            if matches!(open, Some(Err(_))) || rows > MAX_ROWS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        read.map_err(|error| refused(error.to_string()))?;
        if rows > MAX_ROWS {
            return Err(refused(
                "A lista tem mais de 100.000 linhas, o máximo desta página; divida-a, ou use `taxd calc` no servidor.",
            ));
        }
        let open = open.ok_or_else(|| refused("A lista está vazia; a primeira linha dá nome às colunas."))?;
        let Header { list, row, of_tributo, same, evidence } = open.map_err(refused)?;
        let mark = match (self.mark, sheet::separator(&mut file.reader())) {
            (Some(mark), _) => mark,
            (None, Ok(separator)) => evidence.mark(separator),
            (None, Err(error)) => return Err(refused(error.to_string())),
        };
        let list = list.seen(&evidence, mark);
        let columns = KeptColumn::all(&same.labelled(row, &list), &list, of_tributo);
        let list = if self.only_columns { list } else { list.checked().map_err(refused)? };
        Ok(OpenList { list: list.into(), columns, same, mark, rows, first })
    }

    /// The header with the fields that were chosen for its columns. The error is a sentence.
    fn header(&self, row: &Row<'_>) -> Result<Header, String> {
        if row.cells.len() > MAX_LIST_COLUMNS {
            return Err(format!("A lista tem mais de {MAX_LIST_COLUMNS} colunas; deixe as que interessam."));
        }
        let own = row;
        let row = SameColumns::header(own, &self.same);
        let mut named = row.clone();
        let chosen = named.cells.iter_mut().zip(self.columns.iter().flatten());
        for (cell, chosen) in chosen.filter(|(_, chosen)| *chosen != AS_NAMED) {
            *cell = Cell::Text(chosen.clone().into());
        }
        let is_tributo = |cell: &Cell<'_>| cell.text().is_ok_and(|name| fold(&name) == COLUMN_OF_TRIBUTO);
        let of_tributo = named.cells.iter().position(is_tributo);
        if self.asked == Asked::Tax {
            match (self.tributo, of_tributo) {
                (Some(_), Some(column)) => {
                    return Err(format!(
                        "A coluna {} diz o tributo de cada linha: escolha \"o da coluna Tributo\", ou retire a coluna.",
                        column_letters(column)
                    ));
                }
                (None, None) => {
                    return Err("Nenhuma coluna se chama Tributo: escolha o tributo de todas as linhas.".to_owned());
                }
                _ => {}
            }
        }
        let list = List::draft(&named, self.asked, self.tributo)?;
        let same = SameColumns::of(own.cells.len(), &self.same, &list, |field, text| {
            CellJson::Plain(text.to_owned()).read(ColumnKind::of(&field.shape))
        })?;
        let evidence = list.evidence();
        Ok(Header { list, row, of_tributo, same, evidence })
    }
}

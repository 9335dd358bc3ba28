//! The header of a list: which column is which field.

use serde_json::{Map, Value};

use super::cells::{self, UnreadCell, fold_name};
use super::columns::{Asked, is_result};
use crate::document::{Document, Field, Shape, nearest};
use crate::operation::OperationFacts;
use crate::sheet::{self, Cell, ColumnKind, DecimalEvidence, DecimalMark, Row, column_letters};
use crate::tax::{self, Entry, REGISTRY};
use crate::value::shorten;

/// The column that says which tax a row asks for.
const TRIBUTO: &str = "tributo";

/// How the rows of a table become payloads.
pub struct List {
    names: Vec<String>,
    taxes: Taxes,
    mark: DecimalMark,
}

/// Which tax a row asks for.
enum Taxes {
    /// All rows ask for one.
    One(TaxColumns),
    /// This column names it.
    Column(usize, Vec<TaxColumns>),
}

/// The field of a tax, or of an operation, that each column is, if it is one.
struct TaxColumns {
    /// The name of the tax; `None` for an operation.
    tributo: Option<&'static str>,
    /// What needs the fields, in a sentence: `o IPI`.
    whose: String,
    declared: &'static [Field],
    fields: Vec<Option<&'static Field>>,
}

impl TaxColumns {
    fn of(entry: &'static Entry, names: &[String]) -> TaxColumns {
        let fields = fields_of(entry.payload, names);
        let (tributo, whose) = (Some(entry.tributo.as_str()), format!("o {}", entry.sigla));
        TaxColumns { tributo, whose, declared: entry.payload, fields }
    }

    fn of_operation(names: &[String]) -> TaxColumns {
        let declared = OperationFacts::FIELDS;
        let fields = fields_of(declared, names);
        TaxColumns { tributo: None, whose: "a operação".to_owned(), declared, fields }
    }

    /// The columns of a field.
    fn columns_of(&self, name: &str) -> impl Iterator<Item = usize> {
        self.fields.iter().enumerate().filter(move |(_, f)| f.is_some_and(|f| f.name == name)).map(|(column, _)| column)
    }
}

/// The field that each name is, by its name or its label.
fn fields_of(declared: &'static [Field], names: &[String]) -> Vec<Option<&'static Field>> {
    let field = |name: &String| {
        let folded = fold_name(name);
        declared.iter().find(|f| [f.name, f.label].iter().any(|known| fold_name(known) == folded))
    };
    names.iter().map(field).collect()
}

impl List {
    /// Reads the header of a list of operations. The error is a sentence in Portuguese.
    pub fn of_operations(header: &Row) -> Result<List, String> {
        List::draft(header, Asked::Operation, None)?.checked()
    }

    /// Reads the header. `tributo` is the tax of all rows; without it a column must name that of each row. The error is
    /// a sentence in Portuguese.
    pub fn of_header(header: &Row, tributo: Option<&'static Entry>) -> Result<List, String> {
        List::draft(header, Asked::Tax, tributo)?.checked()
    }

    /// Reads a header that may still lack columns, or have two for one field: [`checked`](Self::checked) refuses that.
    pub fn draft(header: &Row, asked: Asked, tributo: Option<&'static Entry>) -> Result<List, String> {
        let names = names_of(header);
        if asked == Asked::Operation {
            let taxes = Taxes::One(TaxColumns::of_operation(&names));
            return Ok(List { names, taxes, mark: DecimalMark::default() });
        }
        let mut of_tributo = names.iter().enumerate().filter(|(_, name)| fold_name(name) == TRIBUTO).map(|(i, _)| i);
        let (of_tributo, second) = (of_tributo.next(), of_tributo.next());
        if let (Some(one), Some(other)) = (of_tributo, second) {
            return Err(both(one, other, TRIBUTO));
        }
        let taxes = match (tributo, of_tributo) {
            (Some(entry), None) => Taxes::One(TaxColumns::of(entry, &names)),
            (None, Some(column)) => {
                Taxes::Column(column, REGISTRY.iter().map(|entry| TaxColumns::of(entry, &names)).collect())
            }
            (Some(_), Some(column)) => {
                return Err(format!(
                    "A coluna {} já diz o tributo de cada linha; retire-a, ou não dê o tributo no comando.",
                    column_letters(column)
                ));
            }
            (None, None) => {
                return Err(format!(
                    "A lista não diz o tributo: acrescente a coluna `tributo`, ou dê no comando um destes: {}.",
                    tax::NAMES.join(", ")
                ));
            }
        };
        Ok(List { names, taxes, mark: DecimalMark::default() })
    }

    /// The list, if its header is complete.
    pub fn checked(self) -> Result<List, String> {
        self.check()?;
        Ok(self)
    }

    /// The fields that its columns may be, each name once.
    #[must_use]
    pub fn fields(&self) -> Vec<&'static Field> {
        let mut fields: Vec<&'static Field> = Vec::new();
        for field in self.taxes().iter().flat_map(|tax| tax.declared) {
            if !fields.iter().any(|known| known.name == field.name) {
                fields.push(field);
            }
        }
        fields
    }

    /// The columns that go to the output, by their place from 0, each with the field that it is.
    pub fn kept_fields(&self) -> impl Iterator<Item = (usize, Option<&'static Field>)> {
        self.kept().map(|(column, _)| (column, self.field(column)))
    }

    /// The list with that decimal mark in its texts.
    #[must_use]
    pub fn with_decimal_mark(self, mark: DecimalMark) -> List {
        List { mark, ..self }
    }

    /// Takes the numbers of a row into account.
    pub fn see_numbers(&self, row: &Row, evidence: &mut DecimalEvidence) {
        let is_number = |column: usize| self.shape(column).is_some_and(|shape| sheet::is_number(&shape));
        for (column, cell) in row.cells.iter().enumerate() {
            if let Cell::Text(text) = cell
                && is_number(column)
            {
                evidence.see(text);
            }
        }
    }

    fn taxes(&self) -> &[TaxColumns] {
        match &self.taxes {
            Taxes::One(one) => std::slice::from_ref(one),
            Taxes::Column(_, taxes) => taxes,
        }
    }

    /// Refuses two columns for one field, and columns that lack one that is needed. In a list of several taxes a column may
    /// be of another tax, so that each row shows what it lacks.
    fn check(&self) -> Result<(), String> {
        let Taxes::One(tax) = &self.taxes else { return Ok(()) };
        for field in tax.declared {
            let mut columns = tax.columns_of(field.name);
            if let (Some(one), Some(other)) = (columns.next(), columns.next()) {
                return Err(both(one, other, field.name));
            }
        }
        let lacks = |field: &&Field| field.required && tax.columns_of(field.name).next().is_none();
        let missing: Vec<_> = tax.declared.iter().filter(lacks).map(|field| format!("`{}`", field.name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let accepted: Vec<&str> = tax.declared.iter().map(|field| field.name).collect();
        let mut sentences = vec![format!("Faltam colunas de que {} precisa: {}.", tax.whose, missing.join(", "))];
        sentences.extend(self.hints());
        sentences.push(format!("Os campos são: {}.", accepted.join(", ")));
        Err(sentences.join(" "))
    }

    /// The columns that are not a field, by letter and name. Those without a name are left out.
    pub fn unused(&self) -> impl Iterator<Item = (String, String)> {
        let named = self.without_field().filter(|(_, name)| !name.is_empty());
        named.map(|(column, name)| (column_letters(column), shorten(name)))
    }

    fn without_field(&self) -> impl Iterator<Item = (usize, &str)> {
        let of_tributo = |column| matches!(self.taxes, Taxes::Column(named, _) if named == column);
        self.kept().filter(move |(column, _)| !of_tributo(*column) && self.shape(*column).is_none())
    }

    /// A question for each column that is not a field but has nearly the name of one.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let hint = |(column, name, near): (usize, &str, &str)| {
            format!("A coluna {} (\"{}\") é o campo `{near}`?", column_letters(column), shorten(name))
        };
        self.near_fields().map(hint).collect()
    }

    /// The columns that are not a field but have nearly the name of one: place, own name, and that of the field.
    pub fn near_fields(&self) -> impl Iterator<Item = (usize, &str, &'static str)> {
        self.without_field().filter_map(|(column, name)| {
            let fields = self.taxes().iter().flat_map(|tax| tax.declared.iter().map(move |field| (tax, field.name)));
            let open = fields.filter(|(tax, name)| tax.columns_of(name).next().is_none()).map(|(_, name)| name);
            Some((column, name, nearest(&fold_name(name).replace(' ', "_"), open)?))
        })
    }

    /// The columns that go to the output, by name and kind: all but the results of an earlier run.
    pub fn kept_columns(&self) -> impl Iterator<Item = (&str, ColumnKind)> {
        self.kept()
            .map(|(column, name)| (name, self.shape(column).map_or(ColumnKind::Text, |shape| ColumnKind::of(&shape))))
    }

    /// The cells of these columns; `typed` by their fields, or as they are.
    pub fn kept_cells(&self, row: &Row, typed: bool) -> impl Iterator<Item = Cell> {
        self.kept().map(move |(column, _)| match self.shape(column).filter(|_| typed) {
            Some(shape) => cells::typed(row.cell(column), shape, self.mark),
            None => row.cell(column).clone(),
        })
    }

    fn kept(&self) -> impl Iterator<Item = (usize, &str)> {
        let names = self.names.iter().map(String::as_str).enumerate();
        names.filter(|(_, name)| !is_result(name))
    }

    /// The field of a column. Taxes that share one agree on its shape.
    fn field(&self, column: usize) -> Option<&'static Field> {
        self.taxes().iter().find_map(|tax| tax.fields.get(column).copied().flatten())
    }

    fn shape(&self, column: usize) -> Option<Shape> {
        self.field(column).map(|field| field.shape)
    }

    /// The payload of a row as JSON text, or every cell that cannot be read. A cell of a field that the row's tax does
    /// not have is left out: other rows need it.
    pub fn payload(&self, row: &Row) -> Result<Vec<u8>, Vec<UnreadCell>> {
        let tax = match &self.taxes {
            Taxes::One(tax) => tax,
            Taxes::Column(column, taxes) => {
                let fault = |detail| vec![UnreadCell { column: *column, campo: TRIBUTO, detail }];
                let name = row.cell(*column).text().map_err(fault)?;
                let entry = tax::parse(&fold_name(&name).replace(' ', "_")).map_err(fault)?;
                let place = REGISTRY.iter().position(|one| one.tributo == entry.tributo).unwrap_or_default();
                taxes.get(place).ok_or_else(Vec::new)?
            }
        };
        let mut payload = Map::new();
        let mut faults = Vec::new();
        // A decimal comma in a CSV that commas separate, without quotes.
        if let Some(column) = (self.names.len()..row.cells.len()).find(|column| !row.cell(*column).is_empty()) {
            let detail =
                "a linha tem mais células que o cabeçalho; ponha entre aspas o valor que tem vírgula.".to_owned();
            faults.push(UnreadCell { column, campo: "linha", detail });
        }
        if let Some(tributo) = tax.tributo {
            payload.insert(TRIBUTO.to_owned(), Value::from(tributo));
        }
        for (column, field) in tax.fields.iter().enumerate() {
            let Some(field) = field.filter(|_| !row.cell(column).is_empty()) else { continue };
            let second = |one: &usize| *one < column && !row.cell(*one).is_empty();
            if let Some(one) = tax.columns_of(field.name).find(second) {
                faults.push(UnreadCell { column, campo: field.name, detail: both(one, column, field.name) });
                continue;
            }
            match cells::value(row.cell(column), field, self.mark) {
                Ok(value) => drop(payload.insert(field.name.to_owned(), value)),
                Err(detail) => faults.push(UnreadCell { column, campo: field.name, detail }),
            }
        }
        if faults.is_empty() { Ok(Value::Object(payload).to_string().into_bytes()) } else { Err(faults) }
    }
}

fn names_of(header: &Row) -> Vec<String> {
    header.cells.iter().map(|cell| cell.text().unwrap_or_default().into_owned()).collect()
}

/// The sentence on two columns for one field.
fn both(one: usize, other: usize, campo: &str) -> String {
    let [one, other] = [one, other].map(column_letters);
    format!("As colunas {one} e {other} são ambas o campo `{campo}`; deixe uma.")
}

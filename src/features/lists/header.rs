//! The header of a list: which column is which field.

use super::columns::{Asked, is_result};
use super::fields::PayloadColumns;
use super::names::fold_name;
use crate::base::document::{Field, Shape};
use crate::base::value::shorten;
use crate::law::tax::{self, Entry};
use crate::sheet::{Cell, ColumnKind, DecimalMark, Row, column_letters};

/// The column that says which tax a row asks for.
pub(super) const TRIBUTO: &str = "tributo";

/// How the rows of a table become payloads.
pub struct List {
    pub(super) names: Vec<String>,
    /// The columns that go to the output, by their place from 0.
    kept: Vec<usize>,
    pub(super) taxes: Taxes,
    pub(super) mark: DecimalMark,
}

/// Which tax a row asks for.
pub(super) enum Taxes {
    /// All rows ask for one.
    One(PayloadColumns),
    /// This column names it. The taxes are in the order of the registry.
    Column(usize, Vec<PayloadColumns>),
}

impl List {
    /// Reads the header of a list of products whose treatment is asked. The error is a sentence in Portuguese.
    pub fn of_treatments(header: &Row) -> Result<List, String> {
        List::draft(header, Asked::Treatment, None)?.checked()
    }

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
        let of_one = match asked {
            Asked::Tax => None,
            Asked::Operation => Some(PayloadColumns::of_operation(&names)),
            Asked::Treatment => Some(PayloadColumns::of_treatment(&names)),
        };
        if let Some(columns) = of_one {
            return Ok(List::of(names, Taxes::One(columns)));
        }
        let mut of_tributo = names.iter().enumerate().filter(|(_, name)| fold_name(name) == TRIBUTO).map(|(i, _)| i);
        let (of_tributo, second) = (of_tributo.next(), of_tributo.next());
        if let (Some(one), Some(other)) = (of_tributo, second) {
            return Err(both(one, other, TRIBUTO));
        }
        let taxes = match (tributo, of_tributo) {
            (Some(entry), None) => Taxes::One(PayloadColumns::of(entry, &names)),
            (None, Some(column)) => Taxes::Column(column, PayloadColumns::of_each(&names)),
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
        Ok(List::of(names, taxes))
    }

    fn of(names: Vec<String>, taxes: Taxes) -> List {
        let kept = names.iter().enumerate().filter(|(_, name)| !is_result(name)).map(|(column, _)| column).collect();
        List { names, kept, taxes, mark: DecimalMark::default() }
    }

    /// The list with these names of its columns, which their fields do not follow.
    pub fn called(self, header: &Row) -> List {
        List { mark: self.mark, ..List::of(names_of(header), self.taxes) }
    }

    /// The list, if its header is complete.
    pub fn checked(self) -> Result<List, String> {
        self.check()?;
        Ok(self)
    }

    /// The fields that its columns may be, each name once.
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

    pub(super) fn taxes(&self) -> &[PayloadColumns] {
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
        let lacking = tax.lacking(|field| tax.columns_of_field(field).next().is_some());
        let missing: Vec<_> = lacking.map(|field| format!("`{}`", field.name)).collect();
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

    /// The columns that are a field by a usual name, as in "Categoria": letters, own name, and that of the field.
    pub fn by_usual_name(&self) -> Vec<(String, String, &'static str)> {
        let mut found: Vec<(usize, &'static Field)> =
            self.taxes().iter().flat_map(|tax| tax.by_usual_name(&self.names)).collect();
        found.sort_by_key(|(column, field)| (*column, field.name));
        found.dedup_by_key(|(column, field)| (*column, field.name));
        let name = |column: usize| self.names.get(column).map(|name| shorten(name)).unwrap_or_default();
        found.into_iter().map(|(column, field)| (column_letters(column), name(column), field.name)).collect()
    }

    pub(super) fn without_field(&self) -> impl Iterator<Item = (usize, &str)> {
        let of_tributo = |column| matches!(self.taxes, Taxes::Column(named, _) if named == column);
        self.kept().filter(move |(column, _)| !of_tributo(*column) && self.shape(*column).is_none())
    }

    /// The columns that go to the output, by name and kind: all but the results of an earlier run.
    pub fn kept_columns(&self) -> impl Iterator<Item = (&str, ColumnKind)> {
        self.kept()
            .map(|(column, name)| (name, self.shape(column).map_or(ColumnKind::Text, |shape| ColumnKind::of(&shape))))
    }

    /// The cells of these columns; `typed` by their fields, or as they are.
    pub fn kept_cells<'r>(&self, row: &'r Row<'_>, typed: bool) -> impl Iterator<Item = Cell<'r>> {
        self.kept.iter().map(move |column| {
            let cell = row.cell(*column).borrowed();
            let tax = typed.then(|| self.taxes().iter().find(|tax| tax.field(*column).is_some())).flatten();
            match tax {
                Some(tax) => tax.typed(*column, cell, self.mark),
                None => cell,
            }
        })
    }

    fn kept(&self) -> impl Iterator<Item = (usize, &str)> {
        self.kept.iter().filter_map(|column| Some((*column, self.names.get(*column)?.as_str())))
    }

    /// The field of a column. Taxes that share one agree on its shape.
    fn field(&self, column: usize) -> Option<&'static Field> {
        self.taxes().iter().find_map(|tax| tax.field(column))
    }

    pub(super) fn shape(&self, column: usize) -> Option<Shape> {
        self.field(column).map(|field| field.shape)
    }
}

fn names_of(header: &Row) -> Vec<String> {
    header.cells.iter().map(|cell| cell.text().unwrap_or_default().into_owned()).collect()
}

/// The sentence on two columns for one field.
pub(super) fn both(one: usize, other: usize, campo: &str) -> String {
    let [one, other] = [one, other].map(column_letters);
    format!("As colunas {one} e {other} são ambas o campo `{campo}`; deixe uma.")
}

//! Which column of a list is which field of a tax.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::cells;
use super::names::{self, fold_name};
use crate::base::document::{Document, Faults, Field, Object};
use crate::law::operation::{self, OperationFacts};
use crate::law::tax::{Entry, REGISTRY};
use crate::law::tratamento::{self, Pergunta};
use crate::sheet::{Cell, DecimalMark};

/// A city, and the State that follows from it.
pub(super) const MUNICIPIO: &str = "municipio";
pub(super) const UF: &str = "uf";

/// The fields of a tax, or of an operation, as the columns of a list.
pub(super) struct PayloadColumns {
    /// The tax; `None` for an operation or a treatment.
    pub(super) entry: Option<&'static Entry>,
    /// What needs the fields, in a sentence: `o IPI`.
    pub(super) whose: String,
    pub(super) declared: &'static [Field],
    columns: Vec<Option<ColumnField>>,
    /// True if a field may have several columns.
    has_twins: bool,
    /// The faults of fields without a tax.
    beside_tax: fn(&Object<'_>) -> Faults,
}

#[derive(Clone, Copy)]
struct ColumnField {
    field: &'static Field,
    /// False if the name of the column is a label that only other taxes give the field.
    is_own: bool,
}

impl PayloadColumns {
    /// The required fields of which there is nothing, as `has` says of each. A city says its State.
    pub(super) fn lacking(&self, has: impl Fn(&'static Field) -> bool) -> impl Iterator<Item = &'static Field> {
        let is_said = move |field: &'static Field| {
            let has_city = || self.declared.iter().any(|city| city.name == MUNICIPIO && has(city));
            has(field) || (field.name == UF && has_city())
        };
        self.declared.iter().filter(move |field| field.required && !is_said(field))
    }

    /// The columns of a list of one tax.
    pub(super) fn of(entry: &'static Entry, names: &[String]) -> PayloadColumns {
        PayloadColumns {
            entry: Some(entry),
            whose: format!("o {}", entry.sigla),
            ..PayloadColumns::among(entry.payload, names)
        }
    }

    /// The columns of a list of several taxes, for each tax of the registry. A label that only other taxes have is the
    /// field of the name that it has there: "NCM do produto" of the ICMS is also the NCM of a row of CBS.
    pub(super) fn of_each(names: &[String]) -> Vec<PayloadColumns> {
        let folded: Vec<String> = names.iter().map(|name| fold_name(name)).collect();
        let each = |entry: &'static Entry| {
            let mut tax = PayloadColumns::of(entry, names);
            for (column, name) in tax.columns.iter_mut().zip(&folded) {
                let field = || field_of_others(entry.payload, name);
                *column = column.or_else(|| field().map(|field| ColumnField { field, is_own: false }));
            }
            tax.has_twins = has_twins(&tax.columns);
            tax
        };
        REGISTRY.iter().map(each).collect()
    }

    /// The columns of a list of operations.
    pub(super) fn of_operation(names: &[String]) -> PayloadColumns {
        PayloadColumns::among(OperationFacts::FIELDS, names)
    }

    /// The columns of a list of products whose treatment is asked.
    pub(super) fn of_treatment(names: &[String]) -> PayloadColumns {
        let columns = PayloadColumns::among(Pergunta::FIELDS, names);
        PayloadColumns { whose: "o tratamento".to_owned(), beside_tax: tratamento::faults, ..columns }
    }

    fn among(declared: &'static [Field], names: &[String]) -> PayloadColumns {
        let fold = |field: &'static Field| (fold_name(field.name), fold_name(field.label), field);
        let folded: Vec<(String, String, &'static Field)> = declared.iter().map(fold).collect();
        let column = |name: &String| {
            let name = fold_name(name);
            // The field of that name, or else of that label.
            let found = folded.iter().find(|(own, ..)| *own == name);
            let (.., field) = found.or_else(|| folded.iter().find(|(_, label, _)| *label == name))?;
            Some(ColumnField { field, is_own: true })
        };
        let mut columns: Vec<Option<ColumnField>> = names.iter().map(column).collect();
        for field in declared {
            let has_column = columns.iter().flatten().any(|known| known.field.name == field.name);
            let Some(place) = names::usual_column(field, names).filter(|_| !has_column) else { continue };
            if let Some(column) = columns.get_mut(place).filter(|column| column.is_none()) {
                *column = Some(ColumnField { field, is_own: true });
            }
        }
        PayloadColumns {
            entry: None,
            whose: "a operação".to_owned(),
            declared,
            has_twins: has_twins(&columns),
            columns,
            beside_tax: operation::faults,
        }
    }

    /// The columns that are a field by a usual name, which is neither its name nor its label.
    pub(super) fn by_usual_name(&self, names: &[String]) -> Vec<(usize, &'static Field)> {
        let is_usual = |(column, field): &(usize, &'static Field)| {
            let name = names.get(*column).map(|name| fold_name(name)).unwrap_or_default();
            self.is_own(*column) && name != fold_name(field.name) && name != fold_name(field.label)
        };
        self.fields().filter(is_usual).collect()
    }

    /// Makes the column no field, unless the tax needs it.
    pub(super) fn forget_optional(&mut self, column: usize) {
        if let Some(known) = self.columns.get_mut(column) {
            *known = known.filter(|known| known.field.required);
        }
    }

    /// The field that a column is, from 0.
    pub(super) fn field(&self, column: usize) -> Option<&'static Field> {
        self.columns.get(column).copied().flatten().map(|column| column.field)
    }

    /// True for a field that a year alone determines.
    pub(super) fn is_yearly(&self, field: &Field) -> bool {
        self.entry.is_some_and(|entry| entry.yearly == Some(field.name))
    }

    /// A cell of a column with the type of its field.
    pub(super) fn typed<'c>(&self, column: usize, cell: Cell<'c>, mark: DecimalMark) -> Cell<'c> {
        match self.field(column) {
            Some(field) => cells::typed(cell, field.shape, self.is_yearly(field), mark),
            None => cell,
        }
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = (usize, &'static Field)> {
        self.columns.iter().enumerate().filter_map(|(place, column)| Some((place, (*column)?.field)))
    }

    pub(super) fn columns_of(&self, name: &str) -> impl Iterator<Item = usize> {
        self.fields().filter(move |(_, field)| field.name == name).map(|(column, _)| column)
    }

    /// The columns of a field of the tax.
    pub(super) fn columns_of_field(&self, field: &'static Field) -> impl Iterator<Item = usize> {
        self.fields().filter(move |(_, known)| std::ptr::eq(*known, field)).map(|(column, _)| column)
    }

    /// The other columns of the field that a column is. Most lists have none, and each row asks.
    pub(super) fn twins(&self, column: usize, field: &'static Field) -> impl Iterator<Item = usize> {
        self.has_twins.then(|| self.columns_of_field(field)).into_iter().flatten().filter(move |other| *other != column)
    }

    /// True if the column has a name that the tax itself gives the field.
    pub(super) fn is_own(&self, column: usize) -> bool {
        self.columns.get(column).copied().flatten().is_some_and(|column| column.is_own)
    }

    /// The faults of a payload or an operation that concern single fields, and the fields that others make required.
    pub(super) fn faults(&self, payload: &Object<'_>) -> Faults {
        match self.entry {
            Some(entry) => entry.field_faults(payload),
            None => (self.beside_tax)(payload),
        }
    }
}

/// True if two columns are the same field.
fn has_twins(columns: &[Option<ColumnField>]) -> bool {
    let mut seen = HashSet::new();
    columns.iter().flatten().any(|column| !seen.insert(column.field.name))
}

/// What all taxes declare, folded. A list may have thousands of columns, and folding a text takes a while.
struct DeclaredNames {
    names: HashSet<String>,
    /// The names of the fields that a label has.
    labels: HashMap<String, Vec<&'static str>>,
}

static DECLARED: LazyLock<DeclaredNames> = LazyLock::new(|| {
    let mut declared = DeclaredNames { names: HashSet::new(), labels: HashMap::new() };
    for field in REGISTRY.iter().flat_map(|entry| entry.payload) {
        declared.names.insert(fold_name(field.name));
        declared.labels.entry(fold_name(field.label)).or_default().push(field.name);
    }
    declared
});

/// The declared field to which other taxes give that label, if they all mean the same one.
pub(super) fn field_of_others(declared: &'static [Field], folded: &str) -> Option<&'static Field> {
    // A name of the contract means that field alone.
    if DECLARED.names.contains(folded) {
        return None;
    }
    let labelled = DECLARED.labels.get(folded)?.iter();
    let mut known = labelled.filter_map(|name| declared.iter().find(|field| field.name == *name));
    let field = known.next()?;
    known.all(|other| other.name == field.name).then_some(field)
}

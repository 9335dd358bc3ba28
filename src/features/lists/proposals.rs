//! Fields that columns may be, by the names that programs of accounting and sales give their columns. They are proposed,
//! and only the usual names of a field are taken without a question.

use super::fields::field_of_others;
use super::header::List;
use super::names::{NAMES, plain_name};
use crate::base::document::{Field, nearest};
use crate::base::value::shorten;
use crate::sheet::column_letters;

impl List {
    /// A question for each column that is not a field but may be one.
    pub fn hints(&self) -> Vec<String> {
        let hint = |(column, name, near): (usize, &str, &str)| {
            format!("A coluna {} (\"{}\") é o campo `{near}`?", column_letters(column), shorten(name))
        };
        self.proposals().into_iter().map(hint).collect()
    }

    /// The columns that are not a field but may be one, by their order: place, own name, and that of the field. No field is
    /// proposed twice.
    pub fn proposals(&self) -> Vec<(usize, &str, &'static str)> {
        let columns: Vec<_> = self.without_field().map(|(column, name)| (column, name, plain_name(name))).collect();
        let mut open: Vec<&'static Field> = Vec::new();
        for tax in self.taxes() {
            let without_column = tax.declared.iter().filter(|field| tax.columns_of(field.name).next().is_none());
            for field in without_column {
                if !open.iter().any(|one| one.name == field.name) {
                    open.push(field);
                }
            }
        }
        let mut found: Vec<(usize, &str, &'static str)> = Vec::new();
        let mut propose = |column: usize, name, field: &'static str, open: &mut Vec<&'static Field>| {
            if open.iter().any(|one| one.name == field) && !found.iter().any(|(one, ..)| *one == column) {
                open.retain(|one| one.name != field);
                found.push((column, name, field));
            }
        };
        for (column, name, folded) in &columns {
            let labelled = self.taxes().iter().find_map(|tax| field_of_others(tax.declared, folded));
            if let Some(field) = labelled {
                propose(*column, *name, field.name, &mut open);
            }
        }
        for (fields, words) in NAMES {
            for word in *words {
                let Some((column, name, _)) = columns.iter().find(|(.., folded)| folded == word) else { continue };
                for field in *fields {
                    propose(*column, *name, field, &mut open);
                }
            }
        }
        for (column, name, folded) in &columns {
            if let Some(field) = nearest(&folded.replace(' ', "_"), open.iter().map(|field| field.name)) {
                propose(*column, *name, field, &mut open);
            }
        }
        found.sort_by_key(|(column, ..)| *column);
        found
    }
}

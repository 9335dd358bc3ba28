//! What the rows of a list show that its header leaves open.

use super::header::{List, Taxes};
use crate::base::document::Shape;
use crate::sheet::{self, Cell, DecimalEvidence, DecimalMark, Row};

/// What all rows of a list show: its decimal mark, and whether a column such as "Serviço" has codes or descriptions.
#[derive(Debug, Clone)]
pub struct ListEvidence {
    decimals: DecimalEvidence,
    /// The columns of numbers.
    numbers: Vec<usize>,
    open: Vec<OpenColumn>,
}

/// A column that is a code by a usual name, of a field that a tax does not need. A tax that needs the field refuses each
/// row of descriptions.
#[derive(Debug, Clone)]
struct OpenColumn {
    column: usize,
    /// True if a cell begins with a digit, as a code does.
    has_code: bool,
    /// True if any other cell has a text.
    has_text: bool,
}

impl ListEvidence {
    /// The decimal mark of a list with this separator of cells; `None` for an XLSX.
    pub fn mark(&self, separator: Option<char>) -> DecimalMark {
        DecimalMark::of_csv(separator, self.decimals)
    }

    /// Takes a row into account.
    pub fn see(&mut self, row: &Row) {
        for column in &self.numbers {
            if let Cell::Text(text) = row.cell(*column) {
                self.decimals.see(text);
            }
        }
        for open in &mut self.open {
            let cell = row.cell(open.column);
            let begins_with_digit = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
            if cell.text().is_ok_and(|text| begins_with_digit(&text)) {
                open.has_code = true;
            } else if !cell.is_empty() {
                open.has_text = true;
            }
        }
    }

    /// True if more rows would add nothing.
    pub fn is_complete(&self, needs_mark: bool) -> bool {
        (!needs_mark || self.decimals.is_mixed()) && self.open.iter().all(|open| open.has_code)
    }
}

impl List {
    /// The evidence before any row.
    pub fn evidence(&self) -> ListEvidence {
        let of_tax = self.taxes().iter().flat_map(|tax| tax.by_usual_name(&self.names));
        let mut columns: Vec<usize> = of_tax
            .filter(|(_, field)| !field.required && matches!(field.shape, Shape::Code { .. }))
            .map(|(column, _)| column)
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let open = columns.into_iter().map(|column| OpenColumn { column, has_code: false, has_text: false });
        let is_number = |column: &usize| self.shape(*column).is_some_and(|shape| sheet::is_number(&shape));
        let numbers = (0..self.names.len()).filter(is_number).collect();
        ListEvidence { decimals: DecimalEvidence::default(), numbers, open: open.collect() }
    }

    /// The list as its rows show it: a column of descriptions alone is not a field by its usual name, and is proposed.
    pub fn seen(mut self, evidence: &ListEvidence, mark: DecimalMark) -> List {
        let taxes = match &mut self.taxes {
            Taxes::One(tax) => std::slice::from_mut(tax),
            Taxes::Column(_, taxes) => taxes,
        };
        for open in evidence.open.iter().filter(|open| open.has_text && !open.has_code) {
            for tax in taxes.iter_mut() {
                tax.forget_optional(open.column);
            }
        }
        self.mark = mark;
        self
    }
}

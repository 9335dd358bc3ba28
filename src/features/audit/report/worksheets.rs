//! The worksheets of an XLSX beside that of its lines: what to correct first, then by product, then what was not compared, the
//! revenue and the purchases.

use super::cause_table::{self, CauseOfReport};
use super::{AuditReport, not_compared, products_table};
use crate::features::audit::{purchases, segregation};
use crate::sheet::{Reader, Table};

#[derive(Debug)]
pub struct Worksheets {
    pub before: Vec<Table>,
    pub after: Vec<Table>,
}

impl AuditReport {
    /// The worksheets of a company, or of all. `only_differences` leaves out what was not compared.
    pub fn worksheets(&self, company: Option<&str>, reader: Reader, only_differences: bool) -> Worksheets {
        let causes: Vec<CauseOfReport> = match company {
            Some(company) => self.causes(company),
            None => self.companies().flat_map(|company| self.causes(company)).collect(),
        };
        let products = products_table::table(self.pages_of(company), reader);
        let before = vec![cause_table::table(&causes, reader), products];
        let mut after = Vec::new();
        if !only_differences {
            let has_reform = self.pages_of(company).any(|(_, page)| page.by_tax.contains_key("cbs"));
            let reasons = self.pages_of(company).map(|(month, page)| (month, &page.not_compared));
            after.push(not_compared::table(reasons, has_reform, reader));
        }
        let shown = company.map(|company| self.name_of(company).1);
        let is_of = |empresa: &str| shown.is_none_or(|shown| empresa.starts_with(shown));
        after.extend(segregation::table(self.segregated.iter().filter(|month| is_of(&month.empresa)), reader));
        let purchases = if only_differences { Vec::new() } else { self.purchases.summary() };
        after.extend(purchases::table(purchases.iter().filter(|month| is_of(&month.empresa)), reader));
        Worksheets { before, after }
    }
}

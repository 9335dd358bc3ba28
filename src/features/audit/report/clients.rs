//! The companies of a report, and the causes of each.

use std::collections::BTreeMap;

use super::cause_table::CauseOfReport;
use super::causes::Causes;
use super::message::ClientMessage;
use super::{AuditReport, PageOfMonth};
use crate::features::audit::AuditLine;
use crate::features::audit::companies::CompanyNames;

/// A company of the report.
#[derive(Debug, Default)]
pub(super) struct CompanyCauses {
    /// As [`AuditLine::empresa`](crate::features::audit::AuditLine::empresa) has it; the root of the CNPJ of several
    /// establishments.
    empresa: String,
    causes: Causes,
}

/// The companies of the report: by the digits that the file of the firm has of each, or all of those of an issuer.
#[derive(Debug, Default)]
pub(super) struct CompaniesOfReport {
    pub(super) names: CompanyNames,
    by_company: BTreeMap<String, CompanyCauses>,
    /// Causes that are kept.
    kept: usize,
}

impl CompaniesOfReport {
    /// The digits of the company that an issuer is of.
    pub(super) fn company_of<'c>(&'c self, emitente: &'c str) -> &'c str {
        self.names.client_of(emitente).unwrap_or(emitente)
    }

    pub(super) fn add(&mut self, line: &AuditLine) {
        let CompaniesOfReport { names, by_company, kept } = self;
        let company = names.client_of(&line.emitente).unwrap_or(&line.emitente);
        let client = match by_company.get_mut(company) {
            Some(known) => known,
            None => by_company
                .entry(company.to_owned())
                .or_insert(CompanyCauses { empresa: line.empresa.clone(), causes: Causes::default() }),
        };
        if client.empresa != line.empresa {
            line.empresa.split('/').next().unwrap_or_default().clone_into(&mut client.empresa);
        }
        if line.veredito.differs() {
            client.causes.add(line, kept);
        }
    }
}

impl AuditReport {
    /// The report, with what the firm calls its companies.
    pub fn named(mut self, names: CompanyNames) -> AuditReport {
        self.clients.names = names;
        self
    }

    /// The digits of each company of which there is a line, in order; empty for files and issuers without a CNPJ.
    pub fn companies(&self) -> impl Iterator<Item = &str> {
        self.clients.by_company.keys().map(String::as_str)
    }

    /// What the firm calls a company, and its CNPJ as people write it.
    pub fn name_of(&self, company: &str) -> (&str, &str) {
        let shown = self.clients.by_company.get(company).map_or("", |client| client.empresa.as_str());
        (self.clients.names.of(company), shown)
    }

    /// The causes of a company in words, the certain ones first.
    pub fn causes(&self, company: &str) -> Vec<CauseOfReport> {
        let (nome, shown) = self.name_of(company);
        let title = if nome.is_empty() { shown } else { nome };
        let client = self.clients.by_company.get(company);
        client.map_or_else(Vec::new, |client| {
            client.causes.sorted().into_iter().map(|cause| CauseOfReport::of(cause, title)).collect()
        })
    }

    /// The text for a message to a company.
    pub fn message(&self, company: &str) -> String {
        let (nome, cnpj) = self.name_of(company);
        let pages = || self.pages_of(Some(company));
        let months: Vec<&str> = pages().map(|(month, _)| month).filter(|month| !month.is_empty()).collect();
        let unchecked = pages().map(|(_, page)| page.not_compared.refused()).sum();
        ClientMessage { nome, cnpj, months: &months, causes: &self.causes(company), unchecked }.text()
    }

    /// The pages of a company, or of all, each with its month.
    pub(super) fn pages_of<'r>(&'r self, company: Option<&'r str>) -> impl Iterator<Item = (&'r str, &'r PageOfMonth)> {
        let wanted = move |issuer: &str| company.is_none_or(|company| company == self.clients.company_of(issuer));
        let pages = self.pages.iter().filter(move |((issuer, _), _)| wanted(issuer));
        pages.map(|((_, month), page)| (month.as_str(), page))
    }
}

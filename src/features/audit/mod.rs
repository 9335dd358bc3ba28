//! Documents against the law that was in force on their day: what to ask, what to compare, and what the difference means.
//!
//! Of a company of the Simples Nacional the report also has the revenue of its months, segregated ([`segregation`]), and of
//! each company that the caller names what it may credit of its purchases ([`purchases`]).
//!
//! [`input`] gives the documents. Three layers: the arithmetic inside a document ([`arithmetic`]), each tax of each item by the rules ([`questions`],
//! [`compare`]), with the one change that explains a difference ([`mod@explain`]), and the coherence of its codes ([`coherence`]). Each line and tax gets one [`Verdict`]. A line that
//! rightly charges nothing is `nao_se_aplica`, with the reason ([`situation`]).
//!
//! Pure: this module never calculates a tax. The caller has the engine answer the [`Question`]s, by the same path as
//! `taxd calc`, and gives the answers back.

mod access_key;
mod arithmetic;
mod balance;
mod cause_names;
mod coherence;
pub mod command;
pub mod companies;
mod compare;
mod compared;
mod contribution_codes;
mod contribution_rates;
mod credit;
mod crossing;
mod cte;
mod differences;
mod explain;
mod finding;
mod input;
mod iss;
mod missing_st;
pub mod page;
mod purchases;
mod question;
mod questions;
mod reform;
mod report;
mod run;
mod run_state;
mod segregation;
mod service_federal;
mod simples_resale;
mod situation;
mod substitution;
mod surface;
mod table;
mod technical_note;
mod withholdings;

pub use cause_names::CAUSES;
pub(in crate::features::audit) use companies::named;
pub use companies::{COMPANY_FACTS, Companies, CompanyNames};
pub use compare::{Comparison, Declared, Members};
pub use explain::{Judged, explain};
pub use finding::{AuditLine, AuditPlace, Certainty, Explanation, Layer, Source, Verdict, shown as shown_cnpj};
pub(in crate::features::audit) use input::archive::check_entries;
pub(crate) use input::archive::fault;
pub use input::archive::{FileLimits, Input, UnreadFile, reading_failed};
pub use input::file_kind::{FileKind, HEAD_BYTES, hidden_files, is_hidden, kind_of};
pub use input::folder::FolderFiles;
pub use input::{Content, Inputs, NamedFile};
pub use purchases::{CreditOfPurchase, CreditSituation, PurchasesOfMonth};
pub use question::{Question, has_ncm_table, ncm_probe};
pub use report::{AuditReport, AuditSummary, CauseOfReport, ClientOfReport, Worksheets};
pub use run::Run;
pub use segregation::{
    Activity, AmountAndReason, Contributions, DasOfMonth, LocalTax, Market, RevenueTreatment, SegregatedMonth,
    SegregatedRevenue,
};
pub use surface::{Payloads, Surface};
pub use table::{table_head, table_row};

use std::sync::Arc;

use crate::base::value::Date;
use crate::law::nfe::{Contribuinte, DocumentStatus, Event, FiscalDocument, NotaDeServico, UnreadableField, XmlFault};

/// A line of the report: ready, or as soon as its question is answered.
#[derive(Debug)]
pub enum PlannedLine {
    Ready(Box<AuditLine>),
    Question(Box<Question>),
}

/// Plans the audit of a document: its lines, in the order of its items.
pub fn plan(file: &str, number: u32, document: &FiscalDocument, contribuinte: &Contribuinte) -> Vec<PlannedLine> {
    let source = Source::of(file, number, document);
    let mut lines = Vec::new();
    let void = |(codigo, reason)| vec![ready(source.line().not_compared(codigo, reason))];
    if let Some(why) = why_void(document.status()) {
        return void(why);
    }
    let faults = match document {
        FiscalDocument::Nota(nota) => &nota.unreadable,
        FiscalDocument::Servico(nota) => &nota.unreadable,
        FiscalDocument::Transporte(cte) => &cte.unreadable,
        FiscalDocument::Event(event) => return void(("evento", about(event))),
        FiscalDocument::Other(other) => return vec![ready(source.line().of_other(other))],
    };
    lines.extend(faults.iter().map(|fault| ready(unreadable(source.line(), fault))));
    let Some(day) = document.day() else { return lines };
    match document {
        FiscalDocument::Event(_) | FiscalDocument::Other(_) => {}
        FiscalDocument::Nota(nota) => {
            if nota.items.is_empty() {
                let line = source.line().in_layer(Layer::Arquivo, "documento");
                lines.push(ready(line.refused("sem_itens", "o documento não tem itens")));
            }
            for item in &nota.items {
                let line = source.of_item(item);
                lines.extend(item.unreadable.iter().map(|fault| ready(unreadable(line.clone(), fault))));
                lines.extend(arithmetic::of_item(nota, item, &line).into_iter().map(ready));
                lines.extend(coherence::of_item(nota, item, day, &line).into_iter().map(ready));
                lines.extend(questions::of_item(nota, item, day, contribuinte, &line));
                lines.extend(credit::of_item(nota, item, day, contribuinte, &line));
            }
            lines.extend(questions::of_transfers(nota, day, &source.line()).map(ready));
            lines.extend(withholdings::of_goods(nota, day, contribuinte, &source.line()));
            lines.extend(arithmetic::totals::of_totals(nota, &source.line()).into_iter().map(ready));
            lines.extend(coherence::of_document(nota, day, &source.line()).into_iter().map(ready));
            lines.extend(access_key::of_document(nota, day, &source.line()).map(ready));
        }
        FiscalDocument::Servico(nota) => {
            lines.extend(of_services(nota, day, contribuinte, &source.line()));
        }
        FiscalDocument::Transporte(cte) => {
            lines.extend(cte::of_transport(cte, day, contribuinte, &source.line()));
        }
    }
    lines
}

/// Why a document of that status is not compared: a code and the reason.
fn why_void(status: DocumentStatus) -> Option<(&'static str, &'static str)> {
    match status {
        DocumentStatus::Valid => None,
        DocumentStatus::Cancelled => Some(("documento_cancelado", "documento cancelado ou substituído")),
        DocumentStatus::Denied => Some(("documento_denegado", "documento com o uso denegado")),
        DocumentStatus::Rejected => {
            Some(("documento_rejeitado", "documento rejeitado: não tem autorização de uso, pelo protocolo do arquivo"))
        }
    }
}

/// What an event says of its document.
fn about(event: &Event) -> &'static str {
    match event {
        Event { of_coupon: true, .. } => "cancelamento de um CF-e SAT: o cupom que ele cita não é conferido",
        Event { cancels: true, .. } => "evento de cancelamento: o documento que ele cita não é conferido",
        _ => "evento sobre um documento, e não um documento",
    }
}

/// The lines of an NFS-e; those of each service have its number if there are several.
fn of_services(nota: &NotaDeServico, day: Date, contribuinte: &Contribuinte, line: &AuditLine) -> Vec<PlannedLine> {
    let mut lines = Vec::new();
    for (service, number) in nota.servicos().zip(1..) {
        let item = (!nota.outros.is_empty()).then_some(number);
        let line = &AuditLine { place: Arc::new(AuditPlace { item, ..(*line.place).clone() }), ..line.clone() };
        // Those of the first one are of the document.
        let faults = service.unreadable.iter().filter(|_| number > 1);
        lines.extend(faults.map(|fault| ready(unreadable(line.clone(), fault))));
        lines.extend(arithmetic::of_service(service, line).into_iter().map(ready));
        lines.extend(iss::of_service(service, day, contribuinte, line));
        lines.extend(coherence::of_service(service, line).into_iter().map(ready));
        lines.extend(service_federal::of_service(service, day, contribuinte, line));
        lines.extend(withholdings::of_service(service, day, contribuinte, line));
    }
    lines
}

/// The line of a document that the run had before, by its access key.
pub fn repeated(file: &str, number: u32, document: &FiscalDocument) -> AuditLine {
    let reason = "o mesmo documento já está em outro arquivo deste relatório, e é conferido lá";
    Source::of(file, number, document).line().not_compared("documento_repetido", reason)
}

/// Whether the document is in the period of the audit.
pub fn includes(document: &FiscalDocument, desde: Option<Date>) -> bool {
    // A document whose day is not readable is reported, whatever the period.
    desde.is_none_or(|desde| document.day().is_none_or(|day| desde <= day))
}

fn ready(line: AuditLine) -> PlannedLine {
    PlannedLine::Ready(Box::new(line))
}

fn unreadable(line: AuditLine, fault: &UnreadableField) -> AuditLine {
    let detail = format!("`{}` não tem um valor legível", fault.name);
    let fault = XmlFault { line: fault.line, codigo: "campo_ilegivel", detail };
    line.in_layer(Layer::Arquivo, "documento").refused(fault.codigo, fault.to_string())
}

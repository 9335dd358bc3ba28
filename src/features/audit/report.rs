//! The report for people: what each company is to correct, and a page for each of its months.

mod cause_table;
mod causes;
mod clients;
mod message;
mod not_compared;
mod plain;
mod products_table;
mod sentences;
mod sums;
mod template;
mod worksheets;

pub use cause_table::CauseOfReport;
pub use sums::{AuditSummary, ClientOfReport};
pub use worksheets::Worksheets;

use std::collections::BTreeMap;
use std::fmt::Write;

use self::clients::CompaniesOfReport;
use self::not_compared::Reasons;
use self::sentences::{harmless, month_in_words, sentence, without_many_alike};
use super::balance::{Balance, OverUnder};
use super::finding::{AuditLine, Layer};
use super::purchases::Purchases;
use super::segregation::SegregatedMonth;
use crate::base::value::amount_in_brl;

/// Causes by product that a page lists.
const PRODUCTS: usize = 20;
/// Most lines that a report lists, each of some kilobytes. Further ones are counted: tables and JSON have them all.
const LISTED: usize = 10_000;
/// Most causes by product that a report lists one by one. Further ones are added up.
const CAUSES: usize = 100_000;

/// Tax, NCM, product and what differs.
type ProductCause = (&'static str, String, String, String);

/// The lines of a company in a month.
#[derive(Debug, Default)]
struct PageOfMonth {
    empresa: String,
    by_tax: BTreeMap<&'static str, Balance>,
    by_product: BTreeMap<ProductCause, Balance>,
    not_compared: Reasons,
    differences: Vec<AuditLine>,
    /// Differences beyond [`LISTED`].
    unlisted: u64,
}

/// The report, with the lines that agree counted only. Its memory is bounded by the number of companies and months, not
/// by that of the lines.
#[derive(Debug, Default)]
pub struct AuditReport {
    listed: usize,
    causes: usize,
    /// The lines are shown elsewhere, and are not kept.
    only_sums: bool,
    /// By all digits of the issuer, and the month.
    pages: BTreeMap<(String, String), PageOfMonth>,
    clients: CompaniesOfReport,
    /// The revenue of companies of the Simples.
    segregated: Vec<SegregatedMonth>,
    /// The credits of purchases, of which only sums are kept.
    purchases: Purchases,
}

impl AuditReport {
    /// A report that keeps no line: for one who has them already.
    pub fn of_sums() -> AuditReport {
        AuditReport { only_sums: true, ..AuditReport::default() }
    }

    pub fn add(&mut self, line: AuditLine) {
        self.clients.add(&line);
        if line.camada == Layer::Compras {
            return self.purchases.add(&line);
        }
        let month = line.month();
        let page = self.pages.entry((line.emitente.clone(), month)).or_default();
        page.empresa.clone_from(&line.empresa);
        page.by_tax.entry(line.tributo).or_default().add(&line);
        if line.veredito.differs() {
            let mut key = (line.tributo, line.ncm.clone(), line.produto.clone(), cause(&line).to_owned());
            if self.causes >= CAUSES && !page.by_product.contains_key(&key) {
                key = (line.tributo, String::new(), OTHERS.to_owned(), cause(&line).to_owned());
            }
            let known = page.by_product.len();
            page.by_product.entry(key).or_default().add(&line);
            self.causes += page.by_product.len() - known;
        }
        page.not_compared.add(&line);
        if !self.only_sums && (line.veredito.differs() || line.camada == Layer::Arquivo) {
            if self.listed < LISTED {
                self.listed += 1;
                page.differences.push(line);
            } else {
                page.unlisted += 1;
            }
        }
    }

    pub fn add_segregated(&mut self, month: SegregatedMonth) {
        self.segregated.push(month);
    }

    /// The pages of a company as text; empty if there is none.
    pub fn text_of(&self, company: &str, only_differences: bool) -> String {
        let pages = self.pages_of(Some(company)).map(|(month, page)| page.text(month, only_differences));
        pages.collect::<Vec<_>>().join("\n")
    }

    /// The report as text, in Portuguese. `only_differences` leaves out what was refused, and not its count.
    pub fn text(&self, only_differences: bool) -> String {
        if self.pages.is_empty() {
            return "Nada a mostrar: nenhum documento no período.".to_owned();
        }
        let mut sections = Vec::new();
        let mut before = None;
        for ((issuer, month), page) in &self.pages {
            let company = self.clients.company_of(issuer);
            if before != Some(company) {
                before = Some(company);
                sections.extend(self.what_to_correct(company));
            }
            sections.push(page.text(month, only_differences));
        }
        sections.extend(self.segregated.iter().map(|of| of.text(&month_in_words(&of.mes))));
        // Credits do not differ from anything.
        let purchases = if only_differences { Vec::new() } else { self.purchases.summary() };
        sections.extend(purchases.iter().map(|of| of.text(&month_in_words(&of.mes))));
        sections.join("\n")
    }

    /// The section of a company before its months; `None` if nothing differs.
    fn what_to_correct(&self, company: &str) -> Option<String> {
        let causes = self.causes(company);
        let (nome, cnpj) = self.name_of(company);
        let title = [cnpj, nome].into_iter().filter(|part| !part.is_empty()).map(harmless).collect::<Vec<_>>();
        let title = if title.is_empty() { "sem CNPJ no documento".to_owned() } else { title.join(", ") };
        let mut out = format!("O QUE CORRIGIR: {title}\n\n");
        cause_table::write(&causes, &mut out);
        (!causes.is_empty()).then_some(out)
    }
}

/// The name of all products beyond [`CAUSES`].
const OTHERS: &str = "outros produtos";

/// What groups the lines of one cause.
fn cause(line: &AuditLine) -> &str {
    line.codigo.unwrap_or_default()
}

impl PageOfMonth {
    fn text(&self, month: &str, only_differences: bool) -> String {
        let mut out = String::new();
        // Writing to a String never fails.
        let month = month_in_words(month);
        let _ = match (self.empresa.as_str(), month.as_str()) {
            ("", "") => writeln!(out, "ARQUIVOS QUE NÃO SÃO NOTAS, OU QUE NÃO PUDERAM SER LIDOS"),
            ("", month) => writeln!(out, "EMITENTE sem CNPJ no documento, {month}"),
            (empresa, month) => writeln!(out, "EMPRESA {empresa}, {month}"),
        };
        let _ = writeln!(
            out,
            "\n{:<22} {:>8} {:>8} {:>8} {:>8} {:>14} {:>14} {:>18} {:>18}",
            "tributo",
            "confere",
            "diverge",
            "recusado",
            "não apl.",
            "a maior R$",
            "a menor R$",
            "a maior, conferir",
            "a menor, conferir"
        );
        for (tax, balance) in &self.by_tax {
            let Balance { sure, to_check, confere, differs, recusado, nao_se_aplica } = balance;
            let _ = write!(out, "{tax:<22} {confere:>8} {differs:>8} {recusado:>8} {nao_se_aplica:>8}");
            let [over, under, check_over, check_under] =
                [sure.over, sure.under, to_check.over, to_check.under].map(amount_in_brl);
            let _ = writeln!(out, " {over:>14} {under:>14} {check_over:>18} {check_under:>18}");
        }
        if !only_differences {
            self.not_compared.write(&mut out);
        }
        self.write_products(&mut out);
        let shown = self.differences.iter().filter(|line| !only_differences || line.is_finding());
        let (shown, alike) = without_many_alike(shown.collect());
        for (number, line) in shown.into_iter().map(sentence).chain(alike).enumerate() {
            if number == 0 {
                out.push_str("\nLista\n");
            }
            let _ = writeln!(out, "{line}");
        }
        if self.unlisted > 0 {
            let _ = writeln!(out, "... e mais {} linhas, que --format csv, xlsx ou json trazem", self.unlisted);
        }
        out
    }

    /// The causes by product, those of the largest amounts first.
    fn products(&self) -> Vec<(&ProductCause, &Balance)> {
        let mut products: Vec<_> = self.by_product.iter().collect();
        products.sort_by_key(|(_, balance)| {
            std::cmp::Reverse((balance.sure.total().saturating_add(balance.to_check.total()), balance.differs))
        });
        products
    }

    fn write_products(&self, out: &mut String) {
        let products = self.products();
        for (number, ((tax, ncm, product, cause), balance)) in products.iter().take(PRODUCTS).enumerate() {
            if number == 0 {
                out.push_str("\nPor produto\n");
            }
            let goods = harmless(&format!("{ncm} {product}"));
            let _ = write!(out, "{tax} {}: {cause}, linhas: {}", goods.trim(), balance.differs);
            write_amounts(out, "", balance.sure);
            write_amounts(out, "a conferir: ", balance.to_check);
            out.push('\n');
        }
        if products.len() > PRODUCTS {
            let _ = writeln!(out, "... e mais {}", products.len() - PRODUCTS);
        }
    }
}

/// Adds amounts, if there are any.
fn write_amounts(out: &mut String, kind: &str, amounts: OverUnder) {
    for (side, amount) in [("a maior", amounts.over), ("a menor", amounts.under)] {
        if !amount.is_zero() {
            let _ = write!(out, ", {kind}{side} {}", amount_in_brl(amount));
        }
    }
}

//! The sums of a report, as data.

use rust_decimal::Decimal;
use serde::Serialize;

use super::not_compared::{NotCompared, Reason};
use super::{AuditReport, CauseOfReport, PageOfMonth};
use crate::features::audit::balance::Balance;
use crate::features::audit::finding::brl;
use crate::features::audit::purchases::PurchasesOfMonth;
use crate::features::audit::segregation::SegregatedMonth;

/// Most causes by product of a company and month, those of the largest amounts.
const PRODUCTS: usize = 200;
/// Most causes of a company.
const CAUSES: usize = 200;

/// What a report adds up to.
#[derive(Debug, Clone, Serialize)]
pub struct AuditSummary {
    /// What each company is to correct.
    pub clientes: Vec<ClientOfReport>,
    pub empresas: Vec<CompanyMonth>,
    /// The revenue of companies of the Simples Nacional, segregated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segregacao: Vec<SegregatedMonth>,
    /// What the companies may credit of their purchases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compras: Vec<PurchasesOfMonth>,
}

/// A company, and what it is to correct.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientOfReport {
    /// As [`CompanyMonth::empresa`]; the root of the CNPJ of several establishments.
    pub empresa: String,
    /// What the firm calls it; empty if its file has no name.
    pub nome: String,
    /// The certain ones first.
    pub causas: Vec<CauseOfReport>,
    /// Causes beyond those.
    pub outras_causas: usize,
    /// A text to paste into a message.
    pub mensagem: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompanyMonth {
    /// The issuer, as [`AuditLine::empresa`](crate::features::audit::AuditLine::empresa) has it.
    pub empresa: String,
    /// `2026-01`; empty if the day is not readable.
    pub mes: String,
    /// By tax; `documento` and `ncm` are checks of no tax.
    pub tributos: Vec<TaxOfMonth>,
    /// By product and cause, the largest amounts first.
    pub produtos: Vec<ProductOfMonth>,
    /// Causes by product beyond those.
    pub outros_produtos: usize,
    /// What could not be checked, and why, the most frequent first.
    pub faltas: Vec<Missing>,
    /// Why there was nothing to check, the most frequent first.
    pub sem_conferencia: Vec<Idle>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditSums {
    pub confere: u64,
    pub diverge: u64,
    /// Lines that could not be checked.
    pub recusado: u64,
    /// Lines with nothing to check.
    pub nao_se_aplica: u64,
    /// What was charged beyond what is due, by a full rule or an error of the document.
    #[serde(serialize_with = "brl")]
    pub a_maior: Decimal,
    /// What was not charged and is due, by the same.
    #[serde(serialize_with = "brl")]
    pub a_menor: Decimal,
    /// The same, of differences that a person must check.
    #[serde(serialize_with = "brl")]
    pub a_maior_conferir: Decimal,
    /// The same.
    #[serde(serialize_with = "brl")]
    pub a_menor_conferir: Decimal,
}

/// A tax of a company in a month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaxOfMonth {
    pub tributo: &'static str,
    #[serde(flatten)]
    pub somas: AuditSums,
}

/// One cause of differences of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProductOfMonth {
    pub tributo: &'static str,
    /// NCM, or the item of the list of services.
    pub ncm: String,
    /// The issuer's code of the product.
    pub produto: String,
    /// A stable name of what differs.
    pub codigo: String,
    #[serde(flatten)]
    pub somas: AuditSums,
}

/// Why lines could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub tributo: &'static str,
    /// A stable name of the reason.
    pub codigo: String,
    pub linhas: u64,
    /// The sentence of the first one.
    pub detalhe: String,
}

/// Why there was nothing to check in lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Idle {
    /// Taxes, and what else the lines are about.
    pub tributos: Vec<&'static str>,
    pub linhas: u64,
    pub detalhe: String,
}

impl AuditSums {
    fn of(balance: &Balance) -> AuditSums {
        AuditSums {
            confere: balance.confere,
            diverge: balance.differs,
            recusado: balance.recusado,
            nao_se_aplica: balance.nao_se_aplica,
            a_maior: balance.sure.over,
            a_menor: balance.sure.under,
            a_maior_conferir: balance.to_check.over,
            a_menor_conferir: balance.to_check.under,
        }
    }
}

impl AuditReport {
    /// The sums by company and month, in order.
    pub fn summary(&self) -> AuditSummary {
        let empresas = self.pages.iter().map(|((_, month), page)| page.summary(month)).collect();
        let clientes = self.companies().filter_map(|company| self.client(company)).collect();
        let (segregacao, compras) = (self.segregated.clone(), self.purchases.summary());
        AuditSummary { clientes, empresas, segregacao, compras }
    }

    /// `None` if the company has nothing to correct.
    fn client(&self, company: &str) -> Option<ClientOfReport> {
        let mut causas = self.causes(company);
        if causas.is_empty() {
            return None;
        }
        let outras_causas = causas.len().saturating_sub(CAUSES);
        causas.truncate(CAUSES);
        let (nome, empresa) = self.name_of(company);
        let (nome, empresa) = (nome.to_owned(), empresa.to_owned());
        Some(ClientOfReport { empresa, nome, causas, outras_causas, mensagem: self.message(company) })
    }
}

impl PageOfMonth {
    fn summary(&self, month: &str) -> CompanyMonth {
        let products = self.products();
        let product = |(key, balance): &(&super::ProductCause, &Balance)| {
            let (tributo, ncm, produto, codigo) = (*key).clone();
            ProductOfMonth { tributo, ncm, produto, codigo, somas: AuditSums::of(balance) }
        };
        let (refused, idle_reasons): (Vec<_>, Vec<_>) =
            self.not_compared.sorted().into_iter().partition(|((refused, ..), _)| *refused);
        let missing = |((_, tributo, codigo), of): (&Reason, &NotCompared)| Missing {
            tributo,
            codigo: codigo.clone(),
            linhas: of.lines,
            detalhe: of.example.clone(),
        };
        let idle = |(_, of): (&Reason, &NotCompared)| Idle {
            tributos: of.subjects.iter().copied().collect(),
            linhas: of.lines,
            detalhe: of.example.clone(),
        };
        CompanyMonth {
            empresa: self.empresa.clone(),
            mes: month.to_owned(),
            tributos: self
                .by_tax
                .iter()
                .map(|(tributo, balance)| TaxOfMonth { tributo, somas: AuditSums::of(balance) })
                .collect(),
            produtos: products.iter().take(PRODUCTS).map(product).collect(),
            outros_produtos: products.len().saturating_sub(PRODUCTS),
            faltas: refused.into_iter().map(missing).collect(),
            sem_conferencia: idle_reasons.into_iter().map(idle).collect(),
        }
    }
}

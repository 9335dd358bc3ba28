//! The CST of PIS and COFINS against what the rules say of the product: the engine is asked once for each product and month,
//! as the resale of it is asked elsewhere.

use std::collections::HashMap;
use std::sync::Arc;

use rust_decimal::Decimal;

use crate::base::value::Date;
use crate::features::audit::compare::asked;
use crate::features::audit::crossing::entry::{BookEntry, CrossedLines};
use crate::features::audit::crossing::rows::{ContributionRow, gives_credit, is_revenue, rows};
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::features::audit::situation::is_single_phase_resale;
use crate::law::codes::NaturezaCfop;
use crate::law::efd::contribuicoes::c180;
use crate::law::nfe::payloads::EnginePayload;
use crate::law::rule::{Condicao, RuleResult};
use crate::law::tax::TaxAnswer;

/// Most products and days that are known: a further one is not checked.
const MAX_PRODUCTS: usize = 100_000;

/// NCM, Ex and day.
type ProductOfDay = (String, String, Date);

#[derive(Debug, Clone)]
struct TreatmentOfProduct {
    is_single_phase: bool,
    /// It depends on more than the code of the product.
    depends: bool,
    citation: String,
}

/// What the rules say of the products of the books: that a resale pays nothing.
#[derive(Debug, Default)]
pub(in crate::features::audit::crossing) struct Treatments {
    /// `None` of a product that is taxed as others, or of which the rules say nothing.
    known: HashMap<ProductOfDay, Option<TreatmentOfProduct>>,
}

impl Treatments {
    /// Asks for the products of documents that are not known yet.
    pub(in crate::features::audit::crossing) fn learn<'j, E>(
        &mut self,
        entries: impl Iterator<Item = &'j BookEntry<'j>>,
        ask: &mut impl FnMut(Vec<Arc<EnginePayload>>) -> Result<Vec<RuleResult<TaxAnswer>>, E>,
    ) -> Result<(), E> {
        let mut wanted: Vec<ProductOfDay> = Vec::new();
        for product in entries.flat_map(rows).filter(is_asked).filter_map(|row| product_of(&row)) {
            if self.known.len() + wanted.len() < MAX_PRODUCTS
                && !self.known.contains_key(&product)
                && !wanted.contains(&product)
            {
                wanted.push(product);
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let answers = ask(wanted.iter().map(|product| asked(question(product))).collect())?;
        self.known.extend(wanted.into_iter().zip(answers.iter().map(treatment)));
        Ok(())
    }

    fn of(&self, row: &ContributionRow<'_, '_>) -> Option<&TreatmentOfProduct> {
        self.known.get(&product_of(row)?)?.as_ref()
    }
}

/// Whether a row is one whose product decides: revenue at the basic rate, or a credit.
fn is_asked(row: &ContributionRow<'_, '_>) -> bool {
    if is_revenue(row.entry) { row.cst() == "01" && !row.amount().is_zero() } else { gives_credit(row.cst()) }
}

fn product_of(row: &ContributionRow<'_, '_>) -> Option<ProductOfDay> {
    let own = &row.entry.own;
    let (ncm, ex) = match (row.child?.product, own.name()) {
        (Some(product), _) => (product.ncm.as_str(), product.ex.as_str()),
        // Of sales and purchases without their documents the record itself names the product.
        (None, "C180" | "C190") => (own.text(c180::COD_NCM), own.text(c180::EX_IPI)),
        (None, _) => return None,
    };
    let is_ncm = ncm.len() == 8 && ncm.bytes().all(|byte| byte.is_ascii_digit());
    let day = row.entry.own.day(row.entry.layout().day).unwrap_or(row.entry.book.header.first_day);
    is_ncm.then(|| (ncm.to_owned(), ex.to_owned(), day))
}

/// The resale of the product, as the segregation of the Simples asks it.
fn question((ncm, ex, day): &ProductOfDay) -> EnginePayload {
    let mut payload = EnginePayload::default();
    payload.set("tributo", "pis");
    payload.set("regime_apuracao", "cumulativo");
    payload.set("ncm", ncm.clone());
    if !ex.is_empty() {
        payload.set("ex", ex.clone());
    }
    payload.set("papel_na_cadeia", "revenda");
    payload.set("valor_operacao", Decimal::ONE_HUNDRED);
    payload.set("valor_icms_destacado", Decimal::ZERO);
    payload.set("data_operacao", day.to_string());
    payload
}

fn treatment(answer: &RuleResult<TaxAnswer>) -> Option<TreatmentOfProduct> {
    let answer = answer.as_ref().ok()?;
    let is_zero = answer.figure("aliquota_aplicada").is_some_and(|rate| rate.is_zero());
    let is_single_phase = is_single_phase_resale(answer);
    let of_law = |condition| matches!(condition, Some(Condicao::Conferencia | Condicao::Data));
    (is_single_phase || is_zero).then(|| TreatmentOfProduct {
        is_single_phase,
        depends: answer.avisos().any(|note| !of_law(note.condicao)),
        citation: answer.regra().citacao_legal.as_str().to_owned(),
    })
}

/// Check 41: revenue at the basic rate of a product that is single-phase or has a rate of zero.
pub(in crate::features::audit::crossing) fn taxed(
    entry: &BookEntry<'_>,
    known: &Treatments,
    findings: &mut CrossedLines,
) {
    if !is_revenue(entry) {
        return;
    }
    for row in rows(entry).filter(is_asked) {
        let Some(treatment) = known.of(&row) else { continue };
        let is_resale = row.natureza().is_some_and(NaturezaCfop::is_resale);
        let has_ex = row.child.and_then(|child| child.product).is_some_and(|product| !product.ex.is_empty());
        let is_sure = is_resale && !treatment.depends && !has_ex && row.layout.register == "C170";
        let certainty = if is_sure { Certainty::ErroDoDocumento } else { Certainty::Conferir };
        let what = if treatment.is_single_phase {
            "o produto é monofásico: CST 04 na revenda, 02 ou 03 do fabricante ou importador"
        } else {
            "o produto tem alíquota zero: CST 06"
        };
        let detail = format!("CST 01, e {what} ({})", treatment.citation);
        let line = row.line().differing(certainty, "cst_do_produto", detail);
        findings.push(with_nothing_due(&row, line));
    }
}

/// Check 43: a credit of a purchase for resale of a product whose resale pays nothing.
pub(in crate::features::audit::crossing) fn taxed_credit(
    entry: &BookEntry<'_>,
    known: &Treatments,
    findings: &mut CrossedLines,
) {
    if is_revenue(entry) {
        return;
    }
    for row in rows(entry).filter(is_asked) {
        let is_for_resale = row.natureza().is_some_and(|natureza| natureza.nome.starts_with("compra_revenda"));
        let Some(treatment) = known.of(&row).filter(|_| is_for_resale) else { continue };
        let what = if treatment.is_single_phase { "monofásico" } else { "com alíquota zero" };
        let detail = format!("crédito na compra, para revenda, de produto {what} ({})", treatment.citation);
        let line = row.line().differing(Certainty::Conferir, "credito_do_produto", detail);
        let law = "Leis nº 10.637/2002 e 10.833/2003, art. 3º, I, b, e § 2º, II";
        findings.push(with_nothing_due(&row, line).by_law(law));
    }
}

fn with_nothing_due(row: &ContributionRow<'_, '_>, line: AuditLine) -> AuditLine {
    line.with_amounts(row.amount(), Decimal::ZERO)
}

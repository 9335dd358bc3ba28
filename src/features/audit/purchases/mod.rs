//! What a company may credit of its purchases: ICMS, IPI, PIS and COFINS of each item of a supplier's note, or of an entry
//! that the company issued itself. A credit is possible, is not, or is to be checked, with the law.
//!
//! Only of companies that the file of `--empresa` names, and of those whose EFD-Contribuições is among the files. Nothing here is a finding: whether a credit is taken depends on
//! the books and on what becomes of the goods, which no document shows. The product's treatment is that of the rules: the
//! engine is asked for PIS and COFINS as for a resale by the buyer, and its amount is the credit.

mod contributions;
mod icms;
mod ipi;
mod nature;
mod sums;

use std::sync::Arc;

use rust_decimal::Decimal;

pub use self::sums::{CreditOfPurchase, PurchasesOfMonth};
pub(super) use self::sums::{Purchases, table};
use super::PlannedLine;
use super::finding::{AuditLine, AuditPlace, Layer, Source, shown};
use crate::base::value::Date;
use crate::law::nfe::{
    Contribuinte, DocumentStatus, FiscalDocument, ItemDaNota, NotaFiscal, RegimeDasContribuicoes, Tag,
};

taxd_base::vocabulary! {
    pub enum CreditSituation {
        Possivel = "credito_possivel" => "possível",
        Sem = "sem_credito" => "não",
        Conferir = "credito_a_conferir" => "a conferir",
    }
}

/// What the law says of a credit: whether it is possible, and why.
type Judgement = (CreditSituation, &'static str);

const SIMPLES: &str = "empresa do Simples Nacional: não toma créditos (LC nº 123/2006, art. 23)";
const UNKNOWN_REGIME: &str = "informe o regime da empresa nos dados dela: a do Simples Nacional não toma créditos";
const RETURNED: &str = "devolução de venda da empresa: o crédito é o imposto que a venda devolvida pagou (Lei nº 10.833/2003, art. 3º, VIII, no PIS e na COFINS)";

/// An item that a company bought, or took in by a note of its own.
struct Purchase<'p> {
    nota: &'p NotaFiscal,
    item: &'p ItemDaNota,
    day: Date,
    /// Who takes the credit.
    buyer: &'p Contribuinte,
    /// A line about the item, of the buyer.
    line: &'p AuditLine,
}

/// What is known of how a company pays its taxes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BuyerRegime {
    Simples,
    Cumulativo,
    NaoCumulativo,
    Unknown,
}

/// The lines of a document: none unless it is a valid note of goods that a company received of which `known` says something.
pub(super) fn of_document(
    file: &str,
    number: u32,
    document: &FiscalDocument,
    known: impl Fn(&str, Date) -> Option<Contribuinte>,
) -> Vec<PlannedLine> {
    let FiscalDocument::Nota(nota) = document else { return Vec::new() };
    let taker = if nota.entrada { &nota.emitente } else { &nota.comprador };
    let Some(day) = nota.day else { return Vec::new() };
    let Some(buyer) = known(taker, day) else { return Vec::new() };
    // Notes of credit and debit are of CBS and IBS alone.
    if nota.status != DocumentStatus::Valid || matches!(nota.finalidade, 5 | 6) {
        return Vec::new();
    }
    let source = Source::of(file, number, document);
    let items = nota.items.iter().filter(|item| item.unreadable.is_empty());
    items.flat_map(|item| of_item(nota, item, day, &buyer, &of_buyer(source.of_item(item), taker))).collect()
}

/// The line with the buyer as its company.
fn of_buyer(line: AuditLine, taker: &str) -> AuditLine {
    let place = AuditPlace { empresa: shown(taker), emitente: taker.to_owned(), ..(*line.place).clone() };
    AuditLine { place: Arc::new(place), ..line }
}

fn of_item(
    nota: &NotaFiscal,
    item: &ItemDaNota,
    day: Date,
    buyer: &Contribuinte,
    line: &AuditLine,
) -> Vec<PlannedLine> {
    let purchase = Purchase { nota, item, day, buyer, line };
    let Some(nature) = nature::of(&purchase) else { return Vec::new() };
    let mut lines = vec![super::ready(icms::credit(&purchase, nature.icms))];
    lines.extend(ipi::credit(&purchase, nature.icms).map(super::ready));
    lines.extend(contributions::credits(&purchase, nature.contribuicoes));
    lines
}

impl Purchase<'_> {
    fn get(&self, tag: Tag) -> Decimal {
        self.item.figures.or_zero(tag)
    }

    fn regime(&self) -> BuyerRegime {
        match self.buyer.regime_pis_cofins {
            _ if self.buyer.simples_em(self.day).is_some() => BuyerRegime::Simples,
            Some(RegimeDasContribuicoes::Cumulativo) => BuyerRegime::Cumulativo,
            Some(RegimeDasContribuicoes::NaoCumulativo) => BuyerRegime::NaoCumulativo,
            None => BuyerRegime::Unknown,
        }
    }

    /// Whether the goods may enter the products of the buyer, or be used up by it, rather than be resold.
    fn may_be_input(&self) -> bool {
        self.buyer.contribuinte_ipi == Some(true) || self.nota.consumidor_final
    }

    /// The line of a credit: its base, its rate and its amount, as far as they are known.
    fn credit(
        &self,
        tributo: &'static str,
        (situation, reason): Judgement,
        [base, rate, amount]: [Option<Decimal>; 3],
    ) -> AuditLine {
        let amount = amount.filter(|_| situation != CreditSituation::Sem);
        let line = self.line.clone().in_layer(Layer::Compras, tributo);
        let line = AuditLine { base_calculada: base, aliquota_calculada: rate, calculado: amount, ..line };
        line.not_compared(situation.as_str(), reason)
    }
}

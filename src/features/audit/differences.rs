//! Declared figures against calculated ones, and the line of a difference.

use std::fmt::Display;

use rust_decimal::{Decimal, RoundingStrategy};

use super::finding::{AuditLine, Certainty, Explanation, Layer};
use crate::base::value::{Exact, with_comma};
use crate::law::nfe::{ItemDaNota, Tag};

/// The tax of a sale to a final consumer of another State.
pub(super) const DIFAL: &str = "icms_consumidor_final";

/// What rounding may cost.
pub(super) const CENT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Whether two amounts are the same but for rounding.
pub(super) fn agree(one: Decimal, other: Decimal) -> bool {
    one.saturating_sub(other).abs() <= CENT
}

/// A percentage of an amount, rounded to the cent; `None` if it has more digits than a document can write.
pub(super) fn share(base: Decimal, points: Decimal) -> Option<Decimal> {
    (Exact::from(base) * Exact::from(points).percent()).round(2).ok()
}

/// A percentage of a tax, rounded once; `None` if it has more digits than a document can write.
pub(super) fn part_of_tax(base: Decimal, rate: Decimal, points: Decimal) -> Option<Decimal> {
    (Exact::from(base) * Exact::from(rate).percent() * Exact::from(points).percent()).round(2).ok()
}

/// What the rounding of a percentage may cost, in points: programs write more digits than they calculate with, or fewer.
pub(super) const HUNDREDTH: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Whether an amount is a percentage of a whole, if that has `unit` more or less than is written.
pub(super) fn is_share(amount: Decimal, whole: Decimal, points: Decimal, unit: Decimal) -> bool {
    let ends = [points.saturating_sub(unit), points.saturating_add(unit)].map(|points| share(whole, points));
    matches!(ends, [Some(lowest), Some(highest)] if lowest <= amount && amount <= highest)
}

/// A product, rounded to the cent.
pub(super) fn product(quantity: Decimal, price: Decimal) -> Option<Decimal> {
    (Exact::from(quantity) * Exact::from(price)).round(2).ok()
}

/// The value of the operation of an item: price with freight and charges, less the discount.
pub(super) fn operation(item: &ItemDaNota) -> Decimal {
    item.figures
        .sum(&[Tag::Produto, Tag::Frete, Tag::Seguro, Tag::Outras])
        .saturating_sub(item.figures.or_zero(Tag::Desconto))
}

/// A declared rate is the calculated one, to the digits that the document writes: two at least.
fn same_rate(declared: Decimal, calculated: Decimal) -> bool {
    let digits = declared.scale().max(2);
    calculated.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero) == declared
}

/// A field of the document that is wrong beside amounts that are right: a code, the sentence, and what the amounts are.
pub(super) type FieldAtFault = (&'static str, String, &'static str);

/// Says of a difference that no amount differs: a field that says how the amount is made is wrong.
pub(super) fn only_a_field(line: &mut AuditLine, (codigo, detail, why): FieldAtFault) {
    (line.declarado, line.calculado, line.diferenca) = (None, None, None);
    line.detalhe = detail;
    line.explicacao = Some(Explanation { codigo, detalhe: why.to_owned() });
}

/// Collects the differences of a line.
pub(super) struct Differences<'l> {
    line: &'l AuditLine,
    pub(super) found: Vec<AuditLine>,
}

impl<'l> Differences<'l> {
    pub(super) fn of(line: &'l AuditLine) -> Differences<'l> {
        Differences { line, found: Vec::new() }
    }

    /// Adds a difference if the declared amount is none of the expected ones.
    pub(super) fn check(
        &mut self,
        tributo: &'static str,
        codigo: &'static str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: impl Display,
    ) -> Option<&mut AuditLine> {
        self.check_as(Certainty::ErroDoDocumento, tributo, codigo, declared, expected, text)
    }

    /// The same if the document does not show all that the amount is made of: a difference is to be checked.
    pub(super) fn check_if_unsure(
        &mut self,
        tributo: &'static str,
        codigo: &'static str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: impl Display,
    ) -> Option<&mut AuditLine> {
        self.check_as(Certainty::Conferir, tributo, codigo, declared, expected, text)
    }

    /// Adds the reason why a sum is not checked.
    pub(super) fn skip(&mut self, tributo: &'static str, codigo: &'static str, reason: &str) {
        self.found.push(self.line.clone().in_layer(Layer::Aritmetica, tributo).not_compared(codigo, reason));
    }

    /// The same, as sure as the rule behind it.
    pub(super) fn check_as(
        &mut self,
        certeza: Certainty,
        tributo: &'static str,
        codigo: &'static str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: impl Display,
    ) -> Option<&mut AuditLine> {
        let (line, first) = self.differing(tributo, codigo, declared, expected, text, agree)?;
        self.found.push(AuditLine { certeza: Some(certeza), ..line.with_amounts(declared, first) });
        self.found.last_mut()
    }

    /// The same of a rate: the difference is in points, not in R$.
    pub(super) fn check_rate(
        &mut self,
        (certeza, codigo): (Certainty, &'static str),
        tributo: &'static str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: impl Display,
    ) -> Option<&mut AuditLine> {
        let (line, first) = self.differing(tributo, codigo, declared, expected, text, same_rate)?;
        let line = AuditLine { certeza: Some(certeza), ..line };
        self.found.push(AuditLine { aliquota_declarada: Some(declared), aliquota_calculada: Some(first), ..line });
        self.found.last_mut()
    }

    /// The line of a declared figure that is none of the expected ones, and the first of these.
    fn differing(
        &self,
        tributo: &'static str,
        codigo: &'static str,
        declared: Decimal,
        expected: &[Option<Decimal>],
        text: impl Display,
        same: impl Fn(Decimal, Decimal) -> bool,
    ) -> Option<(AuditLine, Decimal)> {
        let mut expected = expected.iter().flatten();
        let first = *expected.next()?;
        if same(declared, first) || expected.any(|other| same(declared, *other)) {
            return None;
        }
        let detail = format!("{text}: o documento traz {}, e a conta dá {}", with_comma(declared), with_comma(first));
        let line = self.line.clone().in_layer(Layer::Aritmetica, tributo);
        Some((line.differing(Certainty::ErroDoDocumento, codigo, detail), first))
    }
}

//! The ICMS in the bases of PIS and COFINS.

use rust_decimal::Decimal;

use crate::base::value::Date;
use crate::features::audit::crossing::entry::{BookEntry, CrossedLines, differs};
use crate::features::audit::crossing::record::{CrossedItem, CrossedNote};
use crate::features::audit::crossing::rows::{ContributionRow, gives_credit, is_revenue, rows};
use crate::features::audit::differences::share;
use crate::features::audit::finding::{AuditLine, Certainty};
use crate::law::efd::contribuicoes::c170;

/// The first days without the ICMS: of sales since the decision of the STF, of purchases since May 2023.
const OF_SALES_SINCE: u32 = 20_170_316;
const OF_PURCHASES_SINCE: u32 = 20_230_501;

/// The row of items that has the whole value of the operation as its base, and what the base is without the ICMS.
fn with_icms<'s, 'e>(
    entry: &'s BookEntry<'e>,
    note: &'s CrossedNote<'_>,
    is_of: impl Fn(&str) -> bool + 's,
) -> impl Iterator<Item = (ContributionRow<'s, 'e>, Decimal)> {
    rows(entry).filter_map(move |row| {
        let [produto, whole, icms, ipi, st] = is_of(row.cst()).then(|| amounts_of(&row, note)).flatten()?;
        let ([value, net], base) = (row.values(), row.base());
        let is_same = |amount: Decimal| !differs(amount, produto) || !differs(amount, whole);
        let is_whole = !differs(base, whole) || !differs(base, whole.saturating_add(ipi));
        // The base with another tax of that amount, and without the ICMS, is the same.
        let is_ambiguous = [ipi, st].iter().any(|other| !differs(*other, icms));
        let has_icms = icms > Decimal::new(2, 2) && icms < whole && !is_ambiguous;
        (is_whole && has_icms && (is_same(value) || is_same(net))).then(|| (row, whole.saturating_sub(icms)))
    })
}

/// What the items of the note that a row is of add up to: the one of its number, or in an NFC-e those of its CFOP. Prices,
/// the value of the operation, ICMS, IPI and ICMS-ST.
fn amounts_of(row: &ContributionRow<'_, '_>, note: &CrossedNote<'_>) -> Option<[Decimal; 5]> {
    let number = row.record().text(c170::NUM_ITEM).parse().ok();
    let cfop = row.record().text(row.layout.cfop);
    let is_of = |item: &&CrossedItem<'_>| match row.layout.register {
        "C170" => Some(item.number) == number,
        "C175" => item.cfop == cfop,
        _ => false,
    };
    let mut items = note.items.iter().filter(is_of).peekable();
    items.peek()?;
    let (mut sums, mut count) = ([Decimal::ZERO; 5], 0);
    for item in items {
        let amounts = [item.produto, item.operacao, item.icms, item.ipi, item.st];
        sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum = sum.saturating_add(amount));
        count += 1;
    }
    // A number that two items have is of neither.
    (count == 1 || row.layout.register == "C175").then_some(sums)
}

fn is_since(note: &CrossedNote<'_>, first: u32) -> bool {
    note.day.map(Date::ordinal).is_some_and(|day| day >= first)
}

fn differing(
    (row, right): (ContributionRow<'_, '_>, Decimal),
    certainty: Certainty,
    (codigo, detail, law): (&'static str, &str, &'static str),
) -> AuditLine {
    let base = row.base();
    let line = row.line().differing(certainty, codigo, detail).by_law(law);
    let line = match share(right, row.rate()) {
        Some(amount) => line.with_amounts(row.amount(), amount),
        None => line,
    };
    AuditLine { base_declarada: Some(base), base_calculada: Some(right), ..line }
}

/// Check 40: the base of a credit has the ICMS that the supplier charged in it.
pub(in crate::features::audit::crossing) fn of_purchase(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = entry.note.filter(|note| !is_revenue(entry) && is_since(note, OF_PURCHASES_SINCE)) else { return };
    if note.entrada || note.is_cancelled || note.is_void || note.finalidade != 1 {
        return;
    }
    let text = (
        "base_do_credito_com_icms",
        "a base do crédito tem dentro o ICMS que o fornecedor destacou",
        "Leis nº 10.637/2002 e 10.833/2003, art. 3º, § 2º, III (Lei nº 14.592/2023)",
    );
    findings
        .extend(with_icms(entry, note, gives_credit).map(|found| differing(found, Certainty::ErroDoDocumento, text)));
}

/// Check 39: the base of a sale has the ICMS that it charges in it: too much may have been paid.
pub(in crate::features::audit::crossing) fn of_sale(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let Some(note) = entry.note.filter(|note| is_revenue(entry) && is_since(note, OF_SALES_SINCE)) else { return };
    if note.entrada || note.is_cancelled || note.is_void {
        return;
    }
    let text = (
        "base_com_icms",
        "a base tem dentro o ICMS destacado na nota: pode haver o que recuperar",
        "STF, RE 574.706 (Tema 69)",
    );
    let is_taxed = |cst: &str| matches!(cst, "01" | "02");
    findings.extend(with_icms(entry, note, is_taxed).map(|found| differing(found, Certainty::Conferir, text)));
}

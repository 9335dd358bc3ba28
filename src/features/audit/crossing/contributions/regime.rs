//! The rates of the regime that the books declare.

use crate::features::audit::contribution_rates::BASIC_RATES;
use crate::features::audit::crossing::entry::{BookEntry, CrossedLines};
use crate::features::audit::crossing::rows::{ContributionRow, is_revenue, rows};
use crate::features::audit::differences::share;
use crate::features::audit::finding::{AuditLine, Certainty};

const LAW: &str = "Lei nº 10.637/2002, art. 2º; Lei nº 10.833/2003, art. 2º; Lei nº 9.715/1998, art. 8º, I; Lei nº 9.718/1998, art. 8º; Guia Prático da EFD-Contribuições, registro 0110";

/// Check 46: revenue at the basic rate (CST 01) has that of the one regime that the books declare. Other rates may be those of
/// a kind of company.
pub(in crate::features::audit::crossing) fn rate(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if !is_revenue(entry) {
        return;
    }
    let is_cumulative = match entry.book.regime {
        Some(1) => false,
        Some(2) => true,
        _ => return,
    };
    // Among other revenue (F100) is that of finance, which has rates of its own.
    let is_basic = |row: &ContributionRow<'_, '_>| row.cst() == "01" && !row.base().is_zero();
    for row in rows(entry).filter(|row| is_basic(row) && row.layout.register != "F100") {
        let Some((_, [of_credits, cumulative])) = BASIC_RATES.iter().find(|(tributo, _)| *tributo == row.tributo())
        else {
            continue;
        };
        let (own, other) = if is_cumulative { (*cumulative, *of_credits) } else { (*of_credits, *cumulative) };
        let rate = row.rate();
        if rate != other {
            continue;
        }
        let regime = if is_cumulative { "cumulativo" } else { "não cumulativo" };
        let detail = format!("a alíquota não é a do regime {regime}, o único que a escrituração declara (0110)");
        let line = row.line().differing(Certainty::ErroDoDocumento, "aliquota_do_regime", detail).by_law(LAW);
        let line = match share(row.base(), own) {
            Some(due) => line.with_amounts(row.amount(), due),
            None => line,
        };
        let (aliquota_declarada, aliquota_calculada) = (Some(rate), Some(own));
        findings.push(AuditLine { aliquota_declarada, aliquota_calculada, ..line });
    }
}

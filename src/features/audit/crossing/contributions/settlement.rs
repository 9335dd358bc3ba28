//! Block M against the rows of the documents: the base that is owed on, and the revenue that owes nothing.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use crate::features::audit::crossing::books::Book;
use crate::features::audit::crossing::entry::{CrossedLines, differs, line_of_book, line_of_register};
use crate::features::audit::crossing::record::BookLine;
use crate::features::audit::crossing::sums::BookSums;
use crate::features::audit::finding::Certainty;
use crate::law::efd::EfdKind;
use crate::law::efd::contribuicoes::{m210, m400, m410, m610, m800, m810};

/// The first layout whose block M has these places.
const FIRST_LAYOUT: u16 = 6;

/// Whether the sums of a book are known.
fn is_summed(book: &Book) -> bool {
    book.header.kind == EfdKind::Contribuicoes
        && book.header.version >= FIRST_LAYOUT
        && !book.is_partial
        && !book.is_consolidated
}

/// A cooperative takes its exclusions out of the base.
fn excludes(book: &Book) -> bool {
    book.records().any(|(_, record)| matches!(record.name(), "M211" | "M611"))
}

/// Which sums are not compared, and why.
pub(in crate::features::audit::crossing) fn not_compared(book: &Book, sums: &BookSums) -> Vec<&'static str> {
    let is_known = book.header.kind == EfdKind::Contribuicoes && !book.is_partial;
    let reasons = [
        (
            is_known && book.is_consolidated,
            "a apuração (M210 e M610) e as vendas não foram comparadas: a receita está por caixa ou consolidada (F500 a F560)",
        ),
        (
            is_known && book.header.version < FIRST_LAYOUT,
            "a apuração (bloco M) não foi comparada: o leiaute da escrituração é anterior ao 006",
        ),
        (
            is_summed(book) && sums.contributions.is_unsure,
            "as bases da apuração (M210 e M610) não foram comparadas: há compra com CST de receita, ou alíquotas demais",
        ),
        (
            is_summed(book) && excludes(book),
            "as bases da apuração (M210 e M610) não foram comparadas: a sociedade cooperativa tira exclusões delas (M211 e M611)",
        ),
    ];
    reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()
}

/// Check 47: the base of M210 and M610 is that of the rows of its rate. Books without these registers owe nothing, or are not
/// whole.
pub(in crate::features::audit::crossing) fn owed(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    let sums = &sums.contributions;
    if !is_summed(book) || sums.is_unsure || excludes(book) {
        return;
    }
    let registers =
        [("pis", "M210", m210::ALIQ_PIS, m210::VL_BC_CONT), ("cofins", "M610", m610::ALIQ_COFINS, m610::VL_BC_CONT)];
    for (tributo, register, rate, base) in registers {
        let mut declared: BTreeMap<Decimal, (Option<&BookLine>, Decimal)> = BTreeMap::new();
        for (line, record) in book.all(register) {
            let entry = declared.entry(record.amount(rate)).or_insert((Some(line), Decimal::ZERO));
            entry.1 = entry.1.saturating_add(record.amount(base));
        }
        let Some(first) = declared.values().find_map(|(line, _)| *line) else { continue };
        for ((_, rate), _) in sums.bases.iter().filter(|((of, _), _)| *of == tributo) {
            declared.entry(*rate).or_insert((Some(first), Decimal::ZERO));
        }
        for (rate, (line, declared)) in declared {
            let of_rows = sums.bases.get(&(tributo, rate)).copied().unwrap_or_default();
            // What is charged by unit has no base.
            if !differs(declared, of_rows) || rate.is_zero() {
                continue;
            }
            let detail = format!(
                "a base de {register} à alíquota de {}% não é a soma das linhas dos documentos com ela",
                crate::base::value::with_comma(rate.normalize())
            );
            let line = line_of_book(book, line, tributo);
            let line =
                line.differing(Certainty::ErroDoDocumento, "base_da_apuracao", detail).with_amounts(declared, of_rows);
            let law = "Guia Prático da EFD-Contribuições, registros M210 e M610, VL_BC_CONT";
            findings.push(line.by_law(law));
        }
    }
}

/// Check 42: revenue that owes nothing (CST 04 and 06 to 09) is in M400 and M800, with its nature in M410 and M810.
pub(in crate::features::audit::crossing) fn free_revenue(book: &Book, sums: &BookSums, findings: &mut CrossedLines) {
    if !is_summed(book) {
        return;
    }
    let registers = [
        ("pis", ("M400", m400::CST_PIS, m400::VL_TOT_REC), ("M410", m410::VL_REC)),
        ("cofins", ("M800", m800::CST_COFINS, m800::VL_TOT_REC), ("M810", m810::VL_REC)),
    ];
    for (tributo, (register, cst_at, total), (of_nature, revenue)) in registers {
        // Of each CST: its first line, its total, and what its natures add up to.
        let mut declared: BTreeMap<&str, (&BookLine, Decimal, Decimal)> = BTreeMap::new();
        let mut cst = "";
        for (line, record) in book.records() {
            if record.name() == register {
                cst = record.text(cst_at);
                let entry = declared.entry(cst).or_insert((line, Decimal::ZERO, Decimal::ZERO));
                entry.1 = entry.1.saturating_add(record.amount(total));
            } else if record.name() == of_nature
                && let Some(entry) = declared.get_mut(cst)
            {
                entry.2 = entry.2.saturating_add(record.amount(revenue));
            }
        }
        let owed = sums.contributions.free.iter().filter(|((of, _), [_, net])| *of == tributo && !net.is_zero());
        for ((_, cst), [whole, net]) in owed {
            let law = "Guia Prático da EFD-Contribuições, registros M400, M410, M800 e M810";
            let (line, certainty, detail, amounts) = match declared.get(cst.as_str()) {
                None => {
                    let detail = format!("há receita com CST {cst}, e a apuração não tem {register} com ela");
                    (None, Certainty::ErroDoDocumento, detail, (Decimal::ZERO, *net))
                }
                Some((line, total, of_natures)) if differs(*total, *of_natures) => {
                    let detail = format!("a receita com CST {cst} não tem em {of_nature} a natureza de toda ela");
                    (Some(*line), Certainty::ErroDoDocumento, detail, (*of_natures, *total))
                }
                Some((line, total, _)) if *total < *net && differs(*total, *net) && differs(*total, *whole) => {
                    let detail = format!("a receita de {register} com CST {cst} não é a soma dos documentos");
                    (Some(*line), Certainty::Conferir, detail, (*total, *net))
                }
                Some(_) => continue,
            };
            let line = match line {
                Some(_) => line_of_book(book, line, tributo),
                None => line_of_register(book, register, tributo),
            };
            let line = line.differing(certainty, "receita_sem_apuracao", detail);
            findings.push(line.with_amounts(amounts.0, amounts.1).by_law(law));
        }
    }
}

//! Credits of PIS and COFINS that have no ground, and those that were not taken.

use crate::features::audit::crossing::entry::{BookEntry, CrossedLines};
use crate::features::audit::crossing::rows::{gives_credit, is_revenue, rows};
use crate::features::audit::finding::Certainty;
use crate::law::codes::GrupoCfop;
use rust_decimal::Decimal;

/// Check 44: a credit of a note that was cancelled, of a supplier with a CPF, or under a CFOP that gives none.
pub(in crate::features::audit::crossing) fn without_ground(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    if is_revenue(entry) {
        return;
    }
    let note = entry.note.filter(|note| !note.entrada);
    for row in rows(entry).filter(|row| gives_credit(row.cst())) {
        let group = row.natureza().map(|natureza| natureza.grupo);
        let reason = match () {
            () if note.is_some_and(|note| note.is_cancelled) => "a nota foi cancelada",
            () if note.is_some_and(|note| note.emitente.len() == 11) => "o fornecedor é pessoa física",
            () if matches!(group, Some(GrupoCfop::Consumo | GrupoCfop::Transferencia)) => {
                "o CFOP é de uso e consumo ou de transferência"
            }
            () => continue,
        };
        let detail = format!("a EFD toma crédito, e {reason}");
        let line = row.line().differing(Certainty::Conferir, "credito_sem_direito", detail);
        findings.push(
            line.with_amounts(row.amount(), Decimal::ZERO)
                .by_law("Leis nº 10.637/2002 e 10.833/2003, art. 3º, §§ 2º e 3º"),
        );
    }
}

/// Check 45: a purchase from a supplier of the Simples without a credit, which the regime allows.
pub(in crate::features::audit::crossing) fn not_taken(entry: &BookEntry<'_>, findings: &mut CrossedLines) {
    let from_simples = entry.note.is_some_and(|note| matches!(note.crt, 1 | 2) && !note.entrada && !note.is_cancelled);
    if is_revenue(entry) || !from_simples || entry.book.regime != Some(1) {
        return;
    }
    for row in rows(entry).filter(|row| matches!(row.cst(), "70" | "71" | "72" | "73" | "74" | "75" | "98")) {
        let bought = |nome: &str| nome.starts_with("compra_revenda") || nome.starts_with("compra_industrializacao");
        if !row.natureza().is_some_and(|natureza| bought(natureza.nome)) {
            continue;
        }
        let detail = "compra de fornecedor do Simples Nacional sem crédito: ele é permitido, se o produto não é monofásico nem tem alíquota zero";
        let line = row.line().differing(Certainty::Conferir, "credito_nao_tomado", detail);
        findings.push(line.by_law("ADI RFB nº 15/2007; Leis nº 10.637/2002 e 10.833/2003, art. 3º"));
    }
}

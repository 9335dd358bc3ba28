//! A text to paste into a message to the company's owner: what is wrong, how much, what to do.

use std::fmt::Write;

use rust_decimal::Decimal;

use super::cause_table::CauseOfReport;
use super::sentences::month_in_words;
use crate::base::value::amount_in_brl;
use crate::features::audit::finding::Certainty;
use crate::features::audit::table::subject;
use crate::law::tax;

/// Causes that a message lists: certain ones, and those to be confirmed.
const LISTED: [usize; 2] = [8, 4];

/// What a message is made of.
pub(super) struct ClientMessage<'m> {
    pub(super) nome: &'m str,
    pub(super) cnpj: &'m str,
    /// `2026-03`, in order.
    pub(super) months: &'m [&'m str],
    pub(super) causes: &'m [CauseOfReport],
    /// Lines that could not be checked for want of a fact or a rule.
    pub(super) unchecked: u64,
}

impl ClientMessage<'_> {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a String never fails.
        let _ = writeln!(out, "Conferência das notas fiscais{}", self.period());
        let name = if self.nome.is_empty() { self.cnpj.to_owned() } else { format!("{}, {}", self.nome, self.cnpj) };
        let _ = writeln!(out, "{name}");
        let (unsure, sure): (Vec<_>, Vec<_>) =
            self.causes.iter().partition(|cause| cause.certeza == Some(Certainty::Conferir));
        let [most_sure, most_unsure] = LISTED;
        write_section("PARA CORRIGIR", &sure, most_sure, &mut out);
        write_section("PARA CONFIRMAR, pode estar certo", &unsure, most_unsure, &mut out);
        if self.causes.is_empty() {
            out.push_str("\nNada a corrigir no que foi conferido.\n");
        }
        let sum = |side: fn(&CauseOfReport) -> Decimal| {
            sure.iter().fold(Decimal::ZERO, |sum, cause| sum.saturating_add(side(cause)))
        };
        let sums = amounts(sum(|cause| cause.a_maior), sum(|cause| cause.a_menor));
        if sure.len() > 1 && !sums.is_empty() {
            let _ = writeln!(out, "\nSomando o que é para corrigir: {sums}.");
        }
        match self.unchecked {
            0 => {}
            1 => out.push_str("\nUm ponto não pôde ser conferido; o relatório diz o que falta.\n"),
            many => {
                let _ = writeln!(out, "\n{many} pontos não puderam ser conferidos; o relatório diz o que falta.");
            }
        }
        out
    }

    fn period(&self) -> String {
        match (self.months.first(), self.months.last()) {
            (Some(first), Some(last)) if first == last => format!(" de {}", month_in_words(first)),
            (Some(first), Some(last)) => format!(" de {} a {}", month_in_words(first), month_in_words(last)),
            _ => String::new(),
        }
    }
}

/// `R$ 12,00 a mais e R$ 3,00 a menos`.
fn amounts(over: Decimal, under: Decimal) -> String {
    let sides = [("a mais", over), ("a menos", under)];
    let shown = sides.into_iter().filter(|(_, amount)| !amount.is_zero());
    shown.map(|(side, amount)| format!("R$ {} {side}", amount_in_brl(amount))).collect::<Vec<_>>().join(" e ")
}

fn write_section(title: &str, causes: &[&CauseOfReport], most: usize, out: &mut String) {
    let mut said = "";
    for (number, cause) in causes.iter().take(most).enumerate() {
        if number == 0 {
            let _ = writeln!(out, "\n{title}");
        }
        // One advice under several causes is written once, under the last of them.
        if !said.is_empty() && said != cause.o_que_fazer {
            let _ = writeln!(out, "O que fazer: {said}");
        }
        said = cause.o_que_fazer;
        let about = if tax::find(cause.tributo).is_some() { subject(cause.tributo) } else { "Nota" };
        let _ = write!(out, "{}. {about}: {}. {}.", number + 1, cause.resumo, cause.notes_in_words());
        let mut sums = amounts(cause.a_maior, cause.a_menor);
        if sums.is_empty() && !cause.fora_das_somas.is_zero() {
            sums = format!("Diferença de R$ {}", amount_in_brl(cause.fora_das_somas));
        }
        let _ = if sums.is_empty() { writeln!(out) } else { writeln!(out, " {sums}.") };
    }
    if causes.len() > most {
        let _ = writeln!(out, "e mais {}, no relatório", causes.len() - most);
    }
    if !said.is_empty() {
        let _ = writeln!(out, "O que fazer: {said}");
    }
}

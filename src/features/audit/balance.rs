//! What lines add up to: how many of each verdict, and the amounts over and under.

use rust_decimal::Decimal;

use super::finding::{AuditLine, Certainty, Layer, Verdict};

/// Amounts over and under, of differences of both signs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OverUnder {
    pub(super) over: Decimal,
    pub(super) under: Decimal,
}

impl OverUnder {
    fn add(&mut self, difference: Decimal) {
        if difference.is_sign_negative() {
            self.under = self.under.saturating_sub(difference);
        } else {
            self.over = self.over.saturating_add(difference);
        }
    }

    pub(super) fn total(self) -> Decimal {
        self.over.saturating_add(self.under)
    }
}

/// What was over and under. What an `aviso` or a treatment of the taxpayer may explain is not sure, so it is added
/// apart.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Balance {
    pub(super) sure: OverUnder,
    pub(super) to_check: OverUnder,
    /// Lines by verdict.
    pub(super) confere: u64,
    pub(super) differs: u64,
    pub(super) recusado: u64,
    pub(super) nao_se_aplica: u64,
}

impl Balance {
    pub(super) fn add(&mut self, line: &AuditLine) {
        match line.veredito {
            Verdict::Confere => self.confere += 1,
            Verdict::Diverge | Verdict::ConfereAliquota => self.differs += 1,
            Verdict::Recusado => self.recusado += 1,
            Verdict::NaoSeAplica => self.nao_se_aplica += 1,
        }
        // Differences of the arithmetic are of the same tax as those of the law: counting both would count one error twice.
        let counts = line.camada == Layer::Lei && line.veredito.differs();
        let difference = line.diferenca.filter(|_| counts).unwrap_or_default();
        let amounts = if line.certeza == Some(Certainty::Conferir) { &mut self.to_check } else { &mut self.sure };
        amounts.add(difference);
    }
}

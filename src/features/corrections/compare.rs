//! Compares the calls of an account with the rules that a publication left.

use std::collections::HashSet;

use serde_json::Value;

use super::{CorrectedAnswer, CorrectedCall, CorrectedMonth, Correction, KEPT_CALLS};
use crate::base::value::{Overflow, Timestamp};
use crate::core::calls::LoggedCall;
use crate::core::engine::{CallState, PublicationComparison, Replayer};
use crate::features::AdminError;
use crate::features::impact::compared::{Compared, Comparer, day, is_calculation};

/// Time after the instant of a publication in which calls may have been answered by the rules of before: its commit.
const COMMIT_MS: u64 = 10_000;
/// Most sums by month and tax.
const MAX_MONTHS: usize = 600;

pub(super) struct LogReplay<'c> {
    pub(super) comparison: &'c PublicationComparison<'c>,
    replayer: Replayer<'c>,
    comparer: Comparer,
    test_keys: &'c HashSet<String>,
}

impl<'c> LogReplay<'c> {
    pub(super) fn new(
        comparison: &'c PublicationComparison<'c>,
        test_keys: &'c HashSet<String>,
    ) -> Result<LogReplay<'c>, AdminError> {
        let replayer = comparison.rules.replayer()?;
        Ok(LogReplay { comparison, replayer, comparer: Comparer::default(), test_keys })
    }

    /// Compares a call. Returns it if its answer is another one now, and if it is kept.
    pub(super) fn call(
        &mut self,
        correction: &mut Correction,
        call: &LoggedCall,
    ) -> Result<Option<CorrectedCall>, AdminError> {
        let PublicationComparison { rules, publicado_em, .. } = self.comparison;
        let published_ms = publicado_em.millis();
        if !is_calculation(call) || call.at_ms >= published_ms + COMMIT_MS {
            return Ok(None);
        }
        let registro = &mut correction.chamadas.registro;
        if self.test_keys.contains(&call.key_id) {
            registro.de_teste += 1;
            return Ok(None);
        }
        registro.count(Timestamp::from_millis(call.at_ms));
        let state = if call.at_ms >= published_ms { None } else { rules.state_at(call.at_ms) };
        let compared = self.comparer.by_publication(&self.replayer, call, state.unwrap_or(CallState::Before))?;
        registro.alcancadas += u64::from(!matches!(compared, Compared::Untouched));
        match compared {
            Compared::Untouched | Compared::Same => {}
            Compared::Incomparable => registro.sem_comparacao += 1,
            Compared::AlreadySo => registro.ja_respondidas += 1,
            Compared::OfAnotherInstant => registro.de_outro_instante += 1,
            Compared::Changed { change, before, after } => {
                let payload: Value = serde_json::from_str(&call.request)?;
                if day(&payload) > publicado_em.day().to_string() {
                    correction.chamadas.de_dias_por_vir += 1;
                    return Ok(None);
                }
                let Ok(diferenca) = before.zip(after).map(|(before, after)| after.minus(before)).transpose() else {
                    registro.sem_comparacao += 1;
                    return Ok(None);
                };
                let corrected = CorrectedAnswer {
                    numero: call.seq,
                    created_at: Timestamp::from_millis(call.at_ms).unwrap_or(*publicado_em),
                    mudanca: (*change).clone(),
                    valor_antes: before,
                    valor_depois: after,
                    diferenca,
                };
                return Ok(correction.add(CorrectedCall { corrected, request: call.request.clone() }));
            }
        }
        Ok(None)
    }
}

impl Correction {
    /// Adds a call. Returns it if it is kept.
    fn add(&mut self, call: CorrectedCall) -> Option<CorrectedCall> {
        if self.sum(&call.corrected).is_err() {
            self.chamadas.registro.sem_comparacao += 1;
            return None;
        }
        self.chamadas.registro.alteradas += 1;
        let is_kept = self.chamadas.guardadas < KEPT_CALLS;
        self.chamadas.guardadas += u64::from(is_kept);
        is_kept.then_some(call)
    }

    fn sum(&mut self, call: &CorrectedAnswer) -> Result<(), Overflow> {
        let mut total = self.total.clone();
        total.add(1, call.valor_antes, call.valor_depois)?;
        let mut wanted = (call.mudanca.mes.clone(), call.mudanca.tributo.clone());
        let place = |meses: &[CorrectedMonth], wanted: &(String, String)| {
            meses.binary_search_by(|month| (&month.mes, &month.tributo).cmp(&(&wanted.0, &wanted.1)))
        };
        if self.meses.len() >= MAX_MONTHS && place(&self.meses, &wanted).is_err() {
            wanted = Default::default();
        }
        let place = place(&self.meses, &wanted).unwrap_or_else(|place| {
            let (mes, tributo) = wanted;
            self.meses.insert(place, CorrectedMonth { mes, tributo, ..CorrectedMonth::default() });
            place
        });
        let month = self.meses.get_mut(place);
        month.map_or(Ok(()), |month| month.somas.add(1, call.valor_antes, call.valor_depois))?;
        self.total = total;
        Ok(())
    }
}

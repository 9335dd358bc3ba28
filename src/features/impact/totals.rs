//! The totals of an impact: its lines summed in all, and by each of what distinguishes them.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::lines::ImpactLine;
use crate::base::value::{format_decimal, parse_decimal};
use crate::core::engine::SituacaoChamada;

/// The sums of the lines with one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactTotal {
    /// The change, the account with its id, the tax, the month or the rules; empty for the total of all lines.
    pub nome: String,
    pub chamadas: u64,
    /// Sum before, of the calls that are answered before and after. Amounts are decimals with two places.
    pub valor_antes: String,
    /// Sum after, of the same calls.
    pub valor_depois: String,
    pub diferenca: String,
    /// Calls that were refused and are answered.
    pub passam_a_responder: u64,
    /// Calls that were answered and are refused.
    pub passam_a_recusar: u64,
}

/// The totals, each list in the order of its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactTotals {
    pub geral: ImpactTotal,
    pub situacao: Vec<ImpactTotal>,
    pub conta: Vec<ImpactTotal>,
    pub tributo: Vec<ImpactTotal>,
    pub mes: Vec<ImpactTotal>,
    /// By rules: `icms-sp-v1.0 -> icms-sp-v1.1`, with the codes of refusals.
    pub regra: Vec<ImpactTotal>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    calls: u64,
    before: Decimal,
    after: Decimal,
    begin_to_answer: u64,
    begin_to_refuse: u64,
}

impl Sums {
    fn add(&mut self, line: &ImpactLine) {
        let amount = |text: &Option<String>| text.as_deref().and_then(|text| parse_decimal(text).ok());
        self.calls += line.chamadas;
        match line.situacao {
            SituacaoChamada::PassaAResponder => self.begin_to_answer += line.chamadas,
            SituacaoChamada::PassaARecusar => self.begin_to_refuse += line.chamadas,
            SituacaoChamada::ValorMuda | SituacaoChamada::RegraMuda | SituacaoChamada::RecusaMuda => {}
        }
        if let (Some(before), Some(after)) = (amount(&line.valor_antes), amount(&line.valor_depois)) {
            self.before = self.before.saturating_add(before);
            self.after = self.after.saturating_add(after);
        }
    }

    fn total(self, nome: String) -> ImpactTotal {
        let shown = |mut value: Decimal| {
            value.rescale(2);
            format_decimal(value)
        };
        ImpactTotal {
            nome,
            chamadas: self.calls,
            valor_antes: shown(self.before),
            valor_depois: shown(self.after),
            diferenca: shown(self.after.saturating_sub(self.before)),
            passam_a_responder: self.begin_to_answer,
            passam_a_recusar: self.begin_to_refuse,
        }
    }
}

impl ImpactTotals {
    pub(super) fn of(lines: &[ImpactLine]) -> ImpactTotals {
        let mut all = Sums::default();
        for line in lines {
            all.add(line);
        }
        ImpactTotals {
            geral: all.total(String::new()),
            situacao: by(lines, |line| line.situacao.to_string()),
            conta: by(lines, |line| format!("{} ({})", line.nome, line.conta)),
            tributo: by(lines, |line| line.tributo.clone()),
            mes: by(lines, |line| line.mes.clone()),
            regra: by(lines, rules),
        }
    }
}

fn by(lines: &[ImpactLine], name: impl Fn(&ImpactLine) -> String) -> Vec<ImpactTotal> {
    let mut groups: BTreeMap<String, Sums> = BTreeMap::new();
    for line in lines {
        groups.entry(name(line)).or_default().add(line);
    }
    groups.into_iter().map(|(name, sums)| sums.total(name)).collect()
}

/// The rules of a line, with the codes of refusals: `icms-sp-v1.0 -> icms-sp-v1.1`.
fn rules(line: &ImpactLine) -> String {
    let side = |rule: &Option<String>, codigo: &Option<String>| match (rule, codigo) {
        (Some(rule), Some(codigo)) => format!("{codigo} ({rule})"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    };
    let (before, after) = (side(&line.regra_antes, &line.codigo_antes), side(&line.regra_depois, &line.codigo_depois));
    if before == after { before } else { format!("{before} -> {after}") }
}

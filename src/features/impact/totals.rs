//! The totals of an impact: its lines summed in all, and by each of what distinguishes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::counts::{Change, ImpactLine};
use crate::base::value::Overflow;
use crate::law::tax::Money;

/// The sums of the lines with one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactTotal {
    /// The change, the account with its id, the tax, the month or the rules; empty for the total of all lines.
    pub nome: String,
    #[serde(flatten)]
    pub somas: ImpactSums,
}

/// How many calls change, and by how much.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactSums {
    pub chamadas: u64,
    /// Sum before, of the calls that are answered before and after.
    pub valor_antes: Money,
    /// Sum after, of the same calls.
    pub valor_depois: Money,
    pub diferenca: Money,
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

impl ImpactSums {
    /// Adds calls with their sums before and after, of which those that are refused have none. Fails, and adds nothing, if
    /// a sum has too many digits.
    pub(in crate::features) fn add(
        &mut self,
        chamadas: u64,
        before: Option<Money>,
        after: Option<Money>,
    ) -> Result<(), Overflow> {
        match (before, after) {
            (Some(before), Some(after)) => {
                let diferenca = self.diferenca.plus(after.minus(before)?)?;
                let (before, after) = (self.valor_antes.plus(before)?, self.valor_depois.plus(after)?);
                (self.valor_antes, self.valor_depois, self.diferenca) = (before, after, diferenca);
            }
            (None, Some(_)) => self.passam_a_responder += chamadas,
            (Some(_), None) => self.passam_a_recusar += chamadas,
            (None, None) => {}
        }
        self.chamadas += chamadas;
        Ok(())
    }
}

impl ImpactTotals {
    pub(super) fn of(lines: &[ImpactLine]) -> Result<ImpactTotals, Overflow> {
        Ok(ImpactTotals {
            geral: by(lines, |_| String::new())?.pop().unwrap_or_default(),
            situacao: by(lines, |line| line.mudanca.situacao.to_string())?,
            conta: by(lines, |line| format!("{} ({})", line.nome, line.conta))?,
            tributo: by(lines, |line| line.mudanca.tributo.clone())?,
            mes: by(lines, |line| line.mudanca.mes.clone())?,
            regra: by(lines, |line| line.mudanca.rules())?,
        })
    }
}

fn by(lines: &[ImpactLine], name: impl Fn(&ImpactLine) -> String) -> Result<Vec<ImpactTotal>, Overflow> {
    let mut groups: BTreeMap<String, ImpactSums> = BTreeMap::new();
    for line in lines {
        groups.entry(name(line)).or_default().add(line.chamadas, line.valor_antes, line.valor_depois)?;
    }
    Ok(groups.into_iter().map(|(nome, somas)| ImpactTotal { nome, somas }).collect())
}

impl Change {
    /// The rules, with the codes of refusals: `icms-sp-v1.0 -> icms-sp-v1.1`.
    fn rules(&self) -> String {
        let side = |rule: &Option<String>, codigo: &Option<String>| match (rule, codigo) {
            (Some(rule), Some(codigo)) => format!("{codigo} ({rule})"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => String::new(),
        };
        let (before, after) =
            (side(&self.regra_antes, &self.codigo_antes), side(&self.regra_depois, &self.codigo_depois));
        if before == after { before } else { format!("{before} -> {after}") }
    }
}

//! What the report of an impact lists: the calls that were looked at, and those whose outcome changes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::value::{Overflow, Timestamp};
use crate::core::engine::SituacaoChamada;
use crate::law::tax::Money;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactCalls {
    /// Calculations in the log that were answered or refused because of what they say, without those of test keys.
    pub registradas: u64,
    /// The same of test keys, which are not compared.
    pub de_teste: u64,
    /// Those that look up a scope that the publication touches.
    pub alcancadas: u64,
    /// Those of them whose outcome changes.
    pub alteradas: u64,
    /// Those that were already answered by the rules of now: made after what changes their outcome was published.
    #[serde(default)]
    pub ja_respondidas: u64,
    /// Those that the rules of their own instant did not answer: they asked with `conhecido_em`, or another publication
    /// changed them before the instant that is compared.
    #[serde(default)]
    pub de_outro_instante: u64,
    /// Those that cannot be compared: their refusal came from a part of the payload that the log does not keep, or
    /// their calculation failed.
    pub sem_comparacao: u64,
    /// The first call in the log.
    pub primeira: Option<Timestamp>,
    pub ultima: Option<Timestamp>,
}

/// Calls with one change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactLine {
    pub conta: Arc<str>,
    pub nome: Arc<str>,
    #[serde(flatten)]
    pub mudanca: Arc<Change>,
    pub chamadas: u64,
    /// Sum before; `None` if they were refused.
    pub valor_antes: Option<Money>,
    /// Sum after; `None` if they are refused.
    pub valor_depois: Option<Money>,
    /// `None` unless both amounts are there.
    pub diferenca: Option<Money>,
}

/// A change of the outcome of a payload, without the amounts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    pub tributo: String,
    /// Month of the operation, `AAAA-MM`; the year of a tax that is calculated by year. Empty if the payload has no
    /// date.
    pub mes: String,
    pub situacao: SituacaoChamada,
    /// The rule that answered or refused before.
    pub regra_antes: Option<String>,
    /// The rule that answers or refuses after.
    pub regra_depois: Option<String>,
    pub codigo_antes: Option<String>,
    pub codigo_depois: Option<String>,
}

impl ImpactLine {
    /// Adds the calls of a line with the same change.
    pub(super) fn add(&mut self, more: &ImpactLine) -> Result<(), Overflow> {
        self.chamadas += more.chamadas;
        let amounts = [
            (&mut self.valor_antes, more.valor_antes),
            (&mut self.valor_depois, more.valor_depois),
            (&mut self.diferenca, more.diferenca),
        ];
        for (sum, more) in amounts {
            *sum = sum.zip(more).map(|(sum, more)| sum.plus(more)).transpose()?;
        }
        Ok(())
    }
}

impl ImpactCalls {
    pub(in crate::features) fn count(&mut self, at: Option<Timestamp>) {
        self.registradas += 1;
        self.extend(at, at);
    }

    fn extend(&mut self, first: Option<Timestamp>, last: Option<Timestamp>) {
        self.primeira = self.primeira.into_iter().chain(first).min();
        self.ultima = self.ultima.max(last);
    }

    pub(super) fn add(&mut self, other: &ImpactCalls) {
        let ImpactCalls {
            registradas,
            de_teste,
            alcancadas,
            alteradas,
            ja_respondidas,
            de_outro_instante,
            sem_comparacao,
            primeira,
            ultima,
        } = *other;
        self.registradas += registradas;
        self.de_teste += de_teste;
        self.alcancadas += alcancadas;
        self.alteradas += alteradas;
        self.ja_respondidas += ja_respondidas;
        self.de_outro_instante += de_outro_instante;
        self.sem_comparacao += sem_comparacao;
        self.extend(primeira, ultima);
    }
}

//! What lies ahead in the rules of now: what begins, what ends and what answers then, which figures are not established,
//! and which rules are of the test year of the reform.
//!
//! All of it is read from the published rules and from the lookups and declarations of the taxes; no rule is named here.
//! Beside it are the dates of an accountant's duties, which are not rules.

mod scan;
mod successor;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::coverage::TaxTotal;
use crate::base::value::{Date, RuleId, Timestamp};
pub use crate::law::codes::Prazo;
use crate::law::rule::Local;

pub use super::sucessao::Sucessao;
pub use successor::scope_of;
pub(super) use successor::{Successors, standing_of};

taxd_base::vocabulary! {
    pub enum Evento {
        Comeca = "comeca",
        Termina = "termina",
    }

    /// Whether the figures of a rule are established: `em_parte` if it refuses some requests, `nulas` if it refuses all
    /// of them for want of a figure, `recusa` if it refuses them by the name of their regime, `extinto` because the law
    /// ended the tax.
    pub enum Figuras {
        Estabelecidas = "estabelecidas",
        EmParte = "em_parte",
        Nulas = "nulas",
        Recusa = "recusa",
        Extinto = "extinto",
    }
}

impl Figuras {
    /// True if some request is answered.
    fn answer(self) -> bool {
        matches!(self, Figuras::Estabelecidas | Figuras::EmParte)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpcomingRule {
    /// Number of the version: what filters of listings choose by.
    #[serde(skip)]
    number: u64,
    /// The first day on which it answers, or no longer answers.
    pub data: Date,
    pub evento: Evento,
    pub rule_id: RuleId,
    pub tributo: String,
    /// Where it applies: a municipality with its UF, a UF, a pair of UFs, or `país`.
    pub local: String,
    /// The same as data; `None` if another process found the rule.
    #[serde(skip)]
    pub lugar: Option<Local>,
    /// Its scope in words: the first of its keys.
    pub escopo: String,
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
    pub citacao_legal: String,
    /// True for a rule of the test year.
    pub ano_teste: bool,
    /// Whether the figures are established from that day on: those of the version that begins, or of the one that
    /// answers after an end; `None` if nothing answers.
    pub figuras: Option<Figuras>,
    /// Whether the figures of the version that ends were established; `None` for a begin.
    pub figuras_antes: Option<Figuras>,
    /// What answers after an end.
    pub sucessao: Option<Sucessao>,
    /// The version that answers then, of the first part of the scope that the word is true of.
    pub sucessora: Option<RuleId>,
    /// How many keys of its scope are left without an answer, in whole or in part.
    pub escopos_sem_sucessora: usize,
    /// The first of them, in Portuguese.
    pub sem_sucessora_em: Option<String>,
    /// The extinction of the tax, if nothing is due by it from that day on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extincao: Option<Extincao>,
}

/// What the rules say of the end of a tax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extincao {
    /// Since when, and what took its place.
    pub motivo: String,
    pub citacao_legal: String,
}

impl UpcomingRule {
    /// True if requests of its scope are refused after its end, although they need an answer.
    pub fn leaves_no_answer(&self) -> bool {
        self.sucessao.is_some_and(Sucessao::leaves_no_answer)
    }
}

/// A rule of the test year that answers in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestYearRule {
    #[serde(skip)]
    number: u64,
    pub rule_id: RuleId,
    pub tributo: String,
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
    pub citacao_legal: String,
}

/// Rules of one tax that refuse since one day for want of a figure, and answered until the day before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lapse {
    /// The first day without the figure.
    pub desde: Date,
    pub tributo: String,
    pub regras: u64,
    pub primeira: RuleId,
    /// The citation of the version that answered before it.
    pub ultima_citacao: String,
}

/// How many versions begin and end. Each end is of one of the other kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpcomingCounts {
    pub comecam: u64,
    pub terminam: u64,
    /// The ends, by what answers then.
    #[serde(flatten)]
    pub fins: EndCounts,
}

/// How many ends there are, by what answers then ([`Sucessao`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndCounts {
    /// A version under the same scope key answers.
    pub nova_versao: u64,
    /// A less specific rule answers.
    pub regra_geral: u64,
    /// Nothing is due, because the tax is extinct.
    pub extintas: u64,
    /// They answered, and what answers then refuses every request.
    pub sem_figura: u64,
    /// In some of their scope nothing answers.
    pub sem_sucessora: u64,
}

impl EndCounts {
    pub fn of(ends: impl Iterator<Item = Sucessao>) -> EndCounts {
        let mut counts = EndCounts::default();
        for sucessao in ends {
            *match sucessao {
                Sucessao::NovaVersao => &mut counts.nova_versao,
                Sucessao::RegraGeral => &mut counts.regra_geral,
                Sucessao::Extinta => &mut counts.extintas,
                Sucessao::SemFigura => &mut counts.sem_figura,
                Sucessao::SemSucessora => &mut counts.sem_sucessora,
            } += 1;
        }
        counts
    }

    pub fn plus(&self, other: &EndCounts) -> EndCounts {
        EndCounts {
            nova_versao: self.nova_versao + other.nova_versao,
            regra_geral: self.regra_geral + other.regra_geral,
            extintas: self.extintas + other.extintas,
            sem_figura: self.sem_figura + other.sem_figura,
            sem_sucessora: self.sem_sucessora + other.sem_sucessora,
        }
    }

    pub fn by_word(&self) -> [(Sucessao, u64); 5] {
        [
            (Sucessao::NovaVersao, self.nova_versao),
            (Sucessao::RegraGeral, self.regra_geral),
            (Sucessao::Extinta, self.extintas),
            (Sucessao::SemFigura, self.sem_figura),
            (Sucessao::SemSucessora, self.sem_sucessora),
        ]
    }

    pub fn total(&self) -> u64 {
        self.by_word().iter().map(|(_, count)| count).sum()
    }

    /// Those after which requests are refused ([`Sucessao::leaves_no_answer`]).
    pub fn without_answer(&self) -> u64 {
        self.by_word().iter().filter(|(sucessao, _)| sucessao.leaves_no_answer()).map(|(_, count)| count).sum()
    }
}

/// What begins and ends in a window of days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upcoming {
    /// The day that it looks ahead from: what begins or ends on it has done so.
    pub desde: Date,
    pub ate: Date,
    pub gerado_em: Timestamp,
    pub resumo: UpcomingCounts,
    /// Each version that begins or ends, by day.
    pub regras: Vec<Arc<UpcomingRule>>,
    /// The taxes that have rules with figures not established on the first day, and how many.
    pub figuras_nulas: Vec<TaxTotal>,
    /// Those of them that had the figures before, the latest first.
    #[serde(default)]
    pub sem_figura_desde: Vec<Lapse>,
    /// The rules of the test year that answer on some day of the window.
    pub ano_teste: Vec<TestYearRule>,
    /// The dates of duties in the window, its first day included. They are not rules, and no count has them.
    #[serde(default)]
    pub prazos: Vec<Prazo>,
}

/// The versions that end on one day, as the log and the metrics count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndsOfDay {
    /// How many, by what answers then.
    pub fins: EndCounts,
    /// Number of the first version whose requests are refused from that day on.
    pub without_answer: Option<u64>,
}

/// The ends of a window, by the first day on which the versions no longer answer.
pub type EndsByDay = BTreeMap<Date, EndsOfDay>;

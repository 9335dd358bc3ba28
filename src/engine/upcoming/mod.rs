//! What lies ahead in the rules of now: what begins, what ends and what answers then, which figures are not established,
//! and which rules are of the test year of the reform.
//!
//! All of it is read from the published rules and from the lookups and declarations of the taxes; no rule is named here.

mod calendar;
mod report;
mod scan;
mod successor;

use serde::{Deserialize, Serialize};

use super::coverage::TaxTotal;
use crate::value::{Date, RuleId, Timestamp};

pub use report::UpcomingGroup;
pub(super) use successor::{Successors, scope_of};

crate::vocabulary! {
    /// What happens on a day.
    pub enum Evento {
        Comeca = "comeca",
        Termina = "termina",
    }

    /// What answers in the scope of a version after its last day, the least first reported. Of a version with several
    /// scope keys, it is the last of these words that is true of one of them.
    pub enum Sucessao {
        NovaVersao = "nova_versao",
        RegraGeral = "regra_geral",
        SemSucessora = "sem_sucessora",
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

/// A version that begins or ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpcomingRule {
    /// The first day on which it answers, or no longer answers.
    pub data: Date,
    /// Which of them.
    pub evento: Evento,
    /// The version.
    pub rule_id: RuleId,
    /// Its tax.
    pub tributo: String,
    /// Where it applies: a municipality with its UF, a UF, a pair of UFs, or `país`.
    pub local: String,
    /// Its scope in words: the first of its keys.
    pub escopo: String,
    /// First day on which it answers.
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
    /// Legal citation.
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
    /// Legal citation.
    pub citacao_legal: String,
}

impl UpcomingRule {
    /// True if the version answers requests, and nothing answers some of them after its end, although they need an
    /// answer: no rule, or one that refuses all. An extinct tax needs none.
    #[must_use]
    pub fn leaves_no_answer(&self) -> bool {
        let answers = |figuras| matches!(figuras, Some(Figuras::Estabelecidas | Figuras::EmParte));
        let follows = self.sucessao != Some(Sucessao::SemSucessora) && answers(self.figuras);
        self.evento == Evento::Termina && answers(self.figuras_antes) && !follows && self.extincao.is_none()
    }

    /// What answers after an end; nothing does after that of the tax, whichever rule says so.
    fn followed_by(&self) -> Option<Sucessao> {
        self.sucessao.filter(|_| self.extincao.is_none())
    }
}

/// A rule of the test year that answers in the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestYearRule {
    /// The version.
    pub rule_id: RuleId,
    /// Its tax.
    pub tributo: String,
    /// First day on which it answers.
    pub vigente_de: Date,
    /// First day on which it no longer answers.
    pub vigente_ate: Option<Date>,
    /// Legal citation.
    pub citacao_legal: String,
}

/// How many versions begin and end, by what answers then. Each end is of one of the last kinds but
/// `sucessora_sem_figura`, which are among those that a version follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpcomingCounts {
    /// Begin.
    pub comecam: u64,
    /// End.
    pub terminam: u64,
    /// End, and a version under the same scope key answers.
    pub nova_versao: u64,
    /// End, and a less specific rule answers.
    pub regra_geral: u64,
    /// End, and in some of their scope nothing answers.
    pub sem_sucessora: u64,
    /// End, and what answers then refuses every request, because a figure is null.
    pub sucessora_sem_figura: u64,
    /// End, because the tax is extinct; they are of none of the kinds above.
    pub extintas: u64,
}

/// What begins and ends in a window of days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upcoming {
    /// The day that it looks ahead from: what begins or ends on it has done so.
    pub desde: Date,
    /// The last day of the window.
    pub ate: Date,
    /// When it was made.
    pub gerado_em: Timestamp,
    /// The counts.
    pub resumo: UpcomingCounts,
    /// Each version that begins or ends, by day.
    pub regras: Vec<UpcomingRule>,
    /// The taxes that have rules with figures not established on the first day, and how many.
    pub figuras_nulas: Vec<TaxTotal>,
    /// The rules of the test year that answer on some day of the window.
    pub ano_teste: Vec<TestYearRule>,
}

/// An end in the next days, as the log and the metrics count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpcomingEnd {
    /// Number of the version.
    pub number: u64,
    /// First day on which it no longer answers.
    pub data: Date,
    /// What answers then.
    pub sucessao: Sucessao,
}

//! What lies ahead in the rules of now: what begins, what ends and what answers then, which figures are not established,
//! and which rules are of the test year of the reform.
//!
//! All of it is read from the published rules and from the lookups and declarations of the taxes; no rule is named here.

mod calendar;
mod report;
mod successor;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::coverage::{RuleState, TaxTotal, state_of};
use super::{Engine, version};
use crate::document::Node;
use crate::rule::Vigencia;
use crate::rule::record::VersionRecord;
use crate::store::{Journal, RuleReader, StoreError, StoreResult};
use crate::value::{Date, RuleId, Timestamp};

pub use report::UpcomingGroup;
pub(super) use report::place;
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
    /// of them for want of a figure, `recusa` if it refuses them by the name of their regime.
    pub enum Figuras {
        Estabelecidas = "estabelecidas",
        EmParte = "em_parte",
        Nulas = "nulas",
        Recusa = "recusa",
    }
}

impl From<RuleState> for Figuras {
    fn from(state: RuleState) -> Figuras {
        match state {
            RuleState::Answers => Figuras::Estabelecidas,
            RuleState::Partly => Figuras::EmParte,
            RuleState::Refuses => Figuras::Nulas,
            RuleState::RefusesByName => Figuras::Recusa,
        }
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
    /// What answers after an end.
    pub sucessao: Option<Sucessao>,
    /// The version that answers then, of the first part of the scope that the word is true of.
    pub sucessora: Option<RuleId>,
    /// How many keys of its scope are left without an answer, in whole or in part.
    pub escopos_sem_sucessora: usize,
    /// The first of them, in Portuguese.
    pub sem_sucessora_em: Option<String>,
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

/// How many versions begin and end, by what answers then.
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
    /// Number of the publication that brought it.
    pub publication: u64,
}

/// The published rules of one moment.
struct Snapshot<'e> {
    journal: Journal,
    rules: &'e RuleReader,
}

impl Engine {
    /// What begins or ends after `from` and up to `until`.
    pub fn upcoming(&self, from: Date, until: Date) -> StoreResult<Upcoming> {
        let rules = self.store.read_rules()?;
        let snapshot = Snapshot { journal: self.store.read_journal()?, rules: &rules };
        let mut successors = Successors::new(snapshot.rules);
        let (mut regras, mut ano_teste) = (Vec::new(), Vec::new());
        let mut failed = None;
        snapshot.journal.each_version(1, |_, bytes, state| {
            let vigencia = state.vigencia;
            let mut read = || {
                let record = version::read(bytes)?;
                let content = Content::of(&record)?;
                if content.is_of_test_year && (vigencia.covers(from) || vigencia.de > from && vigencia.de <= until) {
                    ano_teste.push(TestYearRule {
                        rule_id: rule_id(&record)?,
                        tributo: record.tributo.clone().into_owned(),
                        vigente_de: vigencia.de,
                        vigente_ate: vigencia.ate,
                        citacao_legal: content.citation.clone(),
                    });
                }
                if vigencia.de > from && vigencia.de <= until {
                    regras.push(snapshot.begins(&record, &content, vigencia)?);
                }
                if let Some(ate) = vigencia.ate.filter(|ate| *ate > from && *ate <= until) {
                    regras.push(snapshot.ends(&record, &content, vigencia, ate, &mut successors)?);
                }
                Ok(())
            };
            let concerns = vigencia.de <= until && vigencia.ate.is_none_or(|ate| ate > from);
            if failed.is_none() && concerns && !vigencia.is_empty() {
                failed = read().err();
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        regras.sort_by_cached_key(|regra| {
            let (tributo, local) = (regra.tributo.clone(), regra.local.clone());
            (regra.data, Reverse(regra.sucessao), tributo, local, regra.rule_id.to_string())
        });
        let mut figuras_nulas = self.coverage(from)?.totais;
        figuras_nulas.retain(|total| total.regras.nulo + total.regras.em_parte > 0);
        let resumo = UpcomingCounts::of(&regras);
        Ok(Upcoming { desde: from, ate: until, gerado_em: self.now(), resumo, regras, figuras_nulas, ano_teste })
    }

    /// The versions that end after `from` and up to `until`, in the order of their publication. Reads those versions
    /// only.
    pub fn upcoming_ends(&self, from: Date, until: Date) -> StoreResult<Vec<UpcomingEnd>> {
        let rules = self.store.read_rules()?;
        let journal = self.store.read_journal()?;
        let mut ending = Vec::new();
        journal.each_state(|number, state| {
            if let Some(ate) = state.vigencia.ate.filter(|ate| *ate > from && *ate <= until && !state.vigencia.is_empty())
            {
                ending.push((number, ate, state.publication));
            }
        })?;
        let mut successors = Successors::new(&*rules);
        let end = |(number, data, publication)| {
            let bytes = journal.record(number)?;
            let sucessao = successors.on(&version::read(&bytes)?, data)?.sucessao;
            Ok(UpcomingEnd { number, data, sucessao, publication })
        };
        ending.into_iter().map(end).collect()
    }

    /// The version of that number, as a log names it.
    pub fn rule_id_of(&self, number: u64) -> StoreResult<String> {
        Ok(version::read(&self.store.read_journal()?.record(number)?)?.rule_id_text())
    }
}

/// What a listing needs of the content of a version.
struct Content {
    figuras: Figuras,
    is_of_test_year: bool,
    citation: String,
}

impl Content {
    fn of(record: &VersionRecord<'_>) -> StoreResult<Content> {
        let corrupt = |what: String| StoreError::Corrupt(format!("{}: {what}", record.rule_id_text()));
        let entry = crate::tax::find(&record.tributo).ok_or_else(|| corrupt("its tax is unknown".to_owned()))?;
        let content = Node::parse_text(record.conteudo.get()).map_err(|e| corrupt(e.to_string()))?;
        let Node::Object(content) = content else { return Err(corrupt("its content is not an object".to_owned())) };
        Ok(Content {
            figuras: state_of(&content, entry).into(),
            is_of_test_year: (entry.is_of_test_year)(&content),
            citation: serde_json::from_str(record.citacao_legal.get()).map_err(|e| corrupt(e.to_string()))?,
        })
    }
}

impl Snapshot<'_> {
    fn begins(&self, record: &VersionRecord<'_>, content: &Content, vigencia: Vigencia) -> StoreResult<UpcomingRule> {
        let (entry, escopo) = scope_of(record)?;
        Ok(UpcomingRule {
            data: vigencia.de,
            evento: Evento::Comeca,
            rule_id: rule_id(record)?,
            tributo: record.tributo.clone().into_owned(),
            local: report::place(&escopo),
            escopo: escopo.chaves(entry.tributo).first().map(crate::rule::Chave::descricao).unwrap_or_default(),
            vigente_de: vigencia.de,
            vigente_ate: vigencia.ate,
            citacao_legal: content.citation.clone(),
            ano_teste: content.is_of_test_year,
            figuras: Some(content.figuras),
            sucessao: None,
            sucessora: None,
            escopos_sem_sucessora: 0,
            sem_sucessora_em: None,
        })
    }

    fn ends(
        &self,
        record: &VersionRecord<'_>,
        content: &Content,
        vigencia: Vigencia,
        data: Date,
        successors: &mut Successors<'_, RuleReader>,
    ) -> StoreResult<UpcomingRule> {
        let succession = successors.on(record, data)?;
        let (mut figuras, mut sucessora) = (None, None);
        if let Some(number) = succession.number {
            let bytes = self.journal.record(number)?;
            let answers = version::read(&bytes)?;
            figuras = Some(Content::of(&answers)?.figuras);
            sucessora = Some(rule_id(&answers)?);
        }
        Ok(UpcomingRule {
            data,
            evento: Evento::Termina,
            figuras,
            sucessao: Some(succession.sucessao),
            sucessora,
            escopos_sem_sucessora: succession.orphan_keys,
            sem_sucessora_em: succession.orphan.map(|chave| chave.descricao()),
            ..self.begins(record, content, vigencia)?
        })
    }
}

fn rule_id(record: &VersionRecord<'_>) -> StoreResult<RuleId> {
    let text = record.rule_id_text();
    RuleId::parse(&text).ok_or_else(|| StoreError::Corrupt(format!("\"{text}\" is not a version")))
}

impl UpcomingCounts {
    fn of(regras: &[UpcomingRule]) -> UpcomingCounts {
        let mut counts = UpcomingCounts::default();
        for regra in regras {
            match regra.evento {
                Evento::Comeca => counts.comecam += 1,
                Evento::Termina => counts.terminam += 1,
            }
            match regra.sucessao {
                None => {}
                Some(Sucessao::NovaVersao) => counts.nova_versao += 1,
                Some(Sucessao::RegraGeral) => counts.regra_geral += 1,
                Some(Sucessao::SemSucessora) => counts.sem_sucessora += 1,
            }
            counts.sucessora_sem_figura += u64::from(regra.sucessao.is_some() && regra.figuras == Some(Figuras::Nulas));
        }
        counts
    }
}

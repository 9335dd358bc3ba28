//! Reads the published rules for what begins and ends.

mod lapses;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use self::lapses::Lapses;
use super::successor::{Successors, content_of, scope_of, standing_by, standing_of};
use super::{
    EndCounts, EndsByDay, EndsOfDay, Evento, Extincao, Figuras, TestYearRule, Upcoming, UpcomingCounts, UpcomingRule,
};
use crate::base::value::Date;
use crate::engine::figures::RuleState;
use crate::engine::sucessao::Sucessao;
use crate::engine::transition::{End, Standing, Transition};
use crate::engine::{Engine, Filter, version};
use crate::law::codes::{self, Prazo};
use crate::law::rule::Vigencia;
use crate::law::rule::record::VersionRecord;
use crate::store::{Journal, RuleReader, StoreError, StoreResult};

impl From<RuleState> for Figuras {
    fn from(state: RuleState) -> Figuras {
        match state {
            RuleState::Answers => Figuras::Estabelecidas,
            RuleState::Partly => Figuras::EmParte,
            RuleState::Refuses => Figuras::Nulas,
            RuleState::RefusesByName => Figuras::Recusa,
            RuleState::Extinct => Figuras::Extinto,
        }
    }
}

/// The published rules of one moment.
struct Snapshot<'e> {
    journal: Journal,
    rules: &'e RuleReader,
}

impl Engine {
    /// What begins or ends after `from` and up to `until`.
    pub fn upcoming(&self, from: Date, until: Date) -> StoreResult<Upcoming> {
        self.upcoming_of(from, until, None)
    }

    /// The same of the versions that pass the filter. The figures that are not established are counted by tax only.
    pub fn upcoming_of(&self, from: Date, until: Date, filter: Option<&Filter>) -> StoreResult<Upcoming> {
        let passing = match filter {
            Some(filter) => Some(self.catalog()?.select(filter, None, from, 0, usize::MAX)),
            None => None,
        };
        let publication = self.store.read_journal()?.last_publication()?;
        let all = self.overviews.calendars.get(publication, (from, until), || self.look_ahead(from, until))?;
        let mut upcoming = Upcoming { gerado_em: self.now(), ..Upcoming::clone(&all) };
        if let Some(passing) = passing {
            upcoming.regras.retain(|regra| passing.binary_search(&regra.number).is_ok());
            upcoming.ano_teste.retain(|regra| passing.binary_search(&regra.number).is_ok());
            upcoming.resumo = UpcomingCounts::of(&upcoming.regras);
        }
        if let Some(filter) = filter {
            // A duty is about taxes, in every UF, and about no product.
            let is_of = |prazo: &Prazo| {
                filter.tributo.is_none_or(|tributo| prazo.tributos.iter().any(|name| name == tributo.as_str()))
            };
            upcoming.prazos.retain(|prazo| filter.ncm.is_none() && is_of(prazo));
            let is_by_tax = filter.uf.is_none() && filter.ncm.is_none();
            let is_of = |name: &str| filter.tributo.is_none_or(|tributo| tributo.as_str() == name);
            upcoming.figuras_nulas.retain(|total| is_by_tax && is_of(&total.tributo));
            upcoming.sem_figura_desde.retain(|lapse| is_by_tax && is_of(&lapse.tributo));
        }
        Ok(upcoming)
    }

    /// Reads what begins and ends in all rules.
    fn look_ahead(&self, from: Date, until: Date) -> StoreResult<Upcoming> {
        let rules = self.store.read_rules()?;
        let snapshot = Snapshot { journal: self.store.read_journal()?, rules: &rules };
        let mut successors = Successors::new(snapshot.rules)?;
        let (mut regras, mut ano_teste, mut lapses) = (Vec::new(), Vec::new(), Lapses::default());
        let mut failed = None;
        snapshot.journal.each_version(1, |number, bytes, state| {
            let vigencia = state.vigencia;
            let mut read = || {
                let record = version::read(bytes)?;
                let content = Content::of(&record)?;
                if content.is_of_test_year && (vigencia.covers(from) || vigencia.de > from && vigencia.de <= until) {
                    ano_teste.push(TestYearRule {
                        number,
                        rule_id: version::rule_id(&record)?,
                        tributo: record.tributo.clone().into_owned(),
                        vigente_de: vigencia.de,
                        vigente_ate: vigencia.ate,
                        citacao_legal: content.citation.clone(),
                    });
                }
                let version = Version { number, record: &record, content: &content, vigencia };
                lapses.add(&snapshot, &version, from)?;
                if vigencia.de > from && vigencia.de <= until {
                    regras.push(Arc::new(version.begins(successors.transition())?));
                }
                let end = successors.transition().end(content.standing, vigencia);
                if let Some(end) = end.filter(|end| end.day > from && end.day <= until) {
                    regras.push(Arc::new(snapshot.ends(&version, end, &mut successors)?));
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
        let mut figuras_nulas = self.coverage(from)?.totais.clone();
        figuras_nulas.retain(|total| total.regras.nulo + total.regras.em_parte > 0);
        let resumo = UpcomingCounts::of(&regras);
        let prazos = codes::prazos(from, until);
        Ok(Upcoming {
            desde: from,
            ate: until,
            gerado_em: self.now(),
            resumo,
            regras,
            figuras_nulas,
            sem_figura_desde: lapses.into_list(),
            ano_teste,
            prazos,
        })
    }

    /// Counts the versions whose answers end after `from` and up to `until`. Reads those that have an end, and what
    /// follows them; from the transition on it reads them all.
    pub fn upcoming_ends(&self, from: Date, until: Date) -> StoreResult<Arc<EndsByDay>> {
        let journal = self.store.read_journal()?;
        self.overviews.ends.get(journal.last_publication()?, (from, until), || {
            let rules = self.store.read_rules()?;
            let mut successors = Successors::new(&*rules)?;
            let is_near = |day: Date| day > from && day <= until;
            let reads_all = successors.transition().first_day().is_some_and(|first| first <= until);
            let mut read = Vec::new();
            journal.each_state(|number, state| {
                let vigencia = state.vigencia;
                let lives = vigencia.de <= until && vigencia.ate.is_none_or(|ate| ate > from);
                if !vigencia.is_empty() && (vigencia.ate.is_some_and(is_near) || reads_all && lives) {
                    read.push((number, vigencia));
                }
            })?;
            let mut by_day: BTreeMap<Date, Vec<(u64, Sucessao)>> = BTreeMap::new();
            for (number, vigencia) in read {
                let bytes = journal.record(number)?;
                let record = version::read(&bytes)?;
                let standing = standing_of(&record)?;
                if let Some(end) = successors.transition().end(standing, vigencia).filter(|end| is_near(end.day)) {
                    let sucessao = successors.after(&record, standing, end)?.sucessao;
                    by_day.entry(end.day).or_default().push((number, sucessao));
                }
            }
            let of_day = |ends: Vec<(u64, Sucessao)>| EndsOfDay {
                fins: EndCounts::of(ends.iter().map(|(_, sucessao)| *sucessao)),
                without_answer: ends
                    .iter()
                    .find(|(_, sucessao)| sucessao.leaves_no_answer())
                    .map(|(number, _)| *number),
            };
            Ok(by_day.into_iter().map(|(data, ends)| (data, of_day(ends))).collect())
        })
    }

    /// The version of that number, as a log names it.
    pub fn rule_id_of(&self, number: u64) -> StoreResult<String> {
        Ok(version::read(&self.store.read_journal()?.record(number)?)?.rule_id_text())
    }
}

/// What a listing needs of the content of a version.
struct Content {
    standing: Standing,
    is_of_test_year: bool,
    citation: String,
    extincao: Option<Extincao>,
}

impl Content {
    fn of(record: &VersionRecord<'_>) -> StoreResult<Content> {
        let (entry, content) = content_of(record)?;
        let citation: String = serde_json::from_str(record.citacao_legal.get())
            .map_err(|e| StoreError::Corrupt(format!("{}: {e}", record.rule_id_text())))?;
        let extinction = (entry.extinction)(&content);
        Ok(Content {
            standing: standing_by(record, entry, &content)?,
            is_of_test_year: (entry.is_of_test_year)(&content),
            extincao: extinction.map(|motivo| Extincao { motivo: motivo.to_owned(), citacao_legal: citation.clone() }),
            citation,
        })
    }
}

/// A version, as far as it was read.
struct Version<'v> {
    number: u64,
    record: &'v VersionRecord<'v>,
    content: &'v Content,
    vigencia: Vigencia,
}

impl Version<'_> {
    fn begins(&self, transition: &Transition) -> StoreResult<UpcomingRule> {
        let Version { number, record, content, vigencia } = *self;
        let (entry, escopo) = scope_of(record)?;
        Ok(UpcomingRule {
            number,
            data: vigencia.de,
            evento: Evento::Comeca,
            rule_id: version::rule_id(record)?,
            tributo: record.tributo.clone().into_owned(),
            local: escopo.local().to_string(),
            lugar: Some(escopo.local()),
            escopo: escopo.chaves(entry.tributo).first().map(crate::law::rule::Chave::descricao).unwrap_or_default(),
            vigente_de: vigencia.de,
            vigente_ate: vigencia.ate,
            citacao_legal: content.citation.clone(),
            ano_teste: content.is_of_test_year,
            figuras: Some(transition.state_on(content.standing, vigencia.de).into()),
            figuras_antes: None,
            sucessao: None,
            sucessora: None,
            escopos_sem_sucessora: 0,
            sem_sucessora_em: None,
            extincao: content.extincao.clone(),
        })
    }
}

impl Snapshot<'_> {
    fn ends(
        &self,
        ending: &Version<'_>,
        end: End,
        successors: &mut Successors<'_, RuleReader>,
    ) -> StoreResult<UpcomingRule> {
        let before = ending.content.standing;
        let succession = successors.after(ending.record, before, end)?;
        let (mut figuras, mut sucessora, mut extincao) = (None, None, None);
        if let Some(number) = succession.number {
            let bytes = self.journal.record(number)?;
            let answers = version::read(&bytes)?;
            let content = Content::of(&answers)?;
            // A national rule refuses what this version states, whatever it answers of others.
            let then = if end.by.is_some() { before } else { content.standing };
            figuras = Some(successors.transition().state_on(then, end.day).into());
            extincao = content.extincao;
            sucessora = Some(version::rule_id(&answers)?);
        }
        Ok(UpcomingRule {
            data: end.day,
            evento: Evento::Termina,
            figuras,
            figuras_antes: Some(before.own.into()),
            sucessao: Some(succession.sucessao),
            sucessora,
            escopos_sem_sucessora: succession.orphan_keys,
            sem_sucessora_em: succession.orphan.map(|chave| chave.descricao()),
            extincao,
            ..ending.begins(successors.transition())?
        })
    }
}

impl UpcomingCounts {
    pub fn of(regras: &[Arc<UpcomingRule>]) -> UpcomingCounts {
        let count = |evento| regras.iter().filter(|regra| regra.evento == evento).count() as u64;
        UpcomingCounts {
            comecam: count(Evento::Comeca),
            terminam: count(Evento::Termina),
            fins: EndCounts::of(regras.iter().filter_map(|regra| regra.sucessao)),
        }
    }
}

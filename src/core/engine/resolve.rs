//! The rules of the store, as the taxes look them up.

use std::cell::RefCell;
use std::sync::Arc;

use super::answer::Extras;
use super::cache::Decoded;
use super::cache::keys::Kept;
use super::named::{self, Begin};
use super::supposed::Supposing;
use super::touched::probe;
use super::version;
use crate::base::problem::Problem;
use crate::base::sentence::Reader;
use crate::base::value::{Date, Ncm};
use crate::law::rule::{Chave, Dimension, Linha, Nomeada, OpenDimension, Place, Regra, Regras, RuleResult, Vigencia};
use crate::law::tax::{FiguraSuposta, Suposicao};
use crate::store::{LookupEntry, RuleTables, StoreError};

/// Room for the keys that most calculations look up.
const USUAL_PROBES: usize = 24;
/// Room for the bytes of most keys.
const USUAL_KEY_BYTES: usize = 96;

/// Id and number of versions.
type FoundVersions = Vec<(Arc<str>, u64)>;

/// The rules of one snapshot, or of a transaction under way. Notes every key that is looked up.
pub(super) struct Resolver<'a, T> {
    tables: &'a T,
    /// Decoded versions, shared by all calculations. A transaction must not share them with others: its versions may be
    /// rolled back, and their numbers given to others.
    decoded: Option<&'a Decoded>,
    /// What was read of the rules before, shared by all calculations. The function returns false once a publication has
    /// swept the caches: what was read before then must not be stored.
    kept: Option<(&'a Kept, &'a dyn Fn() -> bool)>,
    probes: RefCell<Vec<u64>>,
    /// The bytes of the key that is looked up.
    key: RefCell<Vec<u8>>,
    /// Id and number of every version that was found; `None` unless a proof or what a person reads is asked for.
    found: Option<RefCell<FoundVersions>>,
    /// Who reads the sentences.
    pub(super) leitor: Reader,
    /// A person reads them too.
    pub(super) com_leitor: bool,
    /// The figures that are supposed, and the rules in which they were put.
    supposing: Option<Supposing<'a>>,
}

impl<'a, T: RuleTables> Resolver<'a, T> {
    pub(super) fn new(tables: &'a T, decoded: Option<&'a Decoded>) -> Self {
        let (probes, key) = (Vec::with_capacity(USUAL_PROBES).into(), Vec::with_capacity(USUAL_KEY_BYTES).into());
        Resolver {
            tables,
            decoded,
            kept: None,
            probes,
            key,
            found: None,
            leitor: Reader::Program,
            com_leitor: false,
            supposing: None,
        }
    }

    /// The same, with what was read before; `is_valid` returns true while that is of the snapshot.
    pub(super) fn with_kept(mut self, kept: &'a Kept, is_valid: &'a dyn Fn() -> bool) -> Self {
        self.kept = Some((kept, is_valid));
        self
    }

    /// The same for an answer with these extras: a proof has the [records](Self::record) of the versions that are found.
    pub(super) fn with_extras(mut self, extras: Extras) -> Self {
        self.found = (extras.prova || extras.com_leitor).then(RefCell::default);
        (self.leitor, self.com_leitor) = (extras.leitor, extras.com_leitor);
        self
    }

    /// The same with these figures in the place of those that the rules of their taxes state.
    pub(super) fn supposing(mut self, suposicoes: &'a [Suposicao]) -> Self {
        self.supposing = (!suposicoes.is_empty()).then(|| Supposing::of(suposicoes));
        self
    }

    /// True if a rule that was looked up has a supposed figure.
    pub(super) fn has_supposed(&self) -> bool {
        self.supposing.as_ref().is_some_and(Supposing::has_put)
    }

    /// The supposed figures that are in these rules.
    pub(super) fn supposed_in<'r>(&self, rules: impl Iterator<Item = &'r Regra>) -> Vec<FiguraSuposta> {
        self.supposing.as_ref().map_or_else(Vec::new, |supposing| supposing.used(rules))
    }

    /// The record of a version that was found; `None` if it was not, or if versions are not noted.
    pub(super) fn record(&self, rule_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let number = |found: &RefCell<FoundVersions>| {
            found.borrow().iter().find(|(id, _)| **id == *rule_id).map(|(_, number)| *number)
        };
        self.found.as_ref().and_then(number).map(|number| self.tables.record(number)).transpose()
    }

    /// Hashes of every scope key that was looked up.
    pub(super) fn into_probes(self) -> Vec<u64> {
        self.probes.into_inner()
    }

    fn regra(&self, found: LookupEntry) -> RuleResult<Regra> {
        let versao = match self.decoded.and_then(|d| d.get(&found.number)) {
            Some(versao) => versao,
            None => {
                let versao = version::decode_shared(&self.tables.record(found.number)?)?;
                if let Some(decoded) = self.decoded {
                    decoded.put_if(found.number, Arc::clone(&versao), || true);
                }
                versao
            }
        };
        if let Some(noted) = &self.found {
            noted.borrow_mut().push((Arc::clone(&versao.escrito.rule_id), found.number));
        }
        let versao = match &self.supposing {
            Some(supposing) => supposing.version(versao, || self.tables.record(found.number))?,
            None => versao,
        };
        Ok(Regra { versao, vigencia: found.vigencia })
    }
}

impl From<StoreError> for Box<Problem> {
    fn from(error: StoreError) -> Self {
        failed(&error)
    }
}

/// The answer to a caller if the store fails.
pub(super) fn failed(error: &StoreError) -> Box<Problem> {
    if error.is_outage() {
        return Box::new(Problem::unavailable());
    }
    let detail = "O serviço não conseguiu ler as regras; repita o pedido e, se persistir, avise o operador.";
    Box::new(Problem::failure(detail, error))
}

impl<T: RuleTables> Regras for Resolver<'_, T> {
    fn em(&self, chave: &Chave, data: Date) -> RuleResult<Option<Regra>> {
        let mut key = self.key.borrow_mut();
        key.clear();
        chave.write(&mut key);
        let probe = probe(&key);
        self.probes.borrow_mut().push(probe);
        let found = match self.kept {
            Some((kept, is_valid)) => {
                let versions = kept.key(self.tables, (&key, probe), is_valid)?;
                versions.list.iter().map(|(_, entry)| *entry).find(|entry| entry.vigencia.covers(data))
            }
            None => self.tables.find(&key, data)?,
        };
        found.map(|found| self.regra(found)).transpose()
    }

    fn longest_prefix(
        &self,
        places: &[Chave],
        ncm: &Ncm,
        data: Date,
        wanted: &dyn Fn(&Regra) -> RuleResult<bool>,
    ) -> RuleResult<Option<Regra>> {
        let is_wanted = |regra: &Regra| Ok::<_, Box<Problem>>(!regra.escopo.excetua(ncm) && wanted(regra)?);
        let Some((kept, is_valid)) = self.kept else {
            for key in Chave::under(places, ncm) {
                if let Some(regra) = self.em(&key, data)?
                    && is_wanted(&regra)?
                {
                    return Ok(Some(regra));
                }
            }
            return Ok(None);
        };
        let series = kept.series(self.tables, (places, ncm), &mut self.key.borrow_mut(), is_valid)?;
        for (place, entry) in series.list.iter().filter(|(_, entry)| entry.vigencia.covers(data)) {
            let regra = self.regra(*entry)?;
            if is_wanted(&regra)? {
                // The keys after it were not asked for.
                self.probes.borrow_mut().extend(series.probes.iter().take(place + 1));
                return Ok(Some(regra));
            }
        }
        self.probes.borrow_mut().extend_from_slice(&series.probes);
        Ok(None)
    }

    fn com_qualquer_ultima(&self, chave: &Chave, data: Date) -> RuleResult<Vec<Regra>> {
        let prefix = chave.bytes_before(Dimension::Cest);
        self.probes.borrow_mut().push(probe(&prefix));
        let found = self.tables.find_under(&prefix, data)?;
        found.into_iter().map(|f| self.regra(f)).collect()
    }

    fn linhas(&self, prefix: &[u8], place: Place<'_>, max: usize) -> RuleResult<Vec<Linha>> {
        Ok(self.tables.rows(prefix, place, max)?)
    }

    fn nomeadas(
        &self,
        chaves: &mut dyn Iterator<Item = Chave>,
        open: &OpenDimension<'_>,
        take: &mut dyn FnMut(&Nomeada) -> RuleResult<bool>,
    ) -> RuleResult<()> {
        let mut take = |named: &Nomeada| Ok::<_, Box<Problem>>(named.vigencia.covers(open.data) && take(named)?);
        if let Some((kept, is_valid)) = self.kept {
            let of = (chaves, open);
            let Some(lists) = named::list(kept, self.tables, of, &mut self.key.borrow_mut(), is_valid)? else {
                return Ok(());
            };
            self.probes.borrow_mut().extend_from_slice(&lists.probes);
            for named in &lists.list {
                if take(named)? {
                    break;
                }
            }
        } else {
            let mut is_full = false;
            for begin in chaves.map(|chave| Begin::of(&chave, open)) {
                self.probes.borrow_mut().push(begin.probe);
                if !is_full {
                    named::read_until(self.tables, &begin, open, |named| -> RuleResult<bool> {
                        is_full = take(named)?;
                        Ok(is_full)
                    })?;
                }
            }
        }
        Ok(())
    }

    fn versao(&self, number: u64, vigencia: Vigencia) -> RuleResult<Regra> {
        self.regra(LookupEntry { number, vigencia })
    }
}
